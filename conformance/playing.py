"""Playing one scenario against a driver: the host's part, step by step.

What comes of it is a transcript and the failures of the scenario's own checks. Whether that is a pass is for
`judge` to say. The first step in which a check fails is the last that is played: what follows would only
repeat it in other words.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from conformance import patterns
from conformance.drivers.base import (
    Accountable,
    AgentOptions,
    Crashed,
    DriverFailure,
    Handle,
    ImplementationError,
    InboxItem,
    TimedOut,
)
from conformance.naming import CallNames
from conformance.scenario import ABSENT, Json, Scenario, Step
from conformance.script import Script
from conformance.session import Session
from conformance.stage import Saved, Stage, without_system
from conformance.transcript import Ended, Message, Put, Replaced, Run, Stopped, Transcript
from conformance.verdict import Failure

T = TypeVar("T")
Word = Literal["push", "resolve", "reject"]
HANDLES: dict[Json, Handle] = {"first": "first", "copy": "copy", "second": "second"}


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a play. `broke_off` is set where it could not be played to its end; `names` are what the
    scenario calls the calls that were made."""

    transcript: Transcript
    failures: tuple[Failure, ...]
    broke_off: DriverFailure | None = None
    names: CallNames | None = None


async def play(scenario: Scenario, session: Session, timeout: float = 10.0) -> Played:
    """Play `scenario` in a session that has been opened.

    `timeout` is how long, in seconds, the implementation may be silent while the suite waits for it.
    """
    player = Player(scenario, session, timeout)
    session.switch.host = player.script
    try:
        return await player.play()
    finally:
        session.switch.host = None


class Player:
    """One play: the steps of a scenario, and the views that it checks."""

    def __init__(self, scenario: Scenario, session: Session, timeout: float) -> None:
        self.stage = Stage(scenario)
        self.script = Script(self.stage, session.driver, self._act, self._hear)
        self._driver = session.driver
        self._capabilities = session.implementation.capabilities
        self._timeout = timeout
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[object] | None = None
        self._watchdog: asyncio.TimerHandle | None = None
        self._heard = 0.0
        self._is_silent = False
        self._is_restarting = False
        self._alive: set[str] = set()
        self._started: dict[str, tuple[Run, asyncio.Task[dict[str, Json]]]] = {}
        self._runs: list[asyncio.Task[dict[str, Json]]] = []
        self._options = {
            name: AgentOptions(
                agent.tools,
                agent.pause_on_pending,
                agent.max_rounds,
                agent.system_prompt,
                any(
                    entry.outcome == "denied"
                    for tool in agent.tools
                    for entry in scenario.tools.get(tool, ())
                ),
            )
            for name, agent in scenario.agents.items()
        }
        self._words: dict[str, Callable[[Step], Coroutine[None, None, None]]] = {
            "prompt": self._run,
            "resume": self._run,
            "start": self._start,
            "finish": self._finish,
            "restore": self._restore,
            "new": self._new,
            "replace_messages": self._replace,
            "push": self._put,
            "resolve": self._put,
            "reject": self._put,
            "threads": self._threads,
            "stop": self._stop,
            "crash": self._crash,
            "check": self._check,
        }

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
            if self._task is None or self._task.cancelling() > self._is_silent:
                raise
            if self._is_silent:
                self._task.uncancel()
                broke_off = self._silence()
            else:
                broke_off = Crashed("a request was abandoned by the implementation")
        finally:
            if self._watchdog is not None:
                self._watchdog.cancel()
            self.script.abandon_side_tasks()
            for task in self._runs:
                task.cancel()
        return Played(self.stage.transcript, tuple(self.stage.failures), broke_off, self.stage.names)

    async def _steps(self) -> None:
        stage = self.stage
        await self._create_all()
        for number, step in enumerate(stage.scenario.steps, start=1):
            if stage.failures:
                return
            stage.step = number
            await self._act([step])
            await self.script.finish_side_tasks()
        if stage.failures:
            return
        stage.step = 0
        self.script.check_used_up()

    # Asking the implementation

    def _hear(self) -> None:
        self._heard = self._loop.time()

    def _watch(self) -> None:
        """Cancel the play when the implementation has been silent for too long: one timer for all of it."""
        left = self._heard + self._timeout - self._loop.time()
        if self._is_restarting:  # how long that may take is the driver's to say
            left = self._timeout
        if left > 0:
            self._watchdog = self._loop.call_later(left, self._watch)
        elif self._task is not None:
            self._is_silent = True
            self._task.cancel()

    def _silence(self) -> DriverFailure:
        if isinstance(self._driver, Accountable):
            return self._driver.silence(self._timeout)
        return TimedOut(f"neither an answer nor a request for {self._timeout:g} s")

    async def _ask(self, question: Coroutine[None, None, T]) -> T:
        """The answer of the implementation; whatever else it raises is a crash of its."""
        self._hear()
        try:
            return await question
        except (ImplementationError, DriverFailure):
            raise
        except Exception as error:
            raise _crashed(error) from error

    async def _answer(self, run: asyncio.Task[T]) -> T:
        """The answer to a question that was asked in a task of its own."""
        self._hear()
        await asyncio.wait({run})
        if run.cancelled():
            raise Crashed("the run was abandoned by the implementation")
        error = run.exception()
        if error is not None and not isinstance(error, ImplementationError | DriverFailure):
            raise _crashed(error) from error
        return run.result()

    async def _create_all(self) -> None:
        for agent, script in self.stage.scenario.agents.items():
            try:
                await self._create(agent)
            except ImplementationError as error:
                self.stage.fail(
                    "error",
                    f"creating {agent} was answered with an error: {error.message}",
                    position=script.position,
                )

    async def _create(self, agent: str) -> None:
        await self._ask(self._driver.create(agent, self._options[agent]))
        self._alive.add(agent)
        self.stage.saved[agent] = Saved()
        self.stage.transcript.entries.append(Replaced(self.stage.step, agent, [], fresh=True))

    # Steps and actions

    async def _act(self, steps: Sequence[Step]) -> None:
        for step in steps:
            try:
                if step.agent not in self._alive and step.word not in ("restore", "new"):
                    await self._create(step.agent)
                await self._words[step.word](step)
            except ImplementationError as refusal:
                error: dict[str, Json] = {"code": refusal.code, "message": refusal.message}
                self._check_error(step, error, unexpected=True)

    async def _run(self, step: Step) -> None:
        run, task = self._begin(step.word, step.agent, step.argument)
        await self._see_through(step, run, task)

    def _begin(self, word: str, agent: str, text: Json) -> tuple[Run, asyncio.Task[dict[str, Json]]]:
        prompt = str(text) if word == "prompt" else ""
        kind: Literal["prompt", "resume"] = "prompt" if word == "prompt" else "resume"
        run = self.stage.begin(Run(0, agent, kind, self.stage.step, prompt))
        question = self._driver.prompt(agent, prompt) if kind == "prompt" else self._driver.resume(agent)
        task = _begun(question)
        self._runs.append(task)
        return run, task

    async def _start(self, step: Step) -> None:
        argument = step.argument if isinstance(step.argument, dict) else {}
        word = "prompt" if "prompt" in argument else "resume"
        reached = self.script.hold(step.agent)
        run, task = self._begin(word, step.agent, argument.get("prompt"))
        self._started[step.agent] = run, task
        waiting = asyncio.create_task(reached.wait())
        self._hear()
        await asyncio.wait({waiting, task}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def _finish(self, step: Step) -> None:
        run, task = self._started.pop(step.agent)
        self.script.release(step.agent)
        await self._see_through(step, run, task)

    async def _see_through(self, step: Step, run: Run, task: asyncio.Task[dict[str, Json]]) -> None:
        """Wait for a run's end and check what the step expects of it."""
        try:
            run.result = await self._answer(task)
        except ImplementationError as error:
            run.error = {"code": error.code, "message": error.message}
        except Crashed:
            if run.ending != "crashed":
                raise
        finally:
            self._runs.remove(task)
        await self.script.finish_side_tasks()
        self.stage.close(run)
        messages = None
        if run.ending != "crashed":
            messages = await self._rest(run.agent)
        self.stage.transcript.entries.append(Ended(self.stage.step, run, messages))
        self._check_run(step, run)

    async def _rest(self, agent: str) -> list[Message]:
        messages = await self._ask(self._driver.messages(agent))
        self.stage.saved[agent] = Saved(at_rest=messages)
        return without_system(messages)

    def _check_run(self, step: Step, run: Run) -> None:
        stage = self.stage
        self._check_error(step, run.error, run.ending == "refused")  # first: it explains all the rest
        if step.emits is not None:
            events = list[Json](run.events)
            found = patterns.match_events(step.emits, run.events, stage.ids)
            if found is not None and run.warned:  # what it looks for may have come before the run
                found = patterns.match_events(step.emits, [*run.warned, *run.events], stage.ids) and found
            stage.mismatch("emits", found, step.covers, step.emits, events, step.position, step.agent)
        if step.result is not ABSENT:
            found = patterns.match(step.result, run.result, stage.ids)
            stage.mismatch("result", found, step.covers, step.result, run.result, step.position, step.agent)

    def _check_error(self, step: Step, error: dict[str, Json] | None, unexpected: bool) -> None:
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

    async def _restore(self, step: Step) -> None:
        # Written and read back, as a host would: what does not survive JSON is lost here.
        messages = json.loads(json.dumps(self.stage.saved.get(step.agent, Saved()).messages()))
        await self._create(step.agent)
        await self._put_messages(step.agent, messages)
        entry = Replaced(self.stage.step, step.agent, without_system(messages), fresh=True)
        self.stage.transcript.entries.append(entry)

    async def _put_messages(self, agent: str, messages: list[Message]) -> None:
        await self._ask(self._driver.replace_messages(agent, messages))
        self.stage.saved[agent] = Saved(at_rest=messages)

    async def _new(self, step: Step) -> None:
        self.stage.names.forget(step.agent)
        await self._create(step.agent)

    async def _replace(self, step: Step) -> None:
        messages = [m for m in _list(step.argument) if isinstance(m, dict)]
        error: dict[str, Json] | None = None
        try:
            await self._put_messages(step.agent, messages)
        except ImplementationError as refusal:
            error = {"code": refusal.code, "message": refusal.message}
        self._check_error(step, error, unexpected=True)
        entry = Replaced(self.stage.step, step.agent, without_system(messages), fresh=False)
        self.stage.transcript.entries.append(entry)

    async def _put(self, step: Step) -> None:
        item = self._item(step)
        if item is None:
            return
        settled = self.stage.is_settled(step.agent)
        error: dict[str, Json] | None = None
        try:
            await self._ask(self._driver.put(step.agent, item))
            self._note_put(step.agent, item, settled)
        except ImplementationError as refusal:
            error = {"code": refusal.code, "message": refusal.message}
        # What resolve and reject answer is left open; a push has nothing that it could be refused for.
        self._check_error(step, error, unexpected=step.word == "push")

    def _item(self, step: Step) -> InboxItem | None:
        argument = step.argument if isinstance(step.argument, dict) else {}
        handle = HANDLES[argument.get("handle", "first")]
        if step.word == "push":
            return InboxItem("push", str(argument["text"]), handle=handle)
        reference = str(argument["call"])
        call_id = self.stage.ids.get(reference)
        if call_id is None:
            message = f"{reference} was never made"
            self.stage.fail("play", message, step.covers, position=step.position, agent=step.agent)
            return None
        word: Word = "resolve" if step.word == "resolve" else "reject"
        return InboxItem(word, str(argument["with"]), call_id, handle)

    def _note_put(self, agent: str, item: InboxItem, settled: bool, threaded: bool = False) -> None:
        entry = Put(self.stage.step, agent, item.word, item.text, item.call_id, settled, threaded)
        self.stage.transcript.entries.append(entry)

    async def _threads(self, step: Step) -> None:
        threads = [[item for action in actions if (item := self._item(action))] for actions in step.threads]
        settled = self.stage.is_settled(step.agent)
        await self._ask(self._driver.put_from_threads(step.agent, threads))
        for item in (item for items in threads for item in items):
            self._note_put(step.agent, item, settled, threaded=True)

    async def _stop(self, step: Step) -> None:
        self.stage.stop(step.agent)
        self.stage.transcript.entries.append(Stopped(self.stage.step, step.agent))
        await self._ask(self._driver.stop(step.agent))

    async def _crash(self, step: Step) -> None:
        await self._save_for_crash(step.agent)
        for agent, run in list(self.stage.active.items()):
            run.ending = "crashed"
            entry = Replaced(self.stage.step, agent, [], fresh=True, crashed=True)
            self.stage.transcript.entries.append(entry)
        self._alive.clear()
        self._is_restarting = True
        try:
            await self._ask(self._driver.crash())
        finally:
            self._is_restarting = False
            self._hear()
        for agent in list(self._started):
            self.script.release(agent)
            run, task = self._started.pop(agent)
            task.cancel()
            self.stage.close(run)

    async def _save_for_crash(self, agent: str) -> None:
        """What a host would have: what was announced; or, where messages come unannounced, the view."""
        if "live-views" not in self._capabilities or agent not in self.stage.active:
            return
        saved = self.stage.saved[agent]
        known = {message.get("id") for message in saved.messages()}
        seen = await self._ask(self._driver.messages(agent))
        if seen and seen[-1].get("role") == "assistant" and seen[-1].get("id") not in known:
            seen = seen[:-1]  # still being written
        if any(message.get("id") not in known for message in without_system(seen)):
            self.stage.saved[agent] = Saved(at_rest=seen)

    async def _check(self, step: Step) -> None:
        views = step.argument if isinstance(step.argument, dict) else {}
        for view, pattern in views.items():
            actual, found = await self._view(view, pattern, step.agent)
            self.stage.mismatch(view, found, step.covers, pattern, actual, step.position, step.agent)

    async def _view(self, view: str, pattern: Json, agent: str) -> tuple[Json, patterns.Mismatch | None]:
        ids = self.stage.ids
        if view == "emitted":
            run = self.stage.active.get(agent)
            events = run.events if run is not None else []
            return list[Json](events), patterns.match_events(_list(pattern), events, ids)
        if view == "needs_reply":
            needs = await self._ask(self._driver.needs_reply(agent))
            return needs, patterns.match(pattern, needs, ids)
        if view == "pending_calls":
            calls = await self._ask(self._driver.pending_calls(agent))
        else:
            calls = without_system(await self._ask(self._driver.messages(agent)))
        return list[Json](calls), patterns.match_list(_list(pattern), calls, ids)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _crashed(error: BaseException) -> Crashed:
    return Crashed(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


def _begun(question: Coroutine[None, None, T]) -> asyncio.Task[T]:
    """A task that may be left alone: asyncio does not complain of what it raises then."""
    task = asyncio.create_task(question)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task
