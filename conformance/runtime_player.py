"""Playing a scenario of the profile `runtime`: a host that spawns sub-agents, drives them and answers.

Knows what each word of a step does; how a play goes on and ends is in `player`. Turns go on by themselves
once they have begun: whoever writes a scenario waits for what it depends on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from copy import deepcopy

from conformance import patterns
from conformance.drivers.base import ImplementationError
from conformance.handles import teams_of
from conformance.player import Does, Player, error_of
from conformance.reading import list_at, mapping_at, text_at
from conformance.requests import answer_to, as_seen
from conformance.scenario import ABSENT, MAIN, Json, Scenario, Step
from conformance.session import Session
from conformance.transcript import Moved

_VIEWS: Mapping[str, tuple[str, str]] = {
    "state": ("runtime/state_of", "state"),
    "inbox_len": ("runtime/inbox_len", "inbox"),
    "pool_tokens": ("runtime/pool_tokens", "tokens"),
    "usage_tokens": ("runtime/usage_tokens", "tokens"),
}
"""The views of one value: the verb that gives it, and the field of its result."""


class RuntimePlayer(Player):
    """One play: runtimes and their handles by the names that the scenario gives them."""

    def __init__(self, scenario: Scenario, session: Session, timeout: float) -> None:
        super().__init__(scenario, session, timeout)
        self._runtimes: set[str] = set()
        self._handles: dict[str, tuple[str, str]] = {}
        self._definitions: dict[str, str] = {}
        self._turns: set[str] = set()
        self._teams = teams_of({name: agent.team for name, agent in scenario.agents.items()})
        self._words: dict[str, Does] = {
            "spawn": self._spawn,
            "find": self._find,
            "post": self._post,
            "start": self._start,
            "finish": self._finish,
            "wake": self._plain,
            "wait": self._wait,
            "interrupt": self._plain,
            "close": self._plain,
            "resume_with": self._resume,
            "advance": self._advance,
            "check": self.check,
        }

    @property
    def words(self) -> Mapping[str, Does]:
        """Player.words."""
        return self._words

    async def begin(self) -> None:
        """Player.begin: there is a runtime."""
        await self._create(MAIN)

    async def before(self, step: Step) -> None:
        """Player.before: another runtime is there as soon as it is named."""
        if step.runtime not in self._runtimes:
            await self._create(step.runtime)

    def whose(self, agent: str) -> str:
        """Player.whose: the handle. Who asks says only whose definition it is, so that there has to be one
        handle of that definition that can have a turn going, and none that can be delegating to it."""
        possible = self._turns if not self.stage.answering else self._definitions.keys()
        handles = [handle for handle in possible if self._definitions[handle] == agent]
        is_delegated = any(agent in self._teams[self._definitions[handle]] for handle in possible)
        return handles[0] if len(handles) == 1 and not is_delegated else ""

    async def view(self, name: str, pattern: Json, step: Step) -> tuple[Json, patterns.Mismatch | None]:
        """Player.view."""
        seen = await self._view(name, step)
        if isinstance(pattern, list) and isinstance(seen, list):
            return seen, patterns.match_list(pattern, seen, self.stage.ids)
        return seen, patterns.match(pattern, seen, self.stage.ids)

    async def _view(self, name: str, step: Step) -> Json:
        if name == "list":
            return await self._list(step.runtime)
        runtime, handle = self._handles[step.handle]
        if name == "trace":
            moves = [
                entry
                for entry in self.stage.transcript.entries
                if isinstance(entry, Moved) and (entry.runtime, entry.handle) == (runtime, handle)
            ]
            return [*(move.before for move in moves[:1]), *(move.after for move in moves)] or ["idle"]
        if name == "inspect":
            return await self._perform("runtime/inspect", runtime, handle)
        method, field = _VIEWS[name]
        return (await self._perform(method, runtime, handle)).get(field)

    async def _list(self, runtime: str) -> list[Json]:
        return list_at(await self._perform("runtime/list", runtime), "views")

    # Asking

    async def _create(self, runtime: str) -> None:
        scenario = self.stage.scenario
        definitions: dict[str, Json] = {}
        for name, agent in scenario.agents.items():
            definition: dict[str, Json] = {
                "does": agent.does,
                "tools": [*agent.tools],
                "team": [*agent.team],
                "interprets": agent.wait_for is not None,
                "budget": {**agent.budget},
            }
            if agent.system_prompt is not None:
                definition["system_prompt"] = agent.system_prompt
            definitions[name] = definition
        options = scenario.runtime
        params: dict[str, Json] = {
            "runtime": runtime,
            "definitions": definitions,
            "interprets": options.wait_for is not None,
            "budget": {**options.budget},
        }
        if options.inbox_cap is not None:
            params["inbox_cap"] = options.inbox_cap
        self._runtimes.add(runtime)
        await self.ask(self._driver.perform("runtime/create", params))

    async def _perform(
        self, method: str, runtime: str, handle: str = "", more: Mapping[str, Json] | None = None
    ) -> dict[str, Json]:
        """The result of a verb, in the form in which patterns see it."""
        params: dict[str, Json] = {
            "runtime": runtime,
            **({"handle": handle} if handle else {}),
            **(more or {}),
        }
        return as_seen(await self.perform(method, params, runtime, handle))

    async def _do(
        self, step: Step, method: str, more: Mapping[str, Json] | None = None
    ) -> dict[str, Json] | None:
        """Perform a verb on the handle that a step addresses, and check what comes of it."""
        runtime, handle = self._handles[step.handle]
        return await self._checked(step, self._perform(method, runtime, handle, more))

    async def _checked(
        self, step: Step, performing: Coroutine[None, None, dict[str, Json]]
    ) -> dict[str, Json] | None:
        try:
            result = as_seen(await performing)
        except ImplementationError as refusal:
            self.check_outcome(step, None, error_of(refusal))
            return None
        self.check_outcome(step, result, None)
        return result

    # Words

    async def _spawn(self, step: Step) -> None:
        asked: dict[str, Json] = {"name": text_at(step.argument, "name")}
        under = text_at(step.argument, "under")
        runtime = self._handles[under][0] if under else step.runtime
        if under:
            asked["under"] = self._handles[under][1]
        if budget := mapping_at(step.argument, "budget"):
            asked["budget"] = budget
        try:
            made = await self._perform("runtime/spawn", runtime, more=asked)
        except ImplementationError as refusal:
            self.check_outcome(step, None, error_of(refusal))
            if step.error is ABSENT and not self.stage.failures:  # what follows needs it
                raise
            return
        handle = text_at(made, "handle")
        self._handles[step.handle] = runtime, handle
        self._definitions[step.handle] = text_at(step.argument, "name")
        self.stage.names.bind_handle(step.handle, handle)
        self.check_outcome(step, {"id": handle}, None)

    async def _find(self, step: Step) -> None:
        views = await self._list(step.runtime)
        found = [view for view in views if patterns.match(step.argument, view, self.stage.ids) is None]
        if len(found) == 1:
            self.stage.names.bind_handle(step.handle, text_at(found[0], "id"))
            return
        self.stage.fail(
            "find",
            f"{len(found) or 'none'} of the {len(views)} handles that are listed match, expected exactly one",
            step.covers,
            expected=step.argument,
            actual=views,
            position=step.position,
        )

    async def _post(self, step: Step) -> None:
        more: dict[str, Json] = {"text": text_at(step.argument, "text")}
        if sender := text_at(step.argument, "from"):
            more["from"] = self._handles[sender][1]
        await self._do(step, "runtime/post", more)

    async def _plain(self, step: Step) -> None:
        more = step.argument if isinstance(step.argument, dict) else {}
        if step.word == "wake":
            self._turns.add(step.handle)
        if step.word == "interrupt" or more.get("force") is True:
            self.script.stop(step.handle)
        await self._do(step, f"runtime/{step.word}", more)

    async def _start(self, step: Step) -> None:
        reached = self.script.hold(self._definitions[step.handle], step.handle)
        self._turns.add(step.handle)
        runtime, handle = self._handles[step.handle]
        try:
            await self._perform("runtime/wake", runtime, handle, {"prompt": text_at(step.argument, "prompt")})
        except ImplementationError:
            self.script.release(step.handle)
            raise
        await reached.wait()

    async def _finish(self, step: Step) -> None:
        self.script.release(step.handle)
        self._note_end(step, await self._do(step, "runtime/wait"))

    def _note_end(self, step: Step, result: dict[str, Json] | None) -> None:
        if text_at(result, "status") not in ("", "timeout"):
            self._turns.discard(step.handle)

    async def _wait(self, step: Step) -> None:
        fields = mapping_at({"wait": step.argument}, "wait")
        timeout, seconds = fields.get("timeout"), fields.get("advance")
        waiting = self._do(step, "runtime/wait", {} if timeout is None else {"timeout": timeout})
        if seconds is None:
            self._note_end(step, await waiting)
            return
        asked = asyncio.create_task(waiting)
        await self._view("state", step)  # when this is answered, the wait has been heard
        await self.ask(self._driver.perform("clock/advance", {"seconds": seconds}))
        self._note_end(step, await asked)

    async def _resume(self, step: Step) -> None:
        answer = answer_to(step, text_at(step.argument, "request"), self.stage)
        if answer is None:
            return
        params: dict[str, Json] = {"runtime": step.runtime, "answer": answer}
        if self.stage.answering:  # whoever takes one Answer after the other answers the first one first
            asked = self.begun(self._driver.perform("runtime/resume", deepcopy(params)))
            self.script.leave_beside(lambda: self._answered(step, params, asked))
            await self._view("state", step)  # when this is answered, the Answer has been heard
            return
        self.stage.answering += 1
        try:
            await self._answered(step, params)
        finally:
            self.stage.answering -= 1

    async def _answered(
        self, step: Step, params: dict[str, Json], asked: asyncio.Task[dict[str, Json]] | None = None
    ) -> None:
        await self._checked(step, self.perform("runtime/resume", params, step.runtime, asked=asked))

    async def _advance(self, step: Step) -> None:
        await self.ask(self._driver.perform("clock/advance", {"seconds": step.argument}))
