"""The suite accuses nobody falsely: whoever does otherwise what the documents leave open breaks no `must`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from conformance import requirements, schemas
from conformance.loader import load_all
from conformance.running import run
from conformance.session import Session
from tests.copies import Edit
from tests.variants import Variant, all_variants, bundles, otherwise, shown_in, together

REGISTER = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
LOADED, _ = load_all([schemas.scenarios_folder()], REGISTER)
MUSTS = [scenario for scenario in LOADED if scenario.level == "must"]
VARIANTS = all_variants()
BUNDLES = bundles(VARIANTS)


def held_against(variants: Sequence[Variant]) -> list[str]:
    """What the `must` scenarios of their profiles hold against a reference that takes these ways."""

    async def played() -> list[str]:
        session = await Session.open(otherwise(variants)())
        report = await run(shown_in(variants, MUSTS), session, REGISTER, timeout=10, with_sequence=False)
        await session.driver.shutdown()
        return [
            f"{result.scenario.id} {result.verdict}: {result.message}"
            + "".join(f"{failure.check}: {failure.message}" for failure in result.failures)
            for result in report.scenarios
            if result.verdict != "passed"
        ]

    return asyncio.run(played())


@pytest.mark.parametrize("variants", BUNDLES, ids=[f"{len(each)} ways at once" for each in BUNDLES])
def test_a_reference_that_takes_the_other_way_where_one_is_left_open_breaks_no_must(
    variants: list[Variant],
) -> None:
    assert held_against(variants) == [], variants


@settings(max_examples=3, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(st.sampled_from(VARIANTS), unique_by=repr, min_size=2, max_size=12).map(together))
def test_neither_does_one_that_takes_any_of_these_ways_together(variants: list[Variant]) -> None:
    assert held_against(variants) == []


def test_every_variant_is_in_a_bundle_and_the_ways_of_a_bundle_go_together() -> None:
    assert sorted(repr(variant) for bundle in BUNDLES for variant in bundle) == sorted(map(repr, VARIANTS))
    for bundle in BUNDLES:
        assert together(bundle) == bundle


def test_variants_at_one_point_in_one_place_or_of_different_profiles_do_not_go_together() -> None:
    here = Variant("one", "point", (Edit("inbox", "class Queue", "class Queue"),))
    there = Variant("two", "other point", (Edit("inbox", "Queue:", "Queue:"),))
    elsewhere = Variant("three", "other point", (Edit("run", "class Run", "class Run"),))
    of_clients = Variant("four", "third point", profiles=("client",))

    assert not here.goes_with(there)
    assert not there.goes_with(elsewhere)
    assert not here.goes_with(of_clients)
    assert here.goes_with(elsewhere)
