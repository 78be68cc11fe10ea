"""What follows from the messages: as functions of them, and as a conversation keeps it while it grows."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from reference import Message, ToolCall, ToolResult
from reference.conversation import (
    Branch,
    Conversation,
    dangling_calls,
    needs_reply,
    pending_calls,
    used_tokens,
)
from reference.messages import Role

the_same_every_time = settings(derandomize=True, deadline=None)

IDS = ("a", "b", "c")


def calling(*ids: str) -> Message:
    return Message("m", "assistant", "", 0, tuple(ToolCall(each, "work", {}) for each in ids))


def answering(call_id: str, *, pending: bool = False) -> Message:
    return Message("m", "tool_result", "x", 0, tool_result=ToolResult(call_id, "work", "x", pending=pending))


def ids(calls: tuple[ToolCall, ...]) -> list[str]:
    return [call.id for call in calls]


def saying(role: Role, text: str) -> Message:
    return Message("m", role, text, 0)


messages = st.one_of(
    st.builds(saying, st.sampled_from(["user", "system", "assistant"]), st.text(max_size=9)),
    st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True).map(lambda made: calling(*made)),
    st.builds(answering, st.sampled_from(IDS), pending=st.booleans()),
)


def test_a_call_is_pending_from_its_placeholder_to_its_real_result() -> None:
    conversation = [calling("a"), answering("a", pending=True), answering("a")]
    assert [ids(pending_calls(conversation[:n])) for n in (1, 2, 3)] == [[], ["a"], []]


def test_a_call_is_dangling_until_it_has_any_result() -> None:
    conversation = [calling("a", "b"), answering("a", pending=True), answering("b")]
    assert [ids(dangling_calls(conversation[:n])) for n in (1, 2, 3)] == [["a", "b"], ["b"], []]


def test_a_placeholder_after_the_real_result_makes_nothing_pending() -> None:
    conversation = [calling("a"), answering("a"), answering("a", pending=True)]
    assert pending_calls(conversation) == ()


def test_pending_calls_are_in_call_order_even_where_their_placeholders_are_not() -> None:
    conversation = [calling("a", "b"), answering("b", pending=True), answering("a", pending=True)]
    assert ids(pending_calls(conversation)) == ["a", "b"]
    assert ids(Conversation(conversation).pending_calls()) == ["a", "b"]


def test_an_id_that_is_used_again_stands_for_the_newer_call() -> None:
    conversation = [calling("a"), answering("a", pending=True), calling("a"), answering("a")]
    assert [ids(pending_calls(conversation[:n])) for n in (2, 3, 4)] == [["a"], [], []]


moves = st.one_of(
    st.tuples(st.just("call"), st.integers(1, 3)),
    st.tuples(st.just("answer"), st.booleans()),
    st.tuples(st.just("answer again"), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("say"), st.sampled_from(["user", "system", "assistant"])),
)


def as_a_run_adds_them(moves: list[tuple[object, ...]]) -> Iterator[Message]:
    """No id is used twice, and calls get their first results in the order in which they were made."""
    made, left = list[str](), list[str]()
    for move in moves:
        match move:
            case "call", int(count):
                new = [f"{len(made) + n}" for n in range(count)]
                made, left = made + new, left + new
                yield calling(*new)
            case "answer", bool(pending) if left:
                yield answering(left.pop(0), pending=pending)
            case "answer again", int(n), bool(pending) if n < len(made) and made[n] not in left:
                yield answering(made[n], pending=pending)
            case "say", ("user" | "system" | "assistant") as role:
                yield saying(role, "Hello")


@the_same_every_time
@given(st.lists(moves, max_size=20), st.integers(0, 20))
def test_what_a_conversation_keeps_is_what_the_functions_say_after_every_message(
    made: list[tuple[object, ...]], restored: int
) -> None:
    every = list(as_a_run_adds_them(made))
    conversation = Conversation(every[:restored])
    agrees(conversation)
    for message in every[restored:]:
        conversation.append(message)
        agrees(conversation)
    assert list(conversation.view) == every


@the_same_every_time
@given(st.lists(messages, max_size=20))
def test_it_still_is_when_the_dangling_calls_have_been_answered_in_their_rounds(made: list[Message]) -> None:
    conversation = Conversation(made)
    for call in conversation.dangling_calls():
        conversation.append_to_round(call, answering(call.id))
        agrees(conversation)
    assert conversation.dangling_calls() == ()


def agrees(conversation: Conversation) -> None:
    made = list(conversation.view)
    assert conversation.pending_calls() == pending_calls(made)
    assert conversation.dangling_calls() == dangling_calls(made)
    assert conversation.needs_reply() == needs_reply(made)
    assert conversation.used_tokens == used_tokens(made)
    assert len(conversation) == len(made)
    for call in pending_calls(made):
        assert conversation.pending_call(call.id) == call


def test_a_result_that_is_added_to_a_round_stands_behind_the_rounds_other_results() -> None:
    made = [
        calling("a", "b", "c"),
        answering("a"),
        Message("m", "user", "On", 0),
        calling("d"),
        answering("d"),
    ]
    conversation = Conversation(made)
    for call in conversation.dangling_calls():
        conversation.append_to_round(call, answering(call.id))
    results = [message.tool_result for message in conversation.view]
    assert [result and result.tool_call_id for result in results] == [None, "a", "b", "c", None, None, "d"]


@the_same_every_time
@given(st.lists(messages, max_size=5), st.lists(messages, max_size=5), st.data())
def test_a_branch_shows_what_was_there_and_what_was_added_as_one_sequence(
    before: list[Message], added: list[Message], data: st.DataObject
) -> None:
    trunk = Conversation(before)
    branch = Branch(trunk)
    for message in added:
        branch.append(message)
    both = [*before, *added]
    part = data.draw(st.slices(len(both)))

    assert list(branch.view) == both
    assert list(reversed(branch.view)) == both[::-1]
    assert len(branch.view) == len(both)
    assert branch.view[part] == both[part]
    assert [branch.view[place] for place in range(-len(both), len(both))] == both + both
    assert list(trunk.view) == before


@the_same_every_time
@given(st.lists(moves, max_size=10), st.integers(0, 10))
def test_a_conversation_that_a_branch_has_joined_is_the_same_as_if_it_had_grown_itself(
    made: list[tuple[object, ...]], before: int
) -> None:
    every = list(as_a_run_adds_them(made))
    trunk, grown = Conversation(every[:before]), Conversation(every)
    branch = Branch(trunk)
    for message in every[before:]:
        branch.append(message)
    branch.join()

    assert list(trunk.view) == list(grown.view)
    assert trunk.pending_calls() == grown.pending_calls()
    assert trunk.dangling_calls() == grown.dangling_calls()
    assert trunk.used_tokens == grown.used_tokens


def test_an_id_that_a_branch_has_given_is_not_given_again_though_nobody_keeps_it() -> None:
    trunk = Conversation([Message("msg-4", "user", "x", 0)])
    first, second = Branch(trunk), Branch(trunk)

    assert [first.next_id(), second.next_id(), trunk.next_id()] == ["msg-5", "msg-6", "msg-7"]
