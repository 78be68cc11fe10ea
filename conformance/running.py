"""Running many scenarios against one implementation, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from conformance.drivers.base import Accountable, Driver, DriverFailure, Implementation, NotStarted
from conformance.judge import Report, ScenarioResult, judge, requirement_results, unsupported
from conformance.playing import Played, play
from conformance.repetition import combined
from conformance.requirements import Register
from conformance.scenario import Scenario
from conformance.schedule import Schedule
from conformance.session import Session
from conformance.transcript import Transcript
from conformance.unknown_events import notes_on

OnResult: TypeAlias = Callable[[ScenarioResult], None]


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions under which each scenario is played.

    `timeout` is how long, in seconds, the implementation may be silent. With `repeat` each is played so many
    times. Without `with_sequence` what passed carries no sequence, which is quicker.
    """

    timeout: float = 10.0
    repeat: int = 1
    with_sequence: bool = True

    def __post_init__(self) -> None:
        if self.timeout <= 0:
            raise ValueError(f"a timeout of {self.timeout:g} s leaves no time; expected more than 0")
        if self.repeat < 1:
            raise ValueError(f"a scenario cannot be played {self.repeat} times; expected at least 1")


async def run_one(
    scenario: Scenario, session: Session, register: Register, conditions: Conditions | None = None
) -> ScenarioResult:
    """Play one scenario and judge it. Raises NotStarted."""
    conditions = conditions or Conditions()
    lacking = unsupported(scenario, session.implementation)
    if lacking is not None:
        return lacking
    if conditions.repeat == 1:
        return await _play(scenario, session, register, conditions.timeout, conditions.with_sequence)
    plays = [
        await _play(scenario, session, register, conditions.timeout, with_sequence=True)
        for _ in range(conditions.repeat)
    ]
    result = combined(plays)
    if conditions.with_sequence or result.verdict != "passed" or result.warnings:
        return result
    return replace(result, sequence=(), conversations={})


async def _play(
    scenario: Scenario, session: Session, register: Register, timeout: float, with_sequence: bool
) -> ScenarioResult:
    driver, said = session.driver, ""
    began = time.perf_counter()
    try:
        await driver.reset()
        played = await play(scenario, session, timeout)
        if isinstance(driver, Accountable):
            said = driver.said()
        played = await _left_behind(played, driver)
    except DriverFailure as failure:
        played = Played(Transcript(), (), failure)
    seconds = time.perf_counter() - began
    result = judge(scenario, played, register, seconds, with_sequence=with_sequence)
    if isinstance(driver, Accountable) and driver.lost:
        return replace(result, lost=driver.lost)
    return replace(result, detail=f"stderr:\n{said}") if said and result.verdict == "failed" else result


async def _left_behind(played: Played, driver: Driver) -> Played:
    """The play, with what shows only when the agents are thrown away: an implementation that dies behind its
    last answer has not passed, and the next scenario is not to blame. Where the play broke off, that is what
    is told; and a process is not used any more, so that nothing in it need be thrown away."""
    if played.broke_off is not None and isinstance(driver, Accountable):
        return played
    try:
        await driver.reset()
    except DriverFailure as failure:
        return replace(played, broke_off=played.broke_off or failure)
    return played


async def play_here(
    schedule: Schedule,
    session: Session,
    register: Register,
    conditions: Conditions,
    on_result: OnResult | None = None,
) -> None:
    """Play all of `schedule`, one after the other. `on_result` is called after each."""
    while (job := schedule.next()) is not None:
        place, scenario = job
        try:
            result = await run_one(scenario, session, register, conditions)
        except NotStarted as failure:
            schedule.lose(place, failure.message)
            return
        result = schedule.take(place, result)
        if on_result is not None:
            on_result(result)


def report_of(
    schedule: Schedule,
    implementation: Implementation,
    register: Register,
    asked_for: frozenset[str] | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """The report on a schedule that has been played. `asked_for` as in `run`."""
    results = schedule.results()
    covered = frozenset(id for scenario in schedule.scenarios for id in scenario.covers)
    return Report(
        implementation,
        results,
        requirement_results(register, results),
        covered if asked_for is None else asked_for,
        schedule.stopped,
        schedule.lost,
        (*notes_on(type for result in results for type in result.unknown_types), *notes),
    )


async def run(
    scenarios: Sequence[Scenario],
    session: Session,
    register: Register,
    *,
    asked_for: frozenset[str] | None = None,
    timeout: float = 10.0,
    stop_at_first: bool = False,
    with_sequence: bool = True,
    on_result: OnResult | None = None,
) -> Report:
    """Play all scenarios in their order in a session that has been opened, and put the verdicts together.

    `asked_for` are the requirements to measure (default: all that the scenarios cover). `stop_at_first` ends
    the run after the first scenario that did not pass. The others are those of `Conditions` and `play_here`.
    """
    schedule = Schedule(scenarios, stop_at_first=stop_at_first)
    conditions = Conditions(timeout, with_sequence=with_sequence)
    await play_here(schedule, session, register, conditions, on_result)
    return report_of(schedule, session.implementation, register, asked_for)
