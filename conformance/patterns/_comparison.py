"""A list and the list pattern that it does not fit, set against each other up to their first difference.

Made after a match has failed, for a person to look at: which element of the pattern took which item, and
which elements might have stood where no way of matching went on. Knows nothing of how it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.patterns._events import EVENTS, Element, Stream, parsed_element
from conformance.patterns._mismatch import Ids, Mismatch, Path
from conformance.patterns._sequence import Part, Stuck, parts_of, walk, with_skips
from conformance.patterns._values import Matcher, list_parts, nearest
from conformance.reading import list_at, text_at
from conformance.scenario import Json


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of a failed match.

    `expected` are the pattern's elements as they are written, `actual` the items; where `is_events`, those
    that the pattern looks at, and Nested events that it takes together are one. `numbers` are the places
    that the items had when they came, counted from 1. The item `at` is the first that no way of matching got
    past (their number: they end too early); each item before it was taken by the element of which `taken`
    has the index. `wanted` are the indices of the elements that might have stood there, none where the end
    was expected. Where a `...` was looked through in vain, `nearest` is the item that came closest to the
    last of them, if any came close. `path` leads to the first difference inside that item, or inside the one
    `at` where one element only was possible there. `inside` is the id of the call of which these are the
    Nested events, where they are not the whole stream.
    """

    expected: tuple[Json, ...]
    actual: tuple[Json, ...]
    numbers: tuple[int, ...]
    at: int
    taken: tuple[int, ...]
    wanted: tuple[int, ...]
    path: Path = ()
    nearest: int | None = None
    is_events: bool = False
    inside: str = ""


Fits = Callable[[int, int], bool]


def compare_list(pattern: list[Json], items: Sequence[Json], ids: Ids) -> Comparison | None:
    """Both sides of a list that does not fit `pattern`; None where it does."""
    matcher = Matcher(ids)

    @cache
    def asked(element: int, item: int) -> bool:
        return matcher.value(pattern[element], items[item]) is None

    parts = list_parts(pattern)
    stuck = walk(parts, len(items), asked)
    if stuck is None:
        return None
    path: Path = ()
    near: int | None = None
    if stuck.index < len(items):
        if len(stuck.elements) == 1:
            path = _path(matcher.value(pattern[stuck.elements[0]], items[stuck.index]))
    elif stuck.searched and stuck.elements:
        wanted = pattern[stuck.elements[-1]]
        found = [(index, matcher.value(wanted, item)) for index, item in enumerate(items)]
        near, path = _nearest(wanted, found, least=1)
    return Comparison(
        expected=tuple(pattern),
        actual=tuple(items),
        numbers=tuple(range(1, len(items) + 1)),
        at=stuck.index,
        taken=_taken(parts, stuck, asked),
        wanted=stuck.elements,
        path=path,
        nearest=near,
    )


def compare_events(pattern: list[Json], events: Sequence[Json], ids: Ids) -> Comparison | None:
    """Both sides of a stream that does not fit `pattern`; None where it does.

    Where the first difference is in the Nested events of one call, these alone are compared.
    """
    return _compare_stream(pattern, events, Matcher(ids), "")


def _compare_stream(
    pattern: list[Json], events: Sequence[Json], matcher: Matcher, inside: str
) -> Comparison | None:
    elements = [parsed_element(written) for written in pattern]
    stream = Stream(events, elements, matcher)
    parts = [part for index, element in enumerate(elements) for part in parts_of(index, element.mark)]

    @cache
    def asked(element: int, item: int) -> bool:
        return stream.compare(elements[element], stream.events[item]) is None

    stuck = walk(parts, len(stream.events), asked)
    if stuck is None:
        return None
    akin, near, path = _difference(stream, [elements[index] for index in stuck.elements], stuck)
    if akin is not None and path[:1] == (EVENTS,):
        event = stream.events[stuck.index if near is None else near]
        call = text_at(event, "tool_call_id")
        deeper = _compare_stream(akin.stream or [], list_at(event, EVENTS), matcher, call)
        if deeper is not None:
            return deeper
    return Comparison(
        expected=tuple(pattern),
        actual=tuple(stream.events),
        numbers=tuple(place + 1 for place in stream.places),
        at=stuck.index,
        taken=_taken(parts, stuck, asked),
        wanted=stuck.elements,
        path=path,
        nearest=near,
        is_events=True,
        inside=inside,
    )


def _difference(
    stream: Stream, wanted: Sequence[Element], stuck: Stuck
) -> tuple[Element | None, int | None, Path]:
    """The element to which an event is to be compared, the event if it is only the nearest, and the path to
    the first difference in it."""
    if stuck.index < len(stream.events):
        event = stream.events[stuck.index]
        akin = _akin(wanted, event)
        return akin, None, _path(stream.compare(akin, event)) if akin is not None else ()
    if not stuck.searched or not wanted:
        return None, None, ()
    last = wanted[-1]
    tried = [index for index, event in enumerate(stream.events) if text_at(event, "type") == last.type]
    near, path = _nearest(
        last.fields, [(index, stream.compare(last, stream.events[index])) for index in tried]
    )
    return last, near, path


def _akin(wanted: Sequence[Element], event: Json) -> Element | None:
    """The one element that is of the same type as the event."""
    akin = [element for element in wanted if element.type == text_at(event, "type")]
    return akin[0] if len(akin) == 1 else None


def _nearest(
    wanted: Json, tried: Sequence[tuple[int, Mismatch | None]], least: int = 0
) -> tuple[int | None, Path]:
    """The item that came closest to a pattern, and the path to the first difference in it."""
    misses = {index: mismatch for index, mismatch in tried if mismatch is not None}
    best = nearest(wanted, [(mismatch, 0) for mismatch in misses.values()], least)
    return next(((index, _path(miss)) for index, miss in misses.items() if miss is best), (None, ()))


def _path(mismatch: Mismatch | None) -> Path:
    return () if mismatch is None else mismatch.path


def _taken(parts: Sequence[Part], stuck: Stuck, fits: Fits) -> tuple[int, ...]:
    """For each item before the first difference the element that took it, on the way that came there."""
    live = [with_skips(parts, [0])]
    for item in range(stuck.index):
        following = [_after(parts, place) for place in live[-1] if _takes(parts, place, item, fits)]
        live.append(with_skips(parts, following))
    wanted = [place for place in live[-1] if place == len(parts) or parts[place].element in stuck.elements]
    place = max(wanted, default=max(live[-1], default=0))
    taken: list[int] = []
    for item in reversed(range(stuck.index)):
        place = max(
            before
            for before in live[item]
            if _takes(parts, before, item, fits) and place in with_skips(parts, [_after(parts, before)])
        )
        taken.append(parts[place].element)
    return tuple(reversed(taken))


def _takes(parts: Sequence[Part], place: int, item: int, fits: Fits) -> bool:
    return place < len(parts) and (parts[place].anything or fits(parts[place].element, item))


def _after(parts: Sequence[Part], place: int) -> int:
    return place if parts[place].repeats else place + 1
