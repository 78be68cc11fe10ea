"""What an implementation must be capable of for a scenario to be played, worked out from its words.

Knows the outline only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.drivers.base import Capability
from conformance.outline import Action, Fields, Outline, Started, started_after
from conformance.reading import list_at, mapping_at

_LIVE = ("pending_calls", "needs_reply", "conversation")
_ANSWERING = ("run_with_answer", "ask_with_answer")
_OF_RUNTIMES: Mapping[str, Capability] = {"wait_for": "runtime-interpreter", "budget": "runtime-budget"}
_OF_TOOLS: Mapping[str, Capability] = {"runs_child": "children", "denied": "denial", "updates": "updates"}


def needs(scenario: Outline) -> frozenset[Capability]:
    """The capabilities without which the scenario cannot be played."""
    found: set[Capability] = set()
    for entry in scenario.tool_entries:
        found.update(capability for word, capability in _OF_TOOLS.items() if word in entry.fields)
    of_runtime = mapping_at(scenario.document, "runtime")
    found.update(capability for word, capability in _OF_RUNTIMES.items() if word in of_runtime)
    if any(list_at(agent, "relays") for agent in scenario.agents.values()):
        found.add("relays")
    if any(action.word in _ANSWERING for action in scenario.actions):
        found.add("answers")
    if any(action.word == "threads" for action in scenario.actions):
        found.add("threads")
    if _looks_while_a_run_goes_on(scenario):
        found.add("live-views")
    if any("trace" in mapping_at(action.fields, "check") for action in scenario.actions):
        found.add("state-traces")
    if any(map(_lets_time_go_by, scenario.actions)) or any(
        "max_wall_ms" in each for each in _budgets(scenario)
    ):
        found.add("clock")
    if scenario.document.get("store") == "disk":
        found.add("disk-store")
    return frozenset(found)


def _looks_while_a_run_goes_on(scenario: Outline) -> bool:
    started: Started = {}
    for step in scenario.steps:
        if step.agent in started and _looks_at_what_lives(step):
            return True
        started = started_after(step, started)
    return any(map(_looks_at_what_lives, scenario.inner))


def _looks_at_what_lives(action: Action) -> bool:
    views = mapping_at(action.fields, "check")
    return any(view in views for view in _LIVE)


def _lets_time_go_by(action: Action) -> bool:
    return action.word == "advance" or bool(mapping_at(action.fields, "wait"))


def _budgets(scenario: Outline) -> Iterator[Fields]:
    spawned = (action.argument for action in scenario.actions if action.word == "spawn")
    for holder in (scenario.document.get("runtime"), *scenario.agents.values(), *spawned):
        yield mapping_at(holder, "budget")
