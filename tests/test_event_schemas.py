"""The schemas of messages, conversations and events: their examples, what they ask for, what they let be."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from conformance import schemas
from conformance.reading import EVENT_TYPES, list_at, mapping_at, text_at
from conformance.scenario import Json

NAMES = ("message", "conversation", "event", "event-background")
STRENGTHS = ("event", "event-background")

MESSAGE: dict[str, Json] = {"id": "m1", "role": "user", "content": "Go", "timestamp": 1}
CALL: dict[str, Json] = {"id": "c1", "name": "report", "arguments": {}}
RESULT: dict[str, Json] = {"tool_call_id": "c1", "tool_name": "report", "content": "out/"}


def without(value: dict[str, Json], key: str) -> dict[str, Json]:
    return {name: field for name, field in value.items() if name != key}


def types_named_in(schema: Json) -> set[str]:
    """The event types for which a schema asks for something."""
    conditions = [
        mapping_at(mapping_at(mapping_at(rule, "if"), "properties"), "type")
        for rule in list_at(schema, "allOf")
    ]
    named = {str(name) for condition in conditions for name in list_at(condition, "enum")}
    return named | {text_at(condition, "const") for condition in conditions} - {""}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_and_its_examples_fit_it(name: str) -> None:
    schema = schemas.load(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:outlast:schema:{name}:1"
    examples = schema["examples"]
    assert isinstance(examples, list)
    assert examples
    for example in examples:
        assert schemas.explain(name, example) == []


@pytest.mark.parametrize("name", STRENGTHS)
def test_an_event_schema_speaks_only_of_types_that_the_checks_know(name: str) -> None:
    assert types_named_in(schemas.load(name)) <= EVENT_TYPES


def test_every_type_that_has_fields_is_asked_for_them_by_the_background_schema() -> None:
    assert EVENT_TYPES - types_named_in(schemas.load("event-background")) == {"AgentStart", "TurnStart"}


@pytest.mark.parametrize("key", ["id", "role", "content", "timestamp"])
def test_a_message_has_an_id_a_role_a_content_and_a_timestamp(key: str) -> None:
    assert schemas.is_valid("message", MESSAGE)
    assert schemas.explain("message", without(MESSAGE, key)) == [((), f"the key {key!r} is missing")]


@pytest.mark.parametrize(
    "change, path",
    [
        ({"role": "tool"}, ("role",)),
        ({"content": None}, ("content",)),
        ({"timestamp": "now"}, ("timestamp",)),
        ({"tool_calls": [without(CALL, "id")]}, ("tool_calls", 0)),
        ({"tool_calls": [{**CALL, "arguments": "{}"}]}, ("tool_calls", 0, "arguments")),
        ({"tool_result": without(RESULT, "tool_call_id")}, ("tool_result",)),
        ({"tool_result": {**RESULT, "pending": "yes"}}, ("tool_result", "pending")),
        ({"token_count": -1}, ("token_count",)),
        ({"pinned": 1}, ("pinned",)),
    ],
)
def test_a_wrong_field_of_a_message_is_named(change: dict[str, Json], path: tuple[str | int, ...]) -> None:
    assert [where for where, _ in schemas.explain("message", {**MESSAGE, **change})] == [path]


def test_a_tool_result_message_carries_a_tool_result() -> None:
    bare: Json = {**MESSAGE, "role": "tool_result"}
    assert not schemas.is_valid("message", bare)
    assert schemas.is_valid("message", {**MESSAGE, "role": "tool_result", "tool_result": RESULT})


def test_a_conversation_is_a_list_of_messages() -> None:
    assert schemas.is_valid("conversation", [MESSAGE, {**MESSAGE, "id": "m2"}])
    [(path, _)] = schemas.explain("conversation", [MESSAGE, without(MESSAGE, "role")])
    assert path == (1,)


@pytest.mark.parametrize("name", STRENGTHS)
@pytest.mark.parametrize(
    "event",
    [
        {"type": "CacheHit", "key": 1},
        {"type": "AgentStart", "message": 3, "result": None},
        {"type": "AgentEnd", "messages": [{**MESSAGE, "mood": {"good": True}}]},
        {"type": "Nested", "tool_call_id": "c1", "event": {"type": "CacheHit"}, "depth": 1},
    ],
)
def test_unknown_types_and_fields_are_allowed_at_every_depth(name: str, event: Json) -> None:
    assert schemas.explain(name, event) == []


@pytest.mark.parametrize("name", STRENGTHS)
@pytest.mark.parametrize(
    "event, path",
    [
        ({}, ()),
        ({"type": 1}, ("type",)),
        ({"type": "AgentEnd"}, ()),
        ({"type": "AgentEnd", "messages": {}}, ("messages",)),
        ({"type": "MessageStart"}, ()),
        ({"type": "MessageEnd", "message": "Done."}, ("message",)),
        ({"type": "ToolExecStart", "tool_call_id": "c1", "tool_name": "report"}, ()),
        ({"type": "ToolResolved", "tool_call_id": "c1", "tool_name": "report"}, ()),
        ({"type": "Paused", "pending": ["c1"]}, ("pending", 0)),
        ({"type": "Paused", "pending": [{"name": "report"}]}, ("pending", 0)),
        ({"type": "Nested", "tool_call_id": "c1", "event": {"type": "AgentEnd"}}, ("event",)),
        ({"type": "Nested", "tool_call_id": 1, "event": {"type": "AgentStart"}}, ("tool_call_id",)),
    ],
)
def test_a_field_that_the_documents_print_is_asked_for(
    name: str, event: Json, path: tuple[str | int, ...]
) -> None:
    assert [where for where, _ in schemas.explain(name, event)] == [path]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "TurnEnd"},
        {"type": "ContextBudget"},
        {"type": "GenerationStats"},
        {"type": "MessageDelta"},
        {"type": "ToolExecUpdate"},
        {"type": "ToolDenied"},
        {"type": "Warning"},
        {"type": "Error"},
        {"type": "ToolExecStart", "tool_call_id": "c1", "tool_name": "report", "args": None},
        {"type": "ToolExecEnd", "result": {"content": "out/"}},
        {"type": "ToolResolved", "tool_call_id": "c1", "tool_name": "report", "result": "out/"},
        {"type": "MessageEnd", "message": {"role": "assistant", "content": "Done."}},
    ],
)
def test_a_field_that_only_the_background_has_is_no_must(event: Json) -> None:
    assert schemas.is_valid("event", event)
    assert not schemas.is_valid("event-background", event)


@pytest.mark.parametrize("pending", [None, "yes", 1])
def test_a_pending_mark_is_true_or_false_or_missing(pending: Json) -> None:
    for name in STRENGTHS:
        event: Json = {
            "type": "ToolExecEnd",
            "tool_call_id": "c1",
            "tool_name": "report",
            "result": {"content": "x", "pending": pending},
        }
        assert [path for path, _ in schemas.explain(name, event)] == [("result", "pending")]


def test_a_turn_that_was_cut_short_may_have_no_message() -> None:
    assert schemas.is_valid("event-background", {"type": "TurnEnd", "message": None, "tool_results": []})
    [(path, _)] = schemas.explain(
        "event-background", {"type": "TurnEnd", "message": "Done.", "tool_results": []}
    )
    assert path == ("message",)
