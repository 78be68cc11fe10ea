"""What a check finds. Knows nothing of what any of them looks at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.scenario import Json


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong, in the step `step`, with both sides at that place."""

    step: int
    message: str
    expected: Json = None
    actual: Json = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, with the name of the check that found it and the one requirement that it breaks."""

    check: str
    requirement: str
    step: int
    message: str
    expected: Json = None
    actual: Json = None


def present(faults: Iterable[Fault | None]) -> list[Fault]:
    """The faults that are some."""
    return [fault for fault in faults if fault is not None]
