"""The document's "Child agents"."""

from __future__ import annotations

import asyncio

import pytest

from reference import (
    Aborted,
    Agent,
    AgentConfig,
    Busy,
    EmptyPrompt,
    Event,
    Message,
    Model,
    NoReply,
    ToolContext,
    ToolOutput,
)
from reference.events import Nested, ToolExecEnd
from tests.reference.fakes import Does, Gate, Script, answers, call, ignore, names, run, starts


def delegates(child: Agent, model: Model, name: str = "delegate") -> Does:
    """A tool that sends the child on its way, and answers with its reply."""

    async def delegate(ctx: ToolContext) -> ToolOutput:
        reply = await ctx.run_child(child, "Find out", model)
        return ToolOutput(reply.content)

    return Does(name, delegate)


def inside(events: list[Event], call_id: str) -> list[Event]:
    return [event.event for event in events if isinstance(event, Nested) and event.tool_call_id == call_id]


def test_the_tool_is_answered_with_the_childs_reply() -> None:
    model = Script([call("delegate")], ["Well."])
    agent = Agent(tools=[delegates(Agent(), Script(["Found."]))])
    run(agent.prompt("Ask", model, ignore))
    assert model.saw[1][-1].content == "Found."


def test_the_childs_events_come_while_it_runs() -> None:
    events: list[Event] = []
    so_far: list[list[str]] = []
    child_model = Script(["Fo", lambda: so_far.append(names(inside(events, "msg-2-call-1"))), "und."])
    agent = Agent(tools=[delegates(Agent(), child_model)])
    run(agent.prompt("Ask", Script([call("delegate")], ["Well."]), events.append))
    assert so_far[0][-2:] == ["ContextBudget", "MessageDelta"]


def test_a_grandchilds_events_come_nested_twice_each_level_with_its_own_call() -> None:
    events: list[Event] = []
    parent = Script([call("look"), call("delegate")], ["Well."])
    child_model = Script([call("delegate")], ["Asked."])
    child = Agent(tools=[delegates(Agent(), Script(["Found."]))])
    agent = Agent(tools=[delegates(child, child_model), answers("look", "Seen.")])
    run(agent.prompt("Ask", parent, events.append))
    twice = inside(inside(events, "msg-2-call-2"), "msg-2-call-1")
    assert names(twice)[0] == "AgentStart"
    assert names(twice)[-1] == "AgentEnd"
    assert ToolExecEnd("msg-2-call-1", "delegate", ToolOutput("Found.")) in inside(events, "msg-2-call-2")


def test_two_children_of_one_turn_are_told_apart_by_their_calls() -> None:
    events: list[Event] = []
    agent = Agent(
        tools=[
            delegates(Agent(), Script(["One."]), "first"),
            delegates(Agent(), Script(["Two."]), "second"),
        ]
    )
    run(agent.prompt("Ask both", Script([call("first"), call("second")], ["Well."]), events.append))
    replies = {
        made.name: [event for event in inside(events, made.id) if names([event]) == ["MessageEnd"]][-1]
        for made in agent.messages[1].tool_calls
    }
    assert replies["first"].to_json()["message"]["content"] == "One."  # type: ignore[index,call-overload]
    assert replies["second"].to_json()["message"]["content"] == "Two."  # type: ignore[index,call-overload]


def test_a_child_keeps_its_conversation_for_a_follow_up_in_another_call() -> None:
    events: list[Event] = []
    child, child_model = Agent(), Script(["Found."], ["More."])
    agent = Agent(tools=[delegates(child, child_model)])
    run(agent.prompt("Ask", Script([call("delegate")], ["Well."]), ignore))
    run(agent.prompt("Ask again", Script([call("delegate")], ["Well."]), events.append))
    assert [message.content for message in child_model.saw[1]] == ["Find out", "Found.", "Find out"]
    again = agent.messages[5].tool_calls[0]
    assert {event.tool_call_id for event in events if isinstance(event, Nested)} == {again.id}


def test_neither_conversation_enters_the_other() -> None:
    child, child_model = Agent(), Script(["Found."])
    agent = Agent(tools=[delegates(child, child_model)])
    run(agent.prompt("Ask", Script([call("delegate")], ["Well."]), ignore))
    assert [message.content for message in child.messages] == ["Find out", "Found."]
    assert [message.role for message in agent.messages] == ["user", "assistant", "tool_result", "assistant"]


def test_the_childs_pending_calls_are_its_own() -> None:
    child = Agent(tools=[starts("report")])
    agent = Agent(tools=[delegates(child, Script([call("report")], ["It has started."]))])
    run(agent.prompt("Ask", Script([call("delegate")], ["Well."]), ignore))
    assert len(child.pending_calls()) == 1
    assert agent.pending_calls() == ()


def test_a_child_in_the_background_does_not_hold_its_parent_and_replies_through_the_inbox() -> None:
    async def main() -> None:
        gate = Gate()
        jobs: list[asyncio.Task[None]] = []
        child, child_model = Agent(), Script([gate, "Found."])

        async def work(call_id: str) -> None:
            reply = await child.prompt("Find out", child_model, ignore)
            if reply is not None:
                agent.inbox().resolve(call_id, reply.content)

        def start(ctx: ToolContext) -> ToolOutput:
            jobs.append(asyncio.create_task(work(ctx.call_id)))
            return ToolOutput.pending("Somebody is looking.")

        agent = Agent(tools=[Does("start", start)])
        events: list[Event] = []
        await agent.prompt("Ask", Script([call("start")], ["Somebody is looking."]), events.append)
        assert "Nested" not in names(events)
        gate.open()
        await jobs[0]
        model = Script(["Here it is."])
        await agent.resume(model, ignore)
        assert model.saw[0][-1].content.endswith("Found.")

    run(main())


# Children that give no reply.


def what_run_child_raises(child: Agent, model: Model, prompt: str = "Find out") -> BaseException | None:
    raised: list[BaseException] = []

    async def delegate(ctx: ToolContext) -> ToolOutput:
        try:
            await ctx.run_child(child, prompt, model)
        except Exception as error:
            raised.append(error)
            raise
        return ToolOutput("found")

    agent = Agent(tools=[Does("delegate", delegate)])
    reply = run(agent.prompt("Ask", Script([call("delegate")], ["Well."]), ignore))
    assert reply is not None
    result = agent.messages[2].tool_result
    assert result is not None
    assert result.is_error == bool(raised)
    return raised[0] if raised else None


@pytest.mark.parametrize("why", ["paused", "failed", "limited"])
def test_a_child_that_pauses_fails_or_reaches_its_limit_is_an_error_of_its_tool_only(why: str) -> None:
    child = Agent(AgentConfig(pause_on_pending=why == "paused", max_tool_rounds=1), [starts("report")])
    model = Script(RuntimeError("overloaded")) if why == "failed" else Script([call("report")])
    assert isinstance(what_run_child_raises(child, model), NoReply)


def test_a_child_cannot_be_given_an_empty_prompt() -> None:
    assert isinstance(what_run_child_raises(Agent(), Script(), prompt=""), EmptyPrompt)


def test_a_child_that_stops_itself_aborts_and_its_parent_goes_on() -> None:
    child = Agent()
    error = what_run_child_raises(child, Script(["Fo", child.stop, "und."]))
    assert isinstance(error, Aborted)
    assert [message.content for message in child.messages] == ["Find out"]


def test_an_agent_cannot_be_its_own_child() -> None:
    raised: list[BaseException] = []

    async def delegate(ctx: ToolContext) -> ToolOutput:
        with pytest.raises(Busy) as error:
            await ctx.run_child(agent, "Find out", Script())
        raised.append(error.value)
        return ToolOutput("no")

    agent = Agent(tools=[Does("delegate", delegate)])
    run(agent.prompt("Ask", Script([call("delegate")], ["Well."]), ignore))
    assert len(raised) == 1


def test_two_children_may_run_at_once_inside_one_call() -> None:
    events: list[Event] = []

    async def ask_both(ctx: ToolContext) -> ToolOutput:
        replies: tuple[Message, ...] = await asyncio.gather(
            ctx.run_child(Agent(), "One?", Script(["One."])), ctx.run_child(Agent(), "Two?", Script(["Two."]))
        )
        return ToolOutput(" ".join(reply.content for reply in replies))

    agent = Agent(tools=[Does("both", ask_both)])
    run(agent.prompt("Ask", Script([call("both")], ["Well."]), events.append))
    assert agent.messages[2].content == "One. Two."
    assert names(inside(events, "msg-2-call-1")).count("AgentEnd") == 2


# A context that is kept for longer than its call.


def test_after_its_call_a_context_reports_no_progress_and_runs_no_child() -> None:
    kept: list[ToolContext] = []
    events: list[Event] = []

    def keep(ctx: ToolContext) -> ToolOutput:
        kept.append(ctx)
        return ToolOutput("kept")

    async def use_it_late(ctx: ToolContext) -> ToolOutput:
        kept[0].update("too late")
        with pytest.raises(Aborted):
            await kept[0].run_child(Agent(), "Find out", Script())
        return ToolOutput("refused")

    agent = Agent(tools=[Does("keep", keep), Does("late", use_it_late)])
    reply = run(agent.prompt("Go", Script([call("keep"), call("late")], ["Well."]), events.append))
    assert reply is not None
    assert "ToolExecUpdate" not in names(events)
    assert "Nested" not in names(events)
    assert agent.messages[3].content == "refused"
