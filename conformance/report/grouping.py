"""Failures put together by what they break: first what all have in common, then requirement by requirement.

Plain data for a report to print. Knows verdicts and the register, not how anything looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.judge import ScenarioResult
from conformance.requirements import Register, Requirement
from conformance.scenario import LEVELS, Scenario
from conformance.verdict import Failure

_NUMBER = re.compile(r"\d+")

COMMON = 10
"""So many scenarios that fail for one reason, whatever they are about, have it said of all of them at once;
fewer do where nothing else failed."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A scenario, with the failures of its that are to be shown, and those that fail in the same way."""

    result: ScenarioResult
    failures: tuple[Failure, ...]
    alike: tuple[ScenarioResult, ...] = ()

    @property
    def results(self) -> tuple[ScenarioResult, ...]:
        """The scenario and those like it."""
        return (self.result, *self.alike)


@dataclass(frozen=True, slots=True)
class Broken:
    """Requirements that are broken together, and by which scenarios; one for each way in which they fail."""

    requirements: tuple[Requirement, ...]
    shown: tuple[Shown, ...]

    @property
    def count(self) -> int:
        """How many scenarios there are."""
        return sum(len(shown.results) for shown in self.shown)


@dataclass(frozen=True, slots=True)
class Groups:
    """All that did not hold. `common`: one reason for many scenarios, whatever they are about; `ended`:
    plays that could not be brought to their end; `broken`: everything else, by what it breaks."""

    common: tuple[Shown, ...]
    ended: tuple[Shown, ...]
    broken: tuple[Broken, ...]


def grouped(results: Iterable[ScenarioResult], register: Register) -> Groups:
    """The scenarios that did not pass, strongest requirement first, else in the order of the register."""
    bad = [result for result in results if result.verdict not in ("passed", "unsupported")]
    common = [shown for shown in _alike(bad) if _is_common(shown, len(bad))]
    told = {result.scenario.id for shown in common for result in shown.results}
    rest = [result for result in bad if result.scenario.id not in told]
    ended = _alike([result for result in rest if result.verdict != "failed"])
    return Groups(tuple(common), tuple(ended), tuple(_broken(rest, register)))


def _is_common(shown: Shown, bad: int) -> bool:
    count = len(shown.results)
    breaks = {failure.requirements for result in shown.results for failure in result.failures[:1]}
    is_about_one = shown.result.verdict == "failed" and len(breaks) == 1
    return count > 1 and not is_about_one and (count == bad or count >= COMMON)


def _reason(result: ScenarioResult) -> tuple[object, ...]:
    """What a scenario failed for: of several failures the first, from which the others mostly follow."""
    if result.verdict != "failed":
        return result.verdict, result.message
    return way(result.failures[:1])


def way(failures: Iterable[Failure]) -> tuple[object, ...]:
    """How something failed, whatever the numbers of events and calls in it."""
    return tuple((failure.check, _NUMBER.sub("0", failure.message)) for failure in failures)


def _alike(results: Sequence[ScenarioResult]) -> list[Shown]:
    found: dict[object, list[ScenarioResult]] = {}
    for result in results:
        found.setdefault(_reason(result), []).append(result)
    return [Shown(first, first.failures, tuple(alike)) for first, *alike in found.values()]


def _broken(results: Iterable[ScenarioResult], register: Register) -> list[Broken]:
    by_requirements: dict[
        tuple[str, ...], dict[object, list[tuple[ScenarioResult, tuple[Failure, ...]]]]
    ] = {}
    for result in results:
        own: dict[tuple[str, ...], list[Failure]] = {}
        for failure in result.failures:
            own.setdefault(failure.requirements, []).append(failure)
        for requirements, failures in own.items():
            ways = by_requirements.setdefault(requirements, {})
            ways.setdefault(way(failures), []).append((result, tuple(failures)))
    places = {id: place for place, id in enumerate(register)}
    found = []
    for requirements, ways in by_requirements.items():
        shown = [Shown(*first, tuple(other for other, _ in alike)) for first, *alike in ways.values()]
        shown.sort(key=lambda it: (not _is_about(it.result, requirements), -len(it.alike)))
        found.append(Broken(tuple(register[id] for id in requirements), tuple(shown)))
    return sorted(found, key=lambda broken: _order(broken, places))


def _is_about(result: ScenarioResult, requirements: Iterable[str]) -> bool:
    return not set(requirements).isdisjoint(result.scenario.covers)


def _order(broken: Broken, places: dict[str, int]) -> tuple[int, int]:
    first = broken.requirements[0]
    return min(LEVELS.index(it.level) for it in broken.requirements), places[first.id]


def area(scenario: Scenario) -> str:
    """The folder in which a scenario stands: as its id says (`agent/inbox`), or else what it is called."""
    return scenario.id.rpartition("/")[0] or scenario.path.absolute().parent.name or "/"


def by_area(results: Iterable[ScenarioResult]) -> dict[str, list[str]]:
    """The names of scenarios by their `area`, in order."""
    areas: dict[str, list[str]] = {}
    for result in sorted(results, key=lambda result: result.scenario.id):
        areas.setdefault(area(result.scenario), []).append(result.scenario.id.rpartition("/")[2])
    return areas
