"""A scenario out of a document that has been found to be right.

Knows where things stand in a document and what they become; what may stand there has been checked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from conformance.needs import needs
from conformance.outline import Action, Entry, Fields, Outline
from conformance.reading import list_at, mapping_at, text_at
from conformance.requirements import Register
from conformance.scenario import (
    ABSENT,
    AgentScript,
    InterpreterEntry,
    Json,
    ModelEntry,
    Profile,
    RunsChild,
    RuntimeScript,
    Scenario,
    ScriptedCall,
    Step,
    ToolEntry,
)
from conformance.source import Source

Outcome = Literal["returns", "pending", "raises", "denied", "suspends"]
_OUTCOMES: tuple[Outcome, ...] = ("returns", "pending", "raises", "denied", "suspends")


def build(id: str, file: Path, source: Source, scenario: Outline, register: Register) -> Scenario:
    """The scenario of which `scenario` is the outline and `source` the text; `id` is its id."""
    document = scenario.document
    covers = _texts(document, "covers")
    first = register[covers[0]]
    builder = _Builder(source, first.profile)
    return Scenario(
        id=id,
        path=file,
        title=text_at(document, "title"),
        covers=covers,
        level=first.level,
        profile=first.profile,
        agents={
            name: builder.agent(name, mapping_at(scenario.agents, name), entries, scenario.interpreters[name])
            for name, entries in scenario.models.items()
        },
        tools={name: tuple(map(builder.tool_entry, entries)) for name, entries in scenario.tools.items()},
        steps=tuple(map(builder.step, scenario.steps)),
        needs=needs(scenario),
        description=text_at(document, "description"),
        runtime=builder.runtime(mapping_at(document, "runtime"), scenario.interpreters[""]),
        store="disk" if document.get("store") == "disk" else "memory",
    )


def _texts(fields: Fields, key: str) -> tuple[str, ...]:
    return tuple(item for item in list_at(fields, key) if isinstance(item, str))


def _text(fields: Fields, key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) else None


class _Builder:
    """Makes the parts of one scenario."""

    def __init__(self, source: Source, profile: Profile) -> None:
        self._source = source
        self._profile = profile

    def agent(
        self, name: str, fields: Fields, entries: Sequence[Entry], asked: Sequence[Entry]
    ) -> AgentScript:
        rounds, turns = fields.get("max_rounds"), fields.get("max_turns")
        return AgentScript(
            position=self._source.key_position(("agents", name)),
            tools=_texts(fields, "tools"),
            pause_on_pending=fields.get("pause_on_pending") is True,
            max_rounds=int(rounds) if isinstance(rounds, int | float) else None,
            max_turns=int(turns) if isinstance(turns, int | float) else None,
            system_prompt=_text(fields, "system_prompt"),
            model=tuple(map(self._model_entry, entries)),
            does=text_at(fields, "does"),
            team=_texts(fields, "team"),
            relays=_texts(fields, "relays"),
            budget=_whole_numbers(mapping_at(fields, "budget")),
            wait_for=self._wait_for(fields, asked),
        )

    def runtime(self, fields: Fields, asked: Sequence[Entry]) -> RuntimeScript:
        cap = fields.get("inbox_cap")
        return RuntimeScript(
            wait_for=self._wait_for(fields, asked),
            budget=_whole_numbers(mapping_at(fields, "budget")),
            inbox_cap=int(cap) if isinstance(cap, int | float) else None,
        )

    def _wait_for(self, fields: Fields, asked: Sequence[Entry]) -> tuple[InterpreterEntry, ...] | None:
        return tuple(map(self._interpreter_entry, asked)) if "wait_for" in fields else None

    def _interpreter_entry(self, entry: Entry) -> InterpreterEntry:
        fields = entry.fields
        return InterpreterEntry(
            position=self._source.position(entry.path),
            ok=fields.get("ok") is True,
            data=mapping_at(fields, "data") if "data" in fields else None,
            reason=_text(fields, "reason"),
            raises=_text(fields, "raises"),
            sees=fields.get("sees", ABSENT),
            during=tuple(map(self.step, entry.during)),
            covers=_texts(fields, "covers"),
        )

    def _model_entry(self, entry: Entry) -> ModelEntry:
        fields = entry.fields
        text = text_at(fields, "text")
        return ModelEntry(
            position=self._source.position(entry.path),
            chunks=(text,) if text else _texts(fields, "chunks"),
            calls=tuple(
                ScriptedCall(name, mapping_at(call, name))
                for call in list_at(fields, "calls")
                if isinstance(call, dict)
                for name in call
            ),
            raises=_text(fields, "raises"),
            usage=_whole_numbers(mapping_at(fields, "usage")) or None,
            sees=list_at(fields, "sees") if "sees" in fields else None,
            during=tuple(map(self.step, entry.during)),
            optional="optional" in fields,
            covers=_texts(fields, "covers"),
        )

    def tool_entry(self, entry: Entry) -> ToolEntry:
        fields = entry.fields
        outcome = next((outcome for outcome in _OUTCOMES if outcome in fields), None)
        return ToolEntry(
            position=self._source.position(entry.path),
            outcome=outcome or "reply",
            text=text_at(fields, outcome) if outcome else "",
            request=mapping_at(fields, "suspends") if outcome == "suspends" else None,
            with_answer=fields.get("with_answer", ABSENT),
            optional="optional" in fields,
            updates=_texts(fields, "updates"),
            runs_child=_child(mapping_at(fields, "runs_child")) if "runs_child" in fields else None,
            during=tuple(map(self.step, entry.during)),
            covers=_texts(fields, "covers"),
        )

    def step(self, action: Action) -> Step:
        fields = action.fields
        return Step(
            word=action.word,
            argument=_argument(action, self._profile),
            position=self._source.key_position(action.at_word),
            agent=action.agent,
            handle=action.handle,
            runtime=action.runtime,
            threads=tuple(tuple(map(self.step, thread)) for thread in action.threads),
            emits=list_at(fields, "emits") if "emits" in fields else None,
            result=fields.get("result", ABSENT),
            error=fields.get("error", ABSENT),
            covers=_texts(fields, "covers"),
        )


def _argument(action: Action, profile: Profile) -> Json:
    """What stands behind the word, in the one form that it has whatever the shorthand."""
    argument = action.argument
    match action.word:
        case "push" if isinstance(argument, str):
            return {"text": argument, "handle": "first"}
        case "push" | "resolve" | "reject" if isinstance(argument, dict):
            return {"handle": "first", **argument}
        case "start" if profile == "runtime":
            return {"prompt": argument or ""}
        case "start" if isinstance(argument, str):
            return {argument: None}
        case "threads":
            return None
        case "spawn":
            spawned = argument if isinstance(argument, dict) else {"name": argument}
            budget = _whole_numbers(mapping_at(argument, "budget"))
            return {"under": None, **spawned, "budget": {**budget}}
        case "post":
            return {"from": None, **(argument if isinstance(argument, dict) else {"text": argument})}
        case "wake":
            return {"prompt": argument or ""}
        case "wait":
            return argument if isinstance(argument, dict) else {"timeout": None}
        case "close":
            return argument if isinstance(argument, dict) else {"force": False}
        case "run":
            return {"text": argument}
        case "run_with_answer" | "ask_with_answer" if isinstance(argument, dict):
            return {"echo": argument.get("request"), **argument}
        case _:
            return argument


def _whole_numbers(fields: Fields) -> dict[str, int]:
    return {key: int(value) for key, value in fields.items() if isinstance(value, int | float)}


def _child(fields: Fields) -> RunsChild:
    return RunsChild(
        agent=text_at(fields, "agent"),
        prompt=text_at(fields, "prompt"),
        result=fields.get("result", ABSENT),
        error=fields.get("error", ABSENT),
    )
