"""Immutable data that can be written down as JSON and read back.

Messages and events are declared with `@record`, field by field, as one declares a dataclass; how they look on
the wire follows from the declaration. Knows nothing of what the records mean.

A record is a named tuple underneath: a run makes more than a dozen for each tool call, and a frozen dataclass
takes two to three times as long to make. It differs from a tuple where that would show: two records are equal
only if they are of one class, and a record without fields is not false.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from operator import methodcaller
from types import UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_Encoder: TypeAlias = Callable[[Any], Json]
_R = TypeVar("_R", bound="Record")
_ABSENT = object()


class MalformedData(ValueError):
    """JSON that is not the form of the record it was to be read as; says where, and what was expected."""


class _Field(NamedTuple):
    name: str
    key: str
    default: object
    decode: Callable[[Json], object]

    def read(self, owner: type[Record], data: Mapping[str, Json]) -> object:
        """This field's value in `data`, the JSON form of an `owner`."""
        if self.key not in data:
            if self.default is _ABSENT:
                raise MalformedData(f"{owner.__name__}.{self.key}: missing")
            return self.default
        try:
            return self.decode(data[self.key])
        except MalformedData as error:
            raise MalformedData(f"{owner.__name__}.{self.key}: {error}") from error


class Record:
    """What all records can do. A class marked `@record` lists its fields; one with a default is optional."""

    __slots__ = ()
    _layout: ClassVar[tuple[_Field, ...]]
    _wire: ClassVar[tuple[tuple[str, object, _Encoder | None], ...]]
    """Each field's name on the wire, its default, and how it is written."""
    _wire_names: ClassVar[Mapping[str, str]] = {}
    """Fields whose name on the wire is another."""

    def to_json(self) -> dict[str, Json]:
        """The record as JSON, without the optional fields that have their default."""
        values: tuple[object, ...] = self  # type: ignore[assignment]  # which it is underneath
        return {
            key: value if encode is None else encode(value)  # type: ignore[misc]  # JSON as it stands
            for (key, default, encode), value in zip(self._wire, values)  # noqa: B905 - a record has all
            if default is _ABSENT or value != default
        }

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Read what `to_json` wrote; fields that are not known are passed over.

        Raises:
            MalformedData: a field is missing, or is not what the record has there.
        """
        found: Mapping[str, Json] = _object(data)
        return cls(**{field.name: field.read(cls, found) for field in cls._layout})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)  # type: ignore[operator]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True


@dataclass_transform(frozen_default=True)
def record(cls: type[_R]) -> type[_R]:
    """Make a record of a class that derives from `Record` and annotates its fields."""
    hints = {name: hint for name, hint in get_type_hints(cls).items() if get_origin(hint) is not ClassVar}
    body = {name: value for name, value in vars(cls).items() if name not in hints}
    defaults = {name: vars(cls)[name] for name in hints if name in vars(cls)}
    base = namedtuple(cls.__name__, hints, defaults=defaults.values())  # type: ignore[misc]  # no literal
    layout = tuple(
        _Field(name, cls._wire_names.get(name, name), defaults.get(name, _ABSENT), _decoder(hint))
        for name, hint in hints.items()
    )
    wire = tuple((field.key, field.default, _encoder(hints[field.name])) for field in layout)
    body |= {"__slots__": (), "_layout": layout, "_wire": wire}
    made: type[_R] = type(cls.__name__, (*cls.__bases__, base), body)
    return made


def _encoder(hint: object) -> _Encoder | None:
    """How to write a value of the type that a field is declared with; None where it is JSON as it stands.

    Tuples hold records, and of two types the second is None's.
    """
    if _is_a(Record, hint):
        return methodcaller("to_json")
    if _is_a(StrEnum, hint):
        return str
    if get_origin(hint) is tuple:
        return lambda records: [each.to_json() for each in records]
    if get_origin(hint) in (Union, UnionType):
        inner = _encoder(get_args(hint)[0])
        return None if inner is None else lambda value: None if value is None else inner(value)
    return None


def _decoder(hint: Any) -> Callable[[Json], object]:
    """How to read a value of the type that a field is declared with."""
    origin, arguments = get_origin(hint), get_args(hint)
    if _is_a(Record, hint):
        return hint.from_json  # type: ignore[no-any-return]
    if origin is tuple:
        each, listed = _decoder(arguments[0]), _plain(list)
        return lambda value: tuple(map(each, listed(value)))
    if origin in (Union, UnionType):
        inner = _decoder(arguments[0])
        return lambda value: None if value is None else inner(value)
    if origin is Literal or _is_a(StrEnum, hint):
        return partial(_one_of, [*(arguments or hint)])
    return _plain(origin or hint)


def _is_a(kind: type, hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, kind)


def _one_of(allowed: list[str], value: Json) -> str:
    if value not in allowed:
        raise MalformedData(f"expected one of {[*map(str, allowed)]}, found {value!r}")
    return allowed[allowed.index(value)]


def _plain(kind: Any) -> Callable[[Json], Any]:
    """How to read what is its own JSON form. An integer is a number, too, and true is neither."""
    types = {float: (float, int), Mapping: (dict,)}.get(kind, (kind,))

    def decode(value: Json) -> Json:
        if type(value) not in types:
            raise MalformedData(f"expected {types[0].__name__}, found {value!r}")
        return value

    return decode


_object = _plain(Mapping)
