"""The kill matrix: what each mutant does to each scenario of its profile.

Here is what is known once it has been played. `playing` fills it in, `judging` says what is wrong with it,
`showing` prints it and writes it down, and `serving` is a mutant in a process of its own. None of them knows
which mutants or which profiles there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.judge import ScenarioResult
from conformance.requirements import Register
from conformance.scenario import PROFILES, Profile, Scenario
from conformance.verdict import Verdict
from tests.mutants import Mutant


@dataclass(frozen=True, slots=True)
class Cell:
    """How one scenario ended with one mutant: `named` are the requirements that it found broken."""

    scenario: str
    verdict: Verdict
    named: frozenset[str] = frozenset()
    message: str = ""

    @property
    def is_kill(self) -> bool:
        """Whether the scenario saw the fault, by a check that did not hold."""
        return self.verdict == "failed"


def cell(result: ScenarioResult) -> Cell:
    """What the matrix keeps of a result."""
    named = frozenset(name for failure in result.failures for name in failure.requirements)
    return Cell(result.scenario.id, result.verdict, named, result.message)


@dataclass(frozen=True, slots=True)
class Row:
    """One mutant and how each scenario ended, in their order. `lost` says why the last ones are missing."""

    mutant: Mutant
    cells: tuple[Cell, ...]
    lost: str = ""

    def kills(self) -> list[str]:
        """The scenarios that kill the mutant."""
        return [cell.scenario for cell in self.cells if cell.is_kill]

    def survives(self) -> bool:
        """Whether all was played and nothing saw the fault."""
        return not self.lost and not self.kills()

    def by_scenario(self) -> dict[str, Cell]:
        """The cells by the ids of the scenarios."""
        return {cell.scenario: cell for cell in self.cells}


@dataclass(frozen=True, slots=True)
class Matrix:
    """All rows that were played. `served` are the same mutants once more, played over stdio.

    `is_whole` says that every mutant that there is has been played.
    """

    scenarios: Mapping[str, Scenario]
    register: Register
    rows: tuple[Row, ...]
    served: tuple[Row, ...] = ()
    is_whole: bool = True

    def profiles(self) -> list[Profile]:
        """The profiles that were to be played: those of the mutants, and of all scenarios where the matrix is
        whole, so that one without mutants is not passed over."""
        about = {profile for row in self.rows for profile in row.mutant.profiles}
        if self.is_whole:
            about |= {scenario.profile for scenario in self.scenarios.values()}
        return [profile for profile in PROFILES if profile in about]

    def kills_of(self) -> dict[str, int]:
        """How many mutants each scenario of these profiles kills."""
        profiles = self.profiles()
        counts = {id: 0 for id, scenario in self.scenarios.items() if scenario.profile in profiles}
        for row in self.rows:
            for id in row.kills():
                counts[id] += 1
        return counts

    def others(self, row: Row) -> Iterator[Cell]:
        """How the scenarios ended that are not about anything that the mutant breaks."""
        broken = row.mutant.requirements
        for cell in row.cells:
            if not any(id in broken for id in self.scenarios[cell.scenario].covers):
                yield cell
