"""Which entry of the script is used next, and which were never needed.

Strict: what the script does not have, and what of it is left over, fails the check `play`. Knows nothing of
what an entry does.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance import patterns
from conformance.drivers.base import HostError
from conformance.scenario import (
    ABSENT,
    Absent,
    InterpreterEntry,
    Json,
    ModelEntry,
    Position,
    Scenario,
    ToolEntry,
)
from conformance.stage import Stage


class Entries:
    """The script of one play, as far as it has been used."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._model_used = dict.fromkeys(stage.scenario.agents, 0)
        self._tools_used = dict.fromkeys(stage.scenario.tools, 0)
        self._interpreters = _interpreters(stage.scenario)
        self._interpreters_used = dict.fromkeys(self._interpreters, 0)

    def denial_of(self, tool: str) -> ToolEntry | None:
        """The next entry of a tool, which is used, if it refuses the call."""
        entries = self._stage.scenario.tools.get(tool, ())
        used = self._tools_used.get(tool, 0)
        if used >= len(entries) or entries[used].outcome != "denied":
            return None
        self._tools_used[tool] = used + 1
        return entries[used]

    def check_used_up(self) -> None:
        """Fail `play` for every entry of the script that was never needed and is not optional."""
        for agent, script in self._stage.scenario.agents.items():
            for entry in script.model[self._model_used[agent] :]:
                if not entry.optional:
                    self._left_over(f"{agent}'s model was never called for this entry", entry)
        for tool, entries in self._stage.scenario.tools.items():
            for unused in entries[self._tools_used[tool] :]:
                if not unused.optional:
                    self._left_over(f"{tool} was never executed for this entry", unused)
        for agent, asked in self._interpreters.items():
            for left in asked[self._interpreters_used[agent] :]:
                self._left_over(f"{_interpreter(agent)} was never asked for this entry", left)

    def _left_over(self, what: str, entry: ModelEntry | ToolEntry | InterpreterEntry) -> None:
        self._stage.fail("play", f"script left over: {what}", entry.covers, position=entry.position)

    def of_model(self, agent: str, messages: list[dict[str, Json]]) -> ModelEntry:
        """The entry for this call of the agent's model. Raises HostError where there is none."""
        stage = self._stage
        entries = stage.scenario.agents[agent].model if agent in stage.scenario.agents else ()
        for used in range(self._model_used.get(agent, 0), len(entries)):
            entry = entries[used]
            found = patterns.match_list(entry.sees, messages, stage.ids) if entry.sees is not None else None
            if found is not None and entry.optional:
                continue
            self._model_used[agent] = used + 1
            stage.mismatch(
                "sees", found, entry.covers, entry.sees, list[Json](messages), entry.position, agent
            )
            return entry
        self._model_used[agent] = len(entries)
        stage.fail(
            "play",
            f"{agent}'s model was called once more than the script has",
            expected=f"no model call after these {len(entries)}",
            actual=list[Json](messages),
            position=stage.scenario.agents[agent].position if agent in stage.scenario.agents else None,
        )
        run = stage.active.get(agent)
        if run is not None:
            run.ending = "failed"
        raise HostError("the script has no further model call")

    def of_tool(self, agent: str, tool: str, answer: dict[str, Json] | None) -> ToolEntry:
        """The entry for this execution. Raises HostError where there is none, or it is one that refuses the
        call: whoever asks first never comes to execute it.

        A tool that asked, and is executed again without the Answer that the script has for it, asks again:
        whether a turn that is run again first comes to its suspension once more is left open.
        """
        stage = self._stage
        entries = stage.scenario.tools.get(tool, ())
        first = self._tools_used.get(tool, 0)
        asked = next((entry for entry in reversed(entries[:first]) if entry.request is not None), None)
        for used in range(first, len(entries)):
            entry = entries[used]
            found = _unlike(entry.with_answer, answer, stage.ids)
            if found is not None and entry.optional:
                continue
            if found is not None and answer is None and asked is not None:
                return asked
            self._tools_used[tool] = used + 1
            if entry.outcome == "denied":
                raise self._refused(agent, tool, entry)
            stage.mismatch(
                "with_answer", found, entry.covers, _json(entry.with_answer), answer, entry.position, agent
            )
            return entry
        if first < len(entries) and answer is None and asked is not None:
            return asked
        position: Position | None = entries[-1].position if entries else None
        self._stage.fail(
            "play",
            f"{agent} executed {tool} once more than the script has",
            expected=f"no execution of {tool} after these {len(entries)}",
            position=position,
        )
        raise HostError(f"the script has no further execution of {tool}")

    def _refused(self, agent: str, tool: str, entry: ToolEntry) -> HostError:
        """What answers an execution of a call that was to be refused: it must not pass for a refusal."""
        self._stage.fail(
            "play",
            f"{agent} executed {tool} where the script refuses the call",
            entry.covers,
            expected=f"tool/approve asked before, and no execution of {tool}",
            position=entry.position,
            agent=agent,
        )
        return HostError(f"the script refuses this call of {tool}")

    def of_interpreter(self, agent: str, request: dict[str, Json]) -> InterpreterEntry:
        """The entry for this request. Raises HostError where there is none."""
        stage = self._stage
        entries = self._interpreters.get(agent, ())
        used = self._interpreters_used.get(agent, 0)
        if used == len(entries):
            stage.fail(
                "play",
                f"{_interpreter(agent)} was asked once more than the script has",
                expected=f"no request for it after these {used}",
                actual=request,
                position=entries[-1].position if entries else None,
            )
            raise HostError("the script has no further answer")
        self._interpreters_used[agent] = used + 1
        entry = entries[used]
        if entry.sees is not ABSENT:
            found = patterns.match(entry.sees, request, stage.ids)
            stage.mismatch("sees", found, entry.covers, entry.sees, request, entry.position)
        return entry


def _interpreter(agent: str) -> str:
    return f"the interpreter of {agent}" if agent else "the runtime's interpreter"


def _interpreters(scenario: Scenario) -> Mapping[str, tuple[InterpreterEntry, ...]]:
    """What each interpreter of a play does, by the agent whose it is; the runtime's has an empty name."""
    own = {name: agent.wait_for for name, agent in scenario.agents.items() if agent.wait_for is not None}
    return own if scenario.runtime.wait_for is None else {**own, "": scenario.runtime.wait_for}


def _unlike(
    pattern: Json | Absent, answer: dict[str, Json] | None, ids: Mapping[str, str]
) -> patterns.Mismatch | None:
    """How the Answer in a tool's context differs from what the scenario says of it. That there is none is
    what `$absent` says, as of a field."""
    if pattern is ABSENT:
        return None
    return patterns.match({"answer": pattern}, {} if answer is None else {"answer": answer}, ids)


def _json(pattern: Json | Absent) -> Json:
    return None if pattern is ABSENT else pattern
