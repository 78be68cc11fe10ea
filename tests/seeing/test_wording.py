"""Whatever stands in a pattern or comes from an implementation can be said in one line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from conformance.patterns import OPERATORS, compare_events
from conformance.reading import text_at
from conformance.report import wording
from conformance.report.comparing import difference
from conformance.scenario import Json
from tests.seeing import page

TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=12,
)
KINDS = ("AgentEnd", "MessageStart", "ToolExecStart", "ToolExecEnd", "ToolResolved", "Paused", "Nested", "X")
FIELDS = ("message", "messages", "result", "tool_call_id", "pending", "event", "args", "delta", "partial")
EVENTS: st.SearchStrategy[Json] = st.builds(
    lambda kind, fields: {"type": kind, **fields},
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=3),
)


def does_nothing(text: str) -> bool:
    """Whether a terminal just shows it, on one line."""
    return not any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in text)


@given(VALUES)
def test_any_value_is_one_harmless_line(value: Json) -> None:
    assert does_nothing(wording.flow(value))
    assert does_nothing(wording.item(value))


@given(EVENTS)
def test_any_event_is_one_harmless_line_that_begins_with_its_type(event: Json) -> None:
    line = wording.event(event)

    assert does_nothing(line)
    assert line.startswith(text_at(event, "type"))


@pytest.mark.parametrize(
    "event, line",
    [
        ({"type": "AgentStart"}, "AgentStart"),
        ({"type": "AgentEnd", "messages": [{}, {}]}, "AgentEnd  2 messages"),
        ({"type": "MessageDelta", "delta": "Hi"}, 'MessageDelta  "Hi"'),
        (
            {"type": "MessageEnd", "message": {"role": "user", "content": "Hi"}},
            'MessageEnd  user  "Hi"',
        ),
        (
            {
                "type": "MessageEnd",
                "message": {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "$a#1", "name": "a", "arguments": {"b": "c d"}}],
                },
            },
            "MessageEnd  assistant  calls a {b: c d} ($a#1)",
        ),
        (
            {"type": "ToolExecEnd", "tool_call_id": "$a#1", "result": {"content": "Soon", "pending": True}},
            'ToolExecEnd  $a#1, pending: "Soon"',
        ),
        (
            {"type": "ToolResolved", "tool_call_id": "$a#1", "result": {"content": "No", "is_error": True}},
            'ToolResolved  $a#1, error: "No"',
        ),
        (
            {"type": "Nested", "tool_call_id": "$a#1", "event": {"type": "Error", "message": "gone"}},
            'Nested  $a#1: Error  "gone"',
        ),
        ({"type": "CacheHit", "key": "k", "size": 3}, "CacheHit  {key: k, size: 3}"),
    ],
)
def test_an_event_is_told_by_what_matters_in_it(event: Json, line: str) -> None:
    assert wording.event(event) == line


@pytest.mark.parametrize(
    "written, line",
    [
        ("...", "..."),
        ("MessageDelta+", "MessageDelta+"),
        ({"TurnEnd": None}, "TurnEnd"),
        ({"MessageEnd": {"message": {"role": "user", "content": "Hi"}}}, 'MessageEnd  user, "Hi"'),
        (
            {"ToolResolved": {"tool_call_id": "$a#1", "result": {"content": {"$contains": "x"}}}},
            'ToolResolved  $a#1, containing "x"',
        ),
        ({"ToolExecStart": {"args": {"n": {"$type": "integer"}}}}, "ToolExecStart  args.n of type integer"),
        (
            {"Nested": {"tool_call_id": "$a#1", "events": ["...", "Error"]}},
            "Nested  $a#1, events a stream of 2",
        ),
    ],
)
def test_an_element_of_a_pattern_is_told_in_the_same_way(written: Json, line: str) -> None:
    assert wording.expected(written, is_event=True).startswith(line)


@pytest.mark.parametrize(
    "value, text",
    [
        ("plain words", "plain words"),
        ("true", '"true"'),
        ("12", '"12"'),
        ("a, b", '"a, b"'),
        ("", '""'),
        ("two\nlines", '"two\\nlines"'),
        ({"a": [1, None, "x"], "b": {}}, "{a: [1, null, x], b: {}}"),
    ],
)
def test_a_value_is_written_as_in_a_scenario(value: Json, text: str) -> None:
    assert wording.flow(value) == text


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_words(name: str) -> None:
    arguments: dict[str, Json] = {"$one_of": ["a", "b"], "$unordered": ["a"], "$type": "string"}
    argument = arguments.get(name, "a")

    assert "$" not in wording.said({name: argument})


@given(
    st.lists(st.sampled_from(["...", *KINDS, "X*", "MessageStart+", "Paused?"]), max_size=6),
    st.lists(EVENTS, max_size=12),
    st.integers(40, 130),
)
def test_any_difference_can_be_drawn_and_fits_the_width(
    pattern: list[Json], events: list[Json], width: int
) -> None:
    comparison = compare_events(pattern, events, {})
    if comparison is None:
        return
    on, _ = page(width)
    lines = difference(on, comparison, indent=4)

    assert max(cell_len(line.plain) for line in lines) <= width
    assert all(does_nothing(line.plain) for line in lines)
    assert sum(line.plain.lstrip().startswith("> ") for line in lines) == 1
