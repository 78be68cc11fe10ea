"""Stopping a run, from inside it, beside it and from another thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from reference import Agent, AgentConfig, Event, ToolContext, ToolOutput
from reference.events import AgentEnd, TurnEnd
from reference.stopping import StopFlag
from tests.reference.fakes import (
    Does,
    Gate,
    Script,
    answers,
    call,
    ignore,
    is_well_formed,
    names,
    run,
    starts,
    waits,
)


def test_outside_a_run_it_has_no_effect() -> None:
    agent = Agent()
    agent.stop()
    assert run(agent.prompt("Hello", Script(["Hello."]), ignore)) is not None
    agent.stop()
    assert run(agent.prompt("Hello", Script(["Hello."]), ignore)) is not None


def test_while_the_model_writes_what_it_has_written_is_dropped() -> None:
    gate = Gate()
    events: list[Event] = []
    agent = Agent()

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Hello", Script(["Hel", gate, "lo."]), events.append))
        agent.stop()
        assert await task is None

    run(main())
    assert names(events)[-2:] == ["MessageDelta", "AgentEnd"]
    assert [message.content for message in agent.messages] == ["Hello"]


@pytest.mark.parametrize("at", ["MessageDelta", "ContextBudget", "TurnStart", "MessageEnd", "AgentStart"])
def test_from_the_sink_before_the_answer_is_complete_it_is_dropped_and_the_model_is_closed(at: str) -> None:
    events: list[Event] = []
    agent = Agent()
    model = Script(["Hel", "lo."])

    def sink(event: Event) -> None:
        events.append(event)
        if names([event]) == [at]:
            agent.stop()

    assert run(agent.prompt("Hello", model, sink)) is None
    assert names(events)[-1] == "AgentEnd"
    assert names(events).count("AgentEnd") == 1
    assert [message.content for message in agent.messages] == ["Hello"]
    assert model.closed == len(model.saw)


def test_a_model_that_swallows_the_stop_and_finishes_is_not_heard() -> None:
    gate = Gate()

    class Stubborn:
        async def generate(self, *request: object) -> AsyncIterator[str]:
            try:
                await gate.wait()
            except asyncio.CancelledError:
                yield "I was not finished."

    events: list[Event] = []
    agent = Agent()

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Hello", Stubborn(), events.append))
        agent.stop()
        assert await task is None

    run(main())
    assert names(events)[-2:] == ["ContextBudget", "AgentEnd"]


def test_a_model_that_fails_because_of_the_stop_is_not_said_to_have_failed() -> None:
    def gives_up() -> None:
        agent.stop()
        raise RuntimeError("connection closed")

    events: list[Event] = []
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hel", gives_up]), events.append))
    assert "Error" not in names(events)


def test_during_a_tool_every_call_of_the_turn_gets_a_result_and_the_turn_ends() -> None:
    gate = Gate()
    events: list[Event] = []
    look = answers("look", "Seen.")
    agent = Agent(tools=[look, waits("wait", gate)])

    async def main() -> None:
        model = Script([call("look"), call("wait"), call("look")])
        task = await gate.reached_by(agent.prompt("Go", model, events.append))
        agent.stop()
        assert await task is None

    run(main())
    results = agent.messages[2:]
    outcomes = [message.tool_result for message in results if message.tool_result is not None]
    assert [outcome.is_error for outcome in outcomes] == [False, True, True]
    assert is_well_formed(agent)
    assert len(look.executed) == 1
    at = names(events).index("ToolExecEnd", names(events).index("ToolExecEnd") + 1)
    assert names(events)[at:] == ["ToolExecEnd", *["MessageStart", "MessageEnd"] * 2, "TurnEnd", "AgentEnd"]
    assert events[-2] == TurnEnd(agent.messages[1], tuple(results))
    assert events[-1] == AgentEnd(tuple(agent.messages[1:]))


def test_from_a_tool_its_own_answer_is_kept_and_no_later_call_is_executed() -> None:
    def stop_and_answer(ctx: ToolContext) -> ToolOutput:
        agent.stop()
        return ToolOutput("done")

    look = answers("look", "Seen.")
    agent = Agent(tools=[Does("last", stop_and_answer), look])
    model = Script([call("last"), call("look")])
    assert run(agent.prompt("Go", model, ignore)) is None
    assert agent.messages[2].content == "done"
    assert look.executed == []
    assert is_well_formed(agent)


def test_a_tool_may_swallow_it_and_answer_but_the_run_stops_all_the_same() -> None:
    gate = Gate()

    async def finish_up(ctx: ToolContext) -> ToolOutput:
        try:
            await gate.wait()
        except asyncio.CancelledError:
            return ToolOutput("half of it")
        return ToolOutput("never")

    agent = Agent(tools=[Does("work", finish_up)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("work")]), ignore))
        agent.stop()
        assert await task is None

    run(main())
    assert agent.messages[2].content == "half of it"
    assert len(agent.messages) == 3


def test_while_a_call_waits_for_approval_it_is_not_executed() -> None:
    async def approve(made: object) -> str | None:
        agent.stop()
        return None

    events: list[Event] = []
    look = answers("look", "Seen.")
    agent = Agent(tools=[look], approve=approve)
    run(agent.prompt("Go", Script([call("look")]), events.append))
    assert look.executed == []
    assert is_well_formed(agent)
    assert names(events)[-4:] == ["MessageStart", "MessageEnd", "TurnEnd", "AgentEnd"]


def test_a_stopped_turn_does_not_pause_and_leaves_its_placeholder_pending() -> None:
    def start_and_stop(ctx: ToolContext) -> ToolOutput:
        agent.stop()
        return ToolOutput.pending("Started.")

    events: list[Event] = []
    agent = Agent(AgentConfig(pause_on_pending=True), [Does("report", start_and_stop)])
    run(agent.prompt("Go", Script([call("report")]), events.append))
    assert "Paused" not in names(events)
    assert len(agent.pending_calls()) == 1


def test_after_it_the_next_run_finds_nothing_to_mark_and_goes_on() -> None:
    gate = Gate()
    events: list[Event] = []
    agent = Agent(tools=[waits("wait", gate)])

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Go", Script([call("wait")]), ignore))
        agent.stop()
        await task
        assert await agent.resume(Script(["I was stopped."]), events.append) is not None

    run(main())
    assert "Warning" not in names(events)


def test_stopping_twice_is_stopping_once() -> None:
    gate = Gate()
    events: list[Event] = []
    agent = Agent()

    async def main() -> None:
        task = await gate.reached_by(agent.prompt("Hello", Script([gate]), events.append))
        agent.stop()
        agent.stop()
        assert await task is None
        assert await agent.prompt("Hello", Script(["Hello."]), ignore) is not None

    run(main())
    assert names(events).count("AgentEnd") == 1


def test_it_works_from_another_thread() -> None:
    events: list[Event] = []
    agent = Agent()
    is_writing = threading.Event()

    def wait_and_stop() -> None:
        is_writing.wait()
        agent.stop()

    thread = threading.Thread(target=wait_and_stop)
    thread.start()
    reply = run(agent.prompt("Hello", Script(["Hel", is_writing.set, Gate(), "lo."]), events.append))
    thread.join()
    assert reply is None
    assert names(events)[-1] == "AgentEnd"


def test_a_flag_whose_loop_has_been_closed_can_still_be_set() -> None:
    async def nothing() -> None:
        pass

    flag = StopFlag()
    run(flag.guard(nothing()))
    flag.set()
    assert flag.is_set()


def test_a_turn_with_only_a_placeholder_is_complete_when_it_is_stopped_at_its_end() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report")])

    def sink(event: Event) -> None:
        events.append(event)
        if isinstance(event, TurnEnd):
            agent.stop()

    run(agent.prompt("Run it", Script([call("report")]), sink))
    assert names(events)[-2:] == ["TurnEnd", "AgentEnd"]
    assert names(events).count("TurnEnd") == 1
