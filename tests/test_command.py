"""The command: what it prints, what it writes, and the status that it ends with."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import schemas
from conformance.cli import main

PASSING = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents:
  main:
    model:
      - text: Hello.
steps:
  - prompt: Hi
    emits: [..., {MessageEnd: {message: {role: assistant, content: Hello.}}}, ...]
"""
FAILING = PASSING.replace("content: Hello.", "content: Goodbye.")
BLIND = PASSING.replace("agent.events.turn-order", "agent.events.stats-once")


@pytest.fixture
def scenarios(tmp_path: Path) -> Callable[..., str]:
    def write(**texts: str) -> str:
        for name, text in texts.items():
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return str(tmp_path)

    return write


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_run_in_which_all_passes_ends_with_0_and_counts(scenarios: Callable[..., str]) -> None:
    result = outlast("run", scenarios(one=PASSING, two=PASSING))

    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == "scenarios: 2 passed; requirements: 1 met"


def test_scenarios_that_have_no_folder_in_their_ids_are_counted_by_the_name_of_the_one_they_stand_in(
    tmp_path: Path,
) -> None:
    plays = tmp_path / "plays"
    plays.mkdir()
    (plays / "one.yaml").write_text(PASSING, encoding="utf-8")
    by_folder = outlast("run", str(plays), "agent/events/turn-order").output.splitlines()
    by_file = outlast("run", str(plays / "one.yaml")).output.splitlines()

    assert by_folder[2:4] == ["agent/events  1 passed", "plays         1 passed"]
    assert by_file[2] == "plays  1 passed"


@pytest.mark.parametrize("command", ["run", "list", "lint", "show"])
@pytest.mark.parametrize(
    "name, told",
    [
        ("nothere", "there is no scenario, file or folder nothere; see: outlast list"),
        ("agent/inbx", "there is no scenario, file or folder agent/inbx; did you mean agent/inbox?"),
        ("fifo", "; did you mean agent/inbox/fifo?"),
        ("scenarios/agent/inbox", "; did you mean agent/inbox?"),
        ("agent/inbox/read-at-finl.yaml", "; did you mean agent/inbox/read-at-final?"),
        ("killed-in-tool", "; did you mean field/killed-in-a-tool?"),
        ("plays/late-reprot.yaml", "; did you mean plays/late-report.yaml?"),
        ("palys", "; did you mean plays?"),
        ("x" * 300, "cannot be read: File name too long"),
    ],
)
def test_a_name_that_leads_nowhere_is_told_of_with_the_nearest_that_does(
    name: str, told: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plays").mkdir()
    (tmp_path / "plays" / "late-report.yaml").write_text(PASSING, encoding="utf-8")
    result = outlast(command, name)

    assert (result.exit_code, told in result.output, result.output.count("\n")) == (2, True, 1), result.output


def test_of_several_names_that_lead_nowhere_each_is_told_of() -> None:
    result = outlast("run", "agent/inbx", "agent/chld", "agent/run")

    assert result.exit_code == 2
    assert result.output.splitlines() == [
        "error: there is no scenario, file or folder agent/inbx; did you mean agent/inbox?",
        "error: there is no scenario, file or folder agent/chld; did you mean agent/child?",
    ]


def test_a_failure_shows_the_step_the_requirement_both_sides_and_how_to_repeat_it(
    scenarios: Callable[..., str],
) -> None:
    folder = scenarios(one=PASSING, two=FAILING)
    result = outlast("run", folder)

    assert result.exit_code == 1
    assert "FAILED two (must): The model answers" in result.output
    assert "step 1, check emits: " in result.output
    assert f"at {folder}/two.yaml:9:5\n" in result.output
    assert "breaks agent.events.turn-order (must): " in result.output
    assert "Goodbye." in result.output
    assert f"again: outlast run {folder}/two.yaml" in result.output
    assert result.output.splitlines()[-1] == "scenarios: 1 passed, 1 failed; requirements: 1 broken"


def test_a_should_that_fails_is_no_failure_unless_strict(scenarios: Callable[..., str]) -> None:
    folder = scenarios(one=BLIND.replace("content: Hello.", "content: Goodbye."))

    assert outlast("run", folder).exit_code == 0
    assert outlast("run", folder, "--strict").exit_code == 1


def test_require_all_asks_for_every_requirement_that_was_named(scenarios: Callable[..., str]) -> None:
    folder = scenarios(one=PASSING)
    asked = ["--requirement", "agent.events.turn-order"]

    assert outlast("run", folder, *asked, "--require-all").exit_code == 0
    assert outlast("run", folder, *asked, "--requirement", "agent.child.stop", "--require-all").exit_code == 1


def test_exitfirst_plays_nothing_after_the_first_that_does_not_pass(scenarios: Callable[..., str]) -> None:
    result = outlast("run", scenarios(a=FAILING, b=PASSING), "-x")

    assert result.exit_code == 1
    assert "scenarios: 1 failed" in result.output.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["-k", "nothing_like_it"], "nothing was selected"),
        (["-k", "(open"], "a bracket is not closed"),
        (["--requirement", "agent.event"], "did you mean agent.events"),
        (["--driver", "elsewhere"], "expected python:MODULE:FACTORY"),
        (["--driver", "python:no_such_module:f"], "cannot import no_such_module"),
        (["--driver", "python:json:no_such_function"], "json has no function no_such_function"),
        (["--json", "/no/such/folder/report.json"], "there is no folder"),
        (["--profile", "agents"], "'agents' is not one of"),
    ],
)
def test_a_wrong_command_ends_with_2_and_says_what_is_wrong(
    arguments: list[str], message: str, scenarios: Callable[..., str]
) -> None:
    result = outlast("run", scenarios(one=PASSING), *arguments)

    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_one_file_that_is_wrong_ends_with_2_and_nothing_is_played(scenarios: Callable[..., str]) -> None:
    result = outlast("run", scenarios(one=PASSING, two=PASSING.replace("steps:", "stpes:")))

    assert result.exit_code == 2
    assert "two.yaml:8:1: " in result.output
    assert "passed" not in result.output


def test_an_implementation_that_cannot_be_started_ends_with_3(scenarios: Callable[..., str]) -> None:
    result = outlast("run", scenarios(one=PASSING), "--driver", "python:tests.test_command:NeverStarts")

    assert result.exit_code == 3
    assert "out of order" in result.output


class NeverStarts:
    async def start(self, host: object) -> None:
        from conformance.drivers.base import NotStarted

        raise NotStarted("out of order")


def test_the_json_report_is_as_its_schema_says_and_the_same_twice(
    scenarios: Callable[..., str], tmp_path: Path
) -> None:
    folder = scenarios(one=PASSING, two=FAILING)
    reports = []
    for name in ("first.json", "second.json"):
        outlast("run", folder, "--json", str(tmp_path / name))
        report = json.loads((tmp_path / name).read_text(encoding="utf-8"))
        assert schemas.is_valid("report", report)
        for scenario in report["scenarios"]:
            del scenario["seconds"]
        reports.append(report)

    assert reports[0] == reports[1]
    assert reports[0]["summary"]["failed"] == 1
    assert reports[0]["implementation"]["language"] == "python"


def test_a_scenario_that_ships_can_be_named_by_its_id() -> None:
    result = outlast("run", "agent/events/late-result")

    assert result.output.splitlines()[-1] == "scenarios: 1 passed; requirements: 1 met"


@pytest.mark.parametrize(
    "wrong, is_said",
    [
        (PASSING.replace("text:", "text"), True),
        (PASSING.replace("steps:", "steps: go\nmore:"), True),
        (PASSING.replace("title:", "titel:"), False),
    ],
)
def test_lint_says_where_more_may_be_told_when_what_is_wrong_has_been_mended(
    scenarios: Callable[..., str], wrong: str, is_said: bool
) -> None:
    told = outlast("lint", scenarios(one=wrong)).stderr

    assert ("not everything could be looked at: more may be told when this is mended" in told) is is_said


def test_lint_counts_what_it_has_read_and_lists_all_that_is_wrong(scenarios: Callable[..., str]) -> None:
    good = outlast("lint", scenarios(one=PASSING))
    bad = outlast("lint", scenarios(two=PASSING.replace("text:", "txt:").replace("title:", "titel:")))

    assert (good.exit_code, good.output) == (0, "1 scenario read, nothing wrong\n")
    assert bad.exit_code == 2
    assert "two.yaml:2:1: " in bad.output
    assert "two.yaml:7:9: " in bad.output


def test_the_installed_command_knows_its_version() -> None:
    command = Path(sys.executable).with_name("outlast")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("outlast, version 0.1.0")
