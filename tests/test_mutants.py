"""Every scenario sees what it is about: the reference with that fault fails it and names the requirement."""

from __future__ import annotations

import ast
import asyncio
from collections import Counter

import pytest

from conformance import requirements, schemas
from conformance.judge import ScenarioResult
from conformance.loader import load_all
from conformance.running import run
from conformance.session import Session
from tests.copies import Edit
from tests.mutants import Mutant, MutantError, all_mutants, broken

REGISTER = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
SCENARIOS, PROBLEMS = load_all([schemas.scenarios_folder()], REGISTER)
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
MUTANTS = all_mutants()


def play_with(mutant: Mutant, ids: list[str]) -> dict[str, ScenarioResult]:
    async def played() -> dict[str, ScenarioResult]:
        session = await Session.open(broken(mutant)())
        report = await run([BY_ID[id] for id in ids], session, REGISTER, timeout=5)
        await session.driver.shutdown()
        return {result.scenario.id: result for result in report.scenarios}

    return asyncio.run(played())


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.breaks for mutant in MUTANTS])
def test_a_fault_is_caught_by_the_scenarios_about_it_and_breaks_the_requirement_that_they_name(
    mutant: Mutant,
) -> None:
    results = play_with(mutant, list(mutant.caught_by))

    for id, requirement in mutant.caught_by.items():
        result = results[id]
        named = {name for failure in result.failures for name in failure.requirements}
        assert result.verdict == "failed", f"{id} ended as {result.verdict} {result.message} {result.detail}"
        assert requirement in named, f"{id} failed, but named {sorted(named)}"


def test_every_scenario_has_a_fault_that_it_catches() -> None:
    caught = {id for mutant in MUTANTS for id in mutant.caught_by}

    assert sorted(BY_ID.keys() - caught) == []


def test_no_two_mutants_have_one_fault_or_tell_of_it_in_one_way() -> None:
    by_fault: dict[tuple[str, str], list[str]] = {}
    for mutant in MUTANTS:
        edit = Edit(mutant.module, mutant.old, mutant.new)
        source, (start, end) = edit.path.read_text(encoding="utf-8"), edit.span()
        fault = ast.dump(ast.parse(source[:start] + mutant.new + source[end:]))
        by_fault.setdefault((mutant.module, fault), []).append(mutant.breaks)

    assert [told for told in by_fault.values() if len(told) > 1] == []
    assert [told for told, times in Counter(it.breaks for it in MUTANTS).items() if times > 1] == []


def test_no_fault_names_a_scenario_that_does_not_exist() -> None:
    caught = {id for mutant in MUTANTS for id in mutant.caught_by}

    assert sorted(caught - BY_ID.keys()) == []


def test_a_fault_that_no_longer_fits_the_reference_is_an_error() -> None:
    with pytest.raises(MutantError, match="stands 0 times"):
        broken(Mutant("nothing", "agent", "no such text anywhere", "", {}))
