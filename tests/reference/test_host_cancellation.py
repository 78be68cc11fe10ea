"""A host that cancels the task in which it awaits a run: to the agent it is as if the process had died."""

from __future__ import annotations

import asyncio

import pytest

from reference import Agent, Event, ToolContext, ToolOutput
from reference.events import TurnEnd
from tests.reference.fakes import Does, Gate, Script, answers, call, ignore, names, run, waits


def test_the_cancellation_reaches_the_host_and_the_conversation_stays_as_it_stands() -> None:
    gate = Gate()
    events: list[Event] = []
    agent = Agent(tools=[waits("wait", gate)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("wait")]), events.append))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert names(events)[-1] == "ToolExecStart"
    assert [message.role for message in agent.messages] == ["user", "assistant"]


def test_the_next_run_marks_what_it_left_undone_and_never_runs_it_again() -> None:
    gate = Gate()
    events: list[Event] = []
    wait = waits("wait", gate)
    agent = Agent(tools=[wait])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("wait")]), ignore))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await agent.resume(Script(["It was cut off."]), events.append) is not None

    run(main())
    assert names(events)[:4] == ["AgentStart", "Warning", "MessageStart", "MessageEnd"]
    assert len(wait.executed) == 1


def test_a_time_limit_of_the_hosts_is_such_a_cancellation() -> None:
    agent = Agent()

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await agent.prompt("Hello", Script([Gate()]), ignore)
        assert await agent.prompt("Hello", Script(["Hello."]), ignore) is not None

    run(main())


def test_the_tool_that_is_cut_off_has_ended_before_the_host_goes_on() -> None:
    gate, tidying = Gate(), Gate()

    async def work(ctx: ToolContext) -> ToolOutput:
        try:
            await gate.wait()
        finally:
            await tidying.wait()
        return ToolOutput("never")

    agent = Agent(tools=[Does("work", work)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("work")]), ignore))
        task.cancel()
        await tidying.reached()
        assert not task.done()
        tidying.open()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())


def test_it_goes_through_a_child_to_the_parents_host() -> None:
    gate = Gate()
    child = Agent()

    async def delegate(ctx: ToolContext) -> ToolOutput:
        await ctx.run_child(child, "Find out", Script([gate]))
        return ToolOutput("never")

    agent = Agent(tools=[Does("delegate", delegate)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), ignore))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await child.prompt("Again", Script(["Yes."]), ignore) is not None
        assert await agent.prompt("Again", Script(["Yes."]), ignore) is not None

    run(main())


def test_with_a_stop_as_well_the_run_is_wound_up_and_then_cancelled() -> None:
    gate = Gate()
    events: list[Event] = []
    agent = Agent(tools=[waits("wait", gate)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("wait")]), events.append))
        agent.stop()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert names(events)[-1] == "AgentEnd"
    assert len(agent.messages) == 3


def test_with_a_stop_of_a_child_as_well_the_parents_host_is_cancelled() -> None:
    gate = Gate()
    child = Agent()

    async def delegate(ctx: ToolContext) -> ToolOutput:
        await ctx.run_child(child, "Find out", Script([gate]))
        return ToolOutput("never")

    agent = Agent(tools=[Does("delegate", delegate)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Ask", Script([call("delegate")]), ignore))
        child.stop()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert [message.role for message in agent.messages] == ["user", "assistant"]


def test_one_that_a_tool_swallows_reaches_the_host_when_the_run_is_over() -> None:
    gate = Gate()

    async def swallow(ctx: ToolContext) -> ToolOutput:
        try:
            await gate.wait()
        except asyncio.CancelledError:
            return ToolOutput("what?")
        return ToolOutput("never")

    events: list[Event] = []
    agent = Agent(tools=[Does("swallow", swallow)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("swallow")], ["Done."]), events.append))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert names(events)[-1] == "AgentEnd"
    assert agent.messages[-1].content == "Done."


def test_one_that_comes_when_the_last_turn_has_just_ended_loses_nothing_of_it() -> None:
    agent = Agent(tools=[answers("look", "Seen.")])

    async def main() -> None:
        def sink(event: Event) -> None:
            if isinstance(event, TurnEnd) and not event.tool_results:
                asyncio.get_running_loop().call_soon(task.cancel)

        task = asyncio.create_task(agent.prompt("Go", Script([call("look")], ["Done."]), sink))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [message.content for message in agent.messages][2:] == ["Seen.", "Done."]
        assert await agent.prompt("More", Script(["More."]), ignore) is not None

    run(main())


def test_a_run_whose_coroutine_the_host_throws_away_stops_behind_it() -> None:
    events: list[Event] = []
    look = answers("look", "Seen.")
    gate = Gate()

    async def main() -> None:
        swallowed = asyncio.Event()

        async def swallow(ctx: ToolContext) -> ToolOutput:
            try:
                await gate.wait()
            except asyncio.CancelledError:
                ctx.update("still here")
                swallowed.set()
            return ToolOutput("what?")

        async def throw_away() -> None:
            work = agent.prompt("Go", Script([call("swallow"), call("look")]), events.append)
            work.send(None)
            await gate.reached()
            work.close()

        agent = Agent(tools=[Does("swallow", swallow), look])
        await throw_away()
        await swallowed.wait()

    run(main())
    assert look.executed == []
    assert "ToolExecUpdate" not in names(events)
