"""Playing in several processes: the same report, and nothing that stays behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance import NotStarted, Report, load, merge, run
from conformance.drivers.base import Host, Implementation
from conformance.drivers.reference import ReferenceDriver
from conformance.report import json
from conformance.scenario import Json

ROOT = Path(__file__).parent.parent
OUTLAST = Path(sys.executable).with_name("outlast")
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
FAILING = SCENARIO + "    emits: [AgentStart]\n"
DYING = SCENARIO.replace("Hi", "Die")


@pytest.fixture
def scenarios(tmp_path: Path) -> Callable[..., str]:
    def write(**texts: str) -> str:
        for name, text in texts.items():
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return str(tmp_path)

    return write


def written(report: Report, folder: Path) -> str:
    """The bytes of a report without the times in it."""
    json.write(report, folder / "report.json")
    text = (folder / "report.json").read_text(encoding="utf-8")
    return re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', text)


class Mortal(ReferenceDriver):
    """Its process ends where it is told to."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        if text == "Die":
            os._exit(7)
        if text == "Cancel":
            for task in asyncio.all_tasks():
                task.cancel()
        if text == "Stop":
            asyncio.get_running_loop().stop()
        return await super().prompt(agent, text)


class Waiting(ReferenceDriver):
    """Says that a run has begun, and never ends it."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        print("playing", flush=True)
        await asyncio.Event().wait()
        return {}


class OutOfOrder(ReferenceDriver):
    """Cannot be started."""

    async def start(self, host: Host) -> Implementation:
        raise NotStarted("out of order", "the whole story")


class Noted(ReferenceDriver):
    """Has something to say at the end."""

    notes = ("it took its time",)


def test_the_report_is_the_same_bytes_with_one_process_or_two_in_any_order_and_merged_from_parts(
    scenarios: Callable[..., str], tmp_path: Path
) -> None:
    chosen = load(["agent/child", "agent/resume", scenarios(failing=FAILING)]).select(name="live or failing")
    reports = [
        run(chosen),
        run(chosen, jobs=2),
        run(chosen, seed=1),
        run(chosen, jobs=2, seed=2),
        merge([run(chosen.shard(2, 2)), run(chosen.shard(1, 2))]),
    ]

    first, *others = [written(report, tmp_path) for report in reports]

    assert reports[0].summary()["failed"] == 1
    assert [other == first for other in others] == [True] * 4


def test_stopping_at_the_first_that_does_not_pass_gives_the_same_report_with_two_processes(
    scenarios: Callable[..., str], tmp_path: Path
) -> None:
    chosen = load([scenarios(a=SCENARIO, b=SCENARIO, c=FAILING, d=SCENARIO, e=FAILING)])

    alone, together = (run(chosen, jobs=jobs, stop_at_first=True) for jobs in (1, 2))

    assert [result.scenario.id for result in together.scenarios] == ["a", "b", "c"]
    assert written(together, tmp_path) == written(alone, tmp_path)


def test_a_worker_that_dies_ends_the_run_with_what_it_was_playing_and_how_it_ended(
    scenarios: Callable[..., str],
) -> None:
    chosen = load([scenarios(a=SCENARIO, b=DYING, c=SCENARIO)])

    report = run(chosen, "python:tests.test_workers:Mortal", jobs=2)

    assert report.stopped == "a worker process ended with exit status 7 while it played b"
    assert [result.scenario.id for result in report.scenarios] == ["a"]
    assert report.exit_status() == 3


@pytest.mark.parametrize(
    "prompt, what",
    [
        ("Cancel", "it cancelled everything in this process"),
        ("Stop", "it stopped the loop in which everything in this process runs"),
    ],
)
def test_a_driver_that_ends_the_loop_of_its_worker_is_told_of_without_a_word_of_the_workers_own(
    prompt: str, what: str, scenarios: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    chosen = load([scenarios(a=SCENARIO, b=DYING.replace("Die", prompt), c=SCENARIO)])

    report = run(chosen, "python:tests.test_workers:Mortal", jobs=2)

    assert report.stopped == f"{what} while it played b"
    assert [result.scenario.id for result in report.scenarios] == ["a"]
    assert (report.exit_status(), capfd.readouterr().err) == (3, "")


def test_an_implementation_that_cannot_be_started_says_so_as_it_does_without_workers(
    scenarios: Callable[..., str],
) -> None:
    chosen = load([scenarios(a=SCENARIO, b=SCENARIO)])

    with pytest.raises(NotStarted, match="out of order") as raised:
        run(chosen, OutOfOrder, jobs=2)

    assert raised.value.detail == "the whole story"


def test_what_each_driver_has_to_say_at_the_end_is_said_once(scenarios: Callable[..., str]) -> None:
    chosen = load([scenarios(a=SCENARIO, b=SCENARIO)])

    assert run(chosen, Noted, jobs=2).notes == run(chosen, Noted).notes == ("it took its time",)


def test_a_driver_that_cannot_be_handed_to_another_process_is_refused(
    scenarios: Callable[..., str],
) -> None:
    chosen = load([scenarios(a=SCENARIO, b=SCENARIO)])

    with pytest.raises(TypeError, match="name it in a text"):
        run(chosen, lambda: ReferenceDriver(), jobs=2)


@pytest.mark.parametrize(
    "sent, status",
    [(signal.SIGINT, 128 + signal.SIGINT), (signal.SIGKILL, -signal.SIGKILL)],
    ids=["ctrl-c", "killed"],
)
def test_when_the_command_is_ended_its_workers_end_too(
    sent: signal.Signals, status: int, scenarios: Callable[..., str]
) -> None:
    folder = scenarios(a=SCENARIO, b=SCENARIO)
    driver = "python:tests.test_workers:Waiting"
    command = [OUTLAST, "run", folder, "-n", "2", "--driver", driver, "--timeout", "60"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        begun = [process.stdout.readline() for _ in range(2)]
        process.send_signal(sent)
        # comes to its end only when nobody holds the pipe any more
        rest, said = process.communicate(timeout=60)

    assert begun == [b"playing\n"] * 2
    assert (process.returncode, rest) == (status, b"")
    assert b"Traceback" not in said
