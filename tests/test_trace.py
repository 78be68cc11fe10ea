"""The exchange of one play, as it is printed: for a subprocess its own lines, and the same for a driver that
lives in this process."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Literal

import pytest
from click.testing import CliRunner, Result

from conformance import load, schemas, trace
from conformance.cli import main
from conformance.drivers import shapes

SCENARIO = "agent/events/placeholder-default"
OUTLAST = Path(sys.executable).with_name("outlast")
JAVASCRIPT = "stdio:node tests/implementations/javascript/driver.mjs"


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["trace", *arguments])


def without_times(text: str) -> list[str]:
    """Lines without what is another in every play, nor what only one way of reaching an agent needs."""
    lines = re.sub(r"(timestamp|tokens_per_sec|\w+_ms): [-+.\de]+", r"\1: n", text).splitlines()
    return [re.sub(r"^(->|<-) #\d+", r"\1", line) for line in lines if " reset" not in line]


def test_each_line_has_its_direction_and_an_answer_names_what_it_answers() -> None:
    result = outlast(SCENARIO)
    lines = result.output.splitlines()

    assert result.exit_code == 0
    assert lines[0].startswith("-> #1 initialize {protocol_versions: [1]")
    assert lines[1].startswith("<- #1 initialize = {protocol_version: 1")
    assert "<- event main AgentStart" in lines
    assert any(line.startswith("<- #2 tool/execute {agent: main") for line in lines)
    outcome = "{content: Started job 7. Its result will follow., pending: true}"
    assert f"-> #2 tool/execute = {outcome}" in lines
    assert lines[-1] == f"passed {SCENARIO}"


def test_an_agent_in_this_process_and_the_same_one_served_show_the_same() -> None:
    inside = without_times(outlast(SCENARIO).output)
    outside = without_times(outlast(SCENARIO, "--driver", f"stdio:{shlex.quote(str(OUTLAST))} serve").output)

    assert inside == outside


def test_raw_shows_the_json_of_every_line_and_each_request_is_as_the_protocol_has_it() -> None:
    result = outlast(SCENARIO, "--raw")
    lines = [line.partition(" ") for line in result.stdout.splitlines()]
    messages = [(mark, json.loads(line)) for mark, _, line in lines]

    assert {mark for mark, _ in messages} == {"->", "<-"}
    requests = [message for _, message in messages if "method" in message]
    wrong = [shapes.wrong_request(message["method"], message) for message in requests]
    assert wrong == [None] * len(requests)
    assert result.stderr.strip() == f"passed {SCENARIO}"


def test_a_line_that_is_no_json_is_shown_as_it_came_with_the_verdict_behind_it(tmp_path: Path) -> None:
    program = tmp_path / "chatty.py"
    program.write_text("print('Hello there'); input(); input()", encoding="utf-8")
    driver = f"stdio:{shlex.quote(sys.executable)} -u {shlex.quote(str(program))}"
    result = outlast(SCENARIO, "--driver", driver)

    assert result.exit_code == 3
    assert "<- Hello there (no JSON object)" in result.output.splitlines()
    assert "stray print? use stderr" in result.output


def test_a_scenario_that_does_not_pass_ends_with_1_and_says_why(tmp_path: Path) -> None:
    text = (schemas.scenarios_folder() / f"{SCENARIO}.yaml").read_text(encoding="utf-8")
    (tmp_path / "other.yaml").write_text(text.replace("I've started it.}", "No.}"), encoding="utf-8")
    result = outlast(str(tmp_path / "other.yaml"))

    assert result.exit_code == 1
    assert "FAILED other (must)" in result.output


@pytest.mark.parametrize(
    "name, said", [("agent/inbox", "is a folder of scenarios"), ("agent/inbox/fivo", "did you mean")]
)
def test_anything_but_one_scenario_ends_with_2(name: str, said: str) -> None:
    result = outlast(name)

    assert (result.exit_code, said in result.output) == (2, True), result.output


def test_an_error_of_the_implementations_own_and_a_crash_are_shown() -> None:
    refused = outlast("agent/resume/nothing-to-do").output
    killed = outlast("agent/restart/pending-after-crash").output

    assert re.search(r"^<- #\d+ agent/resume failed .*\(nothing-to-do\)$", refused, re.MULTILINE)
    assert re.search(r"^-> #\d+ \(crash\)$", killed, re.MULTILINE)


def test_a_step_of_a_handle_is_shown_with_where_it_came_from() -> None:
    lines = outlast("runtime/resume/done").output.splitlines()

    assert "<- runtime/moved main root/asker.1 running -> suspended" in lines
    assert "<- #4 runtime/spawn = {handle: root/asker.1}" in lines


def test_from_python_each_line_is_handed_to_a_function() -> None:
    (scenario,) = load([SCENARIO])
    lines: list[tuple[Literal["->", "<-"], bytes]] = []
    result = trace(scenario, tap=lambda direction, line: lines.append((direction, line)))

    assert result.verdict == "passed"
    assert lines[0][0] == "->"
    assert json.loads(lines[0][1])["method"] == "initialize"


@pytest.mark.node
def test_an_implementation_in_another_language_is_shown_in_the_same_way() -> None:
    result = outlast("agent/child/nested", "--driver", JAVASCRIPT)

    assert result.exit_code == 0
    assert re.search(r"^-> #\d+ context/run_child \{agent: main", result.output, re.MULTILINE)
