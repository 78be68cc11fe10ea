"""Which words a scenario of each profile has, and which of them may stand beside which.

The words of a profile are those that the schema gives it; what they mean is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice

from conformance import schemas, words
from conformance.complaint import Complaint
from conformance.outline import Fields, Outline, Path
from conformance.reading import mapping_at
from conformance.scenario import PROFILES, Profile

_PARTS: Mapping[str, Mapping[Profile, str]] = {
    "scenario": {"agent": "agentScenario", "runtime": "runtimeScenario", "client": "clientScenario"},
    "agent": {"agent": "agent", "runtime": "definition", "client": "client"},
    "tool entry": {"agent": "toolEntry", "runtime": "runtimeToolEntry", "client": "clientToolEntry"},
    "step": {"agent": "stepMapping", "runtime": "runtimeStepMapping", "client": "clientStepMapping"},
    "view": {"agent": "views", "runtime": "runtimeViews", "client": "clientViews"},
}
"""The parts of a scenario, and for each profile the part of the schema that has its words."""

_MANY = 100
"""Counting more words would not tell more."""

_RUNS = ("run", "ask", "run_with_answer", "ask_with_answer")
_VERBS = ("spawn", "start", "finish", "wake", "wait", "post", "interrupt", "close", "resume_with")
_BESIDE: Mapping[Profile, Mapping[str, tuple[str, ...]]] = {
    "agent": {},  # the schema says it
    "runtime": {
        "as": ("spawn", "find"),
        "handle": ("start", "finish", "wake", "wait", "post", "interrupt", "close", "check"),
        "runtime": ("spawn", "resume_with", "find", "check"),
        "result": _VERBS,
        "error": _VERBS,
    },
    "client": {"result": _RUNS, "error": _RUNS},
}
"""Words that stand beside the word of a step, by those beside which they may."""


def foreign_words(scenario: Outline) -> Iterator[Complaint]:
    """Every word that another profile has and the scenario's own has not."""
    for part, path, fields in _parts(scenario):
        for word in fields:
            message = _message(word, part, scenario.profile)
            if message:
                yield Complaint((*path, word), message, at_key=True)
    for action in scenario.actions:
        message = "" if action.fields else _message(action.word, "step", scenario.profile)
        if message:
            yield Complaint(action.path, message)


def count_foreign(scenario: Outline, profile: Profile) -> int:
    """How many words of a scenario are foreign to a profile; of very many only that they are."""
    return sum(1 for _ in islice(foreign_words(replace(scenario, profile=profile)), _MANY))


def misplaced_words(scenario: Outline) -> Iterator[Complaint]:
    """Every word of the profile that stands beside one that has no use for it."""
    for action in scenario.actions:
        for word, beside in _BESIDE[scenario.profile].items():
            if (
                word in action.fields
                and action.word not in beside
                and _belongs(action.word, scenario.profile)
            ):
                message = f"{word} stands only beside {words.either(beside)}"
                yield Complaint((*action.path, word), message, at_key=True)


def _belongs(word: str, profile: Profile) -> bool:
    return word in _words("step", profile)


def _parts(scenario: Outline) -> Iterator[tuple[str, Path, Fields]]:
    yield "scenario", (), scenario.document
    for name in scenario.agents:
        yield "agent", ("agents", name), mapping_at(scenario.agents, name)
    for entry in scenario.tool_entries:
        yield "tool entry", entry.path, entry.fields
    for action in scenario.actions:
        yield "step", action.path, action.fields
        yield "view", (*action.path, "check"), mapping_at(action.fields, "check")


def _message(word: str, part: str, profile: Profile) -> str:
    """What is wrong with a word; nothing where the profile has it, or none has."""
    others = [other for other in PROFILES if word in _words(part, other)]
    if not others or profile in others:
        return ""
    noun = "profiles" if len(others) > 1 else "profile"
    return (
        f"{word} belongs to the {noun} {' and '.join(others)}, and what this covers to the profile {profile}"
    )


@cache
def _words(part: str, profile: Profile) -> frozenset[str]:
    definitions = mapping_at(schemas.load("scenario"), "$defs")
    return frozenset(mapping_at(mapping_at(definitions, _PARTS[part][profile]), "properties"))
