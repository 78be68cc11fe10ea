"""Event types that have no meaning here, and are so near to one that has that it may have been meant.

Other types are allowed, and passed over. So is one that is nearly a known one, and what breaks for want of
the known one does not say why: a note does. Knows no verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from conformance.reading import EVENT_TYPES, mapping_at, text_at
from conformance.scenario import Json
from conformance.transcript import Emitted, Transcript

_MOST = 20
"""So many types of one play are looked at: an implementation may emit a hundred thousand."""
_LONGEST = 60
_NEAR = 0.8
"""How much of two names must be alike, from 0 to 1: names of one's own may well begin as ours do."""


def unknown_types(transcript: Transcript) -> tuple[str, ...]:
    """The first of the types in a play that are not known, also those of the events inside Nested ones."""
    found: dict[str, None] = {}
    for entry in transcript.entries:
        if len(found) == _MOST:
            break
        if isinstance(entry, Emitted):
            kind = _innermost(entry.event)
            if kind not in EVENT_TYPES and 0 < len(kind) <= _LONGEST:
                found.setdefault(kind)
    return tuple(found)


def notes_on(types: Iterable[str]) -> Iterator[str]:
    """What is to be said of these types: nothing, or one note on those that are near to a known one."""
    near = [(kind, meant) for kind in sorted(set(types))[: 5 * _MOST] if (meant := _meant(kind))]
    if near:
        told = ", ".join(f"{kind} (did you mean {meant}?)" for kind, meant in near)
        yield f"event types that are not known, and are passed over: {told}"


def _innermost(event: dict[str, Json]) -> str:
    while text_at(event, "type") == "Nested" and mapping_at(event, "event"):
        event = mapping_at(event, "event")
    return text_at(event, "type")


def _meant(kind: str) -> str | None:
    """The known type that is nearest, whatever the case and the signs between the words are."""
    ratios = {
        known: SequenceMatcher(None, _letters(kind), _letters(known), autojunk=False).ratio()
        for known in sorted(EVENT_TYPES)
    }
    best = max(ratios, key=lambda known: ratios[known])
    return best if ratios[best] >= _NEAR else None


def _letters(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())
