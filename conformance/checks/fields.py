"""Checks of each single event against the schemas: the fields that the documents print, and all others."""

from __future__ import annotations

from conformance import schemas
from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.patterns import dotted
from conformance.reading import mapping_at, text_at
from conformance.transcript import Emitted, Event


def schema(facts: Facts) -> list[Fault] | None:
    """Every event has the fields that the documents print for its type."""
    return _fitting(facts, "event")


def schema_background(facts: Facts) -> list[Fault] | None:
    """Every event has the background fields, too."""
    return _fitting(facts, "event-background")


def _fitting(facts: Facts, name: str) -> list[Fault] | None:
    """One fault for each field of each type of event, however often it is wrong."""
    judged = False
    told: dict[tuple[str, str], Fault] = {}
    for entry in facts.transcript.entries:
        if not isinstance(entry, Emitted):
            continue
        judged = True
        if schemas.is_valid(name, entry.event):
            continue
        type = _title(entry.event)
        for path, message in schemas.explain(name, entry.event):
            field = ".".join(part for part in path if isinstance(part, str))
            text = f"{type}: {dotted(path)}: {message}" if path else f"{type}: {message}"
            told.setdefault((type, f"{field} {message}"), Fault(entry.step, text, None, entry.event))
    return list(told.values()) if judged else None


def _title(event: Event) -> str:
    """The event's type, and for Nested what is inside."""
    types = [text_at(event, "type")]
    while types[-1] == "Nested":
        event = mapping_at(event, "event")
        types.append(text_at(event, "type"))
    return " of ".join([types[0], *types[1:]]) if len(types) < 4 else f"{types[0]} of … {types[-1]}"
