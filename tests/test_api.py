"""The suite from Python: small, and the same as the command."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import conformance
from conformance import (
    DriverNameError,
    InputError,
    NotStarted,
    SelectionError,
    api,
    load,
    merge,
    patterns,
    play,
    play_async,
    run,
    run_async,
    schemas,
)
from conformance.drivers.reference import ReferenceDriver

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


class Unmade(ReferenceDriver):
    """Cannot even be made."""

    def __init__(self) -> None:
        raise LookupError("no model today")


def test_importing_the_package_costs_nothing_until_a_name_is_used() -> None:
    code = (
        "import sys, conformance; before = 'conformance.api' in sys.modules or 'yaml' in sys.modules;"
        "conformance.load; print(before, 'conformance.api' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False True\n"


def test_the_package_offers_what_the_api_lists_and_its_version() -> None:
    assert sorted(conformance.__all__) == sorted([*api.__all__, "version"])
    for name in api.__all__:
        assert getattr(conformance, name) is getattr(api, name)


def test_a_name_that_is_not_offered_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'anything'"):
        conformance.anything  # noqa: B018 - looking is all


def test_what_is_offered_is_described() -> None:
    functions = [it for name in api.__all__ if callable(it := getattr(api, name)) and inspect.isroutine(it)]

    assert [function.__name__ for function in functions if not function.__doc__] == []


def test_without_a_path_all_scenarios_that_ship_are_loaded_and_everything_is_asked_for() -> None:
    scenarios = load()
    measured = {
        id for id, it in scenarios.requirements.items() if it.profile in {s.profile for s in scenarios}
    }

    assert len(scenarios) > 200
    assert scenarios.asked_for == measured


def test_selecting_asks_for_what_was_named_or_for_what_is_covered() -> None:
    scenarios = load(["agent/inbox"])
    named = scenarios.select(requirements=["agent.inbox.read-at-final"], name="not results")
    by_title = scenarios.select(name="read-at-final")

    assert named.asked_for == {"agent.inbox.read-at-final"}
    assert by_title.asked_for == {id for scenario in by_title for id in scenario.covers}
    assert {scenario.profile for scenario in scenarios.select(profiles=["agent"])} == {"agent"}


def test_a_slice_of_scenarios_is_scenarios_too() -> None:
    scenarios = load(["agent/inbox"])

    assert list(scenarios[:2]) == [scenarios[0], scenarios[1]]
    assert run(scenarios[:2]).exit_status() == 0


def test_what_does_not_exist_is_told_when_selecting() -> None:
    with pytest.raises(SelectionError, match=r"did you mean agent\.inbox"):
        load().select(requirements=["agent.inbx"])


def test_everything_that_is_wrong_is_told_in_one_error(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(SCENARIO.replace("title", "titel"))
    (tmp_path / "two.yaml").write_text(SCENARIO.replace("Hello.", "Hello.]"))

    with pytest.raises(InputError) as raised:
        load([tmp_path])

    assert [Path(problem.position.path).name for problem in raised.value.problems] == ["one.yaml", "two.yaml"]
    assert str(raised.value).splitlines() == [str(problem) for problem in raised.value.problems]


def test_one_scenario_is_played_with_all_that_was_seen() -> None:
    result = play(load(["agent/inbox/read-at-final"])[0])

    assert result.verdict == "passed"
    assert (
        patterns.match_events(["AgentStart", "...", "AgentEnd"], [it["event"] for it in result.sequence], {})
        is None
    )


def test_a_report_is_plain_data_of_its_schema_and_has_a_status() -> None:
    seen = []
    report = run(load(["agent/resume"]), on_result=seen.append)

    assert schemas.is_valid("report", report.to_json())
    assert (report.exit_status(), report.summary()["passed"]) == (0, len(report.scenarios))
    assert seen == list(report.scenarios)


def test_a_list_of_scenarios_will_do() -> None:
    report = run([scenario for scenario in load(["agent/resume"]) if "refused" in scenario.id])

    assert report.exit_status() == 0


def test_where_a_loop_is_running_there_are_coroutines() -> None:
    async def both() -> tuple[str, int]:
        scenarios = load(["agent/resume"])[:1]
        result = await play_async(scenarios[0])
        return result.verdict, (await run_async(scenarios)).exit_status()

    assert asyncio.run(both()) == ("passed", 0)


def test_a_driver_is_a_name_or_anything_that_makes_one() -> None:
    scenario = load(["agent/inbox/read-at-final"])[0]

    assert play(scenario, ReferenceDriver).verdict == "passed"
    assert play(scenario, lambda: ReferenceDriver()).verdict == "passed"
    with pytest.raises(DriverNameError, match="there is no command"):
        play(scenario, "stdio:no-such-command")


def test_a_driver_that_cannot_be_made_has_not_started_and_why_can_be_read() -> None:
    with pytest.raises(NotStarted, match="LookupError: no model today") as raised:
        run(load(["agent/resume"])[:1], Unmade)

    assert "Traceback" in raised.value.detail


@pytest.mark.parametrize(
    "wrong",
    [
        lambda scenarios: run(scenarios, jobs=0),
        lambda scenarios: run(scenarios, repeat=0),
        lambda scenarios: run(scenarios, timeout=0),
        lambda scenarios: scenarios.shard(3, 2),
        lambda scenarios: merge([]),
        lambda scenarios: merge([run(scenarios), run(scenarios)]),
    ],
    ids=["jobs", "repeat", "timeout", "shard", "merge nothing", "merge the same"],
)
def test_numbers_and_parts_that_make_no_sense_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match=r"expected|there is no|different|more than one"):
        wrong(load(["agent/resume"])[:1])
