"""A driver that lives in this process, kept from doing more than fail its own scenario.

Whatever it raises is a crash of the implementation (also SystemExit and KeyboardInterrupt, which would
otherwise end the command without a word), and what it says has to be JSON of the right shape. A driver in a
process of its own is held to the same by its connection.
"""

from __future__ import annotations

import asyncio
import json
import math
import signal
import traceback
from collections.abc import Coroutine, Sequence
from typing import TypeVar

from conformance.drivers import shapes
from conformance.drivers.base import (
    AgentOptions,
    Crashed,
    Driver,
    DriverFailure,
    Generation,
    Host,
    HostError,
    Implementation,
    ImplementationError,
    InboxItem,
    NotStarted,
    Outcome,
    ProtocolError,
    TimedOut,
)
from conformance.drivers.jsonlines import MAX_DEPTH, is_too_deep
from conformance.drivers.partial import perform
from conformance.scenario import Json

T = TypeVar("T")

SETTLING = 30.0
"""Seconds within which a driver has to start, to forget its agents, or to end."""


class Guarded:
    """A `Driver` around another one in this process. `notes` are the other one's."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._fault: ProtocolError | None = None

    @property
    def notes(self) -> object:
        """What a person should know of the driver, if it has any such notes."""
        return getattr(self._driver, "notes", ())

    async def start(self, host: Host) -> Implementation:
        """Driver.start."""
        implementation = await self._settled("start", self._driver.start(_Watching(host, self)))
        if not isinstance(implementation, Implementation):
            raise NotStarted(f"start answered {_kind(implementation)}, expected an Implementation")
        return implementation

    async def reset(self) -> None:
        """Driver.reset."""
        self._fault = None
        await self._settled("reset", self._driver.reset())

    async def shutdown(self) -> None:
        """Driver.shutdown."""
        await self._settled("shutdown", self._driver.shutdown())

    async def crash(self) -> None:
        """Driver.crash."""
        await self._settled("crash", self._driver.crash())

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        await self._asked(self._driver.create(agent, options))

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        """Driver.prompt."""
        return self._mapping("prompt", await self._asked(self._driver.prompt(agent, text)))

    async def resume(self, agent: str) -> dict[str, Json]:
        """Driver.resume."""
        return self._mapping("resume", await self._asked(self._driver.resume(agent)))

    async def stop(self, agent: str) -> None:
        """Driver.stop."""
        await self._asked(self._driver.stop(agent))

    async def messages(self, agent: str) -> list[dict[str, Json]]:
        """Driver.messages."""
        return self._mappings("messages", await self._asked(self._driver.messages(agent)))

    async def replace_messages(self, agent: str, messages: list[dict[str, Json]]) -> None:
        """Driver.replace_messages."""
        await self._asked(self._driver.replace_messages(agent, messages))

    async def pending_calls(self, agent: str) -> list[dict[str, Json]]:
        """Driver.pending_calls."""
        return self._mappings("pending_calls", await self._asked(self._driver.pending_calls(agent)))

    async def needs_reply(self, agent: str) -> bool:
        """Driver.needs_reply."""
        answer = await self._asked(self._driver.needs_reply(agent))
        if not isinstance(answer, bool):
            raise ProtocolError(f"needs_reply answered {_kind(answer)}, expected true or false")
        return answer

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        await self._asked(self._driver.put(agent, item))

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads."""
        await self._asked(self._driver.put_from_threads(agent, threads))

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> dict[str, Json]:
        """Driver.run_child."""
        answer = await self._asked(self._driver.run_child(agent, call_id, child, prompt))
        return self._mapping("run_child", answer)

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Driver.update."""
        await self._asked(self._driver.update(agent, call_id, partial))

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """Driver.perform."""
        shapes.demand_what_can_be_given_back(method, params)
        answer = self._mapping(method, await self._asked(perform(self._driver, method, params)))
        wrong = shapes.wrong_result(method, answer)
        if wrong is not None:
            raise ProtocolError(f"a wrong answer to {method}: {wrong}")
        return answer

    def blame(self, what: str) -> None:
        """Something that may not be said has been: the first such thing is told with the next answer."""
        self._fault = self._fault or ProtocolError(what)

    async def _asked(self, question: Coroutine[None, None, T]) -> T:
        try:
            answer = await question
        except (ImplementationError, DriverFailure, asyncio.CancelledError):
            if self._fault is not None:
                raise self._fault from None
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and _is_raised_by_ctrl_c():
                raise
            raise _crashed(error) from error
        if self._fault is not None:
            raise self._fault
        return answer

    async def _settled(self, what: str, question: Coroutine[None, None, T]) -> T:
        try:
            async with asyncio.timeout(SETTLING):
                return await self._asked(question)
        except TimeoutError:
            failure = NotStarted if what == "start" else TimedOut
            raise failure(f"{what} was not answered within {SETTLING:g} s") from None
        except ImplementationError as error:
            raise Crashed(f"{what} was answered with an error: {error.message}") from error
        except Crashed as error:
            if what == "start":
                raise NotStarted(error.message, error.detail) from error
            raise

    def _mapping(self, what: str, answer: object) -> dict[str, Json]:
        if not isinstance(answer, dict):
            raise ProtocolError(f"{what} answered {_kind(answer)}, expected a mapping")
        _refuse_what_is_no_json(what, answer)
        return answer

    def _mappings(self, what: str, answer: object) -> list[dict[str, Json]]:
        if not isinstance(answer, list) or not all(isinstance(item, dict) for item in answer):
            raise ProtocolError(f"{what} answered {_kind(answer)}, expected a list of mappings")
        _refuse_what_is_no_json(what, answer)
        return answer


class _Watching:
    """The host, as a driver in this process sees it: looks at what it is told."""

    def __init__(self, host: Host, guard: Guarded) -> None:
        self._host = host
        self._guard = guard

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        """Host.generate."""
        if not isinstance(agent, str):
            self._guard.blame(f"the model of {_kind(agent)} was asked, expected the name of an agent")
            raise HostError("the agent has no name")
        if not all(isinstance(message, dict) for message in messages):
            self._guard.blame("the model was given something that is no message, expected mappings")
            messages = [message for message in messages if isinstance(message, dict)]
        return await self._host.generate(agent, messages)

    async def execute(
        self,
        agent: str,
        call_id: str,
        tool: str,
        arguments: dict[str, Json],
        answer: dict[str, Json] | None = None,
    ) -> Outcome:
        """Host.execute."""
        told = {"agent": agent, "call_id": call_id, "tool": tool}
        wrong = next((name for name, text in told.items() if not isinstance(text, str)), None)
        if wrong is None and not isinstance(arguments, dict):
            wrong = "arguments"
        try:
            _refuse_what_is_no_json("what a tool was executed with", [arguments, answer])
        except ProtocolError as fault:
            self._guard.blame(fault.message)
            raise HostError(fault.message) from None
        if wrong is not None:
            self._guard.blame(f"a tool was executed with {wrong} of a wrong type")
            raise HostError(f"{wrong} has a wrong type")
        return await self._host.execute(agent, call_id, tool, arguments, answer)

    async def approve(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> str | None:
        """Host.approve."""
        return await self._host.approve(agent, call_id, tool, arguments)

    async def wait_for(self, agent: str, request: dict[str, Json]) -> dict[str, Json]:
        """Host.wait_for."""
        if not isinstance(request, dict) or not isinstance(agent, str):
            wrong = agent if isinstance(request, dict) else request
            self._guard.blame(f"an interpreter was asked with {_kind(wrong)}, expected a name and a mapping")
            raise HostError("an interpreter was asked in a wrong way")
        return await self._host.wait_for(agent, request)

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """Host.moved."""
        if not all(isinstance(word, str) for word in (runtime, handle, before, after)):
            self._guard.blame("a step of a handle was told with something that is no text")
            return
        self._host.moved(runtime, handle, str(before), str(after))

    def event(self, agent: str, event: dict[str, Json]) -> None:
        """Host.event."""
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            self._guard.blame(f"an event was {_kind(event)}, expected a mapping with a type")
            return
        try:
            _refuse_what_is_no_json(f"the event {event['type']}", event)
        except ProtocolError as fault:
            self._guard.blame(fault.message)
            return
        self._host.event(agent, event)


def _is_raised_by_ctrl_c() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt wherever we are. Under `asyncio.run` it cancels instead, and
    what it raises the second time only breaks into an implementation that blocks."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _refuse_what_is_no_json(what: str, value: object) -> None:
    try:
        if not _is_plain(value) and is_too_deep(json.dumps(value, allow_nan=False).encode()):
            raise ProtocolError(f"{what} is nested more than {MAX_DEPTH} deep")
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"{what} is no JSON: {error}") from None


_PLAIN = frozenset({str, bool, type(None)})
_LARGE = 1 << 64
"""Beyond this an integer may have more digits than can be written."""


def _is_plain(value: object, levels: int = MAX_DEPTH) -> bool:
    """Whether a value is certain to be JSON. Whatever else it may be is for `json` to judge, which takes
    several times as long; `all` with a generator would take twice as long."""
    if type(value) is dict:
        if not levels:
            return False
        for key, item in value.items():
            if type(key) is not str or not (type(item) in _PLAIN or _is_plain(item, levels - 1)):
                return False
        return True
    if type(value) is list:
        if not levels:
            return False
        for item in value:  # noqa: SIM110
            if not (type(item) in _PLAIN or _is_plain(item, levels - 1)):
                return False
        return True
    if type(value) is int:
        return -_LARGE < value < _LARGE
    return type(value) in _PLAIN or (type(value) is float and math.isfinite(value))


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of the type {type(value).__name__}"


def _crashed(error: BaseException) -> Crashed:
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return Crashed(said, "".join(traceback.format_exception(error)))
