"""Calls of tools that an agent does not have, and that are likely to be misspelt.

A model may call what does not exist, and a scenario may be about that. But where the name is nearly that of
a tool which the agent has, that one is meant, and the play would tell only what follows. Knows the outline
only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from conformance.complaint import Complaint
from conformance.misspellings import near_miss
from conformance.outline import Outline, Path
from conformance.reading import list_at

_TASK = "task"
"""The tool by which whoever has a team delegates to it."""


class Call(NamedTuple):
    """A call by an agent's model: where its name stands, and the tool that is likely to be meant, which is
    another than `name` where that is misspelt."""

    path: Path
    agent: str
    name: str
    meant: str


def calls_in(scenario: Outline) -> Iterator[Call]:
    """Every call of the models."""
    for agent, entries in scenario.models.items():
        had = _tools_of(scenario, agent)
        for entry in entries:
            for index, call in enumerate(list_at(entry.fields, "calls")):
                for name in call if isinstance(call, dict) else ():
                    is_there = name in had or name in scenario.tools
                    meant = name if is_there else near_miss(name, had) or name
                    yield Call((*entry.path, "calls", index, name), agent, name, meant)


def misspelt_calls(scenario: Outline) -> Iterator[Complaint]:
    """Every call of which the name is nearly, and not quite, that of a tool of the agent."""
    for call in calls_in(scenario):
        if call.meant != call.name:
            message = (
                f"{call.agent} has no tool {call.name!r}; did you mean {call.meant}?"
                " A call of a tool that does not exist needs a name that is less like one that does"
            )
            yield Complaint(call.path, message, at_key=True, lacks=("agents", "tools"))


def _tools_of(scenario: Outline, agent: str) -> list[str]:
    fields = scenario.agents[agent]
    named = [*list_at(fields, "tools"), *list_at(fields, "relays")]
    return [*(name for name in named if isinstance(name, str)), *([_TASK] if list_at(fields, "team") else [])]
