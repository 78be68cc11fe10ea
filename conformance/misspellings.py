"""Fields in patterns that are likely to be misspelt.

Whoever implements may add fields of its own, so a name that nobody knows is not wrong; but
one letter too few in an expectation may make it hold whatever comes. Knows the outline only.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from functools import cache
from itertools import islice

from conformance import schemas, words
from conformance.complaint import Complaint
from conformance.outline import Outline, Path, patterns_in
from conformance.reading import mapping_at
from conformance.scenario import Json

_SCHEMAS = ("event-background", "message", "request", "answer", "task-result", "handle-view", "run-result")
_OTHERS = frozenset({"code", "path", "calls", "results", "output", "events"})
_FREE = frozenset({"args", "arguments", "input", "data", "details"})
"""Fields in which whoever asks puts what it likes."""
_LIKENESS = 0.8
_LONGEST = 80
"""Longer words are no misspellings of one, and comparing them takes long."""
_MOST = 1_000
"""So many unknown names of a scenario are compared with the known ones, which takes long."""


def misspelt(scenario: Outline) -> Iterator[Complaint]:
    """Every field in a pattern whose name is nearly, and not quite, a known one."""
    unknown = (
        (placed, path)
        for placed in patterns_in(scenario)
        for path in _in(placed.pattern, placed.path, are_types=placed.kind == "events")
        if path[-1] not in _known_fields()
    )
    for placed, path in islice(unknown, _MOST):
        name = str(path[-1])
        near = near_miss(name, _known_fields())
        if near is None and placed.seen == "answer":
            near = words.closest(name, _own_fields("answer"))
        if near is not None:
            message = f"there is no field {name!r} that is known; did you mean {near}?"
            yield Complaint(path, message, at_key=True)


def _in(pattern: Json, path: Path, *, are_types: bool) -> Iterator[Path]:
    """Every field in a pattern. Where `are_types`, the keys of a list's elements are types of events."""
    if isinstance(pattern, list):
        for index, item in enumerate(pattern):
            fields = item.items() if are_types and isinstance(item, dict) else [("", item)]
            for name, inner in fields:
                yield from _in(inner, (*path, index, name) if name else (*path, index), are_types=False)
    elif isinstance(pattern, dict):
        for key, item in pattern.items():
            if not key.startswith("$"):
                yield (*path, key)
            if key not in _FREE:
                yield from _in(item, (*path, key), are_types=key == "events")


def near_miss(word: str, known: Collection[str]) -> str | None:
    """The known word that is meant, if one is likely to be: letters have changed places, or few are wrong."""
    if len(word) > _LONGEST:
        return None
    mixed_up = [other for other in known if sorted(other) == sorted(word)]
    near = mixed_up or difflib.get_close_matches(word, known, n=1, cutoff=_LIKENESS)
    return near[0] if near else None


@cache
def _own_fields(name: str) -> tuple[str, ...]:
    """The names of the fields of what a schema describes. An Answer is made by the suite, so that a field of
    it is likely to be one of these where it is only alike."""
    return tuple(mapping_at(schemas.load(name), "properties"))


@cache
def _known_fields() -> dict[str, None]:
    """Their names, in one order."""
    return dict.fromkeys(sorted(_OTHERS.union(*(_fields(schemas.load(name)) for name in _SCHEMAS))))


def _fields(schema: Json) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _fields(item)
    elif isinstance(schema, dict):
        yield from mapping_at(schema, "properties")
        for item in schema.values():
            yield from _fields(item)
