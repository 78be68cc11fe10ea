"""The document's "Event sequences", and the order of events in any run."""

from __future__ import annotations

from typing import TypeVar

from reference import Agent, AgentConfig, Event, Message, ToolContext, ToolOutput, Usage
from reference.events import (
    AgentEnd,
    AgentStart,
    ContextBudget,
    GenerationStats,
    MessageDelta,
    MessageEnd,
    MessageStart,
    Nested,
    Paused,
    ToolExecEnd,
    ToolExecStart,
    ToolExecUpdate,
    ToolResolved,
    TurnEnd,
    TurnStart,
)
from tests.reference.fakes import Does, Script, answers, call, ignore, names, run, starts

E = TypeVar("E", bound=Event)


def only(kind: type[E], events: list[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def test_a_pending_call_with_the_model_answering_around_it() -> None:
    events: list[Event] = []
    agent = Agent(tools=[starts("report", "Job 7 has begun.")])
    run(agent.prompt("Run it", Script([call("report")], ["It is under way."]), events.append))
    user, calling, placeholder, reply = agent.messages
    made = calling.tool_calls[0]
    assert [event for event in events if not isinstance(event, (ContextBudget, GenerationStats))] == [
        AgentStart(),
        MessageStart(user),
        MessageEnd(user),
        TurnStart(),
        MessageEnd(calling),
        ToolExecStart(made.id, "report", {}),
        ToolExecEnd(made.id, "report", ToolOutput.pending("Job 7 has begun.")),
        MessageStart(placeholder),
        MessageEnd(placeholder),
        TurnEnd(calling, (placeholder,)),
        TurnStart(),
        *only(MessageDelta, events),
        MessageEnd(reply),
        TurnEnd(reply, ()),
        AgentEnd((calling, placeholder, reply)),
    ]


def test_the_same_with_pause_on_pending() -> None:
    events: list[Event] = []
    agent = Agent(AgentConfig(pause_on_pending=True), [starts("report", "Job 7 has begun.")])
    run(agent.prompt("Run it", Script([call("report")]), events.append))
    _, calling, placeholder = agent.messages
    made = calling.tool_calls[0]
    assert events[events.index(MessageEnd(calling)) :] == [
        MessageEnd(calling),
        ToolExecStart(made.id, "report", {}),
        ToolExecEnd(made.id, "report", ToolOutput.pending("Job 7 has begun.")),
        MessageStart(placeholder),
        MessageEnd(placeholder),
        TurnEnd(calling, (placeholder,)),
        Paused((made,)),
        AgentEnd((calling, placeholder)),
    ]


def test_resolve_followed_by_resume() -> None:
    agent = Agent(tools=[starts("report")])
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    [pending] = agent.pending_calls()
    agent.inbox().resolve(pending.id, "Done.")
    events: list[Event] = []
    run(agent.resume(Script(["It is ", "done."]), events.append))
    late, reply = agent.messages[4:]
    assert events == [
        AgentStart(),
        ToolResolved(pending.id, "report", ToolOutput("Done.")),
        MessageStart(late),
        MessageEnd(late),
        TurnStart(),
        *only(ContextBudget, events),
        *only(MessageDelta, events),
        *only(GenerationStats, events),
        MessageEnd(reply),
        TurnEnd(reply, ()),
        AgentEnd((late, reply)),
    ]
    assert [delta.delta for delta in only(MessageDelta, events)] == ["It is ", "done."]
    assert len(only(ContextBudget, events)) == len(only(GenerationStats, events)) == 1


def test_a_child_run_inside_a_tool_call() -> None:
    async def delegate(ctx: ToolContext) -> ToolOutput:
        reply = await ctx.run_child(Agent(), "Find out", Script(["Found."]))
        return ToolOutput(reply.content)

    events: list[Event] = []
    agent = Agent(tools=[Does("delegate", delegate)])
    run(agent.prompt("Ask somebody", Script([call("delegate")], ["Well."]), events.append))
    start = names(events).index("ToolExecStart")
    end = names(events).index("ToolExecEnd")
    inside = events[start + 1 : end]
    assert all(isinstance(event, Nested) and event.tool_call_id == "msg-2-call-1" for event in inside)
    assert names(event.event for event in only(Nested, inside)) == [
        "AgentStart",
        "MessageStart",
        "MessageEnd",
        "TurnStart",
        "ContextBudget",
        "MessageDelta",
        "GenerationStats",
        "MessageEnd",
        "TurnEnd",
        "AgentEnd",
    ]
    assert events[end] == ToolExecEnd("msg-2-call-1", "delegate", ToolOutput("Found."))


def test_the_calls_of_a_turn_run_in_call_order_each_group_complete_before_the_next() -> None:
    def work(ctx: ToolContext) -> ToolOutput:
        ctx.update("half")
        return ToolOutput("done")

    events: list[Event] = []
    agent = Agent(tools=[Does("work", work)])
    run(agent.prompt("Go", Script([call("work"), call("work")], ["Done."]), events.append))
    group = ["ToolExecStart", "ToolExecUpdate", "ToolExecEnd", "MessageStart", "MessageEnd"]
    start = names(events).index("ToolExecStart")
    assert names(events)[start : start + 11] == [*group, *group, "TurnEnd"]
    assert only(ToolExecUpdate, events) == [
        ToolExecUpdate("msg-2-call-1", "work", "half"),
        ToolExecUpdate("msg-2-call-2", "work", "half"),
    ]


def test_the_deltas_of_an_answer_add_up_to_it_and_an_empty_piece_is_none() -> None:
    events: list[Event] = []
    agent = Agent()
    run(agent.prompt("Hello", Script(["Hel", "", "lo."]), events.append))
    deltas = only(MessageDelta, events)
    assert [delta.delta for delta in deltas] == ["Hel", "lo."]
    assert [delta.tokens_generated for delta in deltas] == [1, 2]
    assert agent.messages[-1].content == "Hello."


def test_each_answer_has_its_stats_by_the_models_own_count_where_it_has_one() -> None:
    ticks = iter(range(100))
    events: list[Event] = []
    agent = Agent(timer=lambda: float(next(ticks)))
    run(agent.prompt("Hello", Script(["Hel", "lo.", Usage(12, 30)]), events.append))
    assert only(GenerationStats, events) == [
        GenerationStats(30, 12, tokens_per_sec=7.5, time_to_first_token_ms=1000, generation_time_ms=4000)
    ]
    assert agent.messages[-1].token_count == 30


def test_without_the_models_count_every_piece_counts_as_a_token() -> None:
    ticks = iter(range(100))
    events: list[Event] = []
    agent = Agent(timer=lambda: float(next(ticks)))
    run(agent.prompt("Hello", Script(["Hel", "lo."]), events.append))
    [budget], [stats] = only(ContextBudget, events), only(GenerationStats, events)
    assert (stats.tokens_generated, stats.prompt_tokens) == (2, budget.used_tokens)
    assert agent.messages[-1].token_count is None


def test_the_context_budget_is_that_of_the_conversation_the_model_is_given() -> None:
    events: list[Event] = []
    agent = Agent(AgentConfig(max_context_tokens=1000))
    agent.replace_messages([Message("msg-1", "user", "x" * 400, 0, token_count=150)])
    run(agent.prompt("y" * 40, Script(["Hello."]), events.append))
    assert only(ContextBudget, events) == [ContextBudget(161, 1000, 2, 0)]


def test_a_message_has_the_time_at_which_it_was_made() -> None:
    agent = Agent(clock=lambda: 1_700_000_000.5)
    run(agent.prompt("Hello", Script(["Hello."]), ignore))
    assert [message.timestamp for message in agent.messages] == [1_700_000_000_500] * 2


def test_whoever_keeps_the_messages_that_were_announced_has_the_conversation_at_every_event() -> None:
    kept: list[Message] = []
    moments = 0

    def sink(event: Event) -> None:
        nonlocal moments
        if isinstance(event, MessageEnd):
            kept.append(event.message)
        assert kept == list(agent.messages)
        moments += 1

    agent = Agent(tools=[starts("report"), answers("look", "Seen.")])
    inbox = agent.inbox()
    run(agent.prompt("Go", Script([call("look"), call("report")], ["Well."]), sink))
    inbox.push("And?")
    inbox.resolve(agent.pending_calls()[0].id, "Done.")
    run(agent.resume(Script([lambda: inbox.push("Really?"), "Yes."], [call("gone")], ["Yes."]), sink))
    run(agent.prompt("Go on", Script([call("look"), agent.stop, call("report")]), sink))
    run(agent.prompt("Go on", Script(RuntimeError("overloaded")), sink))
    assert moments > 50


def test_the_dangling_calls_of_a_restored_conversation_are_announced_like_all_else() -> None:
    agent = Agent(tools=[answers("look", "Seen.")])
    run(agent.prompt("Go", Script([call("look"), call("look")], ["Well."]), ignore))
    kept = list(agent.messages)[:3]
    agent.replace_messages(kept)

    def sink(event: Event) -> None:
        if isinstance(event, MessageEnd):
            kept.append(event.message)
        assert kept == list(agent.messages)

    run(agent.prompt("Go on", Script(["Well."]), sink))
    assert len(kept) == 6


def test_the_system_prompt_is_given_to_the_model_and_is_no_message() -> None:
    model = Script(["Hello."])
    agent = Agent(AgentConfig("Be brief."))
    run(agent.prompt("Hello", model, ignore))
    assert model.system_prompts == ["Be brief."]
    assert [message.role for message in model.saw[0]] == ["user"]
