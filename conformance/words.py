"""How messages to a person name values, near misses and broken rules, so that all of them do it alike.

Knows nothing of scenarios or files.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any

from conformance.scenario import Json

_SHOWN = 60
_LONGEST_WORD = 80
"""Longer ones are no misspellings of a word, and comparing them takes long."""
_MOST_CHARACTERS = 30_000
"""Looking for a near miss among words with more of them takes long."""
_NEAR = 0.6
"""How much of two words must be alike, from 0 to 1."""
_HARDLY = 0.03
"""What is worse by no more than this may have been meant as well."""
_LOOKED_AT = 5
"""So many of the words that may be near are compared throughout."""
_NAMED = 3
"""So many names are told that may have been meant."""
_SHORTEST = 3
"""With fewer letters nearly everything begins."""

_TYPES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


def describe(value: Json) -> str:
    """What a value is, in a few words: `number 3`, `text 'abc'`, `a list`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"number {_short(value)}"
        case str():
            return f"text {_short(value)}"
        case list():
            return "a list" if value else "an empty list"
        case _:
            return "a mapping" if value else "an empty mapping"


def plain(value: Json) -> str:
    """A value as it would be written where it is expected: a word without quotes."""
    return value if isinstance(value, str) and value else describe(value).removeprefix("number ")


def types(names: Iterable[str]) -> list[str]:
    """JSON Schema's names of types in words."""
    return [_TYPES[name] for name in dict.fromkeys(names)]


def either(options: Iterable[str]) -> str:
    """`a, b or c`."""
    *before, last = dict.fromkeys(options)
    return f"{', '.join(before)} or {last}" if before else last


def not_among(allowed: Sequence[Json], found: Json) -> str:
    """That `found` is none of the values `allowed`, and which one may have been meant."""
    listed = ", ".join(dict.fromkeys(plain(value) for value in allowed))
    known = [value for value in allowed if isinstance(value, str)]
    hint = suggestion(found, known) if isinstance(found, str) else ""
    expected = f"one of {listed}" if len(allowed) > 1 else listed
    return f"expected {expected}; found {describe(found)}{hint}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` where one of `known` is close to `word`, otherwise nothing."""
    close = closest(word, known)
    return did_you_mean([close] if close else [])


def suggestions(name: str, known: Iterable[str]) -> str:
    """The same for a name of several parts (`agent.inbox.fifo`, `agent/inbox/fifo`), of which only the
    beginning may have been written, or that of a part: all that may be meant, but no more than a few."""
    names = list(dict.fromkeys(known))
    begun = sorted((other for other in names if _begins(other, name)), key=len)
    above: list[str] = []
    for other in begun:
        if not any(other.startswith((f"{folder}/", f"{folder}.")) for folder in above):
            above.append(other)
    return did_you_mean(above or [other for _, other in _near(name, names)])


def did_you_mean(names: Sequence[str]) -> str:
    """`; did you mean A, B or C?`, of many the first; nothing where there are none."""
    more = len(names) - _NAMED
    shown = [*names[:_NAMED], f"one of {more} more"] if more > 1 else names
    return f"; did you mean {either(shown)}?" if names else ""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that `word` is likely to be a misspelling of."""
    return next((other for _, other in _near(word, known)), None)


def _begins(other: str, name: str) -> bool:
    """Whether a name, or one of its parts, begins as was written."""
    return len(name) >= _SHORTEST and (other.startswith(name) or f"/{name}" in other or f".{name}" in other)


def _near(word: str, known: Iterable[str]) -> list[tuple[float, str]]:
    """Those of `known` that are nearest to `word`, with their likeness: the best and what is hardly worse."""
    among = sorted(known)
    if len(word) > _LONGEST_WORD or sum(map(len, among)) > _MOST_CHARACTERS:
        return []
    matcher = SequenceMatcher(b=word, autojunk=False)
    bounds: list[tuple[float, str]] = []
    for other in among:
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() >= _NEAR and (bound := matcher.quick_ratio()) >= _NEAR:
            bounds.append((bound, other))
    found: list[tuple[float, str]] = []
    for bound, other in heapq.nlargest(_LOOKED_AT, bounds):
        best = max(found, default=(_NEAR, ""))[0]
        if bound >= best - _HARDLY:
            matcher.set_seq1(other)
            if (ratio := matcher.ratio()) >= _NEAR:
                found.append((ratio, other))
    found.sort(reverse=True)
    return [each for each in found[:_NAMED] if each[0] >= found[0][0] - _HARDLY]


def _short(value: str | int | float) -> str:
    try:
        shown = repr(value)
    except ValueError:  # more digits than Python is willing to write
        return "of thousands of digits"
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."


def broken_rule(keyword: str, limit: Any, found: Json) -> str | None:
    """That a value breaks the rule `keyword: limit` of JSON Schema; None where there are no words for it."""
    match keyword:
        case "type":
            expected = types([limit] if isinstance(limit, str) else limit)
            return f"expected {either(expected)}, found {describe(found)}"
        case "const":
            return f"expected {plain(limit)}, found {describe(found)}"
        case "enum":
            return not_among(limit, found)
        case "minLength" | "minItems" | "minProperties" if limit == 1:
            return "this must not be empty"
        case "minimum":
            return f"expected at least {limit}, found {describe(found)}"
        case "maximum":
            return f"expected at most {limit}, found {describe(found)}"
        case "pattern":
            return f"expected text that matches {limit}, found {describe(found)}"
        case "uniqueItems":
            return "the same element stands here twice"
        case "oneOf" | "anyOf" | "not":
            return "this combination is not allowed"
        case _:
            return None
