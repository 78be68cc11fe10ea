"""A driver that lives in this process, kept from doing more than fail its own scenario.

Whatever it raises is a crash of the implementation (also SystemExit and KeyboardInterrupt, which would
otherwise end the command without a word), and what it says has to be JSON of the right shape. A driver in a
process of its own is held to the same by its connection.
"""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import Coroutine, Sequence
from contextvars import ContextVar
from typing import TypeVar, get_args

from conformance.drivers import shapes
from conformance.drivers.base import (
    AgentOptions,
    Crashed,
    Driver,
    DriverFailure,
    ErrorCode,
    Host,
    Implementation,
    ImplementationError,
    InboxItem,
    NotStarted,
    ProtocolError,
    TimedOut,
)
from conformance.drivers.known import Known
from conformance.drivers.partial import perform
from conformance.drivers.plain import as_json, kind
from conformance.drivers.raised import traceback_of
from conformance.drivers.watching import Watching
from conformance.scenario import Json
from conformance.transcript import WAITING

T = TypeVar("T")

_BEGINS_A_TURN = frozenset({"runtime/wake", *WAITING} - {"runtime/wait"})

_turn: ContextVar[tuple[object, int] | None] = ContextVar("turn", default=None)
"""In what a driver has begun in a run or a wake: whose driver it is, and in which of its plays that was.
Tasks and callbacks inherit it. What serves all plays is begun elsewhere, and is that of the one going on."""

_ROUNDS = 16
"""So many rounds of the loop what has been begun has to come to its end when a play does, and what says
something behind the reset has to be heard. It is a number, since nobody can ask the loop what it still has to
do, and no time, so that each play ends alike."""

SETTLING = 30.0
"""Seconds within which a driver has to start, to forget its agents, or to end."""


class Guarded:
    """A `Driver` around another one in this process. `notes` are the other one's."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._host: Watching | None = None
        self._fault: ProtocolError | None = None
        self._play = 0
        self._forgotten = 0
        self._lingers = False
        self._known = Known()
        self._runs = itertools.count()
        self._turns_go_on = False
        self._is_clean = False
        self._ending = ""

    @property
    def notes(self) -> object:
        """What a person should know of the driver, if it has any such notes."""
        notes: object = getattr(self._driver, "notes", ())
        return (*(notes if isinstance(notes, list | tuple) else ()), *([_LINGERS] if self._lingers else []))

    def is_over(self, method: str, name: str) -> bool:
        """Blaming.is_over. What serves several plays may have been begun in a run of an earlier one: it is
        heard where the agent of which it speaks is at work now."""
        driver, play = _turn.get() or (self, self._play)
        if driver is not self or play == self._play:
            if self._ending:
                self._demand_known(method, name)
            return bool(self._ending)
        self._lingers = self._lingers or play < self._forgotten
        return not (self._turns_go_on or name in self._known.running.values())

    def _demand_known(self, method: str, name: str) -> None:
        """A play is ending: who had no run open may not speak, and behind the reset nobody."""
        whose = "runtime" if method == "runtime/moved" else "agent"
        try:
            self._known.demand(method, {whose: str(name)})
        except ProtocolError as fault:
            self.blame(f"{self._ending}: {fault.message}")

    async def start(self, host: Host) -> Implementation:
        """Driver.start."""
        self._host = Watching(host, self)
        implementation = await self._settled("start", self._driver.start(self._host))
        if not isinstance(implementation, Implementation):
            raise NotStarted(f"start answered {kind(implementation)}, expected an Implementation")
        return implementation

    async def reset(self) -> None:
        """Driver.reset. Not asked for where nothing has been since the last one."""
        if self._is_clean:
            return
        self._turns_go_on = False
        try:
            await self._settled("reset", self._reset())
            self._is_clean = True
            self._forgotten = self._play + 1
        finally:
            self._fault, self._ending = None, ""
            self._known.forget()
            self._play += 1

    async def _reset(self) -> None:
        self._ending = "at the end of the scenario"
        await _rounds()  # what was given up with the play may have to say that it ends
        if self._host is not None:
            self._host.forget()
        await self._driver.reset()
        self._ending = "behind the reset"
        self._known.forget()
        await _rounds()

    async def shutdown(self) -> None:
        """Driver.shutdown. What was wrong before is the scenario's in which it was said."""
        self._fault = None
        await self._settled("shutdown", self._driver.shutdown())

    async def crash(self) -> None:
        """Driver.crash."""
        self._play += 1
        self._turns_go_on = False
        self._known.forget()
        if self._host is not None:
            self._host.forget()
        await self._settled("crash", self._driver.crash())

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        self._known.hear_of("agent/create", {"agent": agent})
        await self._asked(self._driver.create(agent, options))

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        """Driver.prompt."""
        return self._reply("prompt", await self._run(agent, self._driver.prompt(agent, text)))

    async def resume(self, agent: str) -> dict[str, Json]:
        """Driver.resume."""
        return self._reply("resume", await self._run(agent, self._driver.resume(agent)))

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
            raise ProtocolError(f"needs_reply answered {kind(answer)}, expected true or false")
        return answer

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        await self._asked(self._driver.put(agent, item))

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads."""
        await self._asked(self._driver.put_from_threads(agent, threads))

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> dict[str, Json]:
        """Driver.run_child."""
        answer = await self._run(child, self._driver.run_child(agent, call_id, child, prompt))
        return self._reply("run_child", answer)

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Driver.update."""
        await self._asked(self._driver.update(agent, call_id, partial))

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """Driver.perform."""
        shapes.demand_what_can_be_given_back(method, params)
        self._known.hear_of(method, params)
        if self._host is not None and method == "runtime/create":
            self._host.has_runtimes = True
        question = perform(self._driver, method, params)
        if method in _BEGINS_A_TURN:
            self._turns_go_on = True
            question = self._begun(question)
        else:
            question = self._asked(question)
        answer = self._mapping(method, await question)
        wrong = shapes.wrong_result(method, answer)
        if wrong is not None:
            raise ProtocolError(f"a wrong answer to {method}: {wrong}")
        return answer

    def blame(self, what: str) -> None:
        """Something that may not be said has been: the first such thing is told with the next answer."""
        self._fault = self._fault or ProtocolError(what)

    async def _run(self, agent: str, question: Coroutine[None, None, dict[str, Json]]) -> dict[str, Json]:
        """A run of that agent: until it is answered, the agent may speak."""
        known, id = self._known, next(self._runs)
        known.running[id] = agent
        try:
            return await self._begun(question)
        finally:
            known.running.pop(id, None)

    async def _begun(self, question: Coroutine[None, None, dict[str, Json]]) -> dict[str, Json]:
        """What begins a run, or a turn that goes on behind the answer."""
        before = _turn.get()
        _turn.set((self, self._play))
        try:
            return await self._asked(question)
        finally:
            _turn.set(before)

    async def _asked(self, question: Coroutine[None, None, T]) -> T:
        self._is_clean = False
        try:
            answer = await question
        except (ImplementationError, DriverFailure, asyncio.CancelledError) as error:
            if self._fault is not None:
                raise self._fault from None
            if isinstance(error, ImplementationError):
                _demand_error(error)
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and _is_raised_by_ctrl_c():
                raise
            if self._fault is not None:  # what it was told of that may be what it stumbled over
                raise self._fault from error
            raise _crashed(error) from error
        if self._fault is not None:
            raise self._fault
        return answer

    async def _settled(self, what: str, question: Coroutine[None, None, T]) -> T:
        task = asyncio.current_task()
        cancelled = task.cancelling() if task is not None else 0
        try:
            async with asyncio.timeout(SETTLING):
                return await self._asked(question)
        except TimeoutError:
            failure = NotStarted if what == "start" else TimedOut
            raise failure(f"{what} was not answered within {SETTLING:g} s") from None
        except ImplementationError as error:
            raise Crashed(f"{what} was answered with an error: {error.message}") from error
        except asyncio.CancelledError as error:
            if task is not None and task.cancelling() > cancelled:
                raise  # it is we who are to end
            abandoned = NotStarted if what == "start" else Crashed
            raise abandoned(f"{what} was abandoned by the implementation", traceback_of(error)) from error
        except Crashed as error:
            if what == "start":
                raise NotStarted(error.message, error.detail) from error
            raise

    def _mapping(self, what: str, answer: object) -> dict[str, Json]:
        if not isinstance(answer, dict):
            raise ProtocolError(f"{what} answered {kind(answer)}, expected a mapping")
        return as_json(what, answer)

    def _reply(self, what: str, answer: object) -> dict[str, Json]:
        reply = self._mapping(what, answer)
        if shapes.is_bare_reply(reply):
            raise ProtocolError(f"a wrong answer to {what}: {shapes.BARE_REPLY}")
        return reply

    def _mappings(self, what: str, answer: object) -> list[dict[str, Json]]:
        if not isinstance(answer, list) or not all(isinstance(item, dict) for item in answer):
            raise ProtocolError(f"{what} answered {kind(answer)}, expected a list of mappings")
        return as_json(what, answer)


_LINGERS = (
    "something that it had begun in a run or a wake went on after the reset: what it asked or told was not"
    " heard, or was taken for a later scenario's where that had an agent at work (what serves several"
    " scenarios is best begun in start)"
)


async def _rounds() -> None:
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)


def _demand_error(error: ImplementationError) -> None:
    if error.code not in get_args(ErrorCode) or not isinstance(error.message, str):
        known = ", ".join(get_args(ErrorCode))
        raise ProtocolError(
            f"an error has the code {error.code!r} and {kind(error.message)} as its message; expected a"
            f" text, and one of the codes {known}"
        )


def _is_raised_by_ctrl_c() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt wherever we are. Under `asyncio.run` it cancels instead, and
    what it raises the second time only breaks into an implementation that blocks."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _crashed(error: BaseException) -> Crashed:
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return Crashed(said, traceback_of(error))
