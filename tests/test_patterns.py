"""Patterns: what fits, what does not, how a difference is told, and which patterns are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.patterns import (
    OPERATORS,
    UNKNOWN,
    Kind,
    match,
    match_events,
    match_list,
    problems,
    references,
)
from conformance.patterns._sequence import parts_of, walk
from conformance.scenario import Json

IDS = {"$report#1": "call-7", "$request#1": "req-3", "$handle.main": "root/asker.1", UNKNOWN: "no-call"}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@dataclass(frozen=True)
class Example:
    """A pattern with one operator, a value that fits it and one that does not."""

    pattern: Json
    fits: Json
    fails: Json


EXAMPLES: dict[str, list[Example]] = {
    "$any": [Example({"a": {"$any": True}}, {"a": None}, {})],
    "$absent": [
        Example({"a": {"$absent": True}}, {"b": 1}, {"a": None}),
        Example({"a": {"$one_of": [False, {"$absent": True}]}}, {}, {"a": True}),
        Example({"a": {"$one_of": [False, {"$absent": True}]}}, {"a": False}, {"a": None}),
    ],
    "$type": [
        Example({"$type": "object"}, {}, []),
        Example({"$type": "array"}, [], {}),
        Example({"$type": "string"}, "", None),
        Example({"$type": "number"}, 1.5, True),
        Example({"$type": "integer"}, 1.0, 1.5),
        Example({"$type": "boolean"}, False, 0),
        Example({"$type": "null"}, None, ""),
    ],
    "$regex": [
        Example({"$regex": "^job \\d+"}, "job 7 started", "the job 7"),
        Example({"$regex": "7"}, "job 7 started", 7),
        Example({"$regex": "^(?![\\s\\S]*8)job"}, "job 7\nstarted", "job 7\nand 8"),
        Example({"$regex": "7$"}, "job 7", "job 7\n"),
        Example({"$regex": "a"}, "a", "\ud800a"),
    ],
    "$contains": [
        Example({"$contains": "README"}, "Also check the README.", "Also check it."),
        Example(
            {"$contains": {"role": "user"}}, [{"role": "system"}, {"role": "user"}], [{"role": "system"}]
        ),
        Example({"$contains": "a"}, ["b", "a"], ["b", "ab"]),
        Example({"$contains": "$report#1"}, "the result of call-7", "the result of $report#1"),
        Example({"$contains": {"$literal": "$report#1"}}, "see $report#1", "see call-7"),
        Example({"$contains": "1"}, "1", 1),
    ],
    "$one_of": [Example({"$one_of": [1, {"$type": "string"}]}, "x", 2)],
    "$unordered": [
        Example({"$unordered": [1, 2]}, [2, 1], [2, 1, 1]),
        Example({"$unordered": [2, "...", 1]}, [1, 5, 2], [1, 5]),
        Example({"$unordered": [{"$type": "integer"}, 1]}, [1, 2], [2, 3]),
        Example({"$unordered": []}, [], [1]),
        Example({"$unordered": [1]}, [1], {"0": 1}),
    ],
    "$exact": [
        Example({"$exact": {"a": [1]}}, {"a": [1.0]}, {"a": [1], "b": 2}),
        Example({"$exact": {"id": "$report#1"}}, {"id": "call-7"}, {"id": "$report#1"}),
        Example({"$exact": [{"$literal": "..."}]}, ["..."], ["x"]),
        Example({"$exact": True}, True, 1),
    ],
    "$not_empty": [
        Example({"$not_empty": True}, "x", ""),
        Example({"$not_empty": True}, [0], []),
        Example({"$not_empty": True}, {"a": None}, {}),
        Example({"$not_empty": True}, "0", 7),
    ],
    "$below": [
        Example({"$below": "$handle.main"}, "root/asker.1/helper.1", "root/asker.1"),
        Example({"$below": "$handle.main"}, "root/asker.1/helper.2/asker.1", "root/asker.10/helper.2"),
        Example(
            {"id": {"$below": "$handle.main"}}, {"id": "root/asker.1/helper.1"}, {"id": ["root/asker.1/a"]}
        ),
        Example({"$one_of": [{"$below": "$handle.lost"}, "x"]}, "x", "root/asker.1/helper.1"),
    ],
    "$literal": [
        Example({"$literal": "$report#1"}, "$report#1", "call-7"),
        Example({"$literal": {"$any": True}}, {"$any": True}, {"$any": True, "b": 1}),
        Example({"a": {"$literal": "..."}}, {"a": "..."}, {"a": "x"}),
    ],
}


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_values_that_fit_it_and_values_that_do_not(name: str) -> None:
    assert EXAMPLES.get(name), f"{name} has no examples"
    for example in EXAMPLES[name]:
        assert name in str(example.pattern)
        assert problems(example.pattern, "value") == []
        assert match(example.pattern, example.fits, IDS) is None
        mismatch = match(example.pattern, example.fails, IDS)
        assert mismatch is not None
        assert mismatch.message


@pytest.mark.parametrize(
    "pattern, value",
    [
        ({}, {"anything": 1}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}),
        ([1, "...", 4], [1, 2, 3, 4]),
        ([1, "...", 4], [1, 4]),
        (["...", 1, 2, "..."], [1, 1, 2]),
        (["..."], []),
        ("$report#1", "call-7"),
        ("$request#1", "req-3"),
        ("$handle.main", "root/asker.1"),
        (1, 1.0),
        (None, None),
    ],
)
def test_a_value_fits_that_has_at_least_what_the_pattern_says(pattern: Json, value: Json) -> None:
    assert match(pattern, value, IDS) is None


@pytest.mark.parametrize(
    "pattern, value, path, message",
    [
        (True, 1, (), "it is 1, expected true"),
        (0, False, (), "it is false, expected 0"),
        ([0], [False], (0,), "#1 is false, expected 0"),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, ("a", "b"), "a.b is 'y', expected 'x'"),
        ({"a": {"b": 1}}, {"a": {}}, ("a", "b"), "a.b is missing, expected 1"),
        ({"a": {"$absent": True}}, {"a": 1}, ("a",), "a is 1, expected nothing"),
        ({"a": {"b": 1}}, {"a": [1]}, ("a",), 'a is [1], expected {"b": 1}'),
        ({"a": [1, 2]}, {"a": [1]}, ("a", 1), "a ends after 1 element, expected 2"),
        ({"a": [1]}, {"a": [1, 2]}, ("a", 1), "a has 2 elements, expected 1"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ("a", 0, "b"), "a#1.b is 2, expected 1"),
        ("$report#1", "x", (), "it is 'x', expected 'call-7' ($report#1)"),
        ("$report#2", "x", (), "it is 'x', expected the id of $report#2, a call that never came"),
        ("$request#2", "x", (), "it is 'x', expected the id of $request#2, a request that never came"),
        ("$handle.lost", "x", (), "it is 'x', expected the id of $handle.lost, a handle that never came"),
        ({"$below": "$handle.main"}, "x", (), "it is 'x', expected the id of a handle below $handle.main"),
        (
            {"a": {"$contains": "b"}},
            {"a": "c"},
            ("a",),
            "a is 'c', expected something that contains 'b'",
        ),
        (["...", 2, 3], [1, 2, 4], (2,), "#3 is 4, expected 3"),
        (["...", 2], [2, 1], (1,), "it has 2 elements, expected 1"),
    ],
)
def test_a_difference_is_told_in_one_sentence_with_its_path(
    pattern: Json, value: Json, path: tuple[str | int, ...], message: str
) -> None:
    mismatch = match(pattern, value, IDS)
    assert mismatch is not None
    assert (mismatch.path, mismatch.message) == (path, message)


def test_a_part_that_refers_to_a_call_that_never_came_is_contained_in_nothing() -> None:
    assert match({"$contains": "$report#2"}, "$report#2", IDS) is not None
    assert match({"$exact": ["$report#2"]}, ["$report#2"], IDS) is not None


def test_a_conversation_is_matched_as_a_list() -> None:
    conversation: list[Json] = [
        {"role": "user", "content": "Tidy up"},
        {"role": "assistant", "content": "Fine."},
    ]
    assert match_list(["...", {"role": "assistant"}], conversation, IDS) is None
    mismatch = match_list(
        [{"role": "user"}, "...", {"role": "assistant", "content": "Done."}], conversation, {}
    )
    assert mismatch is not None
    assert mismatch.message.endswith("the nearest is there: #2.content is 'Fine.', expected 'Done.'")


def test_an_expression_that_could_be_tried_for_ever_is_given_up_and_that_is_what_is_said() -> None:
    for expression in (r"^(a+)+$", r"^(a|a)*$", r"^(a*)*b"):
        assert match({"$regex": expression}, "a" * 1_000_000 + "!", {}) is not None

    mismatch = match({"text": {"$regex": r"(a+)+\1$"}}, {"text": "a" * 1_000_000 + "!"}, {})

    assert mismatch is not None
    assert mismatch.message == (
        r"text is a text in which looking for /(a+)+\1$/ takes too long; a simpler expression is needed"
    )


def test_a_long_text_is_cut_in_the_sentence_and_kept_whole_beside_it() -> None:
    mismatch = match("short", "x" * 10_000, {})
    assert mismatch is not None
    assert mismatch.actual == "x" * 10_000
    assert len(mismatch.message) < 250


def start(call: str) -> dict[str, Json]:
    return {"type": "ToolExecStart", "tool_call_id": call}


def nested(call: str, event: Json) -> dict[str, Json]:
    return {"type": "Nested", "tool_call_id": call, "event": event}


def answer(content: str) -> dict[str, Json]:
    return {"type": "MessageEnd", "message": {"role": "assistant", "content": content}}


def named(*types: str) -> list[Json]:
    return [{"type": name} for name in types]


STREAM: list[Json] = [*named("AgentStart", "TurnStart"), answer("Fine."), *named("TurnEnd", "AgentEnd")]


@pytest.mark.parametrize(
    "pattern, events",
    [
        (["AgentStart", "TurnStart", "MessageEnd", "TurnEnd", "AgentEnd"], STREAM),
        (["AgentStart", "...", {"MessageEnd": {"message": {"content": "Fine."}}}, "..."], STREAM),
        (["AgentStart", {"TurnStart": None}, "...", "AgentEnd"], STREAM),
        (["..."], []),
        (["MessageDelta*", "TurnEnd?"], []),
        (["MessageDelta+"], named("MessageDelta", "MessageDelta")),
        (["MessageDelta?", "MessageDelta?", "TurnEnd"], named("MessageDelta", "TurnEnd")),
        (["MessageDelta*", "MessageDelta", "TurnEnd"], named("MessageDelta", "TurnEnd")),
        ([{"MessageEnd+": {"message": {"role": "assistant"}}}], [answer("a"), answer("b")]),
    ],
)
def test_a_stream_fits_an_event_list(pattern: list[Json], events: list[Json]) -> None:
    assert problems(pattern, "events") == []
    assert match_events(pattern, events, IDS) is None


@pytest.mark.parametrize(
    "pattern, index, message",
    [
        (
            [
                "AgentStart",
                "TurnStart",
                "MessageEnd",
                {"MessageEnd": {"message": {"content": "Done."}}},
                "...",
            ],
            3,
            "event 4 is TurnEnd, expected MessageEnd with message.content 'Done.'",
        ),
        (
            ["AgentStart", "TurnStart", {"MessageEnd": {"message": {"content": "Done."}}}, "..."],
            2,
            "event 3 is MessageEnd (assistant), but message.content is 'Fine.', expected 'Done.'",
        ),
        (
            ["AgentStart", "TurnStart", "MessageDelta*", "GenerationStats", "..."],
            2,
            "event 3 is MessageEnd (assistant), expected MessageDelta or GenerationStats",
        ),
        (["AgentStart", "TurnStart", "MessageEnd", "TurnEnd"], 4, "event 5 is AgentEnd, expected the end"),
        (
            ["...", "MessageEnd", "TurnEnd", "Paused", "AgentEnd"],
            4,
            "event 5 is AgentEnd, expected Paused",
        ),
        (["...", "TurnEnd"], 4, "event 5 is AgentEnd, expected the end"),
        (
            ["...", "AgentEnd", "Warning?", "AgentEnd"],
            5,
            "the stream ends after 5 events, expected Warning or AgentEnd",
        ),
        (
            [
                "AgentStart",
                "...",
                {"MessageEnd": {"message": {"role": "assistant", "content": "Done."}}},
                "...",
            ],
            5,
            "the stream ends after 5 events, expected MessageEnd with message.role 'assistant' and "
            "message.content 'Done.'; the nearest is there: event 3 is MessageEnd, but message.content is "
            "'Fine.', expected 'Done.'",
        ),
        (
            ["...", {"ToolExecStart": {"tool_call_id": "$report#2"}}, "..."],
            5,
            "the stream ends after 5 events, expected ToolExecStart with tool_call_id the id of $report#2, "
            "a call that never came",
        ),
    ],
)
def test_the_event_that_no_way_of_matching_gets_past_is_named(
    pattern: list[Json], index: int, message: str
) -> None:
    mismatch = match_events(pattern, STREAM, IDS)
    assert mismatch is not None
    assert (mismatch.index, mismatch.message) == (index, message)
    assert mismatch.path[0] == index


def test_what_was_possible_at_that_event_is_told() -> None:
    mismatch = match_events(["AgentStart", "Warning*", {"TurnEnd": {}}], STREAM, {})
    assert mismatch is not None
    assert mismatch.possible == ("Warning*", {"TurnEnd": {}})
    assert mismatch.expected == ["Warning*", {"TurnEnd": {}}]


def test_events_of_unknown_types_are_passed_over_unless_the_pattern_names_them() -> None:
    events = named("AgentStart", "CacheHit", "AgentEnd")
    assert match_events(["AgentStart", "AgentEnd"], events, {}) is None
    assert match_events(["AgentStart", "CacheHit", "AgentEnd"], events, {}) is None
    mismatch = match_events(["AgentStart", "Paused"], events, {})
    assert mismatch is not None
    assert mismatch.index == 2


def test_nested_events_of_unknown_types_are_passed_over_as_those_at_the_top_are() -> None:
    hit: Json = {"type": "CacheHit"}
    events = [nested("a", hit), nested("a", nested("deep", hit)), nested("a", {"type": "AgentStart"})]

    def of_type(name: str) -> Json:
        return {"Nested": {"tool_call_id": "a", "event": {"type": name}}}

    assert match_events([of_type("AgentStart")], events, {}) is None
    assert match_events([of_type("CacheHit"), "Nested", of_type("AgentStart")], events, {}) is None
    assert match_events([{"Nested": {"events": ["AgentStart"]}}], events, {}) is None
    assert match_events([{"Nested": {"events": ["CacheHit", "Nested?", "AgentStart"]}}], events, {}) is None
    mismatch = match_events([of_type("AgentEnd")], events, {})
    assert mismatch is not None
    assert mismatch.index == 2


CHILDREN: list[Json] = [
    start("a"),
    nested("a", {"type": "AgentStart"}),
    start("call-7"),
    nested("call-7", {"type": "AgentStart"}),
    nested("a", {"type": "CacheHit"}),
    nested("a", nested("deep", {"type": "AgentStart"})),
    nested("a", {"type": "AgentEnd"}),
    nested("call-7", {"type": "AgentEnd"}),
    *named("ToolExecEnd", "ToolExecEnd"),
]


def test_the_nested_events_of_a_call_are_matched_as_one_stream() -> None:
    grandchild: Json = {"Nested": {"tool_call_id": "deep", "events": ["AgentStart"]}}
    pattern: list[Json] = [
        "ToolExecStart",
        {"Nested": {"tool_call_id": "a", "events": ["AgentStart", grandchild, "AgentEnd"]}},
        "ToolExecStart",
        {"Nested": {"tool_call_id": "$report#1", "events": ["AgentStart", "AgentEnd"]}},
        "ToolExecEnd+",
    ]
    assert problems(pattern, "events") == []
    assert match_events(pattern, CHILDREN, IDS) is None


def test_nested_events_of_other_calls_stay_where_they_are() -> None:
    mine: Json = {"Nested": {"tool_call_id": "$report#1", "events": ["AgentStart", "AgentEnd"]}}
    pattern: list[Json] = [
        "ToolExecStart",
        {"Nested": {"event": {"type": "AgentStart"}}},
        "ToolExecStart",
        mine,
        {"Nested+": {"tool_call_id": "a"}},
        "ToolExecEnd+",
    ]
    assert match_events(pattern, CHILDREN, IDS) is None


def test_a_difference_inside_a_nested_stream_is_told_with_its_call() -> None:
    mine: Json = {"Nested": {"tool_call_id": "$report#1", "events": ["AgentStart", "TurnStart", "..."]}}
    mismatch = match_events(["ToolExecStart", "Nested", "ToolExecStart", mine, "..."], CHILDREN, IDS)
    assert mismatch is not None
    assert mismatch.index == 3
    assert mismatch.path == (3, "events", 1)
    assert mismatch.message == (
        "event 4 is Nested, but among the events of call-7, event 2 is AgentEnd, expected TurnStart"
    )


def test_a_nested_stream_without_an_id_is_that_of_any_call() -> None:
    pattern: list[Json] = [
        "ToolExecStart",
        {"Nested": {"events": ["AgentStart", "...", "AgentEnd"]}},
        "ToolExecStart",
        {"Nested": {"events": ["AgentStart", "AgentEnd"]}},
        "...",
    ]
    assert match_events(pattern, CHILDREN, IDS) is None


def test_a_pattern_that_could_match_in_countless_ways_asks_about_each_event_once_for_each_part() -> None:
    asked: list[tuple[int, int]] = []

    def fits(element: int, item: int) -> bool:
        asked.append((element, item))
        return True

    parts = [part for element in range(12) for part in [*parts_of(element, "*"), *parts_of(element, "...")]]
    never = parts_of(99)
    stuck = walk([*parts, *never], 500, lambda element, item: element != 99 and fits(element, item))
    assert stuck is not None
    assert stuck.elements == (99,)
    assert len(asked) <= 12 * 500


def test_a_long_stream_is_matched_without_recursion() -> None:
    pattern: list[Json] = ["...", "MessageDelta+", "...", "MessageDelta*", "AgentEnd"]
    events = named(*["MessageDelta"] * 5_000, "AgentEnd")
    assert match_events(pattern, events, {}) is None


@pytest.mark.parametrize(
    "kind, pattern, path, words",
    [
        ("value", {"a": {"$exsts": True}}, ("a", "$exsts"), "no operator $exsts"),
        ("value", {"a": {"$absnt": True}}, ("a", "$absnt"), "did you mean $absent?"),
        ("value", {"$any": True, "b": 1}, ("$any",), "stands alone"),
        ("value", {"b": 1, "$anny": True}, ("$anny",), "did you mean $any?"),
        ("value", {"$absent": True}, ("$absent",), "only as the value of a field"),
        ("list", [{"$absent": True}], (0, "$absent"), "only as the value of a field"),
        (
            "value",
            {"a": {"$contains": {"$absent": True}}},
            ("a", "$contains", "$absent"),
            "only as the value",
        ),
        ("value", {"a": {"$absent": False}}, ("a", "$absent"), "takes true, not false"),
        ("value", {"$any": 1}, ("$any",), "takes true"),
        ("value", {"$not_empty": None}, ("$not_empty",), "takes true"),
        ("value", {"$below": "$report#1"}, ("$below",), "takes a handle, $handle.NAME, not '$report#1'"),
        ("value", {"$below": ["$handle.main"]}, ("$below",), "takes a handle"),
        ("value", {"$type": "text"}, ("$type",), "takes one of object"),
        ("value", {"$regex": "("}, ("$regex",), "is none"),
        ("value", {"$regex": "(?s)."}, ("$regex",), "without flags such as (?s)"),
        ("value", {"$regex": "\ud800"}, ("$regex",), "none"),
        ("value", {"$regex": "a" * 1001}, ("$regex",), "at most 1000 characters"),
        ("value", {"$regex": "(" * 500 + ")" * 500}, ("$regex",), "or too large"),
        ("value", {"$regex": "a{99999999999}"}, ("$regex",), "or too large"),
        ("value", {"$regex": "(a{1000}){1000}"}, ("$regex",), "or too large"),
        ("value", {"$regex": 1}, ("$regex",), "takes a regular expression"),
        ("value", {"$one_of": []}, ("$one_of",), "at least one"),
        ("value", {"$one_of": {"a": 1}}, ("$one_of",), "a list of patterns"),
        ("value", {"$one_of": [1, "..."]}, ("$one_of", 1), "elements of a list"),
        ("value", {"$unordered": 1}, ("$unordered",), "a list of patterns"),
        ("value", {"$unordered": ["...", 1, "..."]}, ("$unordered",), "once, not 2 times"),
        ("value", {"$exact": {"a": {"$any": True}}}, ("$exact", "a", "$any"), "cannot stand inside $exact"),
        ("value", {"$exact": ["$x"]}, ("$exact", 0), "no reference"),
        ("value", {"a": ["$report"]}, ("a", 0), "no reference"),
        ("value", "$report#0", (), "no reference"),
        ("value", {"a": "$any"}, ("a",), "stands as the key of a mapping"),
        ("value", {"a": "..."}, ("a",), "elements of a list"),
        ("list", {"a": 1}, (), "a list is expected"),
        ("events", "TurnEnd", (), "a list is expected"),
        ("events", ["TurnEnd", 1], (1,), "an element is"),
        ("events", [{"TurnEnd": {}, "AgentEnd": {}}], (0,), "an element is"),
        ("events", ["TurnEnd!"], (0,), "ends in '!'"),
        ("events", ["MessageDelta**"], (0,), "ends in '*'"),
        ("events", [{"MessageDelta#": {}}], (0, "MessageDelta#"), "ends in '#'"),
        ("events", ["MesageEnd"], (0,), "did you mean MessageEnd?"),
        ("events", ["Turn End"], (0,), "no type of event"),
        ("events", [{"$any": True}], (0, "$any"), "begins with an event's type"),
        ("events", [{"TurnEnd": "x"}], (0, "TurnEnd"), "are a mapping"),
        ("events", [{"TurnEnd": {"events": []}}], (0, "TurnEnd", "events"), "in no other"),
        ("events", [{"Nested": {"events": "x"}}], (0, "Nested", "events"), "is an event list"),
        ("events", [{"Nested": {"events": ["A-"]}}], (0, "Nested", "events", 0), "ends in '-'"),
        ("events", [{"Nested": {"events": [], "event": {}}}], (0, "Nested", "events"), "write one of them"),
        (
            "events",
            [{"Nested": {"events": [], "tool_call_id": "$x"}}],
            (0, "Nested", "tool_call_id"),
            "no reference",
        ),
        ("events", [{"TurnEnd": {"message": {"$anny": 1}}}], (0, "TurnEnd", "message", "$anny"), "$any?"),
    ],
)
def test_a_mistake_in_a_pattern_is_found_before_anything_is_matched(
    kind: Kind, pattern: Json, path: tuple[str | int, ...], words: str
) -> None:
    [(where, message)] = problems(pattern, kind)
    assert where == path
    assert words in message


def test_an_event_type_that_resembles_no_documented_one_may_be_named() -> None:
    assert problems(["CacheHit", {"CacheMiss+": {"key": "x"}}], "events") == []


def test_references_are_found_wherever_they_stand_but_in_literals() -> None:
    pattern: Json = [
        {"ToolExecStart": {"tool_call_id": "$report#1"}},
        {"Nested": {"tool_call_id": "$delegate#2", "events": [{"Nested": {"tool_call_id": UNKNOWN}}]}},
        {"TurnEnd": {"a": {"$exact": ["$build#3"]}, "b": {"$literal": "$never#1"}, "c": {"$regex": "$a#1"}}},
        "...",
    ]
    assert references(pattern) == {"$report#1", "$delegate#2", UNKNOWN, "$build#3"}


@given(JSON)
def test_every_value_fits_its_own_literal_and_what_is_only_like_it_does_not(value: Json) -> None:
    assert match({"$literal": value}, value, {}) is None
    assert match({"$literal": [value]}, value, {}) is not None


@given(st.lists(JSON, max_size=4))
def test_any_stream_matches_dots_and_never_raises(events: list[Json]) -> None:
    assert match_events(["..."], events, {}) is None
    match_events(
        ["AgentStart", {"Nested": {"events": ["AgentStart"]}}, {"MessageEnd?": {"a": 1}}], events, {}
    )


@given(JSON)
def test_whatever_a_pattern_looks_like_its_mistakes_are_told_or_it_can_be_matched(pattern: Json) -> None:
    if not problems(pattern, "value"):
        match(pattern, {"a": [1, "x", None]}, {})
    if not problems(pattern, "events") and isinstance(pattern, list):
        match_events(pattern, STREAM, {})


@given(
    st.lists(st.sampled_from("ab"), max_size=6),
    st.lists(st.tuples(st.sampled_from(["A", "B", "..."]), st.sampled_from(["", "+", "*", "?"])), max_size=5),
)
def test_an_event_list_matches_just_what_the_same_regular_expression_does(
    word: list[str], chain: list[tuple[str, str]]
) -> None:
    expression = "".join(".*" if name == "..." else name.lower() + mark for name, mark in chain)
    pattern: list[Json] = [name if name == "..." else name + mark for name, mark in chain]
    events = named(*[letter.upper() for letter in word])
    named_too: list[Json] = [*pattern, "A*", "B*"]
    fits = match_events(named_too, events, {}) is None
    assert fits == (re.fullmatch(expression + "a*b*", "".join(word)) is not None)
