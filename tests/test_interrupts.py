"""A run comes to its end whatever happens, and what was played till then is told: Ctrl-C, a driver that ends
the loop in which everything runs, and one that goes to another folder."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import load, run
from conformance.cli import main
from conformance.drivers.base import NotStarted
from conformance.drivers.reference import ReferenceDriver
from conformance.scenario import Json

OUTLAST = str(Path(sys.executable).with_name("outlast"))
ROOT = Path(__file__).parent.parent
SCENARIO = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents: {main: {model: [{text: Hello.}]}}
steps: [{prompt: PROMPT}]
"""


class Obeys(ReferenceDriver):
    """Does what it is prompted to."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        if text == "Wait":
            print("waiting", flush=True)
            await asyncio.Event().wait()
        if text == "Exit":
            await asyncio.create_task(_raise(SystemExit(0)))
        if text == "Interrupt":
            await asyncio.create_task(_raise(KeyboardInterrupt()))
        if text == "Cancel":
            for task in asyncio.all_tasks():
                task.cancel()
        if text == "Stop":
            asyncio.get_running_loop().stop()
        if text == "Go away":
            os.chdir("elsewhere")
        return await super().prompt(agent, text)


async def _raise(error: BaseException) -> None:
    raise error


DRIVER = "python:tests.test_interrupts:Obeys"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*prompts: str) -> None:
    """A scenario for each prompt, in this order, in the folder `plays`."""
    Path("plays").mkdir()
    for name, prompt in zip("abcdefgh", prompts, strict=False):
        Path("plays", f"{name}.yaml").write_text(SCENARIO.replace("PROMPT", prompt), encoding="utf-8")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    "number, why", [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "ended by SIGTERM")]
)
def test_what_was_played_before_a_signal_is_told_and_written_down(
    number: signal.Signals, why: str, jobs: str
) -> None:
    write("Hi", "Hi", "Hi", "Wait", "Wait", "Hi")
    command = [OUTLAST, "run", "plays", "--driver", DRIVER, "-n", jobs, "--json", "report.json"]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(int(jobs)):
            assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        said, errors = process.communicate(timeout=60)
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))

    assert process.returncode == 128 + number, errors
    assert f"stopped early: {why}, after 3 of 6 scenarios" in said
    assert said.splitlines()[-1] == "scenarios: 3 passed; requirements: 1 met"
    assert report["stopped"] == f"{why}, after 3 of 6 scenarios"
    assert [scenario["id"] for scenario in report["scenarios"]] == ["a", "b", "c"]


def test_when_nothing_was_played_before_ctrl_c_that_is_told() -> None:
    write("Wait", "Hi")
    with subprocess.Popen(
        [OUTLAST, "run", "plays", "--driver", DRIVER],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=60)

    assert (process.returncode, said) == (128 + signal.SIGINT, "")
    assert errors == "error: interrupted before anything was played\n"


ENDINGS = [
    ("Exit", "it raised SystemExit: 0 in a task of its own"),
    ("Interrupt", "it raised KeyboardInterrupt in a task of its own"),
    ("Cancel", "it cancelled everything in this process"),
    ("Stop", "it stopped the loop in which everything in this process runs"),
]


@pytest.mark.parametrize("prompt, what", ENDINGS)
def test_a_driver_that_ends_the_loop_has_not_passed_and_what_was_played_before_is_told(
    prompt: str, what: str
) -> None:
    write("Hi", "Hi", prompt, "Hi")
    result = CliRunner().invoke(main, ["run", "plays", "--driver", DRIVER, "--json", "report.json"])
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))

    assert result.exit_code == 3
    assert f"stopped early: {what}" in " ".join(result.output.split())
    assert "while c was played, after 2 of 4 scenarios" in " ".join(result.output.split())
    assert result.output.splitlines()[-1] == "scenarios: 2 passed; requirements: 1 met"
    assert [scenario["id"] for scenario in report["scenarios"]] == ["a", "b"]


@pytest.mark.parametrize("prompt, what", ENDINGS)
def test_one_that_does_so_at_once_ends_with_3_and_a_program_gets_an_error(prompt: str, what: str) -> None:
    write(prompt)
    result = CliRunner().invoke(main, ["run", "plays", "--driver", DRIVER])

    assert (result.exit_code, what in result.output) == (3, True)
    with pytest.raises(NotStarted, match=what):
        run(load(["plays"]), Obeys)


@pytest.mark.parametrize("prompt", ["Exit", "Cancel", "Stop"])
def test_a_program_gets_the_report_on_what_was_played_before_a_driver_ended_the_loop(prompt: str) -> None:
    write("Hi", prompt, "Hi")
    report = run(load(["plays"]), Obeys)

    assert [result.scenario.id for result in report.scenarios] == ["a"]
    assert (report.lost, report.exit_status()) == (True, 3)


def test_a_module_that_exits_when_it_is_imported_is_no_driver() -> None:
    Path("exits_at_once.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["run", "--driver", "python:exits_at_once:create"])

    assert (result.exit_code, "cannot import exits_at_once: SystemExit: 0" in result.output) == (2, True)


def test_when_a_driver_goes_to_another_folder_files_are_written_where_the_command_was_given() -> None:
    write("Go away", "Hi")
    Path("elsewhere").mkdir()
    Path("plays", "b.yaml").write_text(SCENARIO.replace("Hello.", "Hello.}, {text: More."), encoding="utf-8")
    options = ["--json", "report.json", "--write-known-failures", "known.yaml"]
    result = CliRunner().invoke(main, ["run", "plays", "--driver", DRIVER, *options])

    assert result.exit_code == 1
    assert "at plays/b.yaml:" in result.output
    assert "plays  1 passed, 1 failed" in result.output
    assert list(Path("elsewhere").iterdir()) == []
    assert {".outlast_cache", "report.json", "known.yaml"} <= {file.name for file in Path().iterdir()}
