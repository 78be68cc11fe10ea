"""Lists of scenarios that need not pass: what counts, what is wrong with a list, and how one is drafted."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import (
    Driver,
    InputError,
    KnownFailures,
    Report,
    load,
    read_known_failures,
    run,
    schemas,
)
from conformance.cli import main
from conformance.drivers.reference import ReferenceDriver
from reference import Event
from reference.events import AgentEnd

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
LISTED = "- {id: failing, outcome: failed, reason: It is too polite.}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two scenarios, of which one fails, and in which everything is done."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "passing.yaml").write_text(PASSING, encoding="utf-8")
    (tmp_path / "mine" / "failing.yaml").write_text(FAILING, encoding="utf-8")
    return tmp_path


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def with_list(text: str, *arguments: str) -> Result:
    Path("known.yaml").write_text(text, encoding="utf-8")
    return outlast("mine", "--known-failures", "known.yaml", *arguments)


def test_a_failure_that_is_listed_is_counted_apart_and_does_not_count_against_the_run() -> None:
    result = with_list(LISTED)

    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == "scenarios: 1 passed, 1 known to fail; requirements: 1 broken"
    assert "FAILED" not in result.output


def test_a_requirement_that_only_known_failures_break_is_broken_and_the_outcome_is_kept() -> None:
    result = with_list(LISTED, "--json", "report.json")
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    by_id = {scenario["id"]: scenario for scenario in report["scenarios"]}

    assert result.exit_code == 0
    assert schemas.is_valid("report", report)
    assert (by_id["failing"]["outcome"], by_id["failing"]["known"]) == ("failed", True)
    assert (by_id["passing"]["outcome"], by_id["passing"]["known"]) == ("passed", False)
    assert report["summary"]["failed"] == 1
    assert report["known_failures"] == {"used": True, "count": 1, "problems": []}
    broken = [found["id"] for found in report["requirements"] if found["status"] == "broken"]
    assert broken == ["agent.events.turn-order"]


def test_one_check_can_be_listed_and_then_no_other_may_fail() -> None:
    assert with_list("- {id: 'failing:emits', outcome: failed, reason: Why}\n").exit_code == 0

    other = with_list("- {id: 'failing:result', outcome: failed, reason: Why}\n")

    assert other.exit_code == 1
    assert "known.yaml:1:8: failing:result is stale: its check result does not fail" in other.output
    assert "FAILED failing" in other.output


def test_exitfirst_does_not_stop_at_a_failure_that_is_known() -> None:
    assert outlast("mine", "-x").output.splitlines()[-1].startswith("scenarios: 1 failed;")
    assert "1 passed, 1 known to fail" in with_list(LISTED, "-x").output


def test_several_processes_know_as_much_as_one() -> None:
    result = with_list(LISTED, "-n", "2")

    assert (result.exit_code, "1 passed, 1 known to fail" in result.output) == (0, True), result.output


@pytest.mark.parametrize(
    "more, said",
    [
        (
            "- {id: passing, outcome: failed, reason: Why}",
            "known.yaml:2:8: passing is stale: it ends as passed, not as failed",
        ),
        (
            "- {id: fialing, outcome: failed, reason: Why}",
            "known.yaml:2:8: fialing is unmatched: there is no such scenario; did you mean failing?",
        ),
        (
            "- {id: failing, outcome: failed, reason: Why}",
            "known.yaml:2:8: failing is overlapping: failing stands in line 1 already",
        ),
        (
            "- {id: 'failing:emits', outcome: failed, reason: Why}",
            "known.yaml:2:8: failing:emits is overlapping: failing stands in line 1 already",
        ),
        (
            "- {id: agent/inbox/fifo, outcome: failed, reason: Why, expires: 2020-02-29}",
            "known.yaml:2:8: agent/inbox/fifo has expired: on 2020-02-29",
        ),
    ],
    ids=["stale", "unmatched", "overlapping", "overlapping-check", "expired"],
)
def test_an_entry_that_is_out_of_date_ends_the_run_with_1_and_is_told_with_its_place(
    more: str, said: str
) -> None:
    result = with_list(LISTED + more)

    assert (result.exit_code, said in result.output) == (1, True), result.output


def test_another_outcome_than_the_one_listed_counts_and_the_entry_is_stale() -> None:
    result = with_list(LISTED.replace("outcome: failed", "outcome: crashed"))

    assert result.exit_code == 1
    assert "failing is stale: it ends as failed, not as crashed" in result.output
    assert "FAILED failing" in result.output


def test_an_entry_for_what_was_not_selected_is_no_error() -> None:
    assert with_list(LISTED, "-k", "passing").exit_code == 0
    assert with_list(LISTED + "- {id: agent/inbox/fifo, outcome: crashed, reason: Why}").exit_code == 0


def test_an_entry_counts_on_its_last_day_and_not_on_the_day_after() -> None:
    Path("known.yaml").write_text(LISTED.replace("}", ", expires: 2031-05-04}"), encoding="utf-8")

    def status(today: datetime.date) -> int:
        return played(read_known_failures("known.yaml", today=today)).exit_status()

    assert status(datetime.date(2031, 5, 4)) == 0
    assert status(datetime.date(2031, 5, 5)) == 1


def played(known: str | KnownFailures) -> Report:
    return run(load(["mine"]), known_failures=known)


def test_from_python_a_run_takes_the_name_of_the_file() -> None:
    Path("known.yaml").write_text(LISTED, encoding="utf-8")
    report = played("known.yaml")

    assert [result.scenario.id for result in report.known()] == ["failing"]
    assert report.exit_status(strict=True, require_all=False) == 0


def test_a_list_that_is_configured_is_used() -> None:
    Path("outlast.toml").write_text('known_failures = "known.yaml"\npaths = ["mine"]', encoding="utf-8")
    Path("known.yaml").write_text(LISTED, encoding="utf-8")

    assert outlast().exit_code == 0
    assert outlast("agent/inbox/fifo").exit_code == 0


@pytest.mark.parametrize(
    "text, said",
    [
        ("{}", "known.yaml:1:1: expected a list, found an empty mapping"),
        ("- {id: a, outcome: failed}", "known.yaml:1:3: the key 'reason' is missing"),
        ("- {id: a, outcome: passed, reason: b}", "known.yaml:1:20: expected one of failed, crashed"),
        ("- {id: a, outcome: failed, raeson: b}", "known.yaml:1:28: unknown key 'raeson'; did you mean"),
        ("- {id: a, outcome: failed, reason: b, expires: 2030-02-30}", "1:48: there is no such day"),
        ("- {id: a, outcome: failed, reason: b, expires: soon}", "1:48: expected a date such as"),
        ("- {id: 'a:emits', outcome: crashed, reason: b}", "1:28: a check can only have failed"),
        ("- {id: ' ', outcome: failed, reason: b}", "known.yaml:1:8: expected the id of a scenario"),
    ],
)
def test_a_file_that_is_no_list_ends_with_2_and_nothing_is_played(text: str, said: str) -> None:
    result = with_list(text)

    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert "passed" not in result.output.replace("found text 'passed'", "")
    with pytest.raises(InputError):
        read_known_failures("known.yaml")


def test_what_is_drafted_fits_the_run_and_reminds_of_the_reasons() -> None:
    assert outlast("mine", "--write-known-failures", "known.yaml").exit_code == 1

    assert Path("known.yaml").read_text(encoding="utf-8").splitlines()[-3:] == [
        '- id: "failing"',
        "  outcome: failed",
        '  reason: "TODO: say why"',
    ]
    again = outlast("mine", "--known-failures", "known.yaml")
    assert again.exit_code == 0
    assert "note: known.yaml: 1 of 1 have no reason but 'TODO: say why'" in again.output


def test_drafting_keeps_what_was_written_and_drops_what_is_no_longer_so() -> None:
    Path("known.yaml").write_text(
        LISTED.replace("}", ", issue: '#7', expires: 2040-01-01}")
        + "- {id: passing, outcome: failed, reason: Long ago}\n"
        + "- {id: agent/inbox/fifo, outcome: crashed, reason: 'Not played: kept'}\n"
        + "- {id: no/such, outcome: crashed, reason: Nothing}\n",
        encoding="utf-8",
    )
    outlast("mine", "--write-known-failures", "known.yaml")

    assert Path("known.yaml").read_text(encoding="utf-8").split("\n\n")[1:] == [
        '- id: "agent/inbox/fifo"\n  outcome: crashed\n  reason: "Not played: kept"',
        '- id: "failing"\n  outcome: failed\n  reason: "It is too polite."\n  issue: "#7"\n'
        "  expires: 2040-01-01\n",
    ]


def test_a_draft_of_a_run_in_which_all_passes_is_an_empty_list_that_can_be_used() -> None:
    outlast("mine/passing.yaml", "--write-known-failures", "known.yaml")

    assert read_known_failures("known.yaml").entries == ()
    assert outlast("mine/passing.yaml", "--known-failures", "known.yaml").exit_code == 0


def test_what_only_strict_counts_is_listed_by_its_check_when_drafted_with_strict() -> None:
    driver = ("--driver", "python:tests.test_known_failures:forgets_at_the_end")
    strict = ("mine/passing.yaml", *driver, "--strict")

    assert outlast(*strict, "--write-known-failures", "known.yaml").exit_code == 1
    (entry,) = read_known_failures("known.yaml").entries
    assert (entry.id, entry.outcome) == ("passing:agent-end-complete", "failed")
    assert outlast(*strict, "--known-failures", "known.yaml").exit_code == 0


def forgets_at_the_end() -> Driver:
    """The reference, which says at the end of each run that it has added nothing: a should."""
    return Forgetful()


class Forgetful(ReferenceDriver):
    def _sink(self, agent: str) -> Callable[[Event], None]:
        tell = super()._sink(agent)
        return lambda event: tell(AgentEnd(()) if isinstance(event, AgentEnd) else event)
