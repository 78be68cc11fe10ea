"""What `python -m tests.repeatability` does a thousand times, done a few times."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from conformance import Scenarios, load
from conformance.drivers.base import Driver
from conformance.drivers.reference import driver
from tests.repeatability import Round, difference
from tests.test_repetition import SCENARIO, Chatty


def test_in_another_order_and_in_two_processes_at_once_the_report_is_the_same_to_the_byte() -> None:
    assert difference(load(), driver, 3) is None


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

    found = difference(scenarios, third_is_chatty, 5)

    assert found is not None
    played, lines = found
    assert (played, str(played)) == (Round(2, 2), "--shuffle 2 -n 2")
    assert '+      "type": "Extra"' in lines
