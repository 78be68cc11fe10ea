"""Playing a scenario of the profile `client`: runs that halt, and the Answers with which they go on.

Knows what each word of a step does; how a play goes on and ends is in `player`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance import patterns
from conformance.drivers.base import Crashed, ImplementationError
from conformance.player import Does, Player, error_of
from conformance.reading import list_at, mapping_at, text_at
from conformance.requests import answer_to, as_seen
from conformance.scenario import Json, Scenario, Step
from conformance.session import Session
from conformance.stage import without_system


class ClientPlayer(Player):
    """One play: clients by name, and what a host has of their halted runs, which is JSON text."""

    def __init__(self, scenario: Scenario, session: Session, timeout: float) -> None:
        super().__init__(scenario, session, timeout)
        self._alive: set[str] = set()
        self._crashes = 0
        self._halted: dict[str, str] = {}
        self._folder = TemporaryDirectory(prefix="outlast-") if scenario.store == "disk" else None
        self._words: dict[str, Does] = {
            "run": self._run,
            "ask": self._ask,
            "run_with_answer": self._answer_run,
            "ask_with_answer": self._answer_ask,
            "new": self._new,
            "crash": self._crash,
            "check": self.check,
        }

    @property
    def words(self) -> Mapping[str, Does]:
        """Player.words."""
        return self._words

    async def begin(self) -> None:
        """Player.begin: all clients are created."""
        for agent in self.stage.scenario.agents:
            await self._create(agent)

    async def before(self, step: Step) -> None:
        """Player.before: a client that died with a crash is there again."""
        if step.agent not in self._alive and step.word != "new":
            await self._create(step.agent)

    def end(self) -> None:
        """Player.end: what was on disk is not there any more."""
        if self._folder is not None:
            self._folder.cleanup()

    async def view(self, name: str, pattern: Json, step: Step) -> tuple[Json, patterns.Mismatch | None]:
        """Player.view. The one view is `stored`: conversations, by their ids."""
        seen: dict[str, Json] = {}
        for conversation, expected in mapping_at({name: pattern}, name).items():
            params: dict[str, Json] = {"agent": step.agent, "conversation": conversation}
            stored = (await self._perform("client/stored", params)).get("messages")
            messages = list_at({"messages": stored}, "messages")
            kept: list[Json] = [*without_system(each for each in messages if isinstance(each, dict))]
            seen[conversation] = None if stored is None else kept
            if isinstance(expected, list) and stored is not None:
                found = patterns.match_list(expected, kept, self.stage.ids)
            else:
                found = patterns.match(expected, seen[conversation], self.stage.ids)
            if found is not None:
                return seen, found
        return seen, None

    # Asking

    async def _create(self, agent: str) -> None:
        script = self.stage.scenario.agents[agent]
        params: dict[str, Json] = {
            "agent": agent,
            "tools": [*script.tools],
            "relays": [*script.relays],
            "interprets": script.wait_for is not None,
        }
        if script.system_prompt is not None:
            params["system_prompt"] = script.system_prompt
        if script.max_turns is not None:
            params["max_turns"] = script.max_turns
        if self._folder is not None:
            params["store"] = str(Path(self._folder.name, "conversations"))
        await self.ask(self._driver.perform("client/create", params))
        self._alive.add(agent)

    async def _perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """The result of a verb, in the form in which patterns see it; what has halted is kept."""
        raw = await self.perform(method, params)
        request = raw.get("pending")
        if isinstance(request, dict):
            self._halted[text_at(request, "id")] = json.dumps([raw.get("messages"), request])
        return as_seen(raw)

    async def _checked(self, step: Step, method: str, more: Mapping[str, Json]) -> None:
        crashes = self._crashes
        try:
            result = await self._perform(method, {"agent": step.agent, **more})
        except ImplementationError as refusal:
            self.check_outcome(step, None, error_of(refusal))
            return
        except Crashed:
            if self._crashes == crashes:
                raise
            return  # it died because it was to
        messages = without_system(each for each in list_at(result, "messages") if isinstance(each, dict))
        self.check_outcome(step, {**result, "messages": [*messages]}, None)

    # Words

    async def _run(self, step: Step) -> None:
        await self._checked(step, "client/run", {"prompt": text_at(step.argument, "text")})

    async def _ask(self, step: Step) -> None:
        more = {
            "prompt": text_at(step.argument, "text"),
            "conversation": text_at(step.argument, "conversation"),
        }
        await self._checked(step, "client/ask", {**more})

    async def _answer_run(self, step: Step) -> None:
        found = self._halted_run(step)
        if found is not None:
            history, request, answer = found
            await self._checked(
                step, "client/run_with_answer", {"history": history, "pending": request, "answer": answer}
            )

    async def _answer_ask(self, step: Step) -> None:
        found = self._halted_run(step)
        if found is not None:
            _, request, answer = found
            conversation = text_at(step.argument, "conversation")
            await self._checked(
                step,
                "client/ask_with_answer",
                {"conversation": conversation, "pending": request, "answer": answer},
            )

    def _halted_run(self, step: Step) -> tuple[Json, Json, dict[str, Json]] | None:
        """The transcript and the request of the run that is to go on, read back from JSON, and the Answer."""
        reference = text_at(step.argument, "request")
        answer = answer_to(step, text_at(step.argument, "echo") or reference, self.stage)
        known = self._halted.get(self.stage.ids.get(reference, ""))
        if answer is None or known is None:
            if answer is not None:
                answer_to(step, reference, self.stage)
            return None
        history, request = json.loads(known)
        return history, request, answer

    async def _new(self, step: Step) -> None:
        await self._create(step.agent)

    async def _crash(self, step: Step) -> None:
        self._crashes += 1
        self._alive.clear()
        await self.crash()
