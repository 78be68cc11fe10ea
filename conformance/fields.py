"""The fields that patterns ask for, each with those that are known of the thing at its place.

Which those are is told by the schemas of what patterns are set against (`schemas/seen`): for an event by its
type, for everything else by where it is. Whoever implements may add fields of its own, so nothing is said of
what is wrong. Knows the outline only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance import patterns
from conformance.allowed import TAG, Allowed, Place, allowed
from conformance.outline import Path, Placed
from conformance.reading import EVENT_TYPES
from conformance.scenario import Json

FREE = frozenset({"args", "arguments", "input", "data", "details"})
"""Fields in which whoever asks puts what it likes."""
_EVENT = (Place("event-background"), Place("event"))


class Asked(NamedTuple):
    """A field for which a pattern asks, what it asks of it, and the names that are known of the fields of the
    thing that has it; None where the thing may be anything."""

    path: Path
    pattern: Json
    known: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """The name of the field."""
        return str(self.path[-1])


def fields_in(placed: Placed) -> Iterator[Asked]:
    """Every field in a pattern."""
    if placed.kind != "events":
        yield from _value(placed.pattern, (Place("seen", ("properties", placed.seen)),), placed.path)
    elif isinstance(placed.pattern, list):
        yield from _events(placed.pattern, placed.path)


def _events(elements: Sequence[Json], path: Path) -> Iterator[Asked]:
    for index, element in enumerate(elements):
        for name, fields in element.items() if isinstance(element, dict) else ():
            here = (*path, index, name)
            if not isinstance(fields, dict):
                continue
            type = patterns.type_of(name)
            places = _EVENT if type in EVENT_TYPES else ()
            own = {key: value for key, value in fields.items() if key != patterns.EVENTS}
            yield from _fields(own, places, type, here)
            stream = fields.get(patterns.EVENTS)
            yield from _events(stream if isinstance(stream, list) else [], (*here, patterns.EVENTS))


def _value(pattern: Json, places: Sequence[Place], path: Path) -> Iterator[Asked]:
    """The fields in a pattern for what has to fit these places."""
    operator = patterns.operator_in(pattern)
    if operator is not None:
        name, argument = operator
        here = (*path, name)
        if name == "$one_of" and isinstance(argument, list):
            for index, option in enumerate(argument):
                yield from _value(option, places, (*here, index))
        else:
            yield from _value(argument, _items(places) if name == "$contains" else places, here)
    elif isinstance(pattern, list):
        for index, item in enumerate(pattern):
            yield from _value(item, _items(places), (*path, index))
    elif isinstance(pattern, dict):
        type = pattern.get(TAG)
        yield from _fields(pattern, places, type if isinstance(type, str) else None, path)


def _fields(
    fields: dict[str, Json], places: Sequence[Place], type: str | None, path: Path
) -> Iterator[Asked]:
    inside = _inside(places, type if type in EVENT_TYPES else None)
    known = None if inside is None else tuple(inside)
    for key, value in fields.items():
        here = (*path, key)
        if not key.startswith("$"):
            yield Asked(here, value, known)
        if key not in FREE:
            yield from _value(value, (inside or {}).get(key, ()), here)


def _inside(places: Sequence[Place], type: str | None) -> dict[str, list[Place]] | None:
    """What is known to be in a thing: its fields, by their names. None where it may be anything, as an event
    of which the type is not known."""
    found: dict[str, list[Place]] = {}
    for place in places:
        for option in _options(place, "object", type):
            for name, within in option.fields.items():
                found.setdefault(name, []).extend(within)
    return None if not found or (TAG in found and type is None) else found


def _items(places: Sequence[Place]) -> list[Place]:
    return [item for place in places for option in _options(place, "array") for item in option.items]


def _options(place: Place, json_type: str, type: str | None = None) -> Iterator[Allowed]:
    return (option for option in allowed(place, type) if option.can_be(json_type))
