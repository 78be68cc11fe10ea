"""Which scenario is played next, and which results count in the end.

The order of playing may be shuffled, and several players may take from it at once; what is reported is in the
order of the scenarios, and the same however they were played: what comes after the place at which the run
stops does not count, though somebody may have played it already. Knows nothing of drivers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.judge import ScenarioResult
from conformance.scenario import Scenario

if TYPE_CHECKING:
    from conformance.known_failures import KnownFailures

_FINE = ("passed", "unsupported")


class Schedule:
    """The scenarios of one run, in the order in which they are played.

    `seed` shuffles that order, always in the same way. `stop_at_first` ends the run at the first place, in
    this order, whose scenario does not pass and is not `known` to.
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        *,
        seed: int | None = None,
        stop_at_first: bool = False,
        known: KnownFailures | None = None,
    ) -> None:
        self.scenarios = tuple(scenarios)
        self.stopped = ""
        """Why the run ended before its last scenario, if it did."""
        self.lost = False
        """Whether that was because the implementation could not be kept running."""
        self._order = list(range(len(self.scenarios)))
        if seed is not None:
            random.Random(seed).shuffle(self._order)
        self._stop_at_first = stop_at_first
        self._known = known
        self._begun = 0
        self._limit = len(self._order)
        self._ended_at = len(self._order)
        self._results: dict[int, ScenarioResult] = {}

    def next(self) -> tuple[int, Scenario] | None:
        """The next place and the scenario there; None when there is nothing more to play."""
        if self._begun >= self._limit:
            return None
        place = self._begun
        self._begun += 1
        return place, self.scenarios[self._order[place]]

    def take(self, place: int, result: ScenarioResult) -> ScenarioResult:
        """How the scenario at `place` ended; the same, with what is known of it."""
        if self._known is not None:
            result = self._known.marked(result)
        if place < self._limit:
            self._results[place] = result
        if result.lost:
            self._end(place, place + 1, result.lost, lost=True)
        elif self._stop_at_first and result.verdict not in _FINE and not result.is_known:
            why = f"stopped at the first scenario that did not pass, {result.scenario.id}"
            self._end(place, place + 1, why, lost=False)
        return result

    def lose(self, place: int, why: str) -> None:
        """The scenario at `place` could not be played, nor can any after it."""
        self._end(place, place, why, lost=True)

    def break_off(self, why: str, *, lost: bool) -> None:
        """The run ends from outside, wherever it stands: all that has been played counts."""
        if not self.stopped:
            self.stopped, self.lost = why, lost

    def _end(self, place: int, limit: int, why: str, *, lost: bool) -> None:
        if place >= self._ended_at:
            return
        self._ended_at, self._limit, self.stopped, self.lost = place, limit, why, lost
        self._results = {at: result for at, result in self._results.items() if at < limit}

    def in_play(self) -> tuple[str, ...]:
        """The scenarios that have been given out and have not ended."""
        places = (place for place in range(self._begun) if place not in self._results)
        return tuple(self.scenarios[self._order[place]].id for place in places)

    @property
    def is_complete(self) -> bool:
        """Whether all results are there that count."""
        return len(self._results) == self._limit

    def results(self) -> tuple[ScenarioResult, ...]:
        """What counts, in the order of the scenarios."""
        by_index = {self._order[place]: result for place, result in self._results.items()}
        return tuple(by_index[index] for index in sorted(by_index))
