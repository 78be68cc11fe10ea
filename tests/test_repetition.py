"""Playing scenarios several times: what is not the same each time is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ImplementationError, Scenarios, load, play, run
from conformance.cli import main
from conformance.drivers.base import AgentOptions
from conformance.drivers.reference import ReferenceDriver
from conformance.scenario import Json

SCENARIO = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents:
  main:
    model: [text: Hello.]
steps:
  - prompt: Hi
"""


class Counting(ReferenceDriver):
    """Knows how often it has been played with."""

    plays = 0

    async def create(self, agent: str, options: AgentOptions) -> None:
        self.plays += 1
        await super().create(agent, options)


class Moody(Counting):
    """Refuses every second time."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        if self.plays % 2 == 0:
            raise ImplementationError("other", "not today")
        return await super().prompt(agent, text)


class Chatty(Counting):
    """Emits one more event the third time, which nobody minds."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        reply = await super().prompt(agent, text)
        if self.plays == 3 and self._host is not None:
            self._host.event(agent, {"type": "Extra"})
        return reply


@pytest.fixture
def scenarios(tmp_path: Path) -> Scenarios:
    (tmp_path / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    return load([tmp_path])


def test_what_is_the_same_each_time_is_as_if_it_had_been_played_once(scenarios: Scenarios) -> None:
    once, often = play(scenarios[0]), play(scenarios[0], repeat=3)

    assert (often.verdict, often.failures, often.warnings) == ("passed", (), ())
    assert often.sequence == once.sequence


def test_one_play_that_does_not_pass_is_the_result_and_how_often_it_came_is_told(
    scenarios: Scenarios,
) -> None:
    result = play(scenarios[0], Moody, repeat=5)

    assert result.verdict == "failed"
    assert [failure.check for failure in result.failures] == ["error"]
    assert [warning.message for warning in result.warnings] == [
        "it does not always end alike: of 5 plays 3 passed, 2 failed"
    ]


def test_a_sequence_that_differs_is_a_warning_with_both_sides_and_breaks_no_requirement(
    scenarios: Scenarios,
) -> None:
    report = run(scenarios, Chatty, repeat=4, with_sequence=False)
    (result,) = report.scenarios

    assert result.verdict == "passed"
    assert [(it.check, it.requirements, it.step, it.message) for it in result.warnings] == [
        ("repeat", (), 1, "play 3 differs from the first in event 11 of all")
    ]
    assert result.warnings[0].expected == "no further event"
    assert result.warnings[0].actual == {"type": "Extra"}
    assert report.exit_status(strict=True) == 0


def test_the_command_prints_what_differed(scenarios: Scenarios) -> None:
    folder = str(scenarios[0].path.parent)
    driver = "python:tests.test_repetition:Chatty"

    result = CliRunner().invoke(main, ["run", folder, "--repeat", "3", "--driver", driver])

    assert "not the same each time (--repeat):" in result.output
    assert "play 3 differs from the first in event 11 of all" in result.output
    assert result.exit_code == 0


def test_the_command_says_that_it_repeated_where_nothing_differed(scenarios: Scenarios) -> None:
    folder = str(scenarios[0].path.parent)

    assert "--repeat 3: each was played 3 times, always the same" in outlast(folder, "--repeat", "3")
    assert "--repeat" not in outlast(folder)


def test_what_plays_a_scenario_again_repeats_it_as_often(scenarios: Scenarios) -> None:
    path = str(scenarios[0].path)
    said = outlast(path, "--repeat", "3", "--driver", "python:tests.test_repetition:Moody")

    assert f"again: outlast run --repeat 3 --driver python:tests.test_repetition:Moody {path}" in said
    assert "always the same" not in said


def outlast(*arguments: str) -> str:
    return CliRunner().invoke(main, ["run", *arguments]).output


def test_playing_less_than_once_makes_no_sense(scenarios: Scenarios) -> None:
    with pytest.raises(ValueError, match="cannot be played 0 times"):
        play(scenarios[0], repeat=0)
