"""Check of the two events that tell of one message, MessageStart and MessageEnd."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.checks.streams import Seen, Stream
from conformance.reading import mapping_at, text_at

_COMES_WHOLE = ("user", "tool_result")
"""The roles of messages that are there when they are told of. That the model's has a MessageStart is nobody's
promise, and what is known of it by then may be little."""


def same_message(facts: Facts) -> list[Fault] | None:
    """MessageStart and MessageEnd of a message agree on its id and its role, as far as both say them.

    Whether each of the two is there is for others to judge.
    """
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        for start, end in _pairs(stream):
            for field in ("id", "role"):
                begun, ended = _said(start, field), _said(end, field)
                judged = judged or bool(begun and ended)
                if begun and ended and begun != ended:
                    text = (
                        f"{stream.title}: MessageStart of a message has another {field} than its MessageEnd"
                    )
                    faults.append(Fault(end.step, text, ended, begun))
    return faults if judged else None


def _pairs(stream: Stream) -> Iterator[tuple[Seen, Seen]]:
    """Each MessageStart with the MessageEnd that is its: one with its id, or else the next that is of a
    message of its kind, of the same call where it is a result."""
    by_id: dict[str, Seen] = {}
    by_kind: dict[tuple[str, str], Seen] = {}
    for seen in stream.seen:
        kind = seen.role, seen.call_id
        if seen.type == "MessageStart" and seen.role != "assistant":
            by_kind[kind] = seen
            if id := _said(seen, "id"):
                by_id[id] = seen
        elif seen.type == "MessageEnd":
            start = by_id.get(_said(seen, "id"))
            if start is None and seen.role in _COMES_WHOLE:
                start = by_kind.get(kind)
            if start is not None:
                yield start, seen
                by_id.pop(_said(start, "id"), None)
                if by_kind.get((start.role, start.call_id)) is start:
                    del by_kind[start.role, start.call_id]


def _said(seen: Seen, field: str) -> str:
    return text_at(mapping_at(seen.event, "message"), field)
