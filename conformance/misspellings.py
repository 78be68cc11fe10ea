"""Fields in patterns that what comes is not likely to have: misspelt ones, and those of other things.

Whoever implements may add fields of its own, so a name that nobody knows is not wrong. But a field that is
never there keeps an optional entry from ever being looked at and, where a pattern wants it to be absent, lets
the pattern hold whatever comes. Knows the outline only.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence, Set
from functools import cache
from itertools import islice

from conformance import patterns, schemas, words
from conformance.allowed import TAG
from conformance.complaint import Complaint
from conformance.fields import Asked, fields_in
from conformance.outline import RESULTS, Outline, Path, Placed, patterns_in
from conformance.reading import mapping_at
from conformance.scenario import Json

_SCHEMAS = ("event-background", "message", "request", "answer", "task-result", "handle-view", "run-result")
_OTHERS = frozenset({"code", "path", "calls", "results", "output", "events"})
_LIKENESS = 0.8
_LONGEST = 80
"""Longer words are no misspellings of one, and comparing them takes long."""
_MOST = 1_000
"""So many unknown names of a scenario are compared with the known ones, which takes long."""


def misspelt(scenario: Outline) -> Iterator[Complaint]:
    """Every field in a pattern that only something else is known to have, whose name is nearly a known one,
    or that nobody knows and that is only ever asked to be absent."""
    unknown = ((placed, asked) for placed in patterns_in(scenario) for asked in _unknown(placed))
    looked_at = list(islice(unknown, _MOST))
    wanted = {asked.name for _, asked in looked_at if not patterns.accepts_absence(asked.pattern)}
    told: set[Path] = set()
    for placed, asked in looked_at:
        message = _message(placed, asked, wanted)
        if message is not None:
            told.add(asked.path)
            lacks = ("covers",) if placed.seen in RESULTS.values() else ()
            yield Complaint(asked.path, message, at_key=True, lacks=lacks)
    yield from _found_by_nothing(scenario, told)


def _found_by_nothing(scenario: Outline, told: Set[Path]) -> Iterator[Complaint]:
    """A handle that is looked for by nothing that is known of any, where no other reason has been told."""
    for placed in patterns_in(scenario):
        if placed.seen != "view" or placed.path[-1] != "find":
            continue
        asked = [each for each in fields_in(placed) if each.path[:-1] == placed.path]
        is_unknown = all(each.name not in (each.known or ()) for each in asked)
        if asked and is_unknown and told.isdisjoint(it.path for it in asked):
            known = ", ".join(asked[0].known or ())
            message = f"of what is asked for here nothing is known of a handle that is found: it has {known}"
            yield Complaint(placed.path, message, at_key=True)


def _unknown(placed: Placed) -> Iterator[Asked]:
    return (
        asked
        for asked in fields_in(placed)
        if asked.name not in (_known_fields() if asked.known is None else asked.known)
    )


def _message(placed: Placed, asked: Asked, wanted: Collection[str]) -> str | None:
    """What is wrong with a field that is not known at its place, if anything. What is `wanted` is somewhere
    asked to be there."""
    near = near_miss(asked.name, _known_fields())
    if asked.known is None:
        return (
            None if near is None else f"there is no field {asked.name!r} that is known; did you mean {near}?"
        )
    fields = [field for field in asked.known if field != TAG]
    is_known = near is not None or asked.name in _known_fields()
    if is_known or _is_meant(asked.name, fields, made_by_the_suite=placed.seen == "answer"):
        why = words.suggestion(asked.name, fields)
    elif asked.name in wanted:
        return None
    else:
        why = "; as nothing wants it to be there, that it is absent holds whatever comes"
    has = ", ".join(fields) or "none"
    return f"{_thing(asked.path)} has no field {asked.name!r} that is known: it has {has}{why}"


def _is_meant(name: str, fields: Sequence[str], *, made_by_the_suite: bool) -> bool:
    """Whether one of these fields is likely to be meant: one that is alike, and has all words of the name. In
    what the suite makes it is enough that it is alike, for there nobody else adds fields."""
    near = words.closest(name, fields)
    return near is not None and (made_by_the_suite or set(name.split("_")) <= set(near.split("_")))


def _thing(path: Path) -> str:
    """What has the field to which a path leads, by the word under which it stands."""
    keys = [key for key in path[:-1] if not str(key).startswith("$")]
    named = next(key for key in reversed(keys) if isinstance(key, str))
    return f"an element of {named}" if named != keys[-1] else patterns.type_of(named)


def near_miss(word: str, known: Collection[str]) -> str | None:
    """The known word that is meant, if one is likely to be: letters have changed places, or few are wrong."""
    if len(word) > _LONGEST:
        return None
    mixed_up = [other for other in known if sorted(other) == sorted(word)]
    near = mixed_up or difflib.get_close_matches(word, known, n=1, cutoff=_LIKENESS)
    return near[0] if near else None


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
