"""The host, as a driver in this process sees it: what it is asked and told has to be of the right kind.

Whoever says something wrong is told so at once, by a HostError; `guarded` tells whoever plays.
What belongs to a play that is over is not heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, NoReturn, Protocol, TypeVar

from conformance.drivers.base import Generation, Host, HostError, Outcome, ProtocolError
from conformance.drivers.eager import begun_run
from conformance.drivers.plain import as_json, kind
from conformance.scenario import Json

T = TypeVar("T")


class Blaming(Protocol):
    """Who has to know."""

    def is_over(self, method: str, name: str) -> bool:
        """Whether the play is over to which what is said now belongs. `name` is of whom: an agent, or in
        `runtime/moved` a runtime."""

    def blame(self, what: str) -> None:
        """Something that may not be said has been."""


class Watching:
    """The host, as a driver in this process sees it: looks at what it is told.

    Where `has_runtimes`, a request is answered also if whoever made it does not wait any more, as over a
    pipe, so that a play is the same however the implementation is reached. An agent's requests end with the
    run that is stopped: in them its children may be running.
    """

    def __init__(self, host: Host, guard: Blaming) -> None:
        self._host = host
        self._guard = guard
        self.has_runtimes = False
        self._serving: set[asyncio.Future[Any]] = set()

    def forget(self) -> None:
        """Nobody asks any more: what is still being answered is given up."""
        self.has_runtimes = False
        for answer in [*self._serving]:
            answer.cancel()

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        """Host.generate."""
        self._demand_present("model/generate", agent)
        self._demand_texts("the model was asked", agent=agent)
        if not isinstance(messages, list | tuple) or not all(isinstance(one, dict) for one in messages):
            self._refuse(f"the model was given {kind(messages)}, expected messages, which are mappings")
        given = self._json("what the model was given", list(messages))
        return await self._answer(self._host.generate(agent, given))

    async def execute(
        self,
        agent: str,
        call_id: str,
        tool: str,
        arguments: dict[str, Json],
        answer: dict[str, Json] | None = None,
    ) -> Outcome:
        """Host.execute."""
        self._demand_present("tool/execute", agent)
        self._demand_call("a tool was executed", agent, call_id, tool, arguments)
        if answer is not None and not isinstance(answer, dict):
            self._refuse(f"a tool was executed with {kind(answer)} as its answer, expected a mapping")
        given = self._json("what a tool was executed with", arguments)
        told = self._json("what a tool was executed with", answer)
        return await self._answer(self._host.execute(agent, call_id, tool, given, told))

    async def approve(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> str | None:
        """Host.approve."""
        self._demand_present("tool/approve", agent)
        self._demand_call("a call was to be approved", agent, call_id, tool, arguments)
        given = self._json("what was to be approved", arguments)
        return await self._answer(self._host.approve(agent, call_id, tool, given))

    async def wait_for(self, agent: str, request: dict[str, Json]) -> dict[str, Json]:
        """Host.wait_for."""
        self._demand_present("host/wait_for", agent)
        self._demand_texts("an interpreter was asked", agent=agent)
        if not isinstance(request, dict):
            self._refuse(f"an interpreter was asked with {kind(request)}, expected a request, a mapping")
        asked = self._json("what an interpreter was asked", request)
        return await self._answer(self._host.wait_for(agent, asked))

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """Host.moved."""
        if self._guard.is_over("runtime/moved", runtime):
            return
        if not all(isinstance(word, str) for word in (runtime, handle, before, after)):
            self._guard.blame("a step of a handle was told with something that is no text")
            return
        self._host.moved(runtime, handle, str(before), str(after))

    def event(self, agent: str, event: dict[str, Json]) -> None:
        """Host.event."""
        if self._guard.is_over("event", agent):
            return
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            self._guard.blame(f"an event was {kind(event)}, expected a mapping with a type")
            return
        if not isinstance(agent, str):
            self._guard.blame(f"an event was that of {kind(agent)}, expected the name of an agent")
            return
        try:
            told = as_json(f"the event {event['type']}", event)
        except ProtocolError as fault:
            self._guard.blame(fault.message)
            return
        self._host.event(agent, told)

    async def _answer(self, question: Coroutine[None, None, T]) -> T:
        if not self.has_runtimes:
            return await question
        answer = begun_run(question)
        if not answer.done():
            self._serving.add(answer)
            answer.add_done_callback(self._answered)
        return await asyncio.shield(answer)

    def _answered(self, answer: asyncio.Future[Any]) -> None:
        self._serving.discard(answer)
        if not answer.cancelled():
            answer.exception()  # which nobody may be waiting for

    def _demand_present(self, method: str, agent: str) -> None:
        if self._guard.is_over(method, agent):
            raise asyncio.CancelledError("the play in which this was begun is over")

    def _demand_call(self, what: str, agent: object, call_id: object, tool: object, given: object) -> None:
        self._demand_texts(what, agent=agent, call_id=call_id, tool=tool)
        if not isinstance(given, dict):
            self._refuse(f"{what} with {kind(given)} as its arguments, expected a mapping")

    def _demand_texts(self, what: str, **told: object) -> None:
        for name, text in told.items():
            if not isinstance(text, str):
                self._refuse(f"{what} with {kind(text)} as {name}, expected a text")

    def _json(self, what: str, value: T) -> T:
        try:
            return as_json(what, value)
        except ProtocolError as fault:
            self._refuse(fault.message)

    def _refuse(self, what: str) -> NoReturn:
        """The driver is told at once, and whoever plays with the next answer."""
        self._guard.blame(what)
        raise HostError(what)
