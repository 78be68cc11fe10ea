"""Playing a scenario several times, and what differs between one time and another.

Everything in a play is scripted, so that two plays of one scenario differ only where the implementation does
not do the same twice. Knows results, not how they come about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.judge import ScenarioResult
from conformance.scenario import Json
from conformance.verdict import VERDICTS, Failure

CHECK = "repeat"
"""The name of the check. It breaks no requirement: none demands that two plays are alike."""


def combined(results: Sequence[ScenarioResult]) -> ScenarioResult:
    """One result for all plays of a scenario.

    It is that of the first play that did not pass, or of the first of all. That the verdicts differ, or only
    the numbered sequences, is a warning beside it.
    """
    first = results[0]
    seconds = sum(result.seconds for result in results)
    shown = next((result for result in results if result.verdict != "passed"), first)
    if len({result.verdict for result in results}) > 1:
        difference = _failure(shown, _verdicts(results))
        return replace(shown, warnings=(*shown.warnings, difference), seconds=seconds)
    for number, result in enumerate(results, start=1):
        if result.sequence != first.sequence:
            difference = _first_difference(first, result, number)
            return replace(shown, warnings=(*shown.warnings, difference), seconds=seconds)
    return replace(shown, seconds=seconds)


def _verdicts(results: Sequence[ScenarioResult]) -> str:
    verdicts = [result.verdict for result in results]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
    return f"it does not always end alike: of {len(results)} plays {', '.join(counts)}"


def _first_difference(first: ScenarioResult, other: ScenarioResult, number: int) -> Failure:
    length = min(len(first.sequence), len(other.sequence))
    place = next((i for i in range(length) if first.sequence[i] != other.sequence[i]), length)
    expected, actual = _event(first, place), _event(other, place)
    entry = (other.sequence if place < len(other.sequence) else first.sequence)[place]
    step = entry["step"]
    message = f"play {number} differs from the first in event {place + 1} of all"
    return _failure(other, message, expected, actual, step if isinstance(step, int) else 0)


def _event(result: ScenarioResult, place: int) -> Json:
    return result.sequence[place]["event"] if place < len(result.sequence) else "no further event"


def _failure(
    result: ScenarioResult, message: str, expected: Json = None, actual: Json = None, step: int = 0
) -> Failure:
    return Failure(CHECK, (), result.scenario.level, step, message, expected, actual)
