"""Fields in patterns that are likely to be misspelt.

Whoever implements may add fields of its own, so a name that nobody knows is not wrong; but
one letter too few in an expectation may make it hold whatever comes. Knows the outline only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache

from conformance import schemas
from conformance.complaint import Complaint
from conformance.outline import Outline, Path, patterns_in
from conformance.reading import mapping_at
from conformance.scenario import Json

_SCHEMAS = ("event-background", "message", "request", "answer", "task-result", "handle-view", "run-result")
_OTHERS = frozenset({"code", "path", "calls", "results", "output", "events"})
_FREE = frozenset({"args", "arguments", "input", "data", "details"})
"""Fields in which whoever asks puts what it likes."""
_LIKENESS = 0.8


def misspelt(scenario: Outline) -> Iterator[Complaint]:
    """Every field in a pattern whose name is nearly, and not quite, a known one."""
    for path, pattern, kind in patterns_in(scenario):
        yield from _in(pattern, path, are_types=kind == "events")


def _in(pattern: Json, path: Path, *, are_types: bool) -> Iterator[Complaint]:
    """What is in a pattern. Where `are_types`, the keys of a list's elements are types of events."""
    if isinstance(pattern, list):
        for index, item in enumerate(pattern):
            fields = item.items() if are_types and isinstance(item, dict) else [("", item)]
            for name, inner in fields:
                yield from _in(inner, (*path, index, name) if name else (*path, index), are_types=False)
    elif isinstance(pattern, dict):
        for key, item in pattern.items():
            if not key.startswith("$"):
                yield from _about(key, (*path, key))
            if key not in _FREE:
                yield from _in(item, (*path, key), are_types=key == "events")


def _about(name: str, path: Path) -> Iterator[Complaint]:
    known = _known_fields()
    near = [] if name in known else difflib.get_close_matches(name, sorted(known), n=1, cutoff=_LIKENESS)
    if near:
        message = f"there is no field {name!r} that is known; did you mean {near[0]}?"
        yield Complaint(path, message, at_key=True)


@cache
def _known_fields() -> frozenset[str]:
    return frozenset(_OTHERS.union(*(_fields(schemas.load(name)) for name in _SCHEMAS)))


def _fields(schema: Json) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _fields(item)
    elif isinstance(schema, dict):
        yield from mapping_at(schema, "properties")
        for item in schema.values():
            yield from _fields(item)
