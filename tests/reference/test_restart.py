"""The document's "After a restart"."""

from __future__ import annotations

import pytest

from reference import Agent, AgentConfig, Busy, Event, Message, ToolCall, ToolResult
from reference.events import AgentEnd, MessageEnd, MessageStart, Warning
from tests.reference.fakes import Script, answers, call, ignore, names, restarted, run, starts

ASKED = Message("msg-1", "user", "Do all three", 0)
CALLS = tuple(ToolCall(f"msg-2-call-{n}", "work", {}) for n in (1, 2, 3))
CALLING = Message("msg-2", "assistant", "", 0, CALLS)


def result(message_id: str, answered: ToolCall, content: str, *, pending: bool = False) -> Message:
    outcome = ToolResult(answered.id, answered.name, content, pending=pending)
    return Message(message_id, "tool_result", content, 0, tool_result=outcome)


HALF_DONE = [ASKED, CALLING, result("msg-3", CALLS[0], "one"), result("msg-4", CALLS[1], "two", pending=True)]


def test_the_saved_conversation_lists_the_same_pending_calls() -> None:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report", day="Monday")], ["It has started."]), ignore))
    again = restarted(agent)
    assert list(again.messages) == list(agent.messages)
    assert again.pending_calls() == agent.pending_calls()
    assert len(again.pending_calls()) == 1


def test_a_pending_call_can_be_resolved_and_resumed_after_it() -> None:
    agent = Agent(AgentConfig(pause_on_pending=True), tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")]), ignore))
    again = restarted(agent)
    again.inbox().resolve(again.pending_calls()[0].id, "Done.")
    model = Script(["It is done."])
    reply = run(again.resume(model, ignore))
    assert reply is not None
    assert model.saw[0][-1].content.endswith("Done.")
    assert again.pending_calls() == ()


def test_a_call_whose_late_result_was_read_before_it_is_not_pending() -> None:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    agent.inbox().resolve(agent.pending_calls()[0].id, "Done.")
    run(agent.resume(Script(["It is done."]), ignore))
    assert restarted(agent).pending_calls() == ()


def test_to_restore_a_conversation_changes_no_message_of_it() -> None:
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    assert list(agent.messages) == HALF_DONE


def test_calls_that_never_got_a_result_are_marked_failed_when_the_next_run_starts() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    model = Script(["I see."])
    run(agent.prompt("Well?", model, events.append))
    failed = model.saw[0][4]
    assert failed.tool_result is not None
    assert failed.tool_result.tool_call_id == CALLS[2].id
    assert failed.tool_result.is_error
    assert names(events)[:6] == [
        "AgentStart",
        *["Warning", "MessageStart", "MessageEnd"],
        *["MessageStart", "MessageEnd"],
    ]
    assert isinstance(events[1], Warning)
    assert CALLS[2].id in events[1].message
    assert events[2:4] == [MessageStart(failed), MessageEnd(failed)]


def test_only_the_calls_without_a_result_are_marked_each_with_a_warning() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.replace_messages([ASKED, CALLING, HALF_DONE[2]])
    run(agent.prompt("Well?", Script(["I see."]), events.append))
    assert names(events).count("Warning") == 2
    outcomes = [message.tool_result for message in agent.messages if message.tool_result is not None]
    assert [outcome.tool_call_id for outcome in outcomes] == [made.id for made in CALLS]
    assert [outcome.is_error for outcome in outcomes] == [False, True, True]


def test_they_are_in_agent_end_among_what_the_run_added() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    reply = run(agent.prompt("Well?", Script(["I see."]), events.append))
    assert events[-1] == AgentEnd((agent.messages[4], agent.messages[6]))
    assert agent.messages[6] == reply


def test_a_call_with_a_placeholder_is_pending_and_not_marked() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    assert agent.pending_calls() == (CALLS[1],)
    run(agent.prompt("Well?", Script(["I see."]), events.append))
    assert names(events).count("Warning") == 1
    assert agent.pending_calls() == (CALLS[1],)


def test_they_are_never_run_again() -> None:
    tool = answers("work", "Done.")
    agent = Agent(tools=[tool])
    agent.replace_messages(HALF_DONE)
    run(agent.resume(Script(["I see."]), ignore))
    assert tool.executed == []


def test_resume_marks_them_too_before_it_reads_the_inbox() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    agent.inbox().resolve(CALLS[1].id, "two, really")
    model = Script(["I see."])
    run(agent.resume(model, events.append))
    assert names(events)[:7] == [
        "AgentStart",
        *["Warning", "MessageStart", "MessageEnd"],
        *["ToolResolved", "MessageStart", "MessageEnd"],
    ]
    assert [message.role for message in model.saw[0]] == ["user", "assistant", *["tool_result"] * 4]


def test_they_are_marked_once_and_a_later_run_has_nothing_to_mark() -> None:
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    run(agent.prompt("Well?", Script(["I see."]), ignore))
    events: list[Event] = []
    again = restarted(agent)
    run(again.prompt("And now?", Script(["Nothing."]), events.append))
    assert "Warning" not in names(events)


def test_a_complete_conversation_is_not_touched() -> None:
    agent = Agent(tools=[answers("look", "Seen.")])
    run(agent.prompt("Look", Script([call("look")], ["I have looked."]), ignore))
    events: list[Event] = []
    again = restarted(agent)
    run(again.prompt("And?", Script(["That is all."]), events.append))
    assert "Warning" not in names(events)
    assert list(again.messages)[:4] == list(agent.messages)


def test_a_result_sent_for_a_call_that_was_marked_failed_is_dropped_with_a_warning() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    agent.inbox().resolve(CALLS[2].id, "three, after all")
    run(agent.resume(Script(["I see."]), events.append))
    assert names(events).count("Warning") == 2
    assert not any("three, after all" in message.content for message in agent.messages)


def test_in_a_conversation_that_went_on_without_it_the_failed_result_is_put_into_its_round() -> None:
    went_on = [
        *HALF_DONE,
        Message("msg-5", "user", "Never mind", 0),
        Message("msg-6", "assistant", "Fine", 0),
    ]
    agent = Agent()
    agent.replace_messages(went_on)
    model = Script(["Hello."])
    run(agent.prompt("Hello", model, ignore))
    assert [message.id for message in model.saw[0]] == [
        *["msg-1", "msg-2", "msg-3", "msg-4"],
        "msg-7",
        *["msg-5", "msg-6"],
        "msg-8",
    ]
    assert model.saw[0][4].tool_result is not None
    assert model.saw[0][4].tool_result.tool_call_id == CALLS[2].id


@pytest.mark.parametrize(
    "restored",
    [
        [Message("msg-9", "user", "Hi", 0)],
        [Message("a", "assistant", "", 0, (ToolCall("msg-9-call-1", "work", {}),))],
        [result("a", ToolCall("msg-9-call-3", "work", {}), "done")],
    ],
    ids=["message", "call", "result"],
)
def test_new_ids_do_not_repeat_restored_ones(restored: list[Message]) -> None:
    agent = Agent(tools=[answers("work", "Done.")])
    agent.replace_messages(restored)
    run(agent.prompt("Go", Script([call("work")], ["Done."]), ignore))
    numbers = [int(message.id.removeprefix("msg-")) for message in agent.messages[len(restored) :]]
    assert min(numbers) == 10
    assert len(set(numbers)) == len(numbers)


def test_new_ids_do_not_repeat_those_of_the_conversation_that_was_replaced() -> None:
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    agent.replace_messages([])
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    assert [message.id for message in agent.messages] == ["msg-3", "msg-4"]


def test_without_messages_nothing_is_pending_and_no_reply_is_due() -> None:
    agent = Agent()
    agent.replace_messages(HALF_DONE)
    agent.replace_messages([])
    assert agent.pending_calls() == ()
    assert not agent.needs_reply()
    assert len(agent.messages) == 0


def test_what_waits_in_the_inbox_is_kept() -> None:
    agent = Agent()
    agent.inbox().push("Still here.")
    agent.replace_messages([])
    run(agent.resume(Script(["So it is."]), ignore))
    assert agent.messages[0].content == "Still here."


def test_the_messages_cannot_be_replaced_while_a_run_is_going_on() -> None:
    agent = Agent()

    def replace() -> None:
        with pytest.raises(Busy):
            agent.replace_messages([])

    reply = run(agent.prompt("Hello", Script([replace, "Hello."]), ignore))
    assert reply is not None
    assert len(agent.messages) == 2


def test_a_view_of_the_messages_that_were_replaced_stays_as_it_was() -> None:
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    old = agent.messages
    agent.replace_messages([ASKED])
    assert [message.content for message in old] == ["Hello", "Hello."]
    assert list(agent.messages) == [ASKED]
