"""Checks of each single event against the schemas: the fields that the documents print, and all others."""

from __future__ import annotations

from collections import Counter

from conformance import schemas
from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.patterns import dotted
from conformance.reading import mapping_at, text_at
from conformance.transcript import Event

SAMPLES = 3
"""How many events of one type are explained."""


def schema(facts: Facts) -> list[Fault] | None:
    """Every event has the fields that the documents print for its type."""
    return _fitting(facts, "event")


def schema_background(facts: Facts) -> list[Fault] | None:
    """Every event has the background fields, too."""
    return _fitting(facts, "event-background")


def _fitting(facts: Facts, name: str) -> list[Fault] | None:
    """One fault for each field of each type of event, however often it is wrong.

    To say what is wrong is slow, and events of one type are mostly wrong in one way: a few are enough.
    """
    if not facts.emitted:
        return None
    told: dict[tuple[str, str], Fault] = {}
    explained: Counter[str] = Counter()
    for entry in facts.misfits:
        if schemas.is_valid(name, entry.event):
            continue
        title = _title(entry.event)
        explained[title] += 1
        if explained[title] > SAMPLES:
            continue
        for path, message in schemas.explain(name, entry.event):
            field = ".".join(part for part in path if isinstance(part, str))
            text = f"{title}: {dotted(path)}: {message}" if path else f"{title}: {message}"
            told.setdefault((title, f"{field} {message}"), Fault(entry.step, text, None, entry.event))
    return list(told.values())


def _title(event: Event) -> str:
    """The event's type, and for Nested what is inside."""
    types = [text_at(event, "type")]
    while types[-1] == "Nested":
        event = mapping_at(event, "event")
        types.append(text_at(event, "type"))
    return " of ".join([types[0], *types[1:]]) if len(types) < 4 else f"{types[0]} of … {types[-1]}"
