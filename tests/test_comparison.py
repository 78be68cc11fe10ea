"""Both sides of a list that did not fit: which element took which item, and where it went no further."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.patterns import Comparison, compare_events, compare_list, match_events
from conformance.scenario import Json


def events(*types: str) -> list[Json]:
    return [{"type": kind} for kind in types]


def compared(pattern: list[Json], stream: list[Json]) -> Comparison:
    found = compare_events(pattern, stream, {})
    assert found is not None
    return found


def test_a_stream_that_fits_has_no_comparison() -> None:
    assert compare_events(["AgentStart", "..."], events("AgentStart", "AgentEnd"), {}) is None


def test_each_event_before_the_difference_has_the_element_that_took_it() -> None:
    found = compared(
        ["AgentStart", "...", "TurnStart", "TurnEnd"],
        events("AgentStart", "Warning", "Warning", "TurnStart", "Error"),
    )

    assert (found.taken, found.at, found.wanted) == ((0, 1, 1, 2), 4, (3,))


def test_elements_that_repeat_or_may_be_missing_take_what_they_can() -> None:
    found = compared(
        ["MessageDelta+", "GenerationStats?", "MessageEnd"],
        events("MessageDelta", "MessageDelta", "TurnEnd"),
    )

    assert (found.taken, found.at) == ((0, 0), 2)
    assert found.wanted == (0, 1, 2)


def test_an_end_that_comes_too_early_is_a_difference_behind_the_last_event() -> None:
    found = compared(["AgentStart", "...", "Paused"], events("AgentStart", "TurnStart", "AgentEnd"))

    assert (found.taken, found.at, found.wanted) == ((0, 1, 1), 3, (2,))


def test_where_the_end_was_expected_no_element_is_wanted() -> None:
    found = compared(["AgentStart"], events("AgentStart", "AgentEnd"))

    assert (found.at, found.wanted) == (1, ())


def test_the_path_leads_to_the_field_that_differs_in_an_event_of_the_right_type() -> None:
    found = compared(
        [{"ToolExecEnd": {"result": {"content": "x", "pending": True}}}],
        [{"type": "ToolExecEnd", "result": {"content": "x", "pending": False}}],
    )

    assert found.path == ("result", "pending")


def test_events_of_unknown_types_are_left_out_and_the_others_keep_their_numbers() -> None:
    found = compared(["AgentStart", "TurnStart"], events("AgentStart", "CacheHit", "Error"))

    assert found.actual == tuple(events("AgentStart", "Error"))
    assert found.numbers == (1, 3)


def test_a_difference_among_the_events_of_a_child_compares_these_alone() -> None:
    nested: list[Json] = [
        {"type": "Nested", "tool_call_id": "c", "event": event}
        for event in events("AgentStart", "Error", "AgentEnd")
    ]
    found = compared(
        ["ToolExecStart", {"Nested": {"tool_call_id": "c", "events": ["AgentStart", "AgentEnd"]}}],
        [{"type": "ToolExecStart"}, *nested],
    )

    assert (found.inside, found.expected, found.at) == ("c", ("AgentStart", "AgentEnd"), 1)
    assert found.actual == tuple(events("AgentStart", "Error", "AgentEnd"))


def test_a_conversation_is_compared_message_by_message() -> None:
    pattern: list[Json] = [{"role": "user"}, {"role": "assistant", "content": "Done."}]
    found = compare_list(pattern, [{"role": "user"}, {"role": "assistant", "content": "Later."}], {})

    assert found is not None
    assert (found.taken, found.at, found.path) == ((0,), 1, ("content",))


TYPES = ("AgentStart", "TurnStart", "TurnEnd")
ELEMENTS = st.sampled_from(["...", *(kind + mark for kind in TYPES for mark in ("", "+", "*", "?"))])


@given(st.lists(ELEMENTS, max_size=6), st.lists(st.sampled_from(TYPES), max_size=8))
def test_what_is_compared_is_what_was_matched(pattern: list[Json], types: list[str]) -> None:
    stream = events(*types)
    mismatch = match_events(pattern, stream, {})
    found = compare_events(pattern, stream, {})

    assert (mismatch is None) == (found is None)
    if mismatch is None or found is None:
        return
    assert found.at == mismatch.index
    assert tuple(found.expected[element] for element in found.wanted) == mismatch.possible
    assert len(found.taken) == found.at
    assert list(found.taken) == sorted(found.taken)
    for element, kind in zip(found.taken, types, strict=False):
        written = str(found.expected[element])
        assert written == "..." or written.rstrip("+*?") == kind
