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
from enum import Enum
from operator import attrgetter
from types import NoneType, UnionType
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
        found = _object(data)
        return cls(**{field.name: field.read(cls, found) for field in cls._layout})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)  # type: ignore[operator]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field.name) for field in self._layout)))

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
    """How to write a value of the type that a field is declared with; None where it is JSON as it stands."""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return lambda value: value.to_json()
    if isinstance(hint, type) and issubclass(hint, Enum):
        return attrgetter("value")
    if origin is tuple:
        item = _encoder(arguments[0])
        return list if item is None else lambda values: list(map(item, values))
    if origin in (Union, UnionType):
        inner = _encoder(next(each for each in arguments if each is not NoneType))
        return None if inner is None else lambda value: None if value is None else inner(value)
    return None


def _decoder(hint: object) -> Callable[[Json], object]:
    """How to read a value of the type that a field is declared with."""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_json
    if isinstance(hint, type) and issubclass(hint, Enum):
        members = {member.value: member for member in hint}
        return lambda value: members[_one_of(value, tuple(members))]
    if origin is tuple:
        item = _decoder(arguments[0])
        return lambda value: tuple(map(item, _list(value)))
    if origin in (Union, UnionType):
        inner = _decoder(next(each for each in arguments if each is not NoneType))
        return lambda value: None if value is None else inner(value)
    if origin is Literal:
        return lambda value: _one_of(value, arguments)
    if origin is Mapping:
        return _object
    return _SCALARS[hint]


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _unexpected("an object", value)
    return value


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise _unexpected("a list", value)
    return value


def _one_of(value: Json, allowed: tuple[object, ...]) -> Json:
    if value not in allowed:
        raise _unexpected("one of " + ", ".join(map(str, allowed)), value)
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise _unexpected("a string", value)
    return value


def _flag(value: Json) -> bool:
    if not isinstance(value, bool):
        raise _unexpected("true or false", value)
    return value


def _integer(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _unexpected("an integer", value)
    return value


def _number(value: Json) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _unexpected("a number", value)
    return float(value)


def _unexpected(expected: str, found: Json) -> MalformedData:
    return MalformedData(f"expected {expected}, found {found!r}")


_SCALARS: Mapping[object, Callable[[Json], object]] = {
    str: _text,
    bool: _flag,
    int: _integer,
    float: _number,
}
