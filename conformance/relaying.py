"""Answers of a client's host to relayed calls: that they carry what the calls have given.

Where one does not, the client refuses it, and a play would accuse the client of what the scenario lacks. It
is told only where every request is of relayed calls, and where nothing shows that a refusal is expected.
Knows the outline only.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance import patterns
from conformance.complaint import Complaint
from conformance.outline import Action, Outline
from conformance.reading import list_at, mapping_at

_ANSWERING = ("run_with_answer", "ask_with_answer")


def empty_answers(scenario: Outline) -> Iterator[Complaint]:
    """Every Answer that grants relayed calls and brings none of their results."""
    if any("suspends" in entry.fields for entry in scenario.tool_entries):
        return
    if not any(list_at(agent, "relays") for agent in scenario.agents.values()):
        return
    for action in scenario.actions:
        if action.word in _ANSWERING and _grants(action) and not _may_be_refused(action):
            data = mapping_at(action.argument, "data")
            if not isinstance(data.get("output"), str) and not isinstance(data.get("results"), list):
                message = (
                    "relayed calls are answered with data: {output: TEXT} or, where there are several,"
                    " data: {results: [{id, output}, ...]}; if this is to be refused, expect an error"
                )
                path = (*action.at_word, "data") if data else action.at_word
                yield Complaint(path, message, at_key=True, lacks=("tools", "agents"))


def _grants(action: Action) -> bool:
    given = action.argument if isinstance(action.argument, dict) else {}
    return given.get("ok") is True and isinstance(given.get("data", {}), dict)


def _may_be_refused(action: Action) -> bool:
    """Whether a step expects an error, or allows one with an operator that null may fit."""
    result = action.fields.get("result", {})
    return (
        "error" in action.fields or not isinstance(result, dict) or patterns.operator_in(result) is not None
    )
