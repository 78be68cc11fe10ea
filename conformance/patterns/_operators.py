"""The operators of patterns: mappings with one key that begins with `$`.

All of them stand in one table. An operator says what its argument must be, which patterns are inside it,
whether it fits a value, and how it is put into words. Matching what is inside it is the caller's.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from conformance import expressions
from conformance.patterns._mismatch import Mismatch, Path, shown, subject
from conformance.patterns._sequence import DOTS
from conformance.scenario import Json

UNKNOWN = "$unknown"
"""The reference to an id that no call has."""

HANDLE = "$handle."
"""What a reference to a handle's id begins with; the handle's name follows."""

_REFERENCE = re.compile(r"\$[^#$\s]+#[1-9][0-9]*|\$handle\.[A-Za-z][A-Za-z0-9_-]*")


class Matching(Protocol):
    """What an operator needs for looking into the patterns that it holds."""

    def value(self, pattern: Json, actual: Json, path: Path) -> Mismatch | None:
        """The first difference between a pattern and a value."""

    def differs(self, pattern: Json, actual: Json, path: Path) -> Mismatch:
        """The mismatch that says that a value is not what the pattern asks for."""

    def resolved(self, value: Json) -> Json:
        """A value with the references in it replaced; raises Unbound."""


class Unbound(Exception):
    """A reference to a call, a request or a handle that has not come."""

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference


Fits: TypeAlias = Callable[[Json, Json, Matching, Path], Mismatch | None]
Inside: TypeAlias = Callable[[Json], Sequence[tuple[Path, Json]]]


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    `complaint` says what is wrong with an argument (None: nothing). `inside` gives the patterns in it with
    their paths. `fits` compares; it may rely on an argument without complaint. `words` is what a sentence
    says after "expected"; it is given the argument and the words for a pattern.
    """

    complaint: Callable[[Json], str | None]
    fits: Fits
    words: Callable[[Json, Callable[[Json], str]], str]
    inside: Inside = lambda argument: ()
    literal: bool = False
    """The argument is a value, not a pattern, and references in it mean themselves."""


def operator_in(pattern: Json) -> tuple[str, Json] | None:
    """The name and argument of a mapping that is an operator, known or not."""
    if isinstance(pattern, dict) and len(pattern) == 1:
        ((name, argument),) = pattern.items()
        if name.startswith("$"):
            return name, argument
    return None


def is_reference(text: str) -> bool:
    """Whether a text is `$tool#n`, `$request#n`, `$handle.NAME` or `$unknown`."""
    return text == UNKNOWN or _REFERENCE.fullmatch(text) is not None


def same(one: Json, other: Json) -> bool:
    """Deep equality in which true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return one == other


def accepts_absence(pattern: Json) -> bool:
    """Whether a field with this pattern may be missing: `$absent`, or `$one_of` with it among the choices."""
    match operator_in(pattern):
        case ("$absent", _):
            return True
        case ("$one_of", list(alternatives)):
            return any(map(accepts_absence, alternatives))
        case _:
            return False


_TYPES: Final[Mapping[str, Callable[[Json], bool]]] = MappingProxyType(
    {
        "object": lambda value: isinstance(value, dict),
        "array": lambda value: isinstance(value, list),
        "string": lambda value: isinstance(value, str),
        "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
        "integer": lambda value: (
            (isinstance(value, int) and not isinstance(value, bool))
            or (isinstance(value, float) and value.is_integer())
        ),
        "boolean": lambda value: isinstance(value, bool),
        "null": lambda value: value is None,
    }
)


def _test(holds: Callable[[Json, Json], bool], name: str) -> Fits:
    """The comparison of an operator that asks one question of the value."""

    def fits(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
        return None if holds(argument, actual) else matching.differs({name: argument}, actual, path)

    return fits


def _takes_true(argument: Json) -> str | None:
    return None if argument is True else f"takes true, not {shown(argument)}"


def _takes_type(argument: Json) -> str | None:
    if isinstance(argument, str) and argument in _TYPES:
        return None
    return f"takes one of {', '.join(_TYPES)}, not {shown(argument)}"


def _takes_regex(argument: Json) -> str | None:
    if not isinstance(argument, str):
        return f"takes a regular expression, not {shown(argument)}"
    if len(argument) > expressions.LONGEST:
        return f"takes a regular expression of at most {expressions.LONGEST} characters"
    if expressions.has_flags(argument):
        return "takes a regular expression without flags such as (?s); [\\s\\S] is any character"
    if not expressions.is_expression(argument):
        return (
            f"takes a regular expression as JSON Schema has them, and {shown(argument)} is none, or too large"
        )
    return None


def _takes_patterns(argument: Json) -> str | None:
    return None if isinstance(argument, list) else f"takes a list of patterns, not {shown(argument)}"


def _takes_alternatives(argument: Json) -> str | None:
    if argument == []:
        return "takes at least one pattern"
    return _takes_patterns(argument)


def _takes_unordered(argument: Json) -> str | None:
    if isinstance(argument, list) and argument.count(DOTS) > 1:
        return f"takes `{DOTS}` once, not {argument.count(DOTS)} times"
    return _takes_patterns(argument)


def _takes_handle(argument: Json) -> str | None:
    if isinstance(argument, str) and is_reference(argument) and argument.startswith(HANDLE):
        return None
    return f"takes a handle, {HANDLE}NAME, not {shown(argument)}"


def _takes_anything(argument: Json) -> str | None:
    return None


def _each(argument: Json) -> Sequence[tuple[Path, Json]]:
    return [((index,), item) for index, item in enumerate(argument)] if isinstance(argument, list) else ()


def _each_but_dots(argument: Json) -> Sequence[tuple[Path, Json]]:
    return [(path, item) for path, item in _each(argument) if item != DOTS]


def _regex(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
    try:
        if isinstance(actual, str) and expressions.is_found(str(argument), actual):
            return None
    except expressions.GivenUp:
        message = f"{subject(path)} is a text in which looking for /{argument}/ takes too long"
        return Mismatch(path, {"$regex": argument}, actual, f"{message}; a simpler expression is needed")
    return matching.differs({"$regex": argument}, actual, path)


def _has_type(argument: Json, actual: Json) -> bool:
    return _TYPES[str(argument)](actual)


def _not_empty(argument: Json, actual: Json) -> bool:
    return isinstance(actual, str | list | dict) and len(actual) > 0


def _contains(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
    found = False
    if isinstance(actual, str):
        try:
            part = matching.resolved(argument)
        except Unbound:
            part = None
        found = isinstance(part, str) and part in actual
    elif isinstance(actual, list):
        found = any(
            matching.value(argument, item, (*path, index)) is None for index, item in enumerate(actual)
        )
    return None if found else matching.differs({"$contains": argument}, actual, path)


def _below(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
    try:
        above = matching.resolved(argument)
    except Unbound:
        above = None
    found = isinstance(above, str) and isinstance(actual, str) and actual.startswith(f"{above}/")
    return None if found else matching.differs({"$below": argument}, actual, path)


def _one_of(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
    alternatives = argument if isinstance(argument, list) else []
    if any(matching.value(alternative, actual, path) is None for alternative in alternatives):
        return None
    return matching.differs({"$one_of": argument}, actual, path)


def _exact(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
    try:
        holds = same(matching.resolved(argument), actual)
    except Unbound:
        holds = False
    return None if holds else matching.differs({"$exact": argument}, actual, path)


def _unordered(argument: Json, actual: Json, matching: Matching, path: Path) -> Mismatch | None:
    written = argument if isinstance(argument, list) else []
    patterns = [pattern for pattern in written if pattern != DOTS]
    if not isinstance(actual, list):
        return matching.differs({"$unordered": argument}, actual, path)
    items = actual
    choices = [
        [index for index, item in enumerate(items) if matching.value(pattern, item, (*path, index)) is None]
        for pattern in patterns
    ]
    enough = len(items) == len(patterns) or (len(items) > len(patterns) and DOTS in written)
    if enough and _can_pair(choices):
        return None
    return matching.differs({"$unordered": argument}, actual, path)


def _can_pair(choices: Sequence[Sequence[int]]) -> bool:
    """Whether each pattern can have an item of its own, given the items that it fits (augmenting paths)."""
    owner: dict[int, int] = {}
    held: dict[int, int] = {}
    for first in range(len(choices)):
        asked_by: dict[int, int] = {}
        free = _free_item(first, choices, owner, asked_by)
        while free is not None:
            pattern = asked_by[free]
            given_up = held.get(pattern)
            owner[free], held[pattern] = pattern, free
            free = given_up
        if first not in held:
            return False
    return True


def _free_item(
    first: int, choices: Sequence[Sequence[int]], owner: Mapping[int, int], asked_by: dict[int, int]
) -> int | None:
    """An item that is free, or becomes so when others move on; `asked_by` tells who moves where."""
    waiting = deque([first])
    while waiting:
        pattern = waiting.popleft()
        for item in choices[pattern]:
            if item in asked_by:
                continue
            asked_by[item] = pattern
            if item not in owner:
                return item
            waiting.append(owner[item])
    return None


def _listed(argument: Json, words: Callable[[Json], str]) -> str:
    return ", ".join(DOTS if item == DOTS else words(item) for _, item in _each(argument))


OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType(
    {
        "$any": Operator(_takes_true, lambda *_: None, lambda *_: "anything"),
        "$absent": Operator(_takes_true, _test(lambda *_: False, "$absent"), lambda *_: "nothing"),
        "$type": Operator(
            _takes_type, _test(_has_type, "$type"), lambda name, _: f"a value of type {name}", literal=True
        ),
        "$regex": Operator(_takes_regex, _regex, lambda text, _: f"a text like /{text}/", literal=True),
        "$contains": Operator(
            _takes_anything,
            _contains,
            lambda part, words: f"something that contains {words(part)}",
            lambda part: [((), part)],
        ),
        "$one_of": Operator(
            _takes_alternatives, _one_of, lambda items, words: f"one of {_listed(items, words)}", _each
        ),
        "$unordered": Operator(
            _takes_unordered,
            _unordered,
            lambda items, words: f"in any order: {_listed(items, words)}",
            _each_but_dots,
        ),
        "$exact": Operator(_takes_anything, _exact, lambda value, words: f"exactly {words(value)}"),
        "$not_empty": Operator(
            _takes_true, _test(_not_empty, "$not_empty"), lambda *_: "something that is not empty"
        ),
        "$below": Operator(_takes_handle, _below, lambda handle, _: f"the id of a handle below {handle}"),
        "$literal": Operator(
            _takes_anything,
            _test(same, "$literal"),
            lambda value, _: f"exactly {shown(value)}",
            literal=True,
        ),
    }
)
"""Every operator, by its name. A test goes through them and wants a fitting and a failing example of each."""
