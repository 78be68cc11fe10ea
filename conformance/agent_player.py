"""Playing a scenario of the profile `agent`: runs, inboxes, and what a host saves.

Knows what each word of a step does; how a play goes on and ends is in `player`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Literal

from conformance import patterns
from conformance.drivers.base import AgentOptions, Crashed, Handle, ImplementationError, InboxItem
from conformance.player import Does, Player, error_of
from conformance.scenario import Json, Scenario, Step
from conformance.session import Session
from conformance.stage import Saved, without_system
from conformance.transcript import Ended, Message, Put, Replaced, Run, Stopped

Word = Literal["push", "resolve", "reject"]
HANDLES: dict[Json, Handle] = {"first": "first", "copy": "copy", "second": "second"}


class AgentPlayer(Player):
    """One play: the runs of a scenario, and the views that it checks."""

    def __init__(self, scenario: Scenario, session: Session, timeout: float) -> None:
        super().__init__(scenario, session, timeout)
        self._alive: set[str] = set()
        self._started: dict[str, tuple[Run, asyncio.Task[dict[str, Json]]]] = {}
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
        self._words: dict[str, Does] = {
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
            "check": self.check,
        }

    @property
    def words(self) -> Mapping[str, Does]:
        """Player.words."""
        return self._words

    async def begin(self) -> None:
        """Player.begin: all agents are created."""
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
        await self.ask(self._driver.create(agent, self._options[agent]))
        self._alive.add(agent)
        self.stage.saved[agent] = Saved()
        self.stage.transcript.entries.append(Replaced(self.stage.step, agent, [], fresh=True))

    async def before(self, step: Step) -> None:
        """Player.before: an agent that died with a crash is there again, without what it knew."""
        if step.agent not in self._alive and step.word not in ("restore", "new"):
            await self._create(step.agent)

    # Steps and actions

    async def _run(self, step: Step) -> None:
        run, task = self._begin(step.word, step.agent, step.argument)
        await self._see_through(step, run, task)

    def _begin(self, word: str, agent: str, text: Json) -> tuple[Run, asyncio.Task[dict[str, Json]]]:
        prompt = str(text) if word == "prompt" else ""
        kind: Literal["prompt", "resume"] = "prompt" if word == "prompt" else "resume"
        run = self.stage.begin(Run(0, agent, kind, self.stage.step, prompt))
        question = self._driver.prompt(agent, prompt) if kind == "prompt" else self._driver.resume(agent)
        return run, self.begun(question)

    async def _start(self, step: Step) -> None:
        argument = step.argument if isinstance(step.argument, dict) else {}
        word = "prompt" if "prompt" in argument else "resume"
        reached = self.script.hold(step.agent, step.agent)
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
            run.result = await self.answer(task)
        except ImplementationError as error:
            run.error = error_of(error)
        except Crashed:
            if run.ending != "crashed":
                raise
        await self.script.finish_side_tasks()
        self.stage.close(run)
        messages = None
        if run.ending != "crashed":
            messages = await self._rest(run.agent)
        self.stage.transcript.entries.append(Ended(self.stage.step, run, messages))
        self._check_run(step, run)

    async def _rest(self, agent: str) -> list[Message]:
        messages = await self.ask(self._driver.messages(agent))
        self.stage.saved[agent] = Saved(at_rest=messages)
        return without_system(messages)

    def _check_run(self, step: Step, run: Run) -> None:
        stage = self.stage
        self.check_error(step, run.error, run.ending == "refused")  # first: it explains all the rest
        if step.emits is not None:
            events = list[Json](run.events)
            found = patterns.match_events(step.emits, run.events, stage.ids)
            if found is not None and run.warned:  # what it looks for may have come before the run
                found = patterns.match_events(step.emits, [*run.warned, *run.events], stage.ids) and found
            stage.mismatch("emits", found, step.covers, step.emits, events, step.position, step.agent)
        self.check_result(step, run.result)

    async def _restore(self, step: Step) -> None:
        # Written and read back, as a host would: what does not survive JSON is lost here.
        messages = json.loads(json.dumps(self.stage.saved.get(step.agent, Saved()).messages()))
        await self._create(step.agent)
        await self._put_messages(step.agent, messages)
        entry = Replaced(self.stage.step, step.agent, without_system(messages), fresh=True)
        self.stage.transcript.entries.append(entry)

    async def _put_messages(self, agent: str, messages: list[Message]) -> None:
        await self.ask(self._driver.replace_messages(agent, messages))
        self.stage.saved[agent] = Saved(at_rest=messages)

    async def _new(self, step: Step) -> None:
        self.stage.names.forget(step.agent)
        await self._create(step.agent)

    async def _replace(self, step: Step) -> None:
        messages = [m for m in _list(step.argument) if isinstance(m, dict)]
        try:
            await self._put_messages(step.agent, messages)
        except ImplementationError as refusal:
            self.check_error(step, error_of(refusal), unexpected=True)
            return
        self.check_error(step, None, unexpected=True)
        entry = Replaced(self.stage.step, step.agent, without_system(messages), fresh=False)
        self.stage.transcript.entries.append(entry)

    async def _put(self, step: Step) -> None:
        item = self._item(step)
        if item is None:
            return
        settled = self.stage.is_settled(step.agent)
        error: dict[str, Json] | None = None
        try:
            await self.ask(self._driver.put(step.agent, item))
            self._note_put(step.agent, item, settled)
        except ImplementationError as refusal:
            error = error_of(refusal)
        # What resolve and reject answer is left open; a push has nothing that it could be refused for.
        self.check_error(step, error, unexpected=step.word == "push")

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
        await self.ask(self._driver.put_from_threads(step.agent, threads))
        for item in (item for items in threads for item in items):
            self._note_put(step.agent, item, settled, threaded=True)

    async def _stop(self, step: Step) -> None:
        self.stage.stop(step.agent)
        self.stage.transcript.entries.append(Stopped(self.stage.step, step.agent))
        await self.ask(self._driver.stop(step.agent))

    async def _crash(self, step: Step) -> None:
        await self._save_for_crash(step.agent)
        for agent, run in list(self.stage.active.items()):
            run.ending = "crashed"
            entry = Replaced(self.stage.step, agent, [], fresh=True, crashed=True)
            self.stage.transcript.entries.append(entry)
        self._alive.clear()
        await self.crash()
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
        seen = await self.ask(self._driver.messages(agent))
        if seen and seen[-1].get("role") == "assistant" and seen[-1].get("id") not in known:
            seen = seen[:-1]  # still being written
        if any(message.get("id") not in known for message in without_system(seen)):
            self.stage.saved[agent] = Saved(at_rest=seen)

    async def view(self, name: str, pattern: Json, step: Step) -> tuple[Json, patterns.Mismatch | None]:
        """Player.view."""
        agent, ids = step.agent, self.stage.ids
        if name == "emitted":
            run = self.stage.active.get(agent)
            events = run.events if run is not None else []
            return list[Json](events), patterns.match_events(_list(pattern), events, ids)
        if name == "needs_reply":
            needs = await self.ask(self._driver.needs_reply(agent))
            return needs, patterns.match(pattern, needs, ids)
        if name == "pending_calls":
            calls = await self.ask(self._driver.pending_calls(agent))
        else:
            calls = without_system(await self.ask(self._driver.messages(agent)))
        return list[Json](calls), patterns.match_list(_list(pattern), calls, ids)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
