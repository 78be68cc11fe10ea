"""What a run does when a tool, the model or the host does not do as hoped."""

from __future__ import annotations

import asyncio

import pytest

from reference import Agent, AgentConfig, Busy, Event, ToolCall, ToolContext, ToolOutput
from reference.events import (
    Error,
    MessageEnd,
    MessageStart,
    ToolDenied,
    ToolExecEnd,
    ToolExecStart,
    Warning,
)
from tests.reference.fakes import Does, Gate, Script, answers, call, ignore, names, run, starts


def test_prompt_answers_with_the_final_reply() -> None:
    agent = Agent(tools=[answers("look", "Seen.")])
    reply = run(agent.prompt("Look", Script([call("look")], ["I have looked."]), ignore))
    assert reply == agent.messages[-1]


def fails(ctx: ToolContext) -> ToolOutput:
    raise OSError("disk full")


async def waits_for_something_cancelled(ctx: ToolContext) -> ToolOutput:
    job = asyncio.create_task(asyncio.Event().wait())
    job.cancel()
    await job
    return ToolOutput("never")


@pytest.mark.parametrize(
    "tool, text",
    [(fails, "disk full"), (waits_for_something_cancelled, "CancelledError")],
    ids=["raises", "waits for a job that somebody cancelled"],
)
def test_a_tool_that_fails_gives_an_error_result_and_the_run_goes_on(tool: object, text: str) -> None:
    events: list[Event] = []
    agent = Agent(tools=[Does("save", tool)])  # type: ignore[arg-type]
    model = Script([call("save")], ["It could not be saved."])
    reply = run(agent.prompt("Save", model, events.append))
    assert reply is not None
    assert ToolExecEnd("msg-2-call-1", "save", ToolOutput(text, is_error=True)) in events
    failed = model.saw[1][-1].tool_result
    assert failed is not None
    assert failed.is_error
    assert failed.content == text


def test_a_call_of_a_tool_that_does_not_exist_gives_an_error_result_and_the_run_goes_on() -> None:
    events: list[Event] = []
    agent = Agent()
    model = Script([call("sing")], ["I cannot sing."])
    reply = run(agent.prompt("Sing", model, events.append))
    assert reply is not None
    failed = model.saw[1][-1].tool_result
    assert failed is not None
    assert failed.is_error
    assert "sing" in failed.content
    assert {"ToolExecStart", "ToolExecEnd"} <= set(names(events))


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="look"):
        Agent(tools=[answers("look", "a"), answers("look", "b")])


# The approval hook.


async def refuses_writing(made: ToolCall) -> str | None:
    return "not today" if made.name == "write" else None


async def breaks(made: ToolCall) -> str | None:
    raise RuntimeError("nobody there")


def test_a_refused_call_gives_tool_denied_and_an_error_result_and_is_not_executed() -> None:
    events: list[Event] = []
    write, look = answers("write", "Written."), answers("look", "Seen.")
    agent = Agent(tools=[write, look], approve=refuses_writing)
    run(agent.prompt("Go", Script([call("write"), call("look")], ["Well."]), events.append))
    denied = agent.messages[2]
    at = events.index(ToolDenied("msg-2-call-1", "write", "not today"))
    assert events[at + 1 : at + 4] == [
        MessageStart(denied),
        MessageEnd(denied),
        ToolExecStart("msg-2-call-2", "look", {}),
    ]
    assert denied.tool_result is not None
    assert denied.tool_result.is_error
    assert "not today" in denied.content
    assert write.executed == []
    assert len(look.executed) == 1


def test_a_hook_that_fails_has_not_approved() -> None:
    events: list[Event] = []
    look = answers("look", "Seen.")
    agent = Agent(tools=[look], approve=breaks)
    run(agent.prompt("Go", Script([call("look")], ["Well."]), events.append))
    assert look.executed == []
    [denied] = [event for event in events if isinstance(event, ToolDenied)]
    assert "nobody there" in denied.reason


# The model.


def test_a_failing_model_gives_error_and_agent_end_and_prompt_answers_with_nothing() -> None:
    events: list[Event] = []
    reply = run(Agent().prompt("Hello", Script(RuntimeError("overloaded")), events.append))
    assert reply is None
    assert events[-2] == Error("overloaded")
    assert names(events)[-2:] == ["Error", "AgentEnd"]


def test_a_model_that_fails_in_the_middle_of_its_answer_leaves_none_of_it() -> None:
    def breaks_off() -> None:
        raise RuntimeError("connection lost")

    events: list[Event] = []
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hel", breaks_off]), events.append))
    assert [message.role for message in agent.messages] == ["user"]
    assert names(events)[-3:] == ["MessageDelta", "Error", "AgentEnd"]


def test_after_a_failure_the_results_are_kept_and_the_run_can_be_taken_up_again() -> None:
    look = answers("look", "Seen.")
    agent = Agent(tools=[look])
    run(agent.prompt("Look", Script([call("look")], RuntimeError("overloaded")), ignore))
    assert agent.needs_reply()
    model = Script(["I have looked."])
    reply = run(agent.resume(model, ignore))
    assert reply is not None
    assert model.saw[0][-1].content == "Seen."
    assert len(look.executed) == 1


# The limit of rounds.


def test_too_many_tool_rounds_give_a_warning_and_agent_end() -> None:
    events: list[Event] = []
    agent = Agent(AgentConfig(max_tool_rounds=2), [answers("look", "Seen.")])
    model = Script([call("look")], [call("look")])
    reply = run(agent.prompt("Look", model, events.append))
    assert reply is None
    assert isinstance(events[-2], Warning)
    assert names(events)[-3:] == ["TurnEnd", "Warning", "AgentEnd"]
    assert len(agent.messages) == 5


def test_the_next_run_has_rounds_of_its_own() -> None:
    agent = Agent(AgentConfig(max_tool_rounds=2), [answers("look", "Seen.")])
    run(agent.prompt("Look", Script([call("look")], [call("look")]), ignore))
    reply = run(agent.resume(Script([call("look")], ["I have looked."]), ignore))
    assert reply is not None


def test_there_are_eight_rounds_unless_the_host_says_otherwise() -> None:
    look = answers("look", "Seen.")
    agent = Agent(tools=[look])
    run(agent.prompt("Look", Script(*[[call("look")]] * 8), ignore))
    assert len(look.executed) == 8


def test_a_run_that_may_take_no_round_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        AgentConfig(max_tool_rounds=0)


# One run at a time.


def test_an_agent_that_runs_is_busy_and_neither_run_is_harmed() -> None:
    events: list[Event] = []
    agent = Agent()

    async def two() -> None:
        gate = Gate()
        first = await gate.reached_by(agent.prompt("One", Script([gate, "One."]), ignore))
        with pytest.raises(Busy):
            await agent.prompt("Two", Script(), events.append)
        with pytest.raises(Busy):
            await agent.resume(Script(), events.append)
        gate.open()
        assert await first is not None

    run(two())
    assert events == []
    assert [message.content for message in agent.messages] == ["One", "One."]


def test_two_agents_run_side_by_side() -> None:
    async def both() -> None:
        gate = Gate()
        one, two = Agent(), Agent()
        first = await gate.reached_by(one.prompt("One", Script([gate, "One."]), ignore))
        await two.prompt("Two", Script([gate.open, "Two."]), ignore)
        await first
        assert [message.content for message in one.messages] == ["One", "One."]
        assert [message.content for message in two.messages] == ["Two", "Two."]

    run(both())


def test_a_sink_that_raises_ends_the_run_and_the_agent_can_run_again() -> None:
    class Broken(Exception):
        pass

    def sink(event: Event) -> None:
        if names([event]) == ["MessageDelta"]:
            raise Broken

    agent = Agent()
    with pytest.raises(Broken):
        run(agent.prompt("Hello", Script(["Hello."]), sink))
    assert run(agent.resume(Script(["Hello."]), ignore)) is not None


def test_the_messages_are_a_view_that_grows_and_cannot_be_written_to() -> None:
    agent = Agent(tools=[starts("report")])
    view = agent.messages
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    assert len(view) == 4
    assert view[-1] == list(view)[-1] == next(reversed(view))
    assert view[1:3] == list(view)[1:3]
    assert not hasattr(view, "append")
    with pytest.raises(TypeError):
        view[0] = view[1]  # type: ignore[index]
