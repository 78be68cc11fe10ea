"""Values in patterns that nothing which comes can have: misspelt words, and values of another type.

A pattern that can never fit seldom fails as loudly as it should: an optional entry is passed over, a
`Warning*` fits no event at all, and the scenario passes without having looked. What is set against a pattern
has a schema (`schemas/seen`). Where that closes a list of words or asks for a type, a pattern that wants
another is refused; where it leaves the words open, only a word is that is nearly, and not quite, a known one.
Knows the outline only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from conformance import expressions, patterns, words
from conformance.allowed import ANY_NUMBER, TAG, Allowed, Place, allowed, types_of
from conformance.complaint import Complaint
from conformance.misspellings import near_miss
from conformance.outline import RESULTS, Outline, Path, Placed, patterns_in
from conformance.reading import EVENT_TYPES
from conformance.scenario import Json

_MOST = 1_000
"""So many values of a scenario are looked at again, which takes long."""
_CAN_BE_EMPTY = ("string", "array", "object")


class Doubt(NamedTuple):
    """A value that may be impossible: where, and what there is to say of it, if anything, which is not worked
    out before it is asked for."""

    path: Path
    says: Callable[[], str | None]
    at_key: bool = False


def impossible(scenario: Outline, most_expressions: int) -> Iterator[Complaint]:
    """Every value in a pattern that what is set against the pattern cannot have. No regular expressions are
    looked at where there are more of them than that."""
    counted = (path for placed in patterns_in(scenario) for path in patterns.expressions(placed.pattern))
    with_expressions = sum(1 for _ in islice(counted, most_expressions + 1)) <= most_expressions
    found = (
        (placed, doubt) for placed in patterns_in(scenario) for doubt in _doubts(placed, with_expressions)
    )
    for placed, doubt in islice(found, _MOST):
        message = doubt.says()
        if message is not None:
            lacks = ("covers",) if placed.seen in RESULTS.values() else ()
            yield Complaint((*placed.path, *doubt.path), message, doubt.at_key, lacks)


def _doubts(placed: Placed, with_expressions: bool) -> Iterator[Doubt]:
    if placed.kind != "events":
        look = _Look(Place("event"), True, with_expressions)
        yield from look.value(placed.pattern, Place("seen", ("properties", placed.seen)), ())
    elif isinstance(placed.pattern, list):
        yield from _Look(Place("event"), True, with_expressions).events(placed.pattern, ())
        yield from _Look(Place("event-background"), False, False).events(placed.pattern, ())


class _Look:
    """One way of looking at patterns. Where it is not `strict`, nobody has to keep to what the schema asks
    for, so that its words are known ones and no more."""

    def __init__(self, event: Place, strict: bool, with_expressions: bool) -> None:
        self._event = event
        self._strict = strict
        self._with_expressions = with_expressions

    def events(self, elements: Sequence[Json], path: Path) -> Iterator[Doubt]:
        """What is doubtful in an event list."""
        for index, element in enumerate(elements):
            if not isinstance(element, dict) or len(element) != 1:
                continue
            ((name, fields),) = element.items()
            type = patterns.type_of(name)
            if type in EVENT_TYPES and isinstance(fields, dict):
                here = (*path, index, name)
                inner = fields.get(patterns.EVENTS)
                yield from self._fields(
                    {key: value for key, value in fields.items() if key != patterns.EVENTS},
                    allowed(self._event, type),
                    here,
                )
                yield from self.events(inner if isinstance(inner, list) else [], (*here, patterns.EVENTS))

    def value(self, pattern: Json, place: Place, path: Path) -> Iterator[Doubt]:
        """What is doubtful in a pattern for what stands at a place."""
        operator = patterns.operator_in(pattern)
        if operator is not None:
            yield from self._operator(*operator, place, path)
        elif isinstance(pattern, list):
            yield from self._list(pattern, place, path)
        elif isinstance(pattern, dict):
            tag = pattern.get(TAG)
            options = allowed(place, tag if isinstance(tag, str) and tag in EVENT_TYPES else None)
            fitting = [option for option in options if option.can_be("object")]
            yield from self._fields(pattern, fitting, path) if fitting else self._type(pattern, options, path)
        elif not _is_mistaken(pattern):
            yield from self._scalar(pattern, place, path)

    def _fields(self, fields: dict[str, Json], options: Sequence[Allowed], path: Path) -> Iterator[Doubt]:
        for key, value in fields.items():
            yield from self._inside(value, [option.fields.get(key, ()) for option in options], (*path, key))

    def _list(self, items: Sequence[Json], place: Place, path: Path) -> Iterator[Doubt]:
        options = allowed(place)
        fitting = [option.items for option in options if option.can_be("array")]
        if not fitting:
            yield from self._type([*items], options, path)
            return
        for index, item in enumerate(items):
            if item != patterns.DOTS:
                yield from self._inside(item, fitting, (*path, index))

    def _inside(self, pattern: Json, choices: Sequence[tuple[Place, ...]], path: Path) -> Iterator[Doubt]:
        """What is doubtful in a pattern by every one of several choices. A choice is fitted where all its
        places are."""
        if not all(choices):
            return  # one of them leaves it open
        if len(choices) == 1:
            for place in choices[0]:
                yield from self.value(pattern, place, path)
            return
        by_choice = [
            [each for place in choice for each in self.value(pattern, place, path)] for choice in choices
        ]
        if all(by_choice):
            yield from by_choice[0]

    def _scalar(self, value: Json, place: Place, path: Path, *, literal: bool = False) -> Iterator[Doubt]:
        options = allowed(place)
        fitting = [option for option in options if option.can_be(*types_of(value))]
        closed = [word for option in fitting for word in option.values or ()]
        known = [
            word for option in fitting for word in option.values or option.words if isinstance(word, str)
        ]
        has_words = all(option.values or option.words for option in fitting)
        if not fitting:
            yield from self._type(value, options, path)
        elif self._strict and all(option.values for option in fitting):
            if value not in closed:
                yield Doubt(path, lambda: words.not_among(closed, value))
        elif isinstance(value, str) and has_words and value not in known:
            if not literal and not patterns.is_reference(value):
                yield Doubt(path, lambda: _misspelt(value, known, path))
        elif self._strict and isinstance(value, int | float):
            least = min(-float("inf") if option.least is None else option.least for option in fitting)
            if value < least:
                yield Doubt(path, lambda: words.broken_rule("minimum", int(least), value))

    def _type(self, found: Json, options: Sequence[Allowed], path: Path) -> Iterator[Doubt]:
        closed = [word for option in options for word in option.values or ()]
        if self._strict and all(option.values for option in options):
            yield Doubt(path, lambda: words.not_among(closed, found))
        elif self._strict:
            yield Doubt(path, lambda: words.broken_rule("type", _types(options), found))

    def _operator(self, name: str, argument: Json, place: Place, path: Path) -> Iterator[Doubt]:
        here = (*path, name)
        if name == "$regex" and not self._with_expressions:
            return
        if name not in patterns.OPERATORS or patterns.OPERATORS[name].complaint(argument) is not None:
            return  # which is said elsewhere
        options = allowed(place)
        can_be = [option for option in options if option.can_be(*_looked_into(name, argument))]
        if not can_be:
            if self._strict:
                message = (
                    f"{name} never fits: what comes here is {words.either(words.types(_types(options)))}"
                )
                yield Doubt(here, lambda: message, at_key=True)
        elif name == "$literal" and not isinstance(argument, list | dict):
            yield from self._scalar(argument, place, here, literal=True)
        elif name == "$regex":
            yield from self._part(argument, can_be, here, lambda word: _is_found(str(argument), word))
        elif name == "$contains":
            yield from self._contains(argument, can_be, here)
        elif name == "$exact":
            yield from self.value(argument, place, here)
        elif name == "$one_of":
            for inner, pattern in patterns.OPERATORS[name].inside(argument):
                yield from self.value(pattern, place, (*here, *inner))
        elif name == "$unordered":
            yield from self._list(argument if isinstance(argument, list) else [], place, here)

    def _contains(self, part: Json, options: Sequence[Allowed], path: Path) -> Iterator[Doubt]:
        lists = [option.items for option in options if option.can_be("array")]
        texts = [option for option in options if option.can_be("string")]
        if not texts:
            yield from self._inside(part, lists, path)
        elif lists or patterns.operator_in(part) is not None:
            return
        elif not isinstance(part, str):
            yield from self._type(part, [Allowed(frozenset({"string"}))], path)
        elif not patterns.is_reference(part):
            yield from self._part(part, texts, path, lambda word: part in word)

    def _part(
        self, part: Json, options: Sequence[Allowed], path: Path, fits: Callable[[str], bool]
    ) -> Iterator[Doubt]:
        """That what is looked for in a text is in none of the texts of which it can only be one."""
        known = [word for option in options for word in option.values or () if isinstance(word, str)]
        if self._strict and all(option.values for option in options):

            def says() -> str | None:
                none = (
                    f"{words.plain(part)} is found in none of the values that come here: {', '.join(known)}"
                )
                return None if any(map(fits, known)) else none

            yield Doubt(path, says)


def _misspelt(word: str, known: Sequence[str], path: Path) -> str | None:
    """That a word is not one of those that are known, if it is likely to be a misspelling of one."""
    near = near_miss(word, known)
    if near is None:
        return None
    field = next(str(key) for key in reversed(path) if isinstance(key, str) and not key.startswith("$"))
    listed = ", ".join(words.plain(each) for each in known)
    message = f"{word!r} is no {field} that is known: these are {listed}; did you mean {near}?"
    return f"{message} For the text itself write {{$literal: {word}}}"


def _is_mistaken(pattern: Json) -> bool:
    """Whether something else is said of a text, which begins as an operator or a reference and is none."""
    if not isinstance(pattern, str):
        return False
    return pattern == patterns.DOTS or (pattern.startswith("$") and not patterns.is_reference(pattern))


def _is_found(expression: str, text: str) -> bool:
    try:
        return expressions.is_found(expression, text)
    except expressions.GivenUp:
        return True


def _types(options: Sequence[Allowed]) -> list[str]:
    """The types of what may come, of which there are some."""
    return [type for option in options for type in sorted(option.types or ())]


def _looked_into(name: str, argument: Json) -> tuple[str, ...]:
    """The types of what an operator can fit."""
    match name:
        case "$type":
            return ANY_NUMBER if argument in ANY_NUMBER else (str(argument),)
        case "$regex" | "$below":
            return ("string",)
        case "$contains":
            return ("string", "array")
        case "$unordered":
            return ("array",)
        case "$not_empty":
            return _CAN_BE_EMPTY
        case "$literal":
            return types_of(argument)
        case _:
            return (*ANY_NUMBER, *_CAN_BE_EMPTY, "boolean", "null")
