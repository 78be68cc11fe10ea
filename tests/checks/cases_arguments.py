"""Plays for the checks of what tools are executed with."""

from __future__ import annotations

from conformance.scenario import Json, Profile
from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.hosted import HostedPlay
from tests.checks.plays import DONE, Play, assistant, executed, result, run_of, turn

Object = dict[str, Json]

MAY: Object = {"month": "May"}
JUNE: Object = {"month": "June"}
WHOLE: Object = {"where": {"path": ["out", "a/b"], "deep": [[{}]]}, "what": None, "größe": "40 €", "of": 1.5}
HALF: Object = {"where": {"path": ["out", "a/b"]}, "what": None, "größe": "40 €", "of": 1.5}
"""The same, but for something that is nested."""


def executing(asked: list[Object], *given: Object) -> Play:
    """A turn of an agent whose model asks for some calls, of which none is told."""
    play = Play().prompt().asks(*asked)
    for place, arguments in enumerate(given, start=1):
        play.tool(f"c{place}", arguments=arguments)
    return play


def telling(*told: Object, given: tuple[Object, Object]) -> Play:
    """A turn of an agent whose model asks about May and June; the message of its has the calls `told`."""
    calls: list[Json] = [
        {"id": f"c{place}", "name": "report", "arguments": each} for place, each in enumerate(told, start=1)
    ]
    message = {**assistant("", "c1", "c2"), "tool_calls": calls}
    results = [result("c1", "written"), result("c2", "written")]
    run = run_of(
        *turn(message, *executed("c1"), *executed("c2")), *turn(DONE), messages=[message, *results, DONE]
    )
    return executing([MAY, JUNE], *given).emit(*run).ends()


def hosted(profile: Profile = "runtime") -> HostedPlay:
    """A play with a runtime or a client."""
    return HostedPlay(profile)


HOLDS: list[Holds] = [
    Holds("arguments", "all that the model said, whatever it is", executing([WHOLE], {**WHOLE})),
    Holds("arguments", "calls that are executed in another order", executing([MAY, JUNE], JUNE, MAY)),
    Holds("arguments", "equal calls", executing([MAY, MAY], MAY, MAY)),
    Holds("arguments", "a call that is not executed any more", executing([MAY, JUNE], JUNE)),
    Holds("arguments", "a number that is written otherwise", executing([{"of": 1.0}], {"of": 1})),
    Holds(
        "arguments",
        "a number that is too large for a double",
        executing([{"of": 2**53 + 1}], {"of": float(2**53)}),
    ),
    Holds(
        "arguments",
        "other arguments in another turn",
        Play().prompt().asks(MAY).tool("c1", arguments=MAY).asks(JUNE).tool("c2", arguments=JUNE),
    ),
    Holds("arguments", "calls that are told with their arguments", telling(MAY, JUNE, given=(MAY, JUNE))),
    Holds("tool-arguments", "what the model said", hosted().answered(WHOLE).executed(WHOLE, "call-1-1")),
    Holds("tool-arguments", "calls of which no id is told", hosted().answered(MAY, JUNE).executed(JUNE)),
    Holds(
        "tool-arguments",
        "a turn that is run again",
        hosted()
        .answered(MAY, JUNE)
        .executed(MAY)
        .executed(JUNE, outcome="suspends")
        .answered(MAY, JUNE)
        .executed(MAY)
        .executed(JUNE),
    ),
    Holds(
        "tool-arguments",
        "an execution that is repeated, the model not being asked again",
        hosted().answered(MAY, JUNE).executed(MAY, outcome="suspends").executed(MAY),
    ),
    Holds(
        "tool-arguments",
        "two handles whose calls have the same ids",
        hosted().answered(MAY).answered(JUNE).executed(JUNE, "call-1-1").executed(MAY, "call-1-1"),
    ),
    Holds("call-arguments", "what the model said", hosted("client").answered(WHOLE).executed(WHOLE)),
]

OTHER = "with other arguments than the model's call has"

BREAKS: list[Breaks] = [
    Breaks("arguments", "none of them", executing([MAY], {}), OTHER),
    Breaks("arguments", "something nested is lost", executing([WHOLE], HALF), OTHER),
    Breaks("arguments", "more than the model said", executing([MAY], {**MAY, "year": 2026}), OTHER),
    Breaks("arguments", "true for 1", executing([{"of": 1}], {"of": True}), OTHER),
    Breaks("arguments", "a text for a number", executing([{"of": 1}], {"of": "1"}), OTHER),
    Breaks("arguments", "nothing for null", executing([{"of": None}], {}), OTHER),
    Breaks("arguments", "those of the turn's first call", executing([MAY, JUNE], MAY, MAY), "report (c2)"),
    Breaks(
        "arguments",
        "those of the turn before",
        Play().prompt().asks(MAY).tool("c1", arguments=MAY).asks(JUNE).tool("c2", arguments=MAY),
        "report (c2)",
    ),
    Breaks("tool-arguments", "none of them", hosted().answered(MAY).executed({}), OTHER),
    Breaks(
        "tool-arguments",
        "those of the turn's first call, the id being told",
        hosted().answered(MAY, JUNE).executed(MAY, "call-1-1").executed(MAY, "call-1-2", step=2),
        "(call-1-2)",
        step=2,
    ),
    Breaks(
        "tool-arguments",
        "those of the turn's first call, the id not being told",
        hosted().answered(MAY, JUNE).executed(MAY).executed(MAY),
        OTHER,
    ),
    Breaks(
        "tool-arguments",
        "none where it is executed again",
        hosted().answered(MAY).executed(MAY, outcome="suspends").answered(MAY).executed({}, step=2),
        OTHER,
        step=2,
    ),
    Breaks(
        "call-arguments", "something nested is lost", hosted("client").answered(WHOLE).executed(HALF), OTHER
    ),
]

LEFT_OPEN: list[LeftOpen] = [
    LeftOpen("17", "a message that does not have the arguments", telling({}, {}, given=(MAY, JUNE))),
    LeftOpen("14", "calls that are told in another order", telling(JUNE, MAY, given=(JUNE, MAY))),
]
