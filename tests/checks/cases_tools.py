"""Plays for the checks of tool calls: each call's events, their order, and the runs of children."""

from __future__ import annotations

from conformance.transcript import Event
from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.plays import (
    ANSWERED,
    CALLING,
    DONE,
    WARNING,
    Play,
    assistant,
    end,
    event,
    executed,
    nested,
    result,
    run_of,
    start,
    stream,
    told,
    turn,
    without,
)

TWO = assistant("", "c1", "c2")
FIRST, SECOND = told(result("c1", "written")), told(result("c2", "written"))
UPDATE = event("ToolExecUpdate", tool_call_id="c1", tool_name="report", partial="half")
DENIED = event("ToolDenied", tool_call_id="c1", tool_name="report", reason="not at night")


def calling(*events: Event, outcome: str = "returns") -> Play:
    """A run with one call, which has these events."""
    run = run_of(*turn(CALLING, *events), *turn(DONE), messages=[CALLING, result("c1", "written"), DONE])
    return stream(*run, c1=outcome)


def two_calls(*events: Event) -> Play:
    """A run with two calls in one turn, which have these events."""
    produced = [TWO, result("c1", "written"), result("c2", "written"), DONE]
    return stream(*run_of(*turn(TWO, *events), *turn(DONE), messages=produced), c1="returns", c2="returns")


def with_child(*events: Event) -> Play:
    """A run with one call in which a child runs to its end; the call has these events."""
    play = Play().prompt().model(calls=1).child("c1").model(agent="helper").ends(agent="helper")
    run = run_of(*turn(CALLING, *events), *turn(DONE), messages=[CALLING, result("c1", "written"), DONE])
    return play.tool("c1").emit(*run).ends()


WHOLE = nested("c1", *ANSWERED)

HOLDS = (
    Holds("call-id", "a tool that is given its call's id", calling(*executed("c1"))),
    Holds("tool-group", "one call", calling(*executed("c1"))),
    Holds("tool-group", "one call with progress", calling(start("c1"), UPDATE, end("c1"), *FIRST)),
    Holds("groups-in-order", "two calls, one after the other", two_calls(*executed("c1"), *executed("c2"))),
    Holds("nested", "a child's run inside its call", with_child(*executed("c1", nested=WHOLE))),
    Holds(
        "nested",
        "a grandchild's run inside the child's call",
        Play()
        .prompt()
        .model(calls=1)
        .child("c1")
        .model(calls=1, agent="helper")
        .child("g1", agent="grand", parent="helper")
        .ends(agent="grand")
        .tool("g1", agent="helper")
        .ends(agent="helper")
        .tool("c1")
        .emit(
            *run_of(
                *turn(
                    CALLING,
                    *executed(
                        "c1",
                        nested=nested(
                            "c1",
                            *run_of(
                                *turn(assistant("", "g1"), *executed("g1", nested=nested("g1", *ANSWERED))),
                                *turn(DONE),
                                messages=[assistant("", "g1"), result("g1", "written"), DONE],
                            ),
                        ),
                    ),
                ),
                *turn(DONE),
                messages=[CALLING, result("c1", "written"), DONE],
            )
        )
        .ends(),
    ),
)

BREAKS = (
    Breaks(
        "call-id",
        "a tool that is given another id",
        stream(
            *run_of(
                *turn(CALLING, *executed("c1")),
                *turn(DONE),
                messages=[CALLING, result("c1", "written"), DONE],
            ),
            other="returns",
        ),
        "report is given the id other, which is in no event",
    ),
    Breaks(
        "tool-group", "no ToolExecStart", calling(*executed("c1")[1:]), "where ToolExecStart was expected"
    ),
    Breaks("tool-group", "no ToolExecEnd", calling(start("c1"), *FIRST), "where ToolExecEnd was expected"),
    Breaks(
        "tool-group",
        "no MessageStart",
        calling(start("c1"), end("c1"), FIRST[1]),
        "where MessageStart was expected",
    ),
    Breaks(
        "tool-group",
        "the result before the end",
        calling(start("c1"), *FIRST, end("c1")),
        "where ToolExecEnd",
    ),
    Breaks(
        "tool-group",
        "the result after TurnEnd",
        stream(
            *run_of(
                *turn(CALLING, start("c1"), end("c1")),
                *FIRST,
                *turn(DONE),
                messages=[CALLING, result("c1", "written"), DONE],
            ),
            c1="returns",
        ),
        "ends without MessageStart for c1",
    ),
    Breaks(
        "tool-group",
        "a pending call without a message",
        stream(
            *run_of(*turn(CALLING, start("c1"), end("c1")), *turn(DONE), messages=[CALLING, DONE]),
            c1="pending",
        ),
        "ends without MessageStart for c1",
    ),
    Breaks(
        "tool-group",
        "no event of an executed call",
        stream(*run_of(*turn(CALLING), *turn(DONE), messages=[CALLING, DONE]), c1="returns"),
        "has no ToolExecStart in a turn for report (c1)",
    ),
    Breaks(
        "groups-in-order",
        "the second call first",
        two_calls(*executed("c2"), *executed("c1")),
        "call by call",
    ),
    Breaks(
        "nested",
        "a child's events after the end of the call",
        with_child(start("c1"), end("c1"), *WHOLE, *FIRST),
        "a Nested event of c1 while c1 is not executing",
    ),
    Breaks(
        "nested",
        "a child's events after the turn",
        Play()
        .prompt()
        .model(calls=1)
        .child("c1")
        .ends(agent="helper")
        .tool("c1")
        .emit(
            *run_of(
                *turn(CALLING, *executed("c1")),
                *WHOLE,
                *turn(DONE),
                messages=[CALLING, result("c1", "written"), DONE],
            )
        )
        .ends(),
        "a Nested event of c1 while c1 is not executing",
    ),
    Breaks("nested", "no event of a child's run", with_child(*executed("c1")), "does not come whole"),
    Breaks(
        "run-brackets",
        "a second AgentStart inside a child's run",
        with_child(*executed("c1", nested=nested("c1", event("AgentStart"), *ANSWERED))),
        "helper's run nested in c1 has a second AgentStart",
    ),
    Breaks(
        "nested",
        "a child's run without its AgentEnd",
        with_child(*executed("c1", nested=nested("c1", *ANSWERED[:-1]))),
        "helper's run nested in c1 does not come whole",
    ),
    Breaks(
        "nested",
        "two children whose events carry one id",
        Play()
        .prompt()
        .model(calls=2)
        .child("c1")
        .ends(agent="helper")
        .tool("c1")
        .child("c2", agent="other")
        .ends(agent="other")
        .tool("c2")
        .emit(
            *run_of(
                *turn(TWO, *executed("c1", nested=WHOLE), *executed("c2", nested=nested("c2"))),
                *turn(DONE),
                messages=[TWO, result("c1", "written"), result("c2", "written"), DONE],
            )
        )
        .ends(),
        "other's run nested in c2 does not come whole",
    ),
    Breaks(
        "turn-order",
        "a child's turn without ContextBudget",
        with_child(*executed("c1", nested=nested("c1", *without(ANSWERED, "ContextBudget")))),
        "a turn of helper's run nested in c1 has MessageDelta after TurnStart, expected ContextBudget",
    ),
)

INTERLEAVED = [start("c1"), start("c2"), end("c2"), end("c1"), *SECOND, *FIRST]

LEFT_OPEN = (
    LeftOpen("14", "two calls at once", two_calls(*INTERLEAVED), ("groups-in-order",)),
    LeftOpen(
        "14",
        "two calls, their messages at last",
        two_calls(start("c1"), end("c1"), start("c2"), end("c2"), *FIRST, *SECOND),
        ("groups-in-order",),
    ),
    LeftOpen(
        "14",
        "two calls at once, and no id at their ends",
        two_calls(
            *(
                event("ToolExecEnd", result={"content": "written"}) if e["type"] == "ToolExecEnd" else e
                for e in INTERLEAVED
            )
        ),
        ("groups-in-order", "schema-background"),
    ),
    LeftOpen(
        "-",
        "no id in ToolExecEnd, for which the documents print none",
        calling(start("c1"), WARNING, event("ToolExecEnd", result={"content": "written"}), *FIRST),
        ("schema-background",),
    ),
    LeftOpen("-", "a tool that fails, without ToolExecEnd", calling(start("c1"), *FIRST, outcome="raises")),
    LeftOpen("-", "a refused call", calling(DENIED, *FIRST, outcome="denied")),
    LeftOpen(
        "-", "a refused call that seemed to start", calling(start("c1"), DENIED, *FIRST, outcome="denied")
    ),
    LeftOpen(
        "-",
        "a call of a tool that does not exist",
        stream(
            *run_of(*turn(CALLING, *FIRST), *turn(DONE), messages=[CALLING, result("c1", "written"), DONE])
        ),
    ),
    LeftOpen("17", "progress after the end", calling(start("c1"), end("c1"), UPDATE, *FIRST)),
    LeftOpen(
        "19",
        "a stopped child without AgentEnd",
        Play()
        .prompt()
        .model(calls=1)
        .child("c1")
        .ends(ending="stopped", agent="helper")
        .tool("c1", "aborted")
        .emit(
            *run_of(
                *turn(CALLING, *executed("c1", nested=nested("c1", *ANSWERED[:-1]))),
                messages=[CALLING, result("c1", "written")],
            )
        )
        .ends(ending="stopped"),
    ),
    LeftOpen(
        "19",
        "a stopped child whose AgentEnd comes after its call",
        Play()
        .prompt()
        .model(calls=1)
        .child("c1")
        .ends(ending="stopped", agent="helper")
        .tool("c1", "aborted")
        .emit(
            *run_of(
                *turn(CALLING, *executed("c1", nested=WHOLE[:-1])),
                WHOLE[-1],
                messages=[CALLING],
            )
        )
        .ends(ending="stopped"),
    ),
    LeftOpen(
        "19",
        "a child that paused inside a call which failed",
        Play()
        .prompt()
        .model(calls=1)
        .child("c1")
        .ends(ending="failed", agent="helper")
        .tool("c1", "raises")
        .emit(
            *run_of(
                *turn(CALLING, *executed("c1", nested=nested("c1", event("AgentStart")))),
                *turn(DONE),
                messages=[CALLING, result("c1", "written"), DONE],
            )
        )
        .ends(),
    ),
)
