"""What `python -m tests.repeatability` does a thousand times, done a few times."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from conformance import Scenarios, load, run
from conformance.drivers.base import Driver
from conformance.drivers.reference import driver
from tests.repeatability import Round, difference, rounds, written
from tests.test_repetition import SCENARIO, Chatty


def test_in_another_order_and_in_two_processes_at_once_the_report_is_the_same_to_the_byte() -> None:
    scenarios = load()

    assert difference(scenarios, driver, written(run(scenarios, driver)), rounds(3)) is None


def test_two_processes_share_the_rounds_and_play_none_twice() -> None:
    shared = sorted([*rounds(25, 1, 2), *rounds(25, 2, 2)], key=lambda it: it.seed)

    assert shared == [*rounds(25)]
    assert [it.seed for it in shared if it.jobs == 2] == [2, 12, 22]


@pytest.fixture
def scenarios(tmp_path: Path) -> Scenarios:
    (tmp_path / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    return load([tmp_path])


def test_one_event_that_comes_only_once_is_found_and_shown_with_how_to_play_that_round(
    scenarios: Scenarios,
) -> None:
    numbers = count()

    def third_is_chatty() -> Driver:
        made = Chatty()
        made.plays = 2 if next(numbers) == 2 else 10
        return made

    first = written(run(scenarios, third_is_chatty))
    found = difference(scenarios, third_is_chatty, first, rounds(5))

    assert found is not None
    played, lines = found
    assert (played, str(played)) == (Round(2, 2), "--shuffle 2 -n 2")
    assert '+      "type": "Extra"' in lines
