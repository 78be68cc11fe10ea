"""Messages and events as JSON: written, read back, and refused where they are malformed."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Mapping
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import Event, Json, MalformedData, Message, ToolCall, ToolOutput, ToolResult, event_from_json
from reference import events as all_events
from reference.events import EVENT_TYPES, AgentStart, MessageEnd, MessageStart, Nested, ToolExecEnd, TurnStart
from reference.messages import Role

the_same_every_time = settings(derandomize=True, deadline=None, max_examples=40)

text = st.text(max_size=8)
counts = st.integers(min_value=0, max_value=10**6)
rates = st.floats(min_value=0, max_value=1e9)
scalars: st.SearchStrategy[Json] = st.none() | st.booleans() | counts | rates | text
arguments: st.SearchStrategy[Mapping[str, Json]] = st.dictionaries(
    text, scalars | st.lists(scalars, max_size=2), max_size=2
)
calls = st.builds(ToolCall, text, text, arguments)
outputs = st.builds(ToolOutput, text, st.booleans(), st.booleans())
results = st.builds(ToolResult, text, text, text, st.booleans(), st.booleans())
messages = st.builds(
    Message,
    text,
    st.sampled_from(get_args(Role)),
    text,
    counts,
    st.lists(calls, max_size=2).map(tuple),
    st.none() | results,
    st.none() | counts,
    st.booleans(),
)
several = st.lists(messages, max_size=2).map(tuple)
plain_events: dict[str, st.SearchStrategy[Event]] = {
    "AgentStart": st.builds(all_events.AgentStart),
    "AgentEnd": st.builds(all_events.AgentEnd, several),
    "TurnStart": st.builds(all_events.TurnStart),
    "TurnEnd": st.builds(all_events.TurnEnd, messages, several),
    "MessageStart": st.builds(all_events.MessageStart, messages),
    "MessageEnd": st.builds(all_events.MessageEnd, messages),
    "MessageDelta": st.builds(all_events.MessageDelta, text, counts, rates),
    "GenerationStats": st.builds(all_events.GenerationStats, counts, counts, rates, rates, rates),
    "ContextBudget": st.builds(all_events.ContextBudget, counts, counts, counts, counts),
    "ToolExecStart": st.builds(all_events.ToolExecStart, text, text, arguments),
    "ToolExecUpdate": st.builds(all_events.ToolExecUpdate, text, text, text),
    "ToolExecEnd": st.builds(all_events.ToolExecEnd, text, text, outputs),
    "ToolDenied": st.builds(all_events.ToolDenied, text, text, text),
    "ToolResolved": st.builds(all_events.ToolResolved, text, text, outputs),
    "Paused": st.builds(all_events.Paused, st.lists(calls, max_size=2).map(tuple)),
    "Warning": st.builds(all_events.Warning, text),
    "Error": st.builds(all_events.Error, text),
}
events = st.recursive(
    st.one_of(*plain_events.values()), lambda inner: st.builds(Nested, text, inner), max_leaves=3
)


def test_every_event_is_among_those_that_are_written_and_read_here() -> None:
    assert set(EVENT_TYPES) == {*plain_events, "Nested"}


@pytest.mark.parametrize("name", [*plain_events])
@the_same_every_time
@given(data=st.data())
def test_an_event_that_is_written_and_read_back_is_the_same(name: str, data: st.DataObject) -> None:
    event = data.draw(plain_events[name])
    written = json.loads(json.dumps(event.to_json()))
    assert written["type"] == name
    assert event_from_json(written) == event
    assert type(event).from_json(written) == event


@the_same_every_time
@given(events)
def test_so_is_one_that_is_nested(event: Event) -> None:
    assert event_from_json(json.loads(json.dumps(Nested("call", event).to_json()))) == Nested("call", event)


@the_same_every_time
@given(messages)
def test_so_is_a_message(message: Message) -> None:
    assert Message.from_json(json.loads(json.dumps(message.to_json()))) == message


def test_a_message_has_only_the_optional_fields_that_say_something() -> None:
    assert Message("msg-1", "user", "Hi", 7).to_json() == {
        "id": "msg-1",
        "role": "user",
        "content": "Hi",
        "timestamp": 7,
    }
    result = ToolResult("msg-2-call-1", "report", "Started.", pending=True)
    assert Message("msg-3", "tool_result", "Started.", 7, tool_result=result).to_json()["tool_result"] == {
        "tool_call_id": "msg-2-call-1",
        "tool_name": "report",
        "content": "Started.",
        "pending": True,
    }


def test_a_placeholder_is_called_pending_on_the_wire() -> None:
    event = ToolExecEnd("msg-2-call-1", "report", ToolOutput.pending("Started."))
    assert event.to_json() == {
        "type": "ToolExecEnd",
        "tool_call_id": "msg-2-call-1",
        "tool_name": "report",
        "result": {"content": "Started.", "pending": True},
    }


def test_fields_that_are_not_known_are_passed_over() -> None:
    assert event_from_json({"type": "AgentStart", "colour": "blue"}) == AgentStart()


@pytest.mark.parametrize(
    "data, complaint",
    [
        (7, "expected an event of type Event, found 7"),
        ({"message": "no type"}, "expected an event of type Event"),
        ({"type": "Unheard"}, "expected an event of type Event"),
        ({"type": "TurnEnd", "message": {}, "tool_results": []}, "TurnEnd.message: Message.id: missing"),
        ({"type": "Warning", "message": 7}, "Warning.message: expected str, found 7"),
        ({"type": "Paused", "pending": "all"}, "Paused.pending: expected list, found 'all'"),
        ({"type": "Paused", "pending": ["all"]}, "Paused.pending: expected dict, found 'all'"),
        (
            {"type": "Nested", "tool_call_id": "a", "event": {"type": "Error"}},
            "Nested.event: Error.message: missing",
        ),
        (
            {"type": "ContextBudget", "used_tokens": True},
            "ContextBudget.used_tokens: expected int, found True",
        ),
        (
            {"type": "MessageDelta", "delta": "", "tokens_generated": 1, "tokens_per_sec": "fast"},
            "MessageDelta.tokens_per_sec: expected float, found 'fast'",
        ),
    ],
)
def test_what_is_no_event_is_refused_with_the_place_and_what_was_expected(data: Json, complaint: str) -> None:
    with pytest.raises(MalformedData) as refused:
        event_from_json(data)
    assert str(refused.value).startswith(complaint)


def test_what_is_no_message_is_refused_too() -> None:
    with pytest.raises(
        MalformedData, match=r"Message\.role: expected one of \['system', 'user', 'assistant'"
    ):
        Message.from_json({"id": "msg-1", "role": "robot", "content": "Hi", "timestamp": 7})
    with pytest.raises(MalformedData, match=r"Message\.pinned: expected bool, found 1"):
        Message.from_json({"id": "msg-1", "role": "user", "content": "Hi", "timestamp": 7, "pinned": 1})


def test_an_event_is_not_read_as_another() -> None:
    with pytest.raises(MalformedData, match="expected an event of type TurnStart"):
        TurnStart.from_json({"type": "AgentStart"})


def test_what_is_passed_around_cannot_be_changed() -> None:
    message = Message("msg-1", "user", "Hi", 7)
    for frozen, field in [(message, "content"), (MessageEnd(message), "message"), (message, "colour")]:
        with pytest.raises(AttributeError):
            setattr(frozen, field, "other")


def test_two_events_are_equal_only_if_they_are_of_one_kind() -> None:
    message = Message("msg-1", "user", "Hi", 7)
    assert MessageStart(message) == MessageStart(copy.deepcopy(message))
    assert MessageStart(message) != MessageEnd(message)
    assert AgentStart() != TurnStart()
    assert len({AgentStart(), AgentStart(), TurnStart(), MessageStart(message), MessageEnd(message)}) == 4


def test_an_event_without_fields_is_something() -> None:
    assert AgentStart()


def test_messages_survive_being_pickled() -> None:
    message = Message("msg-1", "user", "Hi", 7, token_count=3)
    assert pickle.loads(pickle.dumps(message)) == message
