"""Handles of a scenario of the profile `runtime`: each that is named has been given, and each name once.

Knows the outline only. What is expected of a handle is for patterns to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from conformance import words
from conformance.complaint import Complaint
from conformance.outline import Action, Outline, Path
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import MAIN, Json

_ANYTIME = -1
"""The place of what is given inside `during`: it cannot be told from the file when that is."""
_ADDRESSING = frozenset({"start", "finish", "wake", "wait", "post", "interrupt", "close"})


class _Named(NamedTuple):
    """A handle that an action addresses, by its name."""

    name: str
    path: Path
    at_key: bool


def given_handles(scenario: Outline) -> dict[str, int]:
    """Each handle that is spawned or found, with the index of the step that gives it."""
    return {**_given(scenario, "find"), **_given(scenario, "spawn")}


def wrong_handles(scenario: Outline) -> Iterator[Complaint]:
    """Names of handles that are taken twice or given to none, and runtimes that have none."""
    yield from _taken_twice(scenario)
    spawned, found = _given(scenario, "spawn"), _given(scenario, "find")
    for action in scenario.actions:
        for named in _addressed(action):
            message = _message(named.name, spawned, found, action)
            if message:
                unknown = "" if named.name in spawned or named.name in found else f"handle {named.name}"
                yield Complaint(named.path, message, named.at_key, ("steps",), unknown)
    yield from _held_with_others(scenario)
    runtimes = {MAIN, *(action.runtime for action in scenario.actions if action.word == "spawn")}
    for action in scenario.actions:
        if action.runtime not in runtimes:
            hint = words.suggestion(action.runtime, runtimes)
            message = f"no handle is spawned in the runtime {action.runtime!r}{hint}"
            yield Complaint((*action.path, "runtime"), message, lacks=("steps",))
        elif "runtime" in action.fields and "under" in mapping_at(action.fields, "spawn"):
            message = "a child is in the runtime of the handle that it is under; leave this out"
            yield Complaint((*action.path, "runtime"), message, at_key=True)


def teams_of(teams: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Each definition with all to which it can delegate, be it by others."""
    found: dict[str, frozenset[str]] = {}
    for name in teams:
        below, left = set[str](), [name]
        while left:
            new = set(teams.get(left.pop(), ())) - below
            below |= new
            left += new
        found[name] = frozenset(below)
    return found


def _held_with_others(scenario: Outline) -> Iterator[Complaint]:
    """Turns that are held at their first model call while another's may come first: who asks says only whose
    definition it is."""
    spawned = _definitions(scenario)
    teams = teams_of({name: _team(fields) for name, fields in scenario.agents.items()})
    at_any_time = {action.handle for action in scenario.inner if action.word == "wake"}
    under_way: set[str] = set()
    for step in scenario.steps:
        definition = spawned.get(step.handle)
        if step.word == "start" and definition is not None:
            for other in sorted((under_way | at_any_time) & spawned.keys() - {step.handle}):
                how = _may_ask_as(definition, spawned[other], teams)
                if how:
                    message = (
                        f"{other!r} may have a turn going and {how}, so that it cannot be told whose model"
                        f" call is to be held; wait for {other!r} first, or give {step.handle!r} a definition"
                        " of its own"
                    )
                    yield Complaint(step.at_word, message, bool(step.fields))
                    break
        if step.word == "wake":
            under_way.add(step.handle)
        elif step.word == "finish" or _waits_for_the_end(step):
            under_way.discard(step.handle)


def _definitions(scenario: Outline) -> dict[str, str]:
    """The definition of each handle that is spawned."""
    spawned: dict[str, str] = {}
    for action in scenario.actions:
        if action.word == "spawn" and "error" not in action.fields:
            name = action.argument if isinstance(action.argument, str) else text_at(action.argument, "name")
            spawned.setdefault(action.handle, name)
    return spawned


def _waits_for_the_end(step: Action) -> bool:
    return step.word == "wait" and "timeout" not in mapping_at(step.fields, "wait")


def _may_ask_as(definition: str, other: str, teams: Mapping[str, frozenset[str]]) -> str:
    """How a turn of the definition `other` may have a model asked for as one of `definition`; empty if it
    cannot."""
    if other == definition:
        return f"is of the definition {definition} too"
    return f"can delegate to {definition}" if definition in teams.get(other, ()) else ""


def _team(fields: Json) -> list[str]:
    return [name for name in list_at(fields, "team") if isinstance(name, str)]


def _given(scenario: Outline, word: str) -> dict[str, int]:
    """Handles with the index of the step that gives them. A spawn that is to be refused gives none."""
    given: dict[str, int] = {}
    for action in scenario.actions:
        if action.word == word and "error" not in action.fields:
            given.setdefault(action.handle, _index(action))
    return given


def _index(action: Action) -> int:
    place = action.path[1]
    return place if action.path[0] == "steps" and isinstance(place, int) else _ANYTIME


def _taken_twice(scenario: Outline) -> Iterator[Complaint]:
    taken: set[str] = set()
    for action in scenario.actions:
        if action.word not in ("spawn", "find") or "error" in action.fields:
            continue
        if action.handle in taken:
            is_named = "as" in action.fields
            path = (*action.path, "as") if is_named else action.at_word
            message = f"there is a handle {action.handle!r} already; give this one another name, with as"
            yield Complaint(path, message, not is_named, lacks=("steps",))
        taken.add(action.handle)


def _addressed(action: Action) -> Iterator[_Named]:
    views = mapping_at(action.fields, "check")
    if action.word in _ADDRESSING or (action.word == "check" and views.keys() - {"list"}):
        is_named = "handle" in action.fields
        yield _Named(action.handle, (*action.path, "handle") if is_named else action.at_word, not is_named)
    for word, key in (("spawn", "under"), ("post", "from")):
        name = text_at(action.argument, key) if action.word == word else ""
        if name:
            yield _Named(name, (*action.at_word, key), False)


def _message(name: str, spawned: Mapping[str, int], found: Mapping[str, int], action: Action) -> str:
    """Why a handle cannot be addressed; an empty text where it can."""
    if name in spawned:
        is_early = action.path[0] == "steps" and spawned[name] >= _index(action)
        return f"the handle {name!r} is spawned only further down" if is_early else ""
    if name in found:
        return f"the handle {name!r} is found, not spawned: only patterns can refer to it, by $handle.{name}"
    return f"no handle {name!r} is spawned{words.suggestion(name, spawned)}"
