"""What a run consists of, in whatever order its scenarios are played and their results come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance import Scenario, ScenarioResult, Verdict, load
from conformance.schedule import Schedule

SCENARIOS = load(["agent/inbox"])[:8]


def ended(scenario: Scenario, verdict: Verdict) -> ScenarioResult:
    return ScenarioResult(scenario, verdict)


def test_scenarios_are_played_in_their_order() -> None:
    schedule = Schedule(SCENARIOS)
    played = []
    while job := schedule.next():
        played.append(job[1])

    assert played == list(SCENARIOS)


def test_a_seed_always_gives_the_same_other_order_with_everything_in_it() -> None:
    def order(seed: int) -> list[str]:
        schedule = Schedule(SCENARIOS, seed=seed)
        return [job[1].id for job in iter(schedule.next, None)]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert sorted(order(1)) == [scenario.id for scenario in SCENARIOS]


def test_results_are_in_the_order_of_the_scenarios_however_they_were_played() -> None:
    schedule = Schedule(SCENARIOS, seed=3)
    for place, scenario in iter(schedule.next, None):
        schedule.take(place, ended(scenario, "passed"))

    assert [result.scenario for result in schedule.results()] == list(SCENARIOS)
    assert schedule.is_complete


@given(
    arrival=st.permutations(range(8)),
    verdicts=st.lists(st.sampled_from(["passed", "failed", "unsupported"]), min_size=8, max_size=8),
    lost=st.none() | st.integers(0, 7),
    seed=st.none() | st.integers(0, 3),
)
def test_what_counts_does_not_depend_on_the_order_in_which_results_come(
    arrival: list[int], verdicts: list[Verdict], lost: int | None, seed: int | None
) -> None:
    def played(order: list[int]) -> Schedule:
        schedule = Schedule(SCENARIOS, seed=seed, stop_at_first=True)
        jobs = list(iter(schedule.next, None))
        for place, scenario in (jobs[index] for index in order):
            if place == lost:
                schedule.lose(place, "gone")
            else:
                schedule.take(place, ended(scenario, verdicts[place]))
        return schedule

    in_order, as_it_came = played(list(range(8))), played(arrival)

    assert as_it_came.results() == in_order.results()
    assert (as_it_came.stopped, as_it_came.lost) == (in_order.stopped, in_order.lost)
    assert as_it_came.is_complete


def test_nothing_is_begun_after_the_first_that_did_not_pass() -> None:
    schedule = Schedule(SCENARIOS, stop_at_first=True)
    first, second = schedule.next(), schedule.next()
    assert first is not None
    assert second is not None
    schedule.take(first[0], ended(first[1], "failed"))

    assert schedule.next() is None
    assert schedule.is_complete
    assert schedule.stopped == f"stopped at the first scenario that did not pass, {SCENARIOS[0].id}"
