"""One run of many scenarios: what is to be played, what has been, and the report on it, whenever it ends.

Knows neither where scenarios and drivers come from, nor who reads the report.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.collection import Scenarios
from conformance.drivers.base import Driver, Implementation
from conformance.judge import Report
from conformance.known_failures import KnownFailures
from conformance.running import Conditions, OnResult, play_here, report_of
from conformance.schedule import Schedule
from conformance.session import Session


class Execution:
    """A run. The arguments are those of `api.run`; `factory` makes the driver.

    Raises ValueError for fewer than one process.
    """

    def __init__(
        self,
        scenarios: Scenarios,
        factory: Callable[[], Driver],
        conditions: Conditions,
        *,
        jobs: int = 1,
        seed: int | None = None,
        stop_at_first: bool = False,
        known: KnownFailures | None = None,
        on_result: OnResult | None = None,
    ) -> None:
        if jobs < 1:
            raise ValueError(f"{jobs} processes cannot play anything; expected at least 1")
        self._scenarios = scenarios
        self._factory = factory
        self._conditions = conditions
        self._jobs = min(jobs, len(scenarios))
        self._schedule = Schedule(scenarios, seed=seed, stop_at_first=stop_at_first, known=known)
        self._known = known
        self._on_result = on_result
        self._implementation: Implementation | None = None
        self._notes: tuple[str, ...] = ()

    async def play(self) -> Report:
        """Play everything. Raises NotStarted, and TypeError for a factory that cannot be handed to another
        process where there are several."""
        if self._jobs > 1:
            implementation = await self._play_in_workers()
        else:
            implementation = await self._play_here()
        return self._report(implementation)

    def broken_off(self, why: str, *, lost: bool = False) -> Report | None:
        """The report on what has been played when `play` was broken off; None where that is nothing.

        `lost` says that the implementation is to blame.
        """
        played = len(self._schedule.results())
        if self._implementation is None or not played:
            return None
        during = f" while {' and '.join(self._schedule.in_play())} was played" if lost else ""
        of_all = f"after {played} of {len(self._scenarios)} scenarios"
        self._schedule.break_off(f"{why}{during}, {of_all}", lost=lost)
        return self._report(self._implementation)

    async def _play_here(self) -> Implementation:
        session = await Session.start(self._factory)
        self._implementation = session.implementation
        try:
            await play_here(
                self._schedule, session, self._scenarios.requirements, self._conditions, self._on_result
            )
        finally:
            self._notes = await session.close()
        return session.implementation

    async def _play_in_workers(self) -> Implementation:
        from conformance.workers import play_in_workers

        def started(implementation: Implementation) -> None:
            self._implementation = implementation

        implementation, self._notes = await play_in_workers(
            self._schedule,
            self._factory,
            self._scenarios.requirements,
            self._conditions,
            self._jobs,
            self._on_result,
            started,
        )
        return implementation

    def _report(self, implementation: Implementation) -> Report:
        scenarios = self._scenarios
        report = report_of(
            self._schedule, implementation, scenarios.requirements, scenarios.asked_for, self._notes
        )
        return report if self._known is None else self._known.applied(report)
