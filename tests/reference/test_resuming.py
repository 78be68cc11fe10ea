"""The document's "Resuming"."""

from __future__ import annotations

import pytest

from reference import Agent, AgentConfig, EmptyPrompt, Event, Message, NothingToDo, ToolCall
from reference.events import AgentEnd
from tests.reference.fakes import Script, answers, call, ignore, names, run, starts

PAUSING = AgentConfig(pause_on_pending=True)


def test_it_adds_no_user_message_of_its_own() -> None:
    agent = Agent(PAUSING, [starts("report")])
    run(agent.prompt("Run it", Script([call("report")]), ignore))
    agent.inbox().resolve(agent.pending_calls()[0].id, "Done.")
    run(agent.resume(Script(["It is done."]), ignore))
    assert [message.role for message in agent.messages] == [
        "user",
        "assistant",
        "tool_result",
        "tool_result",
        "assistant",
    ]


def test_it_runs_the_same_loop_with_tool_rounds_pauses_and_readings_of_the_inbox() -> None:
    agent = Agent(PAUSING, [starts("report"), answers("look", "Seen.")])
    run(agent.prompt("Run it", Script([call("report")]), ignore))
    inbox = agent.inbox()
    inbox.resolve(agent.pending_calls()[0].id, "Done.")
    events: list[Event] = []
    model = Script([call("look"), lambda: inbox.push("Again, please.")], [call("report")])
    run(agent.resume(model, events.append))
    assert model.saw[1][-1].content == "Again, please."
    assert names(events)[-2:] == ["Paused", "AgentEnd"]
    assert names(events).count("TurnEnd") == 2


def test_agent_end_carries_the_late_result_and_then_the_reply() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    agent.inbox().resolve(agent.pending_calls()[0].id, "Done.")
    run(agent.resume(Script(["It is done."]), events.append))
    assert events[-1] == AgentEnd((agent.messages[4], agent.messages[5]))


def test_several_results_read_at_once_are_answered_by_one_model_call() -> None:
    events: list[Event] = []
    agent = Agent(PAUSING, [starts("report")])
    run(agent.prompt("Twice", Script([call("report"), call("report")]), ignore))
    for pending in agent.pending_calls():
        agent.inbox().resolve(pending.id, "Done.")
    model = Script(["Both are done."])
    run(agent.resume(model, events.append))
    assert names(events)[1:7] == ["ToolResolved", "MessageStart", "MessageEnd"] * 2
    assert len(model.saw) == 1


def test_results_for_some_of_the_calls_leave_the_others_pending_and_run_no_tool() -> None:
    tool = starts("report")
    agent = Agent(PAUSING, [tool])
    run(agent.prompt("Thrice", Script([call("report")] * 3), ignore))
    first, second, third = agent.pending_calls()
    agent.inbox().resolve(second.id, "Done.")
    run(agent.resume(Script(["One is done."]), ignore))
    assert agent.pending_calls() == (first, third)
    assert len(tool.executed) == 3


def test_a_pushed_message_is_its_user_turn() -> None:
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    agent.inbox().push("And now?")
    model = Script(["Now this."])
    reply = run(agent.resume(model, ignore))
    assert reply is not None
    assert model.saw[0][-1].content == "And now?"


def test_after_a_pause_it_continues_even_with_nothing_in_the_inbox() -> None:
    agent = Agent(PAUSING, [starts("report")])
    run(agent.prompt("Run it", Script([call("report")]), ignore))
    reply = run(agent.resume(Script(["Still running."]), ignore))
    assert reply is not None
    assert len(agent.pending_calls()) == 1


@pytest.mark.parametrize("has_spoken", [True, False])
def test_with_nothing_to_do_it_is_an_error_that_emits_and_changes_nothing(has_spoken: bool) -> None:
    agent = Agent(tools=[starts("report")])
    if has_spoken:
        run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    before, pending = list(agent.messages), agent.pending_calls()
    events: list[Event] = []
    with pytest.raises(NothingToDo):
        run(agent.resume(Script(), events.append))
    assert events == []
    assert list(agent.messages) == before
    assert agent.pending_calls() == pending


def test_an_empty_prompt_with_an_empty_inbox_is_an_error_that_emits_and_changes_nothing() -> None:
    events: list[Event] = []
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    before = list(agent.messages)
    with pytest.raises(EmptyPrompt):
        run(agent.prompt("", Script(), events.append))
    assert events == []
    assert list(agent.messages) == before


def test_after_such_an_error_the_agent_runs_as_before() -> None:
    agent = Agent()
    with pytest.raises(EmptyPrompt):
        run(agent.prompt("", Script(), ignore))
    assert run(agent.prompt("Hello", Script(["Hello."]), ignore)) is not None


# Whether a reply is due.


def test_no_reply_is_due_to_begin_with_nor_after_a_final_answer() -> None:
    agent = Agent()
    assert not agent.needs_reply()
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    assert not agent.needs_reply()


def test_a_reply_is_due_after_a_pause() -> None:
    agent = Agent(PAUSING, [starts("report")])
    run(agent.prompt("Run it", Script([call("report")]), ignore))
    assert agent.needs_reply()


def test_a_reply_is_due_to_a_user_message_and_to_calls_without_results() -> None:
    question = Message("msg-1", "user", "Run it", 0)
    calling = Message("msg-2", "assistant", "", 0, (ToolCall("msg-2-call-1", "report", {}),))
    agent = Agent()
    agent.replace_messages([question])
    assert agent.needs_reply()
    agent.replace_messages([question, calling])
    assert agent.needs_reply()


def test_a_system_message_is_nobodys_turn() -> None:
    agent = Agent()
    agent.replace_messages([Message("msg-1", "system", "Be brief.", 0)])
    assert not agent.needs_reply()
    agent.replace_messages([Message("msg-1", "user", "Hi", 0), Message("msg-2", "system", "Be brief.", 0)])
    assert agent.needs_reply()
