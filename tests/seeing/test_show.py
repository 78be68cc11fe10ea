"""`outlast show`: a scenario as a timeline."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import api, playing, schemas
from conformance.cli import main
from conformance.drivers.base import Implementation
from conformance.drivers.reference import ReferenceDriver
from conformance.report.timeline import UNREACHED, Timeline
from conformance.session import Session
from tests.seeing import altered, same_as_golden
from tests.seeing.plays import ALL, LATER, write

DRIVER = ["--driver", "python:tests.seeing.test_show:{}"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(**ALL, **LATER)


def show(*arguments: str, width: int = 80) -> Result:
    return CliRunner().invoke(main, ["show", *arguments], env={"COLUMNS": str(width)})


def silent_about_pauses() -> ReferenceDriver:
    driver = altered(lambda event: None if event["type"] == "Paused" else event)()
    assert isinstance(driver, ReferenceDriver)
    return driver


class Childless(ReferenceDriver):
    async def start(self, host: object) -> Implementation:
        said = await super().start(host)  # type: ignore[arg-type]
        return Implementation(said.name, said.version, said.language, said.profiles, frozenset())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ALL)
def test_a_script_is_told_in_the_order_in_which_it_is_played(name: str, width: int) -> None:
    result = show(f"{name}.yaml", width=width)

    assert result.exit_code == 0
    assert same_as_golden(f"show-{name}-{width}", result.output)


@pytest.mark.parametrize("name", LATER)
def test_sub_agents_and_clients_are_told_alike_with_what_came_where_that_is_asked_for(name: str) -> None:
    assert same_as_golden(f"show-{name}-80", show(f"{name}.yaml").output)
    assert same_as_golden(f"show-{name}-events", show(f"{name}.yaml", "--events", width=110).output)


def test_what_is_emitted_stands_between_where_that_is_asked_for() -> None:
    assert same_as_golden("show-child-events", show("child.yaml", "--events").output)


def test_what_another_implementation_does_is_shown_with_where_it_fails() -> None:
    result = show("pause.yaml", *DRIVER[:1], DRIVER[1].format("silent_about_pauses"))

    assert result.exit_code == 0
    assert same_as_golden("show-pause-failed", result.output)


def test_a_scenario_that_cannot_be_played_is_told_agent_by_agent() -> None:
    output = show("child.yaml", *DRIVER[:1], DRIVER[1].format("Childless")).output

    assert "unsupported: lacks children" in output
    script = output[output.index("What the script has") :]
    assert "researcher says: It was May." in script
    assert "search returns: 12 May" in script

    output = show("suspended.yaml", *DRIVER[:1], DRIVER[1].format("Childless")).output
    script = output[output.index("What the script has") :]

    assert "unsupported: lacks clock, state-traces" in output
    assert "check_secret finds no Answer" in script
    assert "ring suspends for call: Ring them?" in script
    assert "state of second: running (while it is asked)" in script
    assert "careful's interpreter answers: no (declined)" in script


@pytest.mark.parametrize(
    "name, message",
    [
        ("agent/inbox", "agent/inbox is a folder of scenarios; see: outlast list agent/inbox"),
        (
            "read-at-final",
            "folder read-at-final; did you mean agent/inbox/read-at-final?",
        ),
        ("agent/inbox/read-at-finl", "did you mean agent/inbox/read-at-final?"),
        ("nothing/like/it", "there is no scenario, file or folder nothing/like/it; see: outlast list"),
        (".", ". is a folder of scenarios"),
    ],
)
def test_a_name_that_is_no_scenarios_ends_with_2_and_a_hint(name: str, message: str) -> None:
    result = show(name)

    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_a_driver_that_cannot_be_started_ends_with_3() -> None:
    result = show("late.yaml", "--driver", "python:tests.test_command:NeverStarts")

    assert (result.exit_code, "out of order" in result.output) == (3, True)


SHIPPED = api.load([schemas.scenarios_folder()])


def test_every_scenario_that_ships_is_told_to_its_end() -> None:
    async def left() -> list[str]:
        session = await Session.start(ReferenceDriver)
        found = []
        for scenario in SHIPPED:
            await session.driver.reset()
            timeline = Timeline(scenario, await playing.play(scenario, session))
            steps = dict(timeline.steps())
            if timeline.lacks_something:
                found.append(scenario.id)
            assert len([number for number in steps if number != UNREACHED]) == len(scenario.steps)
            assert all(lines for lines in steps.values()), scenario.id
        await session.close()
        return found

    assert asyncio.run(left()) == []
