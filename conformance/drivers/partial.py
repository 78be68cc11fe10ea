"""A driver to begin with: whoever writes one fills in a few methods, and adds the others as they are needed.

A scenario that needs what is not written ends as protocol-error and says what is missing; all others are
judged. Knows nothing of any implementation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from conformance.drivers.base import AgentOptions, Driver, Host, Implementation, InboxItem, NotWritten
from conformance.scenario import Json


class PartialDriver(ABC):
    """A `Driver` whose subclass has at least `start`; for the profile `agent` also `create`, `prompt` and
    `messages`, for `runtime` and `client` `perform`.

    Each method is described at `Driver`. `reset` and `shutdown` do nothing here, which will do for agents
    that are gone once nobody holds them; all others raise NotWritten.
    """

    @abstractmethod
    async def start(self, host: Host) -> Implementation:
        """Driver.start."""

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        raise _lacks("create")

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        """Driver.prompt."""
        raise _lacks("prompt")

    async def messages(self, agent: str) -> list[dict[str, Json]]:
        """Driver.messages."""
        raise _lacks("messages")

    async def reset(self) -> None:  # noqa: B027 - nothing to do is the default
        """Driver.reset."""

    async def shutdown(self) -> None:  # noqa: B027 - as above
        """Driver.shutdown."""

    async def crash(self) -> None:
        """Driver.crash."""
        raise _lacks("crash")

    async def resume(self, agent: str) -> dict[str, Json]:
        """Driver.resume."""
        raise _lacks("resume")

    async def stop(self, agent: str) -> None:
        """Driver.stop."""
        raise _lacks("stop")

    async def replace_messages(self, agent: str, messages: list[dict[str, Json]]) -> None:
        """Driver.replace_messages."""
        raise _lacks("replace_messages")

    async def pending_calls(self, agent: str) -> list[dict[str, Json]]:
        """Driver.pending_calls."""
        raise _lacks("pending_calls")

    async def needs_reply(self, agent: str) -> bool:
        """Driver.needs_reply."""
        raise _lacks("needs_reply")

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        raise _lacks("put")

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads."""
        raise _lacks("put_from_threads")

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> dict[str, Json]:
        """Driver.run_child."""
        raise _lacks("run_child")

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Driver.update."""
        raise _lacks("update")

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """Driver.perform."""
        raise _lacks("perform")


async def perform(driver: Driver, method: str, params: dict[str, Json]) -> dict[str, Json]:
    """`driver.perform`. Raises NotWritten for a driver that is older than that method."""
    if not hasattr(driver, "perform"):
        raise _lacks("perform")
    return await driver.perform(method, params)


def _lacks(method: str) -> NotWritten:
    return NotWritten(f"the driver has no {method} yet")
