"""The document's "The inbox"."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reference import Agent, AgentConfig, Event, Inbox, ToolContext, ToolOutput
from reference.events import MessageEnd, MessageStart, ToolResolved, Warning
from tests.reference.fakes import Does, Script, answers, call, ignore, names, run, starts


def an_agent_with_a_pending_call() -> tuple[Agent, str]:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    return agent, agent.pending_calls()[0].id


# What becomes of the items.


def test_a_pushed_message_becomes_a_user_message_with_exactly_its_text() -> None:
    agent = Agent()
    agent.inbox().push("And the README, please.")
    model = Script(["Done."])
    run(agent.resume(model, ignore))
    assert [(message.role, message.content) for message in model.saw[0]] == [
        ("user", "And the README, please.")
    ]


def test_each_pushed_message_becomes_one_of_its_own_with_its_own_events() -> None:
    events: list[Event] = []
    agent = Agent()
    agent.inbox().push("One.")
    agent.inbox().push("Two.")
    run(agent.resume(Script(["Done."]), events.append))
    one, two = agent.messages[:2]
    assert events[1:5] == [MessageStart(one), MessageEnd(one), MessageStart(two), MessageEnd(two)]


def test_a_resolved_result_becomes_a_second_result_for_the_call_headed_by_what_it_answers() -> None:
    agent, call_id = an_agent_with_a_pending_call()
    agent.inbox().resolve(call_id, "Report written.")
    model = Script(["It is done."])
    run(agent.resume(model, ignore))
    late = model.saw[0][-1]
    assert late.role == "tool_result"
    assert late.tool_result is not None
    assert late.tool_result.tool_call_id == call_id
    assert not late.tool_result.pending
    assert not late.tool_result.is_error
    assert late.content == late.tool_result.content
    heading, _, result = late.content.partition("\n")
    assert result == "Report written."
    assert "report" in heading
    assert call_id in heading


def test_a_rejected_one_becomes_a_second_result_that_is_an_error() -> None:
    agent, call_id = an_agent_with_a_pending_call()
    agent.inbox().reject(call_id, "exit 2")
    model = Script(["It failed."])
    run(agent.resume(model, ignore))
    late = model.saw[0][-1]
    assert late.tool_result is not None
    assert late.tool_result.is_error
    assert not late.tool_result.pending
    assert late.content.endswith("\nexit 2")


@pytest.mark.parametrize(
    "settle, is_error", [(Inbox.resolve, False), (Inbox.reject, True)], ids=["resolve", "reject"]
)
def test_a_late_result_fires_tool_resolved_with_the_bare_result_before_its_message(
    settle: Callable[[Inbox, str, str], None], is_error: bool
) -> None:
    events: list[Event] = []
    agent, call_id = an_agent_with_a_pending_call()
    settle(agent.inbox(), call_id, "exit 2")
    run(agent.resume(Script(["Well."]), events.append))
    late = agent.messages[4]
    assert events[1:4] == [
        ToolResolved(call_id, "report", ToolOutput("exit 2", is_error=is_error)),
        MessageStart(late),
        MessageEnd(late),
    ]


@pytest.mark.parametrize("kind", ["unknown", "completed"])
def test_a_result_for_a_call_that_is_not_pending_is_dropped_with_a_warning(kind: str) -> None:
    events: list[Event] = []
    look = answers("look", "Seen.")
    agent = Agent(tools=[look])
    run(agent.prompt("Look", Script([call("look")], ["I have looked."]), ignore))
    before = list(agent.messages)
    call_id = look.executed[0] if kind == "completed" else "no-such-call"
    agent.inbox().resolve(call_id, "Too late.")
    run(agent.resume(Script(), events.append))
    assert names(events) == ["AgentStart", "Warning", "AgentEnd"]
    assert isinstance(events[1], Warning)
    assert call_id in events[1].message
    assert list(agent.messages) == before


# When it is read.


def test_it_is_read_at_the_start_of_prompt_ahead_of_the_prompts_own_text() -> None:
    events: list[Event] = []
    agent, call_id = an_agent_with_a_pending_call()
    agent.inbox().resolve(call_id, "Done.")
    agent.inbox().push("By the way.")
    model = Script(["Well."])
    run(agent.prompt("And now?", model, events.append))
    assert [message.role for message in model.saw[0][-3:]] == ["tool_result", "user", "user"]
    assert [message.content for message in model.saw[0][-2:]] == ["By the way.", "And now?"]
    assert names(events)[:9] == [
        "AgentStart",
        *["ToolResolved", "MessageStart", "MessageEnd"],
        *["MessageStart", "MessageEnd"],
        *["MessageStart", "MessageEnd"],
        "TurnStart",
    ]


def test_an_empty_prompt_with_something_in_the_inbox_adds_no_user_message() -> None:
    agent = Agent()
    agent.inbox().push("Only this.")
    run(agent.prompt("", Script(["Done."]), ignore))
    assert [message.content for message in agent.messages] == ["Only this.", "Done."]


def test_what_arrives_during_a_tool_is_seen_by_the_next_model_call() -> None:
    events: list[Event] = []

    def look(ctx: ToolContext) -> ToolOutput:
        agent.inbox().push("Also the README.")
        return ToolOutput("Seen.")

    agent = Agent(tools=[Does("look", look)])
    model = Script([call("look"), call("look")], ["Done."])
    run(agent.prompt("Look", model, events.append))
    assert [message.content for message in model.saw[1][-3:]] == [
        "Seen.",
        "Also the README.",
        "Also the README.",
    ]
    at = names(events).index("TurnEnd")
    assert names(events)[at : at + 6] == ["TurnEnd", *["MessageStart", "MessageEnd"] * 2, "TurnStart"]


def test_what_arrives_while_the_final_answer_is_written_is_answered_in_the_same_run() -> None:
    events: list[Event] = []
    agent = Agent()
    inbox = agent.inbox()
    model = Script(
        [lambda: inbox.push("The README?"), "Done."],
        [lambda: inbox.push("And the licence?"), "The README is fine."],
        ["So is the licence."],
    )
    reply = run(agent.prompt("Tidy up", model, events.append))
    assert reply is not None
    assert reply.content == "So is the licence."
    assert [message.content for message in agent.messages] == [
        "Tidy up",
        "Done.",
        "The README?",
        "The README is fine.",
        "And the licence?",
        "So is the licence.",
    ]
    assert names(events).count("AgentEnd") == 1


def test_a_result_that_arrives_while_the_final_answer_is_written_is_answered_in_the_same_run() -> None:
    agent, call_id = an_agent_with_a_pending_call()
    model = Script([lambda: agent.inbox().resolve(call_id, "Done."), "Still waiting."], ["It is done."])
    reply = run(agent.prompt("And?", model, ignore))
    assert reply is not None
    assert reply.content == "It is done."


def test_a_final_answer_followed_only_by_dropped_results_ends_the_run() -> None:
    events: list[Event] = []
    agent = Agent()
    model = Script([lambda: agent.inbox().resolve("no-such-call", "?"), "Done."])
    reply = run(agent.prompt("Tidy up", model, events.append))
    assert reply is not None
    assert names(events)[-3:] == ["TurnEnd", "Warning", "AgentEnd"]


def test_between_runs_nothing_is_read() -> None:
    agent, call_id = an_agent_with_a_pending_call()
    before = list(agent.messages)
    agent.inbox().push("Hello?")
    agent.inbox().resolve(call_id, "Done.")
    assert list(agent.messages) == before
    assert [pending.id for pending in agent.pending_calls()] == [call_id]


def test_a_reading_takes_all_in_the_order_in_which_it_was_put_in_and_one_model_call_answers_it() -> None:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Twice", Script([call("report"), call("report")], ["Both started."]), ignore))
    first, second = (pending.id for pending in agent.pending_calls())
    inbox = agent.inbox()
    inbox.push("a")
    inbox.resolve(second, "b")
    inbox.push("c")
    inbox.reject(first, "d")
    model = Script(["Well."])
    run(agent.resume(model, ignore))
    assert [message.content[-1] for message in model.saw[0][-4:]] == ["a", "b", "c", "d"]
    assert len(model.saw) == 1


def test_what_is_put_in_while_the_inbox_is_read_waits_for_the_next_reading() -> None:
    agent = Agent()
    inbox = agent.inbox()
    inbox.push("first")

    def sink(event: Event) -> None:
        if isinstance(event, MessageEnd) and event.message.content == "first":
            inbox.push("second")

    model = Script(["One."], ["Two."])
    run(agent.resume(model, sink))
    assert [len(saw) for saw in model.saw] == [1, 3]


# What is not read is not lost.


def test_a_pause_leaves_the_inbox_unread_for_the_next_run() -> None:
    def resolve_and_start(ctx: ToolContext) -> ToolOutput:
        agent.inbox().resolve(ctx.call_id, "Done already.")
        return ToolOutput.pending("Started.")

    events: list[Event] = []
    agent = Agent(AgentConfig(pause_on_pending=True), [Does("report", resolve_and_start)])
    run(agent.prompt("Run it", Script([call("report")]), events.append))
    assert names(events)[-2:] == ["Paused", "AgentEnd"]
    assert len(agent.pending_calls()) == 1
    reply = run(agent.resume(Script(["It is done."]), ignore))
    assert reply is not None
    assert agent.pending_calls() == ()


@pytest.mark.parametrize("end", ["stop", "failure", "limit"])
def test_what_was_put_in_before_a_run_ended_early_is_read_once_by_the_next(end: str) -> None:
    def look(ctx: ToolContext) -> ToolOutput:
        agent.inbox().push("Also the README.")
        if end == "stop":
            agent.stop()
        return ToolOutput("Seen.")

    agent = Agent(AgentConfig(max_tool_rounds=1 if end == "limit" else 8), [Does("look", look)])
    first = Script([call("look")], RuntimeError("overloaded"))
    run(agent.prompt("Look", first, ignore))
    second = Script(["Done."])
    run(agent.resume(second, ignore))
    assert [message.content for message in second.saw[0]].count("Also the README.") == 1
