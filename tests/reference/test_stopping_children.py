"""Stopping a run in one of whose calls a child runs."""

from __future__ import annotations

import pytest

from reference import Aborted, Agent, Event, Model, ToolContext, ToolOutput
from reference.events import MessageEnd, Nested, ToolExecEnd
from tests.reference.fakes import Does, Gate, Script, answers, call, ignore, is_well_formed, names, run, waits


def delegates(child: Agent, model: Model, raised: list[BaseException]) -> Does:
    async def delegate(ctx: ToolContext) -> ToolOutput:
        try:
            reply = await ctx.run_child(child, "Find out", model)
        except Exception as error:
            raised.append(error)
            raise
        return ToolOutput(reply.content)

    return Does("delegate", delegate)


def test_stopping_the_parent_stops_the_child_and_run_child_raises_aborted() -> None:
    gate = Gate()
    events: list[Event] = []
    raised: list[BaseException] = []
    child = Agent(tools=[waits("wait", gate)])
    agent = Agent(tools=[delegates(child, Script([call("wait")]), raised)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), events.append))
        agent.stop()
        assert await task is None

    run(main())
    assert [type(error) for error in raised] == [Aborted]
    assert is_well_formed(child)
    assert is_well_formed(agent)
    last_of_child = [event for event in events if isinstance(event, Nested)][-1]
    assert names([last_of_child.event]) == ["AgentEnd"]
    after = names(events)[events.index(last_of_child) + 1 :]
    assert after == ["ToolExecEnd", "MessageStart", "MessageEnd", "TurnEnd", "AgentEnd"]


def test_stopping_the_parent_stops_a_grandchild_too() -> None:
    gate = Gate()
    raised: list[BaseException] = []
    grandchild = Agent()
    child = Agent(tools=[delegates(grandchild, Script([gate]), raised)])
    agent = Agent(tools=[delegates(child, Script([call("delegate")]), raised)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), ignore))
        assert [message.content for message in grandchild.messages] == ["Find out"]
        agent.stop()
        assert await task is None

    run(main())
    assert [type(error) for error in raised] == [Aborted, Aborted]
    assert is_well_formed(child)


def test_a_child_whose_model_never_waits_stops_with_its_parent() -> None:
    raised: list[BaseException] = []
    child = Agent(tools=[answers("look", "Seen.")])

    def sink(event: Event) -> None:
        if isinstance(event, Nested) and isinstance(event.event, ToolExecEnd):
            agent.stop()

    agent = Agent(tools=[delegates(child, Script([call("look")]), raised)])
    assert run(agent.prompt("Ask", Script([call("delegate")]), sink)) is None
    assert [type(error) for error in raised] == [Aborted]
    assert len(child.messages) == 3


def test_a_stopped_parent_that_runs_a_child_is_refused_and_the_child_is_untouched() -> None:
    events: list[Event] = []
    child = Agent()

    async def stop_and_delegate(ctx: ToolContext) -> ToolOutput:
        agent.stop()
        with pytest.raises(Aborted):
            await ctx.run_child(child, "Find out", Script())
        return ToolOutput("refused")

    agent = Agent(tools=[Does("delegate", stop_and_delegate)])
    run(agent.prompt("Ask", Script([call("delegate")]), events.append))
    assert "Nested" not in names(events)
    assert list(child.messages) == []


def test_a_tool_may_catch_aborted_and_answer_but_its_parent_stops_all_the_same() -> None:
    gate = Gate()

    async def delegate(ctx: ToolContext) -> ToolOutput:
        try:
            await ctx.run_child(Agent(), "Find out", Script([gate]))
        except Aborted:
            return ToolOutput("gave up")
        return ToolOutput("never")

    agent = Agent(tools=[Does("delegate", delegate)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), ignore))
        agent.stop()
        assert await task is None

    run(main())
    assert [message.content for message in agent.messages[2:]] == ["gave up"]


def test_a_child_answers_to_its_parents_flag_for_that_run_only() -> None:
    gate = Gate()
    child = Agent()
    agent = Agent(tools=[delegates(child, Script([gate]), [])])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), ignore))
        agent.stop()
        await task
        assert await child.prompt("And now?", Script(["Now I can."]), ignore) is not None
        assert await agent.resume(Script(["So can I."]), ignore) is not None

    run(main())


def test_the_parent_of_a_child_that_is_stopped_goes_on() -> None:
    gate = Gate()
    raised: list[BaseException] = []
    child = Agent()
    agent = Agent(tools=[delegates(child, Script([gate]), raised)])

    async def main() -> None:
        model = Script([call("delegate")], ["Nobody knows."])
        task = await gate.reached_by(agent.prompt("Ask", model, ignore))
        child.stop()
        assert await task is not None

    run(main())
    assert [type(error) for error in raised] == [Aborted]


def test_what_the_stopped_child_announced_is_its_conversation() -> None:
    gate = Gate()
    events: list[Event] = []
    child = Agent(tools=[waits("wait", gate)])
    agent = Agent(tools=[delegates(child, Script([call("wait"), call("wait")]), [])])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), events.append))
        agent.stop()
        await task

    run(main())
    nested = [event.event for event in events if isinstance(event, Nested)]
    assert [event.message for event in nested if isinstance(event, MessageEnd)] == list(child.messages)
