"""The document's "Pending results"."""

from __future__ import annotations

import pytest

from reference import Agent, AgentConfig, Event, ToolCall, ToolContext, ToolOutput
from reference.events import MessageEnd, MessageStart, Paused, ToolExecEnd, ToolExecStart
from tests.reference.fakes import Does, Script, answers, call, ignore, names, run, starts

PAUSING = AgentConfig(pause_on_pending=True)


def test_a_placeholder_is_recorded_as_the_calls_result_and_marked_pending() -> None:
    agent = Agent(tools=[starts("report", "Job 7 has begun.")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    placeholder = agent.messages[2]
    assert placeholder.role == "tool_result"
    assert placeholder.tool_result is not None
    assert placeholder.tool_result.pending
    assert not placeholder.tool_result.is_error
    assert placeholder.tool_result.content == placeholder.content == "Job 7 has begun."


def test_the_events_show_the_placeholder_as_the_outcome_and_as_a_message() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report", "Job 7 has begun.")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), events.append))
    at = names(events).index("ToolExecEnd")
    end, start_message, end_message = events[at : at + 3]
    assert isinstance(end, ToolExecEnd)
    assert end.to_json()["result"] == {"content": "Job 7 has begun.", "pending": True}
    assert start_message == MessageStart(agent.messages[2])
    assert end_message == MessageEnd(agent.messages[2])


def test_the_call_is_known_by_one_id_everywhere() -> None:
    events: list[Event] = []
    tool = starts("report")
    agent = Agent(tools=[tool])
    run(agent.prompt("Run it", Script([call("report", day="Monday")], ["It has started."]), events.append))
    [pending] = agent.pending_calls()
    started = [event for event in events if isinstance(event, ToolExecStart)]
    assert pending == ToolCall(tool.executed[0], "report", {"day": "Monday"})
    assert started == [ToolExecStart(pending.id, "report", {"day": "Monday"})]
    assert agent.messages[1].tool_calls == (pending,)


def test_the_call_stays_listed_until_its_result_is_read_not_until_it_is_put_in() -> None:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    [pending] = agent.pending_calls()
    agent.inbox().resolve(pending.id, "Done.")
    assert agent.pending_calls() == (pending,)
    run(agent.resume(Script(["It is done."]), ignore))
    assert agent.pending_calls() == ()


def test_the_placeholder_stays_as_it_was_when_the_real_result_has_come() -> None:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    placeholder = agent.messages[2]
    agent.inbox().resolve(agent.pending_calls()[0].id, "Done.")
    run(agent.resume(Script(["It is done."]), ignore))
    results = [message for message in agent.messages if message.tool_result is not None]
    assert results[0] == placeholder
    assert len(results) == 2


def test_a_second_result_for_a_call_is_dropped_with_a_warning_within_one_reading() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    [pending] = agent.pending_calls()
    agent.inbox().resolve(pending.id, "the first")
    agent.inbox().reject(pending.id, "the second")
    run(agent.resume(Script(["It is done."]), events.append))
    assert names(events)[:5] == ["AgentStart", "ToolResolved", "MessageStart", "MessageEnd", "Warning"]
    assert "the first" in agent.messages[4].content
    assert not any("the second" in message.content for message in agent.messages)


def test_a_second_result_for_a_call_is_dropped_with_a_warning_by_a_later_reading() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    [pending] = agent.pending_calls()
    agent.inbox().resolve(pending.id, "the first")
    run(agent.resume(Script(["It is done."]), ignore))
    before = list(agent.messages)
    agent.inbox().resolve(pending.id, "the second")
    reply = run(agent.resume(Script(), events.append))
    assert names(events) == ["AgentStart", "Warning", "AgentEnd"]
    assert reply is None
    assert list(agent.messages) == before


def test_a_result_put_in_while_its_call_executes_is_used_once_the_call_is_pending() -> None:
    def resolve_and_start(ctx: ToolContext) -> ToolOutput:
        agent.inbox().resolve(ctx.call_id, "Done already.")
        return ToolOutput.pending("Started.")

    agent = Agent(tools=[Does("report", resolve_and_start)])
    model = Script([call("report")], ["It is done."])
    run(agent.prompt("Run it", model, ignore))
    assert [message.role for message in model.saw[1]] == ["user", "assistant", "tool_result", "tool_result"]
    assert "Done already." in model.saw[1][-1].content
    assert agent.pending_calls() == ()


def test_by_default_the_model_is_asked_to_carry_on_around_the_placeholder() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report", "Job 7 has begun.")])
    model = Script([call("report")], ["It is under way."])
    reply = run(agent.prompt("Run it", model, events.append))
    assert reply is not None
    assert reply.content == "It is under way."
    assert model.saw[1][-1].content == "Job 7 has begun."
    assert "Paused" not in names(events)


def test_a_call_stays_pending_while_further_prompts_run() -> None:
    agent = Agent(tools=[starts("report"), answers("look", "Seen.")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    [pending] = agent.pending_calls()
    run(agent.prompt("And look", Script([call("look")], ["I have looked."]), ignore))
    assert agent.pending_calls() == (pending,)


def test_with_pause_on_pending_the_run_ends_with_the_waiting_calls_and_the_model_is_not_asked() -> None:
    events: list[Event] = []
    agent = Agent(PAUSING, [starts("report")])
    model = Script([call("report")])
    reply = run(agent.prompt("Run it", model, events.append))
    assert reply is None
    assert len(model.saw) == 1
    assert names(events)[-3:] == ["TurnEnd", "Paused", "AgentEnd"]
    assert events[-2] == Paused(agent.pending_calls())
    assert len(agent.pending_calls()) == 1


def test_with_pause_on_pending_a_turn_whose_calls_all_completed_goes_on() -> None:
    events: list[Event] = []
    agent = Agent(PAUSING, [answers("look", "Seen.")])
    reply = run(agent.prompt("Look", Script([call("look")], ["I have looked."]), events.append))
    assert reply is not None
    assert "Paused" not in names(events)


def test_a_pause_names_only_the_call_that_is_pending_of_the_turns_calls() -> None:
    events: list[Event] = []
    agent = Agent(PAUSING, [answers("look", "Seen."), starts("report")])
    run(agent.prompt("Both", Script([call("look"), call("report"), call("look")]), events.append))
    [pending] = agent.pending_calls()
    assert pending.name == "report"
    assert events[-2] == Paused((pending,))


def test_only_a_turn_that_leaves_calls_pending_itself_pauses_and_then_names_all_that_wait() -> None:
    events: list[Event] = []
    agent = Agent(PAUSING, [answers("look", "Seen."), starts("report")])
    run(agent.prompt("Run it", Script([call("report")]), ignore))
    model = Script([call("look")], [call("report")])
    run(agent.prompt("Look, then run it again", model, events.append))
    assert len(model.saw) == 2
    assert names(events).count("Paused") == 1
    assert events[-2] == Paused(agent.pending_calls())
    assert len(agent.pending_calls()) == 2


@pytest.mark.parametrize("config", [AgentConfig(), PAUSING], ids=["default", "pausing"])
def test_a_pending_call_keeps_no_later_call_of_its_turn_from_running(config: AgentConfig) -> None:
    look = answers("look", "Seen.")
    agent = Agent(config, [starts("report"), look])
    run(agent.prompt("Both", Script([call("report"), call("look")], ["Well."]), ignore))
    assert len(look.executed) == 1
    assert [message.role for message in agent.messages][1:4] == ["assistant", "tool_result", "tool_result"]


def test_pending_calls_are_listed_in_the_order_in_which_they_were_made() -> None:
    agent = Agent(tools=[starts("b"), starts("a")])
    run(agent.prompt("All", Script([call("b"), call("a")], [call("b")], ["Well."]), ignore))
    assert [pending.name for pending in agent.pending_calls()] == ["b", "a", "b"]
    assert [pending.id for pending in agent.pending_calls()] == [
        "msg-2-call-1",
        "msg-2-call-2",
        "msg-5-call-1",
    ]
