"""Running many scenarios against one implementation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.drivers.base import Accountable, Driver, DriverFailure, NotStarted
from conformance.judge import Report, ScenarioResult, judge, requirement_results, unsupported
from conformance.playing import Played, play
from conformance.requirements import Register
from conformance.scenario import Scenario
from conformance.session import Session
from conformance.transcript import Transcript


async def run_one(
    scenario: Scenario,
    session: Session,
    register: Register,
    timeout: float = 10.0,
    *,
    with_sequence: bool = True,
) -> ScenarioResult:
    """Play one scenario and judge it."""
    lacking = unsupported(scenario, session.implementation)
    if lacking is not None:
        return lacking
    driver, said = session.driver, ""
    began = time.perf_counter()
    try:
        await driver.reset()
        played = await play(scenario, session, timeout)
        if isinstance(driver, Accountable):
            said = driver.said()
        if played.broke_off is None:
            played = await _left_behind(played, driver)
    except DriverFailure as failure:
        played = Played(Transcript(), (), failure)
    seconds = time.perf_counter() - began
    result = judge(scenario, played, register, seconds, with_sequence=with_sequence)
    return replace(result, detail=f"stderr:\n{said}") if said and result.verdict == "failed" else result


async def _left_behind(played: Played, driver: Driver) -> Played:
    """The play, with what shows only when the agents are thrown away: an implementation that dies behind its
    last answer has not passed, and the next scenario is not to blame."""
    try:
        await driver.reset()
    except DriverFailure as failure:
        return replace(played, broke_off=failure)
    return played


async def run(
    scenarios: Sequence[Scenario],
    session: Session,
    register: Register,
    *,
    asked_for: frozenset[str] | None = None,
    timeout: float = 10.0,
    stop_at_first: bool = False,
    with_sequence: bool = True,
    on_result: Callable[[ScenarioResult], None] | None = None,
) -> Report:
    """Play all scenarios in their order and put the verdicts together.

    `asked_for` are the requirements to measure (default: all that the scenarios cover). `stop_at_first` ends
    the run after the first scenario that did not pass. Without
    `with_sequence` what passed carries no sequence, which is quicker. `on_result` is called after each.
    """
    results: list[ScenarioResult] = []
    stopped, lost = "", False
    for scenario in scenarios:
        try:
            result = await run_one(scenario, session, register, timeout, with_sequence=with_sequence)
        except NotStarted as failure:
            stopped, lost = failure.message, True
            break
        results.append(result)
        if on_result is not None:
            on_result(result)
        if stop_at_first and result.verdict not in ("passed", "unsupported"):
            stopped = f"stopped at the first scenario that did not pass, {scenario.id}"
            break
    covered = frozenset(id for scenario in scenarios for id in scenario.covers)
    return Report(
        session.implementation,
        tuple(results),
        requirement_results(register, results),
        covered if asked_for is None else asked_for,
        stopped,
        lost,
    )
