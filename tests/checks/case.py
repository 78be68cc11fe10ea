"""What the plays of the check tests are: one that keeps a requirement, or one that breaks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.transcript import Transcript


class Play(Protocol):
    """Whatever has a transcript."""

    @property
    def transcript(self) -> Transcript:
        """What happened."""


@dataclass(frozen=True)
class Holds:
    """A play in which the check has something to judge, and nothing is wrong by any check."""

    check: str
    sentence: str
    play: Play


@dataclass(frozen=True)
class Breaks:
    """A play in which the check finds one thing, told with `words`, in the step `step`.

    Nothing else is wrong, but for what `too` names: some faults break two requirements at once.
    """

    check: str
    sentence: str
    play: Play
    words: str
    step: int = 1
    too: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOpen:
    """A play that makes the other choice where the documents leave one: no `must` is broken by it.

    `point` is the open point. `may_break` are the weaker requirements that it does break.
    """

    point: str
    sentence: str
    play: Play
    may_break: tuple[str, ...] = ()
