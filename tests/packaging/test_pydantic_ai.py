"""The driver for an agent of pydantic-ai, in an environment of its own.

What passes is what such an agent does by itself. What does not is told as what it is, and nothing crashes.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from conformance.scenario import Json
from tests.packaging.environments import ROOT, Environment

pytestmark = pytest.mark.network

VERSION = "2.68.0"
DRIVER = ROOT / "tests" / "implementations" / "pydantic_ai" / "driver.py"


@pytest.fixture(scope="module")
def report(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    environment = Environment.make(tmp_path_factory.mktemp("pydantic_ai"))
    environment.install(wheel, f"pydantic-ai-slim=={VERSION}")
    (environment.cwd / "driver.py").write_bytes(DRIVER.read_bytes())
    command = ["run", "agent", "--driver", "python:driver:PydanticAI", "--json", "report.json"]
    done = environment.run("outlast", *command)
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, Json] = json.loads((environment.cwd / "report.json").read_text(encoding="utf-8"))
    return found


def _ids(report: dict[str, Json], what: str, state: str, value: str) -> set[str]:
    entries = report[what]
    assert isinstance(entries, list)
    return {str(entry["id"]) for entry in entries if isinstance(entry, dict) and entry[state] == value}


def test_it_says_what_it_is(report: dict[str, Json]) -> None:
    implementation = report["implementation"]

    assert isinstance(implementation, dict)
    assert implementation["name"] == "pydantic-ai"
    assert implementation["version"] == VERSION
    assert implementation["capabilities"] == []


def test_turns_tools_and_the_order_of_events_pass(report: dict[str, Json]) -> None:
    passed = _ids(report, "scenarios", "outcome", "passed")

    assert {id for id in passed if id.startswith("agent/events/")} == {
        "agent/events/run-brackets",
        "agent/events/tool-group",
        "agent/events/tool-group-two-calls",
        "agent/events/turn-order",
        "agent/events/turn-order-after-tools",
        "agent/events/turn-order-next-run",
    }
    assert {
        id for id in passed if id.startswith(("agent/inbox/", "agent/resume/", "agent/restart/"))
    } == set()


def test_it_meets_what_is_about_turns_and_tools(report: dict[str, Json]) -> None:
    assert _ids(report, "requirements", "status", "met") >= {
        "agent.events.tool-group",
        "agent.events.turn-order",
        "agent.pending.call-id",
        "agent.pending.no-pause-by-default",
    }


def test_it_makes_the_calls_of_a_turn_at_once_which_breaks_a_should(report: dict[str, Json]) -> None:
    assert "agent.events.groups-in-order" in _ids(report, "requirements", "status", "broken")


def test_what_it_lacks_fails_or_is_said_to_be_missing_and_nothing_crashes(report: dict[str, Json]) -> None:
    scenarios = report["scenarios"]
    assert isinstance(scenarios, list)
    outcomes = Counter(str(each["outcome"]) for each in scenarios if isinstance(each, dict))
    messages = {str(each["message"]) for each in scenarios if isinstance(each, dict)}

    assert set(outcomes) == {"passed", "failed", "unsupported", "protocol-error"}
    assert {"the driver has no put yet", "the driver has no resume yet", "lacks children"} <= messages
