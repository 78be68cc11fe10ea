"""The reference emits the event sequences that the document prints, line by line.

The listings are typed in from the document, and from nothing else: they would show it if a scenario, the
snapshot and the reference had all been made wrong in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from types import EllipsisType
from typing import TypeAlias

import pytest

from conformance import requirements, schemas
from conformance.drivers.reference import driver
from conformance.loader import load_all
from conformance.playing import play
from conformance.session import Session
from conformance.transcript import Event

Printed: TypeAlias = "EllipsisType | bool | str | list[Printed] | dict[str, Printed]"
Line: TypeAlias = tuple[str, dict[str, Printed]]
"""An event as it is printed: its type, and its fields. `...` is a field that is printed without a value; a
text that ends in an ellipsis goes on somehow, and so does a type: with more events that look the same."""

Listing: TypeAlias = list[EllipsisType | Line]
"""`...` stands for any events."""

PLACEHOLDER: Printed = {"role": "tool_result", "tool_result": {"pending": True}}
LATE_RESULT: Printed = {"role": "tool_result", "tool_result": {"content": ...}}
REPLY: Printed = {"role": "assistant", "content": ...}
DELEGATE = "msg-2-call-1"

PENDING_BY_DEFAULT: Listing = [
    ...,
    ("ToolExecStart", {"tool_call_id": ..., "tool_name": ..., "args": ...}),
    ("ToolExecEnd", {"result": {"pending": True, "content": "Started job 7…"}}),
    ("MessageStart", {"message": PLACEHOLDER}),
    ("MessageEnd", {"message": PLACEHOLDER}),
    ("TurnEnd", {}),
    ("TurnStart", {}),
    ...,
    ("MessageEnd", {"message": {"content": "I've started it."}}),
    ...,
    ("TurnEnd", {}),
    ("AgentEnd", {}),
]

PENDING_WITH_PAUSE: Listing = [
    ...,
    ("ToolExecEnd", {"result": {"pending": True}}),
    ("MessageStart", {"message": PLACEHOLDER}),
    ("MessageEnd", {"message": PLACEHOLDER}),
    ("TurnEnd", {}),
    ("Paused", {"pending": [...]}),
    ("AgentEnd", {}),
]

RESOLVED_AND_RESUMED: Listing = [
    ("AgentStart", {}),
    ("ToolResolved", {"tool_call_id": ..., "tool_name": ..., "result": ...}),
    ("MessageStart", {"message": LATE_RESULT}),
    ("MessageEnd", {"message": LATE_RESULT}),
    ("TurnStart", {}),
    ("ContextBudget", {}),
    ("MessageDelta …", {}),
    ("GenerationStats", {}),
    ("MessageEnd", {"message": REPLY}),
    ("TurnEnd", {}),
    ("AgentEnd", {"messages": [LATE_RESULT, REPLY]}),
]

CHILD_IN_A_CALL: Listing = [
    ...,  # it is the call that is printed, not the run around it
    ("ToolExecStart", {"tool_call_id": DELEGATE, "tool_name": "delegate"}),
    ("Nested", {"tool_call_id": DELEGATE, "event": {"type": "AgentStart"}}),
    ("Nested …", {"tool_call_id": DELEGATE}),  # not printed, but every event of the child arrives
    ("Nested", {"tool_call_id": DELEGATE, "event": {"type": "MessageDelta"}}),
    ("Nested …", {"tool_call_id": DELEGATE}),
    ("Nested", {"tool_call_id": DELEGATE, "event": {"type": "AgentEnd"}}),
    ("ToolExecEnd", {"result": {"content": "Released in May."}}),
    ...,
]

# The scenario, the step whose run is printed, and the listing.
SEQUENCES = [
    pytest.param("agent/events/placeholder-default", 1, PENDING_BY_DEFAULT, id="pending-by-default"),
    pytest.param("agent/events/placeholder-pause", 1, PENDING_WITH_PAUSE, id="pending-with-pause"),
    pytest.param("agent/events/late-result", 3, RESOLVED_AND_RESUMED, id="resolved-and-resumed"),
    pytest.param("agent/events/late-result-after-answer", 3, RESOLVED_AND_RESUMED, id="answered-around"),
    pytest.param("agent/events/child", 1, CHILD_IN_A_CALL, id="child-in-a-call"),
]


@pytest.mark.parametrize("scenario, step, listing", SEQUENCES)
def test_the_reference_emits_the_documented_sequence(scenario: str, step: int, listing: Listing) -> None:
    assert first_difference(listing, emitted(scenario, step)) is None


@pytest.mark.parametrize("scenario, step, listing", SEQUENCES)
def test_without_the_events_of_any_printed_type_it_is_not_the_documented_sequence(
    scenario: str, step: int, listing: Listing
) -> None:
    events = emitted(scenario, step)
    printed = {line[0].removesuffix(" …") for line in listing if not isinstance(line, EllipsisType)}

    for kind in printed:
        rest = [event for event in events if event["type"] != kind]
        assert first_difference(listing, rest) is not None, f"{kind} is not missed"


@pytest.mark.parametrize("scenario, step, listing", SEQUENCES)
def test_with_one_more_event_at_its_end_it_is_the_documented_sequence_only_where_that_is_left_open(
    scenario: str, step: int, listing: Listing
) -> None:
    one_more: Event = {"type": "AgentEnd", "messages": []}
    difference = first_difference(listing, [*emitted(scenario, step), one_more])

    assert difference == (None if listing[-1] is ... else "the end")


@cache
def emitted(scenario: str, step: int) -> Sequence[Event]:
    """What the run of that step emits when the reference plays the scenario."""
    register = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
    (found,), _ = load_all([schemas.scenarios_folder() / f"{scenario}.yaml"], register)

    async def events() -> Sequence[Event]:
        session = await Session.open(driver())
        played = await play(found, session)
        await session.driver.shutdown()
        (run,) = [run for run in played.transcript.runs if run.step == step and run.parent is None]
        return run.events

    return asyncio.run(events())


def first_difference(listing: Listing, events: Sequence[Event]) -> Line | str | None:
    """The first printed line that the events do not follow, or None."""
    places = {0}
    for line in listing:
        if isinstance(line, EllipsisType):
            places = set(range(min(places), len(events) + 1))
            continue
        kind, fields = line
        following = {place + 1 for place in places if _looks_like(kind, fields, events, place)}
        if kind.endswith("…"):
            for place in range(len(events)):
                if place in following and _looks_like(kind, fields, events, place):
                    following.add(place + 1)
        if not following:
            return line
        places = following
    return None if len(events) in places else "the end"


def _looks_like(kind: str, fields: dict[str, Printed], events: Sequence[Event], place: int) -> bool:
    if place == len(events) or events[place]["type"] != kind.removesuffix(" …"):
        return False
    return _is_printed(fields, events[place])


def _is_printed(printed: Printed, actual: object) -> bool:
    match printed:
        case EllipsisType():
            return True
        case dict():
            return isinstance(actual, dict) and all(
                key in actual and _is_printed(value, actual[key]) for key, value in printed.items()
            )
        case list():
            return (
                isinstance(actual, list)
                and len(actual) == len(printed)
                and all(map(_is_printed, printed, actual))
            )
        case str() if printed.endswith("…"):
            return isinstance(actual, str) and actual.startswith(printed.removesuffix("…"))
        case _:
            return type(printed) is type(actual) and printed == actual
