"""What playing a scenario is, whatever its profile: steps one after the other, and an implementation that may
answer with an error, break off or fall silent.

The first step in which a check fails is the last that is played: what follows would only repeat it in other
words. What the words of a step do is for the profiles' players to say.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from conformance import patterns
from conformance.drivers.base import Accountable, Crashed, DriverFailure, ImplementationError, TimedOut
from conformance.drivers.raised import traceback_of
from conformance.naming import CallNames
from conformance.reading import mapping_at
from conformance.requests import as_seen
from conformance.scenario import ABSENT, Json, Scenario, Step
from conformance.script import Script
from conformance.session import Session
from conformance.stage import Stage
from conformance.transcript import Performed, Transcript
from conformance.verdict import Failure

T = TypeVar("T")
Does: TypeAlias = Callable[[Step], Coroutine[None, None, None]]
"""What the host does at one word."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a play. `broke_off` is set where it could not be played to its end; `names` are what the
    scenario calls the calls that were made."""

    transcript: Transcript
    failures: tuple[Failure, ...]
    broke_off: DriverFailure | None = None
    names: CallNames | None = None


class Player(ABC):
    """One play. `timeout` is how long, in seconds, the implementation may be silent while waited for."""

    def __init__(self, scenario: Scenario, session: Session, timeout: float) -> None:
        self.stage = Stage(scenario)
        self.script = Script(self.stage, session.driver, self._act, self._hear, self.whose)
        self._driver = session.driver
        self._capabilities = session.implementation.capabilities
        self._timeout = timeout
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[object] | None = None
        self._watchdog: asyncio.TimerHandle | None = None
        self._heard = 0.0
        self._silences = 0
        self._is_restarting = False
        self._questions: list[asyncio.Task[dict[str, Json]]] = []

    @property
    @abstractmethod
    def words(self) -> Mapping[str, Does]:
        """What is done at each word that a step of this profile may have."""

    @abstractmethod
    async def begin(self) -> None:
        """All that comes before the first step."""

    @abstractmethod
    async def view(self, name: str, pattern: Json, step: Step) -> tuple[Json, patterns.Mismatch | None]:
        """What a check looks at, and how it differs from what is expected."""

    async def before(self, step: Step) -> None:  # noqa: B027 - nothing to do is the default
        """What has to be there before a step or an action can be done."""

    def whose(self, agent: str) -> str:
        """In whose turn an agent's model or tool is asked for; empty where that cannot be told."""
        return agent

    def end(self) -> None:  # noqa: B027 - as above
        """Give back what was only needed for the play."""

    async def play(self) -> Played:
        """All steps, up to the first that fails, and what is left over of the script."""
        broke_off: DriverFailure | None = None
        self._task = asyncio.current_task()
        self._hear()
        self._watch()
        try:
            await self._steps()
        except DriverFailure as failure:
            broke_off = failure
        except asyncio.CancelledError:
            if self._task is None or self._task.cancelling() > self._silences:
                raise
            if not self._silences:
                broke_off = Crashed("a request was abandoned by the implementation")
        finally:
            if self._watchdog is not None:
                self._watchdog.cancel()
            self.script.abandon()
            for question in self._questions:
                question.cancel()
            self.end()
        if self._silences and self._task is not None:  # also where it has answered because it was cancelled
            broke_off = broke_off or self._silence()
            for _ in range(self._silences):
                self._task.uncancel()
        return Played(self.stage.transcript, tuple(self.stage.failures), broke_off, self.stage.names)

    async def _steps(self) -> None:
        stage = self.stage
        await self.begin()
        for number, step in enumerate(stage.scenario.steps, start=1):
            if stage.failures:
                return
            stage.step = number
            await self._act([step])
            await self.script.finish_side_tasks()
        if stage.failures:
            return
        stage.step = 0
        self.script.entries.check_used_up()

    async def _act(self, steps: Sequence[Step]) -> None:
        for step in steps:
            try:
                await self.before(step)
                await self.words[step.word](step)
            except ImplementationError as refusal:
                self.check_error(step, error_of(refusal), unexpected=True)

    # Asking the implementation

    def _hear(self) -> None:
        self._heard = self._loop.time()

    def _watch(self) -> None:
        """Cancel the play when the implementation has been silent for too long: one timer for all of it. Who
        goes on in spite of that is cancelled again."""
        left = self._heard + self._timeout - self._loop.time()
        if self._is_restarting:  # how long that may take is the driver's to say
            left = self._timeout
        if left > 0:
            self._watchdog = self._loop.call_later(left, self._watch)
        elif self._task is not None:
            self._silences += 1
            self._task.cancel()
            self._watchdog = self._loop.call_later(self._timeout, self._watch)

    def _silence(self) -> DriverFailure:
        if isinstance(self._driver, Accountable):
            return self._driver.silence(self._timeout)
        return TimedOut(f"neither an answer nor a request for {self._timeout:g} s")

    async def ask(self, question: Coroutine[None, None, T]) -> T:
        """The answer of the implementation; whatever else it raises is a crash of its."""
        self._hear()
        try:
            return await question
        except (ImplementationError, DriverFailure):
            raise
        except Exception as error:
            raise _crashed(error) from error

    def begun(self, question: Coroutine[None, None, dict[str, Json]]) -> asyncio.Task[dict[str, Json]]:
        """A question asked in a task of its own, which is given up with the play. It may be left alone:
        asyncio does not complain of what it raises then."""
        task = asyncio.create_task(question)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._questions.append(task)
        return task

    async def answer(self, question: asyncio.Task[dict[str, Json]]) -> dict[str, Json]:
        """The answer to a question that was asked in a task of its own."""
        self._hear()
        try:
            await asyncio.wait({question})
        finally:
            self._questions.remove(question)
        if question.cancelled():
            raise Crashed("the run was abandoned by the implementation")
        error = question.exception()
        if error is not None and not isinstance(error, ImplementationError | DriverFailure):
            raise _crashed(error) from error
        return question.result()

    async def perform(
        self,
        method: str,
        params: dict[str, Json],
        runtime: str = "",
        handle: str = "",
        asked: asyncio.Task[dict[str, Json]] | None = None,
    ) -> dict[str, Json]:
        """The result of a verb, which is noted. An error is noted too, and raised again. `asked` is the
        question, where it has been asked before, in `during`."""
        stage = self.stage
        is_during = stage.during > 0 or asked is not None
        entry = Performed(stage.step, method, params, runtime, handle, during=is_during)
        entries = stage.transcript.entries
        if not entry.waits:
            entries.append(entry)
        try:
            result = await self.answer(asked or self.begun(self._driver.perform(method, deepcopy(params))))
            if entry.waits and asyncio.current_task() is self._task:  # and not in `during` itself
                await self.script.finish_side_tasks()
        except ImplementationError as error:
            entry.error = error_of(error)
            raise
        else:
            entry.result = as_seen(result)
            stage.names.bind_request(mapping_at(result, "pending").get("id"))
            return result
        finally:
            if entry.waits and (entry.result is not None or entry.error is not None):
                entries.append(entry)

    async def crash(self) -> None:
        """Have the implementation die where it stands, and be ready again."""
        self._is_restarting = True
        try:
            await self.ask(self._driver.crash())
        finally:
            self._is_restarting = False
            self._hear()

    # What is expected

    def check_error(self, step: Step, error: dict[str, Json] | None, unexpected: bool) -> None:
        """Compare the error of a step, or that there was none, with what the scenario says of it."""
        stage = self.stage
        if step.error is not ABSENT:
            if error is None:
                stage.fail(
                    "error",
                    f"{step.word} was expected to answer with an error and did not",
                    step.covers,
                    expected=step.error,
                    position=step.position,
                    agent=step.agent,
                )
                return
            found = patterns.match(step.error, error, stage.ids)
            stage.mismatch("error", found, step.covers, step.error, error, step.position, step.agent)
        elif error is not None and unexpected:
            stage.fail(
                "error",
                f"{step.word} answered with an error: {error['message']}",
                step.covers,
                expected="no error",
                actual=error,
                position=step.position,
                agent=step.agent,
            )

    def check_result(self, step: Step, result: Json) -> None:
        """Compare what a step answered with what the scenario says of it."""
        if step.result is not ABSENT:
            found = patterns.match(step.result, result, self.stage.ids)
            self.stage.mismatch("result", found, step.covers, step.result, result, step.position, step.agent)

    def check_outcome(self, step: Step, result: Json, error: dict[str, Json] | None) -> None:
        """Compare what a verb answered with what the scenario says of it. An error is expected where `error`
        stands, and allowed where `result` may be null."""
        allows_error = step.result is not ABSENT and patterns.match(step.result, None, self.stage.ids) is None
        self.check_error(step, error, unexpected=not allows_error)
        if error is None:
            self.check_result(step, result)

    async def check(self, step: Step) -> None:
        """Look at each view that is named."""
        for name, pattern in mapping_at({"views": step.argument}, "views").items():
            actual, found = await self.view(name, pattern, step)
            self.stage.mismatch(name, found, step.covers, pattern, actual, step.position, step.agent)


def error_of(error: ImplementationError) -> dict[str, Json]:
    """The error in the form that patterns look at."""
    return {"code": error.code, "message": error.message}


def _crashed(error: BaseException) -> Crashed:
    return Crashed(f"{type(error).__name__}: {error}", traceback_of(error))
