"""The options of `outlast run` that say what is played again, in which part and in which order."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main

PASSING = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents:
  main:
    model: [text: Hello.]
steps:
  - prompt: Hi
"""
FAILING = PASSING + "    emits: [AgentStart]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that we are in, with four scenarios, two of which fail."""
    for name, text in {"a": PASSING, "b": FAILING, "c": PASSING, "d": FAILING}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def counts(result: Result) -> str:
    return result.output.splitlines()[-1].partition(";")[0]


def test_last_failed_plays_what_failed_last_time() -> None:
    everything = outlast("run", ".")
    again = outlast("run", ".", "--last-failed")

    assert counts(everything) == "scenarios: 2 passed, 2 failed"
    assert counts(again) == "scenarios: 2 failed"


def test_what_has_been_mended_is_not_played_again_and_the_rest_stays_known(folder: Path) -> None:
    outlast("run", ".")
    (folder / "b.yaml").write_text(PASSING, encoding="utf-8")
    mended = outlast("run", "b.yaml", "--lf")
    again = outlast("run", ".", "--lf")

    assert counts(mended) == "scenarios: 1 passed"
    assert counts(again) == "scenarios: 1 failed"


@pytest.mark.parametrize("before", [[], ["a.yaml", "c.yaml"]], ids=["nothing played", "nothing failed"])
def test_where_nothing_failed_that_is_said_and_everything_is_played(before: list[str]) -> None:
    if before:
        outlast("run", *before)
    result = outlast("run", ".", "--last-failed")

    assert "--last-failed: none of these failed last time; all of them are played" in result.output
    assert counts(result) == "scenarios: 2 passed, 2 failed"


def test_each_driver_has_failures_of_its_own() -> None:
    outlast("run", ".")
    result = outlast("run", ".", "--lf", "--driver", "python:conformance.drivers.reference:ReferenceDriver")

    assert "none of these failed last time" in result.output


def test_what_is_remembered_is_left_alone_by_version_control_and_not_there_without_need(
    folder: Path,
) -> None:
    outlast("run", "a.yaml")
    nothing = (folder / ".outlast_cache").exists()
    outlast("run", ".")

    assert not nothing
    assert (folder / ".outlast_cache" / ".gitignore").read_text().splitlines()[-1] == "*"


@pytest.mark.parametrize("rubbish", ["", "[]", '{"format": 1, "failed": [3]}', '{"format": 99}', "\x00"])
def test_a_memory_that_cannot_be_read_is_none(rubbish: str, folder: Path) -> None:
    outlast("run", ".")
    (folder / ".outlast_cache" / "last-failed.json").write_text(rubbish)

    assert "none of these failed last time" in outlast("run", ".", "--lf").output


def test_a_memory_that_cannot_be_written_is_no_failure(folder: Path) -> None:
    (folder / ".outlast_cache").write_text("a file stands in the way")
    result = outlast("run", "b.yaml")

    assert "note: --last-failed will not know of this run" in result.output
    assert result.exit_code == 1


def test_all_parts_together_are_everything_and_an_empty_one_is_no_error() -> None:
    parts = [outlast("list", ".", "-q").output.splitlines()]
    for number in range(1, 6):
        outlast("run", ".", "--shard", f"{number}/5", "--json", "part.json")
        report = json.loads(Path("part.json").read_text(encoding="utf-8"))
        parts.append([scenario["id"] for scenario in report["scenarios"]])

    assert parts == [["a", "b", "c", "d"], ["a"], ["b"], ["c"], ["d"], []]
    assert outlast("run", ".", "--shard", "5/5").exit_code == 0


def test_a_selection_that_is_empty_is_an_error_whatever_the_part() -> None:
    assert outlast("run", ".", "-k", "nothing", "--shard", "1/2").exit_code == 2


def test_the_same_report_is_written_whatever_the_order_and_the_number_of_processes() -> None:
    written = set()
    for options in ([], ["--shuffle", "1"], ["-n", "2", "--shuffle", "-7"]):
        outlast("run", ".", "--json", "report.json", *options)
        written.add(re.sub(r'"seconds": [0-9.e-]+', "", Path("report.json").read_text(encoding="utf-8")))

    assert len(written) == 1


def test_stopping_at_the_first_goes_by_the_order_of_playing() -> None:
    shuffled = {counts(outlast("run", ".", "-x", "--shuffle", str(seed))) for seed in range(8)}

    assert counts(outlast("run", ".", "-x")) == "scenarios: 1 passed, 1 failed"
    assert len(shuffled) > 1


@pytest.mark.parametrize(
    "options, message",
    [
        (["-n", "0"], "expected a number of processes from 1 to 999, or auto; found '0'"),
        (["-n", "many"], "expected a number of processes from 1 to 999, or auto; found 'many'"),
        (["--shard", "0/2"], "expected a part of a whole, as in 2/5; found '0/2'"),
        (["--shard", "3/2"], "expected a part of a whole, as in 2/5; found '3/2'"),
        (["--shard", "half"], "expected a part of a whole, as in 2/5; found 'half'"),
        (["--repeat", "0"], "0 is not in the range x>=1"),
        (["--shuffle", "well"], "'well' is not a valid integer"),
        (["--shard", "1/2", "--require-all"], "a part does not measure all that was asked for"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_with_what_was_expected(
    options: list[str], message: str
) -> None:
    result = outlast("run", ".", *options)

    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_auto_is_as_many_processes_as_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0}, raising=False)

    assert counts(outlast("run", ".", "-n", "auto")) == "scenarios: 2 passed, 2 failed"
