"""The runtimes and clients of the reference as an implementation under test, with their time.

Knows which verb is whose, and nothing of what they do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from conformance.drivers.base import Host, ProtocolError
from conformance.drivers.eager import begun_run
from conformance.drivers.reference_asking import HostAsking
from conformance.drivers.reference_client import RUNS, ReferenceClients
from conformance.drivers.reference_runtime import AWAITED, ReferenceRuntimes, Verb
from conformance.drivers.wire import Object
from reference import ManualClock


class ReferenceVerbs:
    """All that there is from one reset to the next."""

    def __init__(self, host: Host) -> None:
        self._asking = HostAsking(host)
        self._clock = ManualClock()
        self._runtimes = ReferenceRuntimes(self._asking, self._clock)
        self._clients = ReferenceClients(self._asking, self._clock)
        self._verbs: Mapping[str, Verb] = {
            "clock/advance": self._advance,
            **self._runtimes.verbs,
            **self._clients.verbs,
        }

    async def perform(self, method: str, params: Object) -> Object | asyncio.Future[Object]:
        """What a verb answers: at once, or when it has come to an end."""
        verb = self._verbs.get(method)
        if verb is None:
            raise ProtocolError(f"there is no method {method}")
        if method in AWAITED:  # from when it is asked: time may go on right behind it
            return begun_run(verb(params))
        return asyncio.create_task(verb(params)) if method in RUNS else await verb(params)

    def stop(self) -> None:
        """Let nothing more be heard. What runs is cancelled, but for what `perform` has given away."""
        self._asking.is_over = True
        self._runtimes.close()

    async def end(self) -> None:
        """Wait until nothing runs any more, and close what is open."""
        await self._asking.end()
        self._clients.close()

    async def _advance(self, params: Object) -> Object:
        seconds = params["seconds"]
        self._clock.advance(seconds if isinstance(seconds, int | float) else 0)
        return {}
