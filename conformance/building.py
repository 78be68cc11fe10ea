"""A scenario out of a document that has been found to be right.

Knows where things stand in a document and what they become; what may stand there has been checked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from conformance.outline import Action, Entry, Fields, Outline, needs
from conformance.reading import list_at, mapping_at, text_at
from conformance.requirements import Register
from conformance.scenario import (
    ABSENT,
    AgentScript,
    Json,
    ModelEntry,
    RunsChild,
    Scenario,
    ScriptedCall,
    Step,
    ToolEntry,
)
from conformance.source import Source

Outcome = Literal["returns", "pending", "raises", "denied"]
_OUTCOMES: tuple[Outcome, ...] = ("returns", "pending", "raises", "denied")


def build(id: str, file: Path, source: Source, scenario: Outline, register: Register) -> Scenario:
    """The scenario of which `scenario` is the outline and `source` the text; `id` is its id."""
    document = scenario.document
    covers = _texts(document, "covers")
    first = register[covers[0]]
    builder = _Builder(source)
    return Scenario(
        id=id,
        path=file,
        title=text_at(document, "title"),
        covers=covers,
        level=first.level,
        profile=first.profile,
        agents={
            name: builder.agent(name, mapping_at(scenario.agents, name), entries)
            for name, entries in scenario.models.items()
        },
        tools={name: tuple(map(builder.tool_entry, entries)) for name, entries in scenario.tools.items()},
        steps=tuple(map(builder.step, scenario.steps)),
        needs=needs(scenario),
        description=text_at(document, "description"),
    )


def _texts(fields: Fields, key: str) -> tuple[str, ...]:
    return tuple(item for item in list_at(fields, key) if isinstance(item, str))


def _text(fields: Fields, key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) else None


class _Builder:
    """Makes the parts of one scenario."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def agent(self, name: str, fields: Fields, entries: Sequence[Entry]) -> AgentScript:
        rounds = fields.get("max_rounds")
        return AgentScript(
            position=self._source.key_position(("agents", name)),
            tools=_texts(fields, "tools"),
            pause_on_pending=fields.get("pause_on_pending") is True,
            max_rounds=int(rounds) if isinstance(rounds, int | float) else None,
            system_prompt=_text(fields, "system_prompt"),
            model=tuple(map(self._model_entry, entries)),
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
            usage=_usage(mapping_at(fields, "usage")),
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
            updates=_texts(fields, "updates"),
            runs_child=_child(mapping_at(fields, "runs_child")) if "runs_child" in fields else None,
            during=tuple(map(self.step, entry.during)),
            covers=_texts(fields, "covers"),
        )

    def step(self, action: Action) -> Step:
        fields = action.fields
        return Step(
            word=action.word,
            argument=_argument(action),
            position=self._source.key_position(action.at_word),
            agent=action.agent,
            threads=tuple(tuple(map(self.step, thread)) for thread in action.threads),
            emits=list_at(fields, "emits") if "emits" in fields else None,
            result=fields.get("result", ABSENT),
            error=fields.get("error", ABSENT),
            covers=_texts(fields, "covers"),
        )


def _argument(action: Action) -> Json:
    """What stands behind the word, in the one form that it has whatever the shorthand."""
    argument = action.argument
    match action.word:
        case "push" if isinstance(argument, str):
            return {"text": argument, "handle": "first"}
        case "push" | "resolve" | "reject" if isinstance(argument, dict):
            return {"handle": "first", **argument}
        case "start" if isinstance(argument, str):
            return {argument: None}
        case "threads":
            return None
        case _:
            return argument


def _usage(fields: Fields) -> dict[str, int] | None:
    return {key: int(value) for key, value in fields.items() if isinstance(value, int | float)} or None


def _child(fields: Fields) -> RunsChild:
    return RunsChild(
        agent=text_at(fields, "agent"),
        prompt=text_at(fields, "prompt"),
        result=fields.get("result", ABSENT),
        error=fields.get("error", ABSENT),
    )
