"""What may stand at a place in a thing that a schema describes: its types, its words, and what is inside it.

A schema is followed one step at a time, as far as something is asked of it: where it leaves a thing open,
there is nothing to follow. Only what forbids a value by itself is looked at (`type`, `enum`, `const`,
`minimum`), so that whatever this forbids the schema forbids too. Knows nothing of patterns or scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from itertools import product
from typing import NamedTuple

from conformance import schemas
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import Json

_URN = "urn:outlast:schema:"
_ALTERNATIVES = ("anyOf", "oneOf")
ANY_NUMBER = ("number", "integer")
TAG = "type"
"""The field on which it depends which other fields a thing has."""


class Place(NamedTuple):
    """A part of a schema: of which one, and the way through it."""

    schema: str
    way: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may stand at a place. `types` are JSON Schema's names of types and `values` a closed list, None
    where there is no such limit; `words` are those that are known of an open one. What is in each field, and
    in each element of a list, has to fit all the places that are named for it."""

    types: frozenset[str] | None = None
    values: tuple[Json, ...] | None = None
    words: tuple[str, ...] = ()
    least: float | None = None
    fields: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    items: tuple[Place, ...] = ()

    def can_be(self, *types: str) -> bool:
        """Whether a value of one of these types may stand here."""
        return self.types is None or not self.types.isdisjoint(types)


@cache
def allowed(place: Place, tag: str | None = None) -> tuple[Allowed, ...]:
    """The alternatives that a schema leaves at a place, for a thing whose `TAG` is known if it is given."""
    return tuple(_alternatives(place, tag))


def _alternatives(place: Place, tag: str | None) -> Iterator[Allowed]:
    schema = _at(place)
    if not isinstance(schema, dict):
        yield Allowed()
        return
    parts = [[_own(place, schema)]]
    if "$ref" in schema:
        parts.append([*allowed(_target(place, text_at(schema, "$ref")), tag)])
    for index, condition in enumerate(list_at(schema, "allOf")):
        part = Place(place.schema, (*place.way, "allOf", index))
        if _applies(condition, tag):
            parts.append([*allowed(Place(part.schema, (*part.way, "then")), tag)])
        elif not isinstance(condition, dict) or "if" not in condition:
            parts.append([*allowed(part, tag)])
    for word in _ALTERNATIVES:
        options = [Place(place.schema, (*place.way, word, n)) for n, _ in enumerate(list_at(schema, word))]
        if options:
            parts.append([one for option in options for one in allowed(option, tag)])
    for combination in product(*parts):
        yield reduce(_both, combination)


def _at(place: Place) -> Json:
    found: Json = schemas.load(place.schema)
    for key in place.way:
        found = found[key] if isinstance(found, list) else mapping_at({"found": found}, "found").get(str(key))  # type: ignore[index]
    return found


def _target(place: Place, reference: str) -> Place:
    """Where a `$ref` leads."""
    document, _, pointer = reference.partition("#")
    name = document.removeprefix(_URN).split(":")[0] if document else place.schema
    keys = pointer.split("/")[1:]
    return Place(name, tuple(key.replace("~1", "/").replace("~0", "~") for key in keys))


def _applies(condition: Json, tag: str | None) -> bool:
    """Whether `if` says nothing but that the tag is what it is."""
    asked = mapping_at(mapping_at(mapping_at({"condition": condition}, "condition"), "if"), "properties")
    of_tag = mapping_at(asked, TAG)
    return (
        tag is not None and asked.keys() == {TAG} and tag in [*list_at(of_tag, "enum"), of_tag.get("const")]
    )


def _own(place: Place, schema: dict[str, Json]) -> Allowed:
    """What a part of a schema says in its own words."""
    values = [schema["const"]] if "const" in schema else list_at(schema, "enum")
    named = schema.get("type", [type for value in values for type in types_of(value)] or None)
    least = schema.get("minimum")
    return Allowed(
        types=None if named is None else frozenset(map(str, named if isinstance(named, list) else [named])),
        values=tuple(values) or None,
        words=tuple(word for word in list_at(schema, "examples") if isinstance(word, str)),
        least=least if isinstance(least, int | float) else None,
        fields={
            name: (Place(place.schema, (*place.way, "properties", name)),)
            for name in mapping_at(schema, "properties")
        },
        items=(Place(place.schema, (*place.way, "items")),) if "items" in schema else (),
    )


def _both(one: Allowed, other: Allowed) -> Allowed:
    """What is allowed where both have to be fitted."""
    if one.types is not None and other.types is not None:
        types: frozenset[str] | None = one.types & other.types
    else:
        types = one.types or other.types
    names = dict.fromkeys([*one.fields, *other.fields])
    return replace(
        one,
        types=types,
        values=one.values or other.values,
        words=one.words or other.words,
        least=one.least if one.least is not None else other.least,
        fields={name: (*one.fields.get(name, ()), *other.fields.get(name, ())) for name in names},
        items=(*one.items, *other.items),
    )


def types_of(value: Json) -> tuple[str, ...]:
    """JSON Schema's names for what a value is."""
    match value:
        case None:
            return ("null",)
        case bool():
            return ("boolean",)
        case str():
            return ("string",)
        case float() if not value.is_integer():
            return ("number",)
        case int() | float():
            return ANY_NUMBER
        case list():
            return ("array",)
        case _:
            return ("object",)
