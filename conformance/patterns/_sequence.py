"""Matching a list against a list pattern in which elements may repeat, be left out, or stand for anything.

The pattern is a chain of parts; a way of matching is a place in that chain. All ways are followed at once,
so the cost is the number of parts times the number of items, whatever the pattern. Knows nothing of what
the items are: whether one fits an element is asked of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

DOTS = "..."
"""In a list pattern: any number of elements, also none."""


@dataclass(frozen=True, slots=True)
class Part:
    """One link of the chain.

    `element` is its index in the written pattern. A part that repeats is always optional: "once or more"
    is written as two parts. `anything` fits every item.
    """

    element: int
    optional: bool = False
    repeats: bool = False
    anything: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """Where matching ended: at the item `index` (their number: at their end).

    `elements` are the pattern's elements that could have stood there, in order; `end` says that the end
    could have, too. `searched` says that a `...` stands directly before the first of them.
    """

    index: int
    elements: tuple[int, ...]
    end: bool
    searched: bool


@lru_cache(maxsize=1024)
def parts_of(element: int, mark: str = "") -> tuple[Part, ...]:
    """The parts for one element: `mark` is empty, `+`, `*`, `?` or `...`."""
    many = Part(element, optional=True, repeats=True)
    match mark:
        case "...":
            return (Part(element, optional=True, repeats=True, anything=True),)
        case "+":
            return (Part(element), many)
        case "*":
            return (many,)
        case "?":
            return (Part(element, optional=True),)
        case _:
            return (Part(element),)


def walk(parts: Sequence[Part], count: int, fits: Callable[[int, int], bool]) -> Stuck | None:
    """Match `count` items; `fits(element, item)` says whether one fits. None: they match."""
    end = len(parts)
    live = with_skips(parts, [0])
    before: list[list[int]] = []
    for index in range(count):
        before.append(live)
        following = [
            place if parts[place].repeats else place + 1
            for place in live
            if place < end and (parts[place].anything or fits(parts[place].element, index))
        ]
        if not following:
            return _stuck(parts, index, live)
        live = with_skips(parts, following)
    if end in live:
        return None
    if not any(parts[place].anything for place in live):
        return _stuck(parts, count, live)
    before.append(live)
    furthest = max(places[-1] for places in before)
    last_seen = max(index for index, places in enumerate(before) if places[-1] == furthest)
    possible = [place for place in _with_options_before(parts, furthest) if place in before[last_seen]]
    return _stuck(parts, last_seen, possible)


def with_skips(parts: Sequence[Part], places: list[int]) -> list[int]:
    """The places, and those that are reached from them by leaving optional parts out, in order."""
    if len(places) == 1 and (places[0] == len(parts) or not parts[places[0]].optional):
        return places
    found: set[int] = set()
    for start in places:
        place = start
        while place not in found:
            found.add(place)
            if place < len(parts) and parts[place].optional:
                place += 1
    return sorted(found)


def _with_options_before(parts: Sequence[Part], place: int) -> list[int]:
    """A place, and the optional ones just before it that might have come first."""
    first = place
    while first > 0 and parts[first - 1].optional and not parts[first - 1].anything:
        first -= 1
    return list(range(first, place + 1))


def _is_dots(parts: Sequence[Part], place: int) -> bool:
    return place < len(parts) and parts[place].anything


def _stuck(parts: Sequence[Part], index: int, live: Sequence[int]) -> Stuck:
    elements = dict.fromkeys(
        parts[place].element for place in live if place < len(parts) and not parts[place].anything
    )
    return Stuck(
        index=index,
        elements=tuple(elements),
        end=len(parts) in live,
        searched=live[0] > 0 and _is_dots(parts, live[0] - 1),
    )
