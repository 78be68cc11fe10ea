"""What can be known to be wrong with a pattern before anything is matched, and what it refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Literal, TypeAlias

from conformance.patterns._events import EVENTS, MARKS, NESTED, split_name
from conformance.patterns._mismatch import Path, shown
from conformance.patterns._operators import HANDLE, OPERATORS, is_reference, operator_in
from conformance.patterns._sequence import DOTS
from conformance.reading import EVENT_TYPES
from conformance.scenario import Json

Kind: TypeAlias = Literal["value", "list", "events"]
Problem: TypeAlias = tuple[Path, str]

MOST_PROBLEMS = 100
"""So many are told of one pattern."""


def problems(pattern: Json, kind: Kind) -> list[Problem]:
    """The mistakes in a pattern, but no more than `MOST_PROBLEMS`, each with the path to it inside the
    pattern and a sentence.

    `kind` says what the pattern is for: any value, a list (`sees`, `conversation`), or an event list.
    """
    if kind == "value":
        found = _value(pattern, ())
    elif not isinstance(pattern, list):
        return [((), f"a list is expected here, not {shown(pattern)}")]
    else:
        found = _list(pattern, ()) if kind == "list" else _events(pattern, ())
    return list(islice(found, MOST_PROBLEMS))


def references(pattern: Json) -> set[str]:
    """The references in a pattern, of whatever kind it is, `$unknown` among them."""
    found: set[str] = set()
    waiting = [pattern]
    while waiting:
        here = waiting.pop()
        operator = operator_in(here)
        if isinstance(here, str):
            found.update([here] if is_reference(here) else [])
        elif operator is not None and operator[0] in OPERATORS and OPERATORS[operator[0]].literal:
            continue
        elif isinstance(here, dict):
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)
    return found


def expressions(pattern: Json) -> Iterator[Path]:
    """Where in a pattern a regular expression stands."""
    waiting: list[tuple[Path, Json]] = [((), pattern)]
    while waiting:
        path, here = waiting.pop()
        inside = here.items() if isinstance(here, dict) else enumerate(here if isinstance(here, list) else ())
        if isinstance(here, dict) and "$regex" in here:
            yield (*path, "$regex")
        waiting.extend(reversed([((*path, key), inner) for key, inner in inside]))


def _value(pattern: Json, path: Path, *, field: bool = False) -> Iterator[Problem]:
    """`field` says that the pattern is a field's value, where `$absent` may stand."""
    if isinstance(pattern, list):
        yield from _list(pattern, path)
    elif isinstance(pattern, dict):
        operator = operator_in(pattern)
        if operator is not None:
            yield from _operator(*operator, path, field=field)
        else:
            yield from _mapping(pattern, path)
    elif isinstance(pattern, str):
        yield from _text(pattern, path)


def _text(text: str, path: Path) -> Iterator[Problem]:
    if text == DOTS:
        yield path, f"`{DOTS}` stands for elements of a list; for the text itself write {{$literal: {DOTS}}}"
    elif text in OPERATORS:
        yield path, f"{text} is an operator and stands as the key of a mapping: {{{text}: ...}}"
    elif text.startswith("$") and not is_reference(text):
        forms = f"{HANDLE}NAME" if text.startswith("$handle") else "$tool#n (n from 1) or $unknown"
        message = f"{shown(text)} is no reference: write {forms}, or {{$literal: {text}}} for the text itself"
        yield path, message


def _list(items: list[Json], path: Path) -> Iterator[Problem]:
    for index, item in enumerate(items):
        if item != DOTS:
            yield from _value(item, (*path, index))


def _mapping(fields: dict[str, Json], path: Path) -> Iterator[Problem]:
    for key, value in fields.items():
        if not key.startswith("$"):
            yield from _value(value, (*path, key), field=True)
        elif key in OPERATORS:
            yield (*path, key), f"{key} stands alone in its mapping: it cannot have fields beside it"
        else:
            yield (*path, key), _unknown_operator(key)


def _unknown_operator(name: str) -> str:
    close = _close(name, OPERATORS)
    hint = close or f"; operators are {', '.join(OPERATORS)}"
    return f"there is no operator {name}{hint}"


def _close(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    close = get_close_matches(name, list(names), n=1, cutoff=cutoff)
    return f"; did you mean {close[0]}?" if close else ""


def _operator(name: str, argument: Json, path: Path, *, field: bool) -> Iterator[Problem]:
    here = (*path, name)
    operator = OPERATORS.get(name)
    if operator is None:
        yield here, _unknown_operator(name)
        return
    complaint = operator.complaint(argument)
    if complaint is not None:
        yield here, f"{name} {complaint}"
        return
    if name == "$absent" and not field:
        yield here, "$absent stands only as the value of a field"
    if name == "$exact":
        yield from _exact(argument, here)
    for inner, pattern in operator.inside(argument):
        yield from _value(pattern, (*here, *inner), field=field and name == "$one_of")


def _exact(value: Json, path: Path) -> Iterator[Problem]:
    """What is inside `$exact` is a value: no operators but `$literal`, no `...`."""
    if isinstance(value, str):
        yield from _text(value, path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _exact(item, (*path, index))
    elif isinstance(value, dict) and value.keys() != {"$literal"}:
        for key, item in value.items():
            if key.startswith("$"):
                yield (
                    (*path, key),
                    f"{key} cannot stand inside $exact, which takes a value; "
                    "$literal alone can, for what looks like an operator",
                )
            else:
                yield from _exact(item, (*path, key))


def _events(elements: list[Json], path: Path) -> Iterator[Problem]:
    for index, element in enumerate(elements):
        here = (*path, index)
        if element == DOTS:
            continue
        if isinstance(element, str):
            yield from _name(element, here)
        elif isinstance(element, dict) and len(element) == 1:
            ((name, fields),) = element.items()
            mistaken = list(_name(name, (*here, name)))
            yield from mistaken or _fields(name, fields, (*here, name))
        else:
            yield here, f"an element is `{DOTS}`, a type, or one type with its fields, not {shown(element)}"


def _name(name: str, path: Path) -> Iterator[Problem]:
    split = split_name(name)
    if split is not None:
        hint = "" if split[0] in EVENT_TYPES else _close(split[0], EVENT_TYPES, cutoff=0.8)
        if hint:
            yield path, f"{split[0]} is no type of event{hint}"
    elif name.startswith("$"):
        yield path, f"{name}: an element begins with an event's type; operators stand in its fields"
    elif split_name(name[:-1]) is not None:
        yield path, f"{shown(name)} ends in {name[-1]!r}: behind a type may stand one of {' '.join(MARKS)}"
    else:
        yield path, f"{shown(name)} is no type of event"


def _fields(name: str, fields: Json, path: Path) -> Iterator[Problem]:
    if fields is None:
        return
    if not isinstance(fields, dict):
        yield path, f"the fields of an event are a mapping, not {shown(fields)}"
        return
    if EVENTS not in fields:
        yield from _value(fields, path)
        return
    where = (*path, EVENTS)
    stream = fields[EVENTS]
    if name.rstrip(MARKS) != NESTED:
        yield where, f"`{EVENTS}` describes the stream of a Nested element and stands in no other"
    elif "event" in fields:
        yield where, f"`{EVENTS}` is for all events of the call, `event` for a single one: write one of them"
    elif not isinstance(stream, list):
        yield where, f"`{EVENTS}` is an event list, not {shown(stream)}"
    else:
        yield from _events(stream, where)
    yield from _value({key: value for key, value in fields.items() if key != EVENTS}, path)
