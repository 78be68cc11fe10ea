"""Plays for the checks of a run's stream: its brackets, its turns, what adds up in it, its fields."""

from __future__ import annotations

from conformance.scenario import Json
from conformance.transcript import Event
from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.plays import (
    ANSWERED,
    BUDGET,
    CALLING,
    DONE,
    EXECUTED,
    STATS,
    WARNING,
    Play,
    assistant,
    delta,
    event,
    executed,
    generation,
    late,
    nested,
    placeholder,
    result,
    run_of,
    said,
    start,
    stream,
    told,
    turn,
    user,
    without,
)

START = event("AgentStart")
END = event("AgentEnd", messages=[DONE])
TURN_START = event("TurnStart")
TURN_END = event("TurnEnd", message=DONE, tool_results=[])
PAUSED = event("Paused", pending=[{"id": "c1"}])
ERROR = event("Error", message="the model failed")
CACHE_HIT = event("CacheHit", key="of a type that nobody knows")
LATE = result("old", "out/")
PENDING = [start("c1"), event("ToolExecEnd", tool_call_id="c1", tool_name="report", result={"content": "…"})]


def answering(*turn_events: Event) -> Play:
    """A run with one turn, which answers."""
    return stream(START, *turn_events, END)


def with_late(*turn_events: Event) -> Play:
    """The same, with a late result that was read in it."""
    return stream(START, *turn_events, event("AgentEnd", messages=[LATE, DONE]))


def paused() -> list[Event]:
    """A run that pauses."""
    calls = [*PENDING, *told(placeholder("c1"))]
    return [START, *turn(CALLING, *calls), PAUSED, event("AgentEnd", messages=[CALLING, placeholder("c1")])]


def renamed(*started: Event, **fields: Json) -> list[Event]:
    """The events, with other fields in the message of the first."""
    first = started[0]
    message = first["message"]
    assert isinstance(message, dict)
    return [{**first, "message": {**message, **fields}}, *started[1:]]


def with_told(*events: Event) -> Play:
    """A run in which messages are told of."""
    return stream(*run_of(*events, *turn(DONE), messages=[DONE]))


U1, U2 = told(user("Go")), told(user("Hurry"))

HOLDS = (
    Holds("same-message", "a user's message", with_told(*U1)),
    Holds("same-message", "two that are begun before they are ended", with_told(U1[0], U2[0], U1[1], U2[1])),
    Holds("same-message", "a call's result", stream(*EXECUTED, c1="returns")),
    Holds("run-brackets", "a run from AgentStart to AgentEnd", stream(*ANSWERED)),
    Holds("run-brackets", "a run that pauses", stream(*paused(), c1="pending")),
    Holds("run-brackets", "an event of an unknown type before AgentStart", stream(CACHE_HIT, *ANSWERED)),
    Holds("run-brackets-always", "a run that was stopped", stream(START, END, ending="stopped")),
    Holds(
        "run-brackets-always",
        "a run whose model failed",
        stream(START, TURN_START, ERROR, END, ending="failed"),
    ),
    Holds(
        "run-brackets-always", "a run past its limit", stream(*ANSWERED[:-1], WARNING, END, ending="limited")
    ),
    Holds("turn-order", "a turn that answers", answering(*turn(DONE))),
    Holds("calling-turn-order", "a turn that calls", stream(*EXECUTED, c1="returns")),
    Holds(
        "deltas-add-up",
        "a text in two pieces",
        answering(TURN_START, BUDGET, delta("Do"), delta("ne."), STATS, said(DONE), TURN_END),
    ),
    Holds("stats-once", "one GenerationStats in each turn", stream(*EXECUTED, c1="returns")),
    Holds("agent-end-complete", "all that was added", stream(*EXECUTED, c1="returns")),
    Holds(
        "agent-end-complete",
        "a late result and the reply",
        stream(*run_of(*late("old", "out/"), *turn(DONE), messages=[LATE, DONE])),
    ),
    Holds("schema", "events with all their fields", stream(*EXECUTED, c1="returns")),
    Holds("schema", "more fields, and types that nobody knows", stream(*ANSWERED, event("Idle", seconds={}))),
    Holds("schema-background", "events with all their fields", stream(*EXECUTED, c1="returns")),
)

BREAKS = (
    Breaks("same-message", "another id at the start", with_told(*renamed(*U1, id="x")), "another id"),
    Breaks(
        "same-message", "another role at the start", with_told(*renamed(*U1, role="system")), "another role"
    ),
    Breaks(
        "same-message",
        "another id at the start of a result",
        stream(
            *run_of(
                *turn(
                    CALLING,
                    *executed("c1")[:2],
                    *renamed(*told(result("c1", "written")), id="result c1"),
                ),
                *turn(DONE),
                messages=[CALLING, result("c1", "written"), DONE],
            ),
            c1="returns",
        ),
        "another id",
    ),
    Breaks("run-brackets", "no AgentStart", stream(*ANSWERED[1:]), "begins with MessageStart (user)"),
    Breaks("run-brackets", "no AgentEnd", stream(*ANSWERED[:-1]), "ends with TurnEnd"),
    Breaks("run-brackets", "something after AgentEnd", stream(*ANSWERED, WARNING), "ends with Warning"),
    Breaks("run-brackets", "AgentStart twice", stream(START, *ANSWERED), "a second AgentStart"),
    Breaks(
        "run-brackets",
        "two runs in one",
        stream(*ANSWERED, *ANSWERED),
        "a second AgentEnd",
        too=("agent-end-complete",),
    ),
    Breaks("run-brackets", "no event at all", stream(), "emitted nothing"),
    Breaks(
        "run-brackets-always",
        "no AgentEnd of a failed run",
        stream(START, ERROR, ending="failed"),
        "ends with",
    ),
    Breaks("run-brackets-always", "no AgentEnd when stopped", stream(START, ending="stopped"), "ends with"),
    Breaks(
        "turn-order",
        "no TurnStart",
        stream(*without(ANSWERED, "TurnStart")),
        "has ContextBudget, expected TurnStart",
    ),
    Breaks(
        "turn-order",
        "no ContextBudget",
        stream(*without(ANSWERED, "ContextBudget")),
        "expected ContextBudget",
    ),
    Breaks(
        "turn-order",
        "no TurnEnd",
        stream(*without(ANSWERED, "TurnEnd")),
        "stops after MessageEnd (assistant)",
    ),
    Breaks(
        "turn-order",
        "no GenerationStats",
        stream(*without(ANSWERED, "GenerationStats")),
        "expected",
        too=("stats-once",),
    ),
    Breaks(
        "turn-order",
        "GenerationStats before the deltas",
        answering(TURN_START, BUDGET, STATS, delta("Done."), said(DONE), TURN_END),
        "has MessageDelta after GenerationStats, expected GenerationStats or MessageEnd of the assistant",
    ),
    Breaks(
        "turn-order",
        "no message",
        stream(START, TURN_START, BUDGET, delta("Done."), STATS, TURN_END, event("AgentEnd", messages=[])),
        "has TurnEnd after GenerationStats, expected",
    ),
    Breaks(
        "turn-order",
        "a MessageStart of the model's message",
        answering(TURN_START, BUDGET, delta("Done."), STATS, *told(DONE), TURN_END),
        "has MessageStart (assistant)",
    ),
    Breaks(
        "turn-order",
        "a wrong turn before a right one",
        stream(
            *run_of(
                *without(turn(assistant("A")), "ContextBudget"), *turn(DONE), messages=[assistant("A"), DONE]
            ),
        ),
        "expected ContextBudget",
    ),
    Breaks(
        "calling-turn-order",
        "a call before its message",
        stream(
            START,
            TURN_START,
            BUDGET,
            STATS,
            *executed("c1"),
            said(CALLING),
            TURN_END,
            *turn(DONE),
            event("AgentEnd", messages=[result("c1", "written"), CALLING, DONE]),
            c1="returns",
        ),
        "has ToolExecStart after GenerationStats",
    ),
    Breaks(
        "calling-turn-order",
        "no GenerationStats in a calling turn",
        stream(*EXECUTED[:5], *EXECUTED[6:], c1="returns"),
        "expected",
        too=("stats-once",),
    ),
    Breaks(
        "calling-turn-order",
        "TurnEnd twice",
        stream(START, *turn(DONE), TURN_END, END),
        "has TurnEnd, expected TurnStart",
    ),
    Breaks(
        "deltas-add-up",
        "a piece that is missing",
        answering(TURN_START, BUDGET, delta("Do"), STATS, said(DONE), TURN_END),
        "are not together the content",
    ),
    Breaks(
        "stats-once",
        "GenerationStats twice",
        answering(TURN_START, BUDGET, delta("Done."), STATS, STATS, said(DONE), TURN_END),
        "has 2 GenerationStats",
    ),
    Breaks(
        "agent-end-complete",
        "a missing result",
        stream(*run_of(*turn(CALLING, *executed("c1")), *turn(DONE), messages=[CALLING, DONE]), c1="returns"),
        "does not carry",
    ),
    Breaks(
        "agent-end-complete",
        "the reply before the late result",
        stream(*run_of(*late("old", "out/"), *turn(DONE), messages=[DONE, LATE])),
        "does not carry",
    ),
    Breaks(
        "schema",
        "no args in ToolExecStart",
        stream(START, event("ToolExecStart", tool_call_id="c", tool_name="report"), ending="crashed"),
        "ToolExecStart: the key 'args' is missing",
        too=("schema-background",),
    ),
    Breaks(
        "schema",
        "a nested event whose message is a text",
        Play().prompt().emit(START, start("c"), *nested("c", event("MessageEnd", message="Done."))),
        "Nested of MessageEnd: event.message",
        too=("schema-background",),
    ),
    Breaks(
        "schema-background",
        "no prompt_tokens",
        Play()
        .prompt()
        .emit(
            {key: value for key, value in STATS.items() if key != "prompt_tokens"},
            {**STATS, "prompt_tokens": 1},
        ),
        "GenerationStats: the key 'prompt_tokens' is missing",
    ),
)

STOPPED_IN_GENERATION: list[list[Event]] = [
    [START, TURN_START, BUDGET, delta("Do"), END],
    [START, TURN_START, BUDGET, delta("Do"), said(assistant("Do")), TURN_END, END],
    [START, TURN_START, TURN_END, said(assistant("Do")), END],
    [START, *turn(CALLING, start("c1"), *told(result("c1", "stopped", is_error=True))), END],
    [START, *turn(CALLING), *told(result("c1", "stopped", is_error=True)), END],
]


def messages(*produced: Json) -> Event:
    """AgentEnd with these messages."""
    return event("AgentEnd", messages=list(produced))


LEFT_OPEN = (
    LeftOpen(
        "-",
        "a message whose id is not there at the start",
        with_told(*renamed(*U1, id=None)),
        ("schema-background",),
    ),
    LeftOpen("3", "a user's message that is begun and not told of any further", with_told(U1[0], *U2)),
    LeftOpen(
        "-",
        "a start of the model's message, under an id that it does not keep",
        stream(*run_of(*renamed(*told(DONE)[:1], id="draft"), *turn(DONE), messages=[DONE])),
    ),
    LeftOpen("1", "a late result before the turn", with_late(*late("old", "out/"), *turn(DONE))),
    LeftOpen(
        "1",
        "a late result at the beginning of the turn",
        with_late(TURN_START, *late("old", "out/"), *turn(DONE)[1:]),
    ),
    LeftOpen(
        "1",
        "a late result and a pushed message in the middle of the turn",
        with_late(TURN_START, BUDGET, *late("old", "out/"), *told(user("Hurry")), WARNING, *turn(DONE)[2:]),
    ),
    LeftOpen(
        "1",
        "a late result before the TurnEnd of the final answer",
        stream(
            START,
            *generation(assistant("A")),
            *late("old", "out/"),
            TURN_END,
            *turn(DONE),
            messages(assistant("A"), LATE, DONE),
        ),
    ),
    LeftOpen(
        "1",
        "a late result inside a calling turn",
        stream(
            START,
            TURN_START,
            *late("old", "out/"),
            *turn(CALLING, *executed("c1"))[1:],
            *turn(DONE),
            messages(LATE, CALLING, result("c1", "written"), DONE),
            c1="returns",
        ),
    ),
    LeftOpen("1", "a pushed message without MessageStart", answering(said(user("Go")), *turn(DONE))),
    LeftOpen("9", "Paused at a final answer", answering(*turn(DONE), PAUSED)),
    LeftOpen(
        "12",
        "failed results of a restart that are announced and not carried",
        stream(*run_of(WARNING, *told(result("old", "failed", is_error=True)), *turn(DONE), messages=[DONE])),
    ),
    LeftOpen(
        "12",
        "failed results of a restart that are carried and not announced",
        stream(*run_of(WARNING, *turn(DONE), messages=[result("old", "failed", is_error=True), DONE])),
    ),
    LeftOpen(
        "15",
        "an empty answer without deltas",
        stream(*run_of(*turn(assistant("")), messages=[assistant("")])),
    ),
    LeftOpen("15", "an answer that was not streamed", stream(*without(ANSWERED, "MessageDelta"))),
    LeftOpen(
        "16",
        "a stopped run that emits nothing more",
        stream(START, TURN_START, ending="stopped"),
        ("run-brackets-always",),
    ),
    *(
        LeftOpen(
            "16", f"what a stopped run still emits, {number}", stream(*events, ending="stopped", c1="aborted")
        )
        for number, events in enumerate(STOPPED_IN_GENERATION, start=1)
    ),
    LeftOpen(
        "17",
        "the last turn of a run past its limit, cut off",
        stream(*EXECUTED[:9], WARNING, messages(CALLING), ending="limited", c1="returns"),
    ),
    LeftOpen(
        "17",
        "results instead of messages in TurnEnd",
        stream(START, *turn(DONE)[:-1], event("TurnEnd", message=DONE, tool_results=[{"content": "x"}]), END),
    ),
    LeftOpen(
        "17",
        "a turn of a failed run, which has no message",
        stream(
            START,
            TURN_START,
            BUDGET,
            ERROR,
            event("TurnEnd", message=None, tool_results=[]),
            END,
            ending="failed",
        ),
    ),
    LeftOpen(
        "18",
        "user messages in AgentEnd",
        stream(*run_of(*told(user("Go")), *turn(DONE), messages=[user("Go"), DONE])),
    ),
    LeftOpen(
        "17",
        "a model that failed and was asked again",
        Play()
        .prompt()
        .model(error="busy")
        .model()
        .emit(START, TURN_START, BUDGET, ERROR, BUDGET, delta("Done."), STATS, said(DONE), TURN_END, END)
        .ends(),
    ),
)
