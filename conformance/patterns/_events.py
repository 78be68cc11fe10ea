"""Matching an event stream against an event list pattern.

Two things are done to the stream before its elements are compared: events of types that are neither in the
documents nor in the pattern are passed over, nested ones too, and where the pattern takes the Nested events
of a call together, they become one event that stands where the first of them stood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from conformance.patterns._mismatch import Ids, Mismatch, Path, dotted, shown
from conformance.patterns._operators import operator_in
from conformance.patterns._sequence import DOTS, Part, Stuck, parts_of, walk
from conformance.patterns._values import Matcher, alternatives, counted, in_words, nearest
from conformance.reading import EVENT_TYPES, list_at, mapping_at, text_at
from conformance.scenario import Json

MARKS = "+*?"
NESTED = "Nested"
EVENTS = "events"
"""The field of a Nested element under which the stream of the call is described."""

_NAME = re.compile(r"([A-Za-z]\w*)([+*?]?)")


class Element(NamedTuple):
    """One element of an event list pattern: a type with its mark, and the fields (None: any).

    `own_fields` are the fields without `stream`, the pattern for a call's whole nested stream, where there is
    one. `types` are the types that the element names: its own, and those of events nested in it.
    """

    written: Json
    type: str
    mark: str
    types: frozenset[str]
    fields: Json = None
    own_fields: Json = None
    stream: list[Json] | None = None


@lru_cache(maxsize=1024)
def split_name(name: str) -> tuple[str, str] | None:
    """A type and its mark; None where it is not written as one."""
    match = _NAME.fullmatch(name)
    return None if match is None else (match[1], match[2])


def type_of(name: str) -> str:
    """The type in the name of an element, without its mark."""
    split = split_name(name)
    return name if split is None else split[0]


def element_of(written: Json) -> Element | None:
    """An element as it is written; None where it is none."""
    if isinstance(written, str):
        return _bare(written)
    if not isinstance(written, dict) or len(written) != 1:
        return None
    ((name, fields),) = written.items()
    split = split_name(name)
    if split is None:
        return None
    own, stream = fields, None
    if split[0] == NESTED and isinstance(fields, dict) and isinstance(fields.get(EVENTS), list):
        own, stream = {key: value for key, value in fields.items() if key != EVENTS}, list_at(fields, EVENTS)
    types = frozenset((split[0], *_types_in(own), *_types_of(stream or ())))
    return Element(written, *split, types, fields, own, stream)


@lru_cache(maxsize=1024)
def _bare(name: str) -> Element | None:
    """An element without fields; most are, and of few types."""
    if name == DOTS:
        return Element(name, "", DOTS, frozenset())
    split = split_name(name)
    return None if split is None else Element(name, *split, frozenset({split[0]}))


def _types_in(fields: Json) -> Iterator[str]:
    event = mapping_at(fields, "event")
    if event:
        yield text_at(event, "type")
        yield from _types_in(event)


def _types_of(stream: Sequence[Json]) -> Iterator[str]:
    for element in map(element_of, stream):
        if element is not None:
            yield from element.types


def match_events(pattern: list[Json], events: Sequence[Json], ids: Ids) -> Mismatch | None:
    """The first difference between a stream and a pattern for it, or None.

    Raises ValueError where the pattern has `problems`.
    """
    matcher = Matcher(ids)
    elements = [parsed_element(written) for written in pattern]
    stream = Stream(events, elements, matcher)
    parts = [part for index, element in enumerate(elements) for part in parts_of(index, element.mark)]
    return stream.match(parts)


def parsed_element(written: Json) -> Element:
    """An element as it is written. Raises ValueError where it is none."""
    element = element_of(written)
    if element is None:
        raise ValueError(f"{shown(written)} is no element of an event list")
    return element


class Stream:
    """A stream as one pattern looks at it: its events, their types, and the indices that they had when they
    came, as `places`."""

    __slots__ = ("count", "elements", "events", "matcher", "places", "types")

    def __init__(self, events: Sequence[Json], elements: Sequence[Element], matcher: Matcher) -> None:
        self.elements = elements
        self.matcher = matcher
        self.count = len(events)
        self.events: list[Json] = []
        self.types: list[str] = []
        self.places: list[int] = []
        named = EVENT_TYPES.union(*(element.types for element in elements))
        grouped = self._grouper()
        groups: dict[str, list[Json]] = {}
        for place, event in enumerate(events):
            kind = text_at(event, "type")
            if kind == NESTED:
                if _innermost(event) not in named:
                    continue
                call = text_at(event, "tool_call_id")
                if call and grouped(call):
                    inner = event.get("event") if isinstance(event, dict) else None
                    if call in groups:
                        groups[call].append(inner)
                        continue
                    stream = groups[call] = [inner]
                    event = {"type": NESTED, "tool_call_id": call, EVENTS: stream}
            elif kind and kind not in named:
                continue
            self.events.append(event)
            self.types.append(kind)
            self.places.append(place)

    def _grouper(self) -> Callable[[str], bool]:
        """Whether the Nested events of a call are taken together: some element with a stream is for it."""
        wanted = [
            mapping.get("tool_call_id", {"$any": True})
            for mapping in (element.fields for element in self.elements if element.stream is not None)
            if isinstance(mapping, dict)
        ]
        known: dict[str, bool] = {}

        def grouped(call: str) -> bool:
            if call not in known:
                known[call] = any(self.matcher.value(pattern, call) is None for pattern in wanted)
            return known[call]

        return grouped

    def match(self, parts: list[Part]) -> Mismatch | None:
        known: dict[tuple[int, int], bool] = {}

        def asked(element: int, item: int) -> bool:
            wanted = self.elements[element]
            if wanted.type != self.types[item] or wanted.fields is None:
                return wanted.type == self.types[item]
            fits = known.get((element, item))
            if fits is None:
                fits = known[element, item] = self.compare(wanted, self.events[item]) is None
            return fits

        stuck = walk(parts, len(self.events), asked)
        return None if stuck is None else self._mismatch(stuck)

    def compare(self, element: Element, event: Json) -> Mismatch | None:
        """The first difference inside an event, with a path that begins at the event."""
        kind = text_at(event, "type")
        if kind != element.type:
            return Mismatch(("type",), element.type, kind, f"its type is {kind}, expected {element.type}")
        own = element.own_fields
        mismatch = None if own is None else self.matcher.value(own, event)
        if mismatch is not None or element.stream is None:
            return mismatch
        stream = event.get(EVENTS) if isinstance(event, dict) else None
        if not isinstance(stream, list):
            return Mismatch((EVENTS,), element.stream, None, "its tool_call_id is no call's")
        inner = match_events(element.stream, stream, self.matcher.ids)
        if inner is None:
            return None
        message = f"among the events of {text_at(event, 'tool_call_id')}, {inner.message}"
        return replace(inner, path=(EVENTS, *inner.path), message=message)

    def _mismatch(self, stuck: Stuck) -> Mismatch:
        wanted = [self.elements[element] for element in stuck.elements]
        possible = tuple(element.written for element in wanted)
        words = in_words([self._words(element) for element in wanted], end=stuck.end)
        expected = alternatives(possible)
        if stuck.index == len(self.events):
            near = self._nearest(wanted[-1]) if stuck.searched and wanted else ""
            message = f"the stream ends after {counted(self.count, 'event')}, expected {words}{near}"
            return Mismatch((self.count,), expected, None, message, self.count, possible)
        event = self.events[stuck.index]
        place = self.places[stuck.index]
        title = f"event {place + 1} is {self._title(event)}"
        akin = [element for element in wanted if element.type == text_at(event, "type")]
        inner = self.compare(akin[0], event) if len(akin) == 1 else None
        if inner is None:
            return Mismatch((place,), expected, event, f"{title}, expected {words}", place, possible)
        path: Path = (place, *inner.path)
        message = f"{title}, but {inner.message}"
        return Mismatch(path, inner.expected, inner.actual, message, place, possible)

    def _nearest(self, element: Element) -> str:
        """The event that came closest to an element that was looked for in vain."""
        tried = [
            replace(inner, message=f"event {place + 1} is {element.type}, but {inner.message}")
            for place, event in zip(self.places, self.events, strict=True)
            if text_at(event, "type") == element.type
            for inner in [self.compare(element, event)]
            if inner is not None
        ]
        near = nearest(element.fields, [(mismatch, 0) for mismatch in tried])
        return "" if near is None else f"; the nearest is there: {near.message}"

    def _title(self, event: Json) -> str:
        kind = text_at(event, "type") or "no event"
        role = text_at(mapping_at(event, "message"), "role")
        return f"{kind} ({role})" if role and kind.startswith("Message") else kind

    def _words(self, element: Element) -> str:
        fields = _flat(element.own_fields, ())
        described = [f"{dotted(path)} {self.matcher.words(pattern)}".strip() for path, pattern in fields]
        if element.stream is not None:
            described.append("a stream of its own")
        return f"{element.type} with {' and '.join(described)}" if described else element.type


def _innermost(event: Json) -> str:
    """The type of an event, Nested taken off."""
    while text_at(event, "type") == NESTED and text_at(mapping_at(event, "event"), "type"):
        event = mapping_at(event, "event")
    return text_at(event, "type")


def _flat(fields: Json, path: Path) -> list[tuple[Path, Json]]:
    """The innermost patterns of an element's fields, with the paths to them."""
    if fields is None and not path:
        return []
    if not isinstance(fields, dict) or operator_in(fields) is not None:
        return [(path, fields)]
    return [leaf for key, value in fields.items() for leaf in _flat(value, (*path, key))]
