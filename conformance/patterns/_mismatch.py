"""What a difference between a pattern and a value is, and the words in which it is told.

Knows nothing of how patterns are matched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from conformance.reading import without_times
from conformance.scenario import Json

Path: TypeAlias = tuple[str | int, ...]
Ids: TypeAlias = Mapping[str, str]

SHOWN = 160
"""How many characters of a value a sentence quotes."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first difference between a pattern and what was found.

    `path` leads to it inside the value, `expected` is the pattern there and `actual` what stands there
    (None where nothing does). `message` is one sentence; all that is counted in it is counted from 1.

    For event lists `index` is the place, counted from 0, of the first event that no way of matching could
    get past, and `possible` the elements of the pattern that might have stood there. Where a `...` could
    have swallowed everything, it is the event at which the way that came furthest into the pattern stopped.
    An index that equals the number of events means that they came to their end too early.
    """

    path: Path
    expected: Json
    actual: Json
    message: str
    index: int | None = None
    possible: tuple[Json, ...] = ()


def shown(value: Json, limit: int = SHOWN) -> str:
    """A value as a sentence quotes it: texts in quotes, the rest as JSON without times, long ones cut."""
    try:
        text = repr(value) if isinstance(value, str) else json.dumps(without_times(value), ensure_ascii=False)
    except RecursionError:
        text = "something nested too deeply to be shown"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def dotted(path: Path) -> str:
    """A path as a person reads it: `message.tool_calls#1.name`. Elements are counted from 1, as messages,
    events and steps are wherever a person is told of them."""
    words = "".join(f"#{part + 1}" if isinstance(part, int) else f".{part}" for part in path)
    return words.removeprefix(".")


def subject(path: Path) -> str:
    """What a sentence about the value at `path` begins with."""
    return dotted(path) or "it"
