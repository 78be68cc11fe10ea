"""References in a scenario: that what they stand for comes about in it.

A call is made by some model, a request by some tool, and a handle is spawned or found. Looks at the outline
only, and knows nothing of ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from conformance import patterns, words
from conformance.calling import calls_in
from conformance.complaint import Complaint
from conformance.handles import given_handles
from conformance.outline import Outline, Path, patterns_in
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import Json

_DIGITS = 9
"""No scenario has so many calls that their number is longer."""
_REQUEST = "request"
"""`$request#n` is a request's in the profiles that have requests."""
_LATE = ("resolve", "reject")
_ANSWERING = ("resume_with", "run_with_answer", "ask_with_answer")


class _Known(NamedTuple):
    """What references can stand for: how often each tool is called, how many requests there can be, and at
    which step each handle is given. None: the profile has no such thing."""

    calls: Counter[str]
    requests: int | None
    handles: Mapping[str, int] | None


def unbound_references(scenario: Outline) -> Iterator[Complaint]:
    """Every reference to what never comes about."""
    known = _known(scenario)
    for path, reference in chain(_named(scenario), _in_data(scenario), _in_patterns(scenario)):
        message = _message(reference, known, path)
        if message:
            of_handle = reference.startswith(patterns.HANDLE)
            yield Complaint(
                path,
                f"{reference}: {message}",
                lacks=("steps",) if of_handle else ("agents", "tools"),
                unknown=_unknown(reference, known),
            )


def _unknown(reference: str, known: _Known) -> str:
    """The name in a reference that nothing has, if it is that for which it stands for nothing."""
    if reference.startswith(patterns.HANDLE):
        name = reference.removeprefix(patterns.HANDLE)
        return "" if known.handles is None or name in known.handles else f"handle {name}"
    name = reference[1:].rpartition("#")[0]
    return "" if name in known.calls or name == _REQUEST else f"tool {name}"


def _known(scenario: Outline) -> _Known:
    calls = Counter(name for call in calls_in(scenario) for name in {call.name, call.meant})
    handles = given_handles(scenario) if scenario.profile == "runtime" else None
    return _Known(calls, None if scenario.profile == "agent" else _requests(scenario), handles)


def _requests(scenario: Outline) -> int:
    """How many requests there can be: one for each execution that suspends, and for each turn that has calls
    of relay tools."""
    suspending = sum("suspends" in entry.fields for entry in scenario.tool_entries)
    relayed = 0
    for agent, entries in scenario.models.items():
        relays = list_at(scenario.agents[agent], "relays")
        for entry in entries:
            calls = list_at(entry.fields, "calls")
            relayed += any(isinstance(call, dict) and any(name in relays for name in call) for call in calls)
    return suspending + relayed


def _named(scenario: Outline) -> Iterator[tuple[Path, str]]:
    """The references that stand in an action where nothing else may."""
    for action in scenario.actions:
        keys = ("call",) if action.word in _LATE else ("request", "echo") if action.word in _ANSWERING else ()
        for key in keys:
            reference = text_at(action.argument, key)
            if patterns.is_reference(reference):
                yield (*action.at_word, key), reference


def _in_data(scenario: Outline) -> Iterator[tuple[Path, str]]:
    """The references in what Answers carry."""
    holders = [
        *(
            ((*action.at_word, "data"), action.argument)
            for action in scenario.actions
            if action.word in _ANSWERING
        ),
        *(((*entry.path, "data"), entry.fields) for entry in scenario.interpreter_entries),
    ]
    for path, holder in holders:
        for inner, text in _texts(mapping_at(holder, "data")):
            if patterns.is_reference(text):
                yield (*path, *inner), text


def _in_patterns(scenario: Outline) -> Iterator[tuple[Path, str]]:
    for path, pattern, _, _ in patterns_in(scenario):
        unseen = patterns.references(pattern)
        for inner, text in _texts(pattern) if unseen else ():
            if text in unseen:
                unseen.remove(text)
                yield (*path, *inner), text


def _texts(value: Json) -> Iterator[tuple[Path, str]]:
    """The texts in a value, in order, with their paths."""
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, str):
            yield path, here
        inside = here.items() if isinstance(here, dict) else enumerate(here if isinstance(here, list) else ())
        waiting.extend(reversed([((*path, key), inner) for key, inner in inside]))


def _message(reference: str, known: _Known, path: Path) -> str:
    """Why a reference at `path` stands for nothing; an empty text where it may stand for something."""
    if reference == patterns.UNKNOWN:
        return ""
    if reference.startswith(patterns.HANDLE):
        return _about_handle(reference.removeprefix(patterns.HANDLE), known.handles, path)
    name, _, number = reference[1:].rpartition("#")
    is_request = name == _REQUEST and known.requests is not None
    there = (known.requests or 0) if is_request else known.calls[name]
    if not there:
        hint = words.suggestion(name, known.calls)
        return "nothing suspends" if is_request else f"no model calls {name!r}{hint}"
    if len(number) <= _DIGITS and int(number) <= there:
        return ""
    if is_request:
        return f"there can be only {'one request' if there == 1 else f'{there} requests'}"
    return f"the models call {name!r} only {'once' if there == 1 else f'{there} times'}"


def _about_handle(name: str, handles: Mapping[str, int] | None, path: Path) -> str:
    if handles is None:
        return "handles belong to the profile runtime"
    if name not in handles:
        return f"no handle is called {name!r}{words.suggestion(name, handles)}"
    if path[0] == "steps" and isinstance(path[1], int) and handles[name] > path[1]:
        return "this handle is given only further down"
    return ""
