"""The words in which a judgement is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from conformance.patterns import Comparison
from conformance.scenario import MAIN, Json, Level, Position

Verdict = Literal["passed", "failed", "unsupported", "crashed", "timed-out", "protocol-error"]
VERDICTS: tuple[Verdict, ...] = (
    "passed",
    "failed",
    "unsupported",
    "crashed",
    "timed-out",
    "protocol-error",
)
Status: TypeAlias = Literal["met", "broken", "not-measured"]
STATUSES: tuple[Status, ...] = ("met", "broken", "not-measured")


@dataclass(frozen=True, slots=True)
class Failure:
    """One check that did not hold.

    `check` is the check's name: a scenario's own (`play`, `emits`, `result`, `error`, `sees`,
    `pending_calls`, ...) or an always-on check's. `requirements` are what it breaks, at `level`. `step`
    counts from 1 (0: the play as a whole). `expected` and `actual` are the two sides at the first
    difference, or whole streams. `agent` is the one whose behaviour was looked at. `comparison` sets both
    sides of a list against each other, for a person to look at; in it calls go by the names that the scenario
    has for them. `seen` is how much had happened when it was noticed: so many entries of the transcript and,
    once it has been judged, so many of the numbered sequence. None: only looking back showed it.
    """

    check: str
    requirements: tuple[str, ...]
    level: Level
    step: int
    message: str
    expected: Json = None
    actual: Json = None
    position: Position | None = None
    agent: str = MAIN
    comparison: Comparison | None = None
    seen: int | None = None
