"""The second implementation, in JavaScript, reached as an implementation in any language is reached.

It was written from the documents, and where they leave something open it mostly goes another way than the
reference does: that it passes shows that the suite accuses nobody falsely.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conformance import Report, ScenarioResult, load, play, run
from conformance.reading import mapping_at, text_at

pytestmark = pytest.mark.node

PROGRAM = Path(__file__).parent / "implementations" / "javascript" / "driver.mjs"
DRIVER = f"stdio:node {shlex.quote(str(PROGRAM))}"


@pytest.fixture(scope="module")
def report() -> Report:
    return run(load(["agent"]), DRIVER, with_sequence=False)


def test_it_says_what_it_is_and_what_it_can_do(report: Report) -> None:
    implementation = report.implementation

    assert implementation.language == "javascript"
    assert implementation.profiles == {"agent"}
    assert implementation.capabilities == {"children", "denial", "live-views", "updates"}


THREADS = ("agent/inbox/any-thread", "agent/inbox/any-thread-during-a-run")
OTHERWISE = (
    "agent.events.token-counts",
    "agent.restart.dangling-place",
    "agent.run.max-rounds-default",
    "agent.run.stop-drops-the-answer",
    "agent.run.stop-results",
)
"""What the reference has chosen where the documents are silent; this implementation has chosen otherwise."""


def test_it_passes_every_scenario_that_needs_no_threads_and_is_not_about_a_choice_of_the_reference(
    report: Report,
) -> None:
    others = {result.scenario.id: result.verdict for result in report.scenarios if result.verdict != "passed"}
    chosen = {id.replace(".", "/"): "failed" for id in OTHERWISE}

    assert others == {**dict.fromkeys(THREADS, "unsupported"), **chosen}


def test_it_breaks_no_must_and_no_should_and_only_what_is_about_threads_is_not_measured(
    report: Report,
) -> None:
    others = {
        found.requirement.id: (found.requirement.level, found.status)
        for found in report.requirements
        if found.requirement.id in report.asked_for and found.status != "met"
    }
    threads = others.pop("agent.inbox.any-thread")

    assert threads[1] == "not-measured"
    assert others == dict.fromkeys(OTHERWISE, ("may", "broken"))
    assert report.exit_status(strict=True, require_all=False) == 0


def test_it_gives_no_cause_for_a_warning_and_ends_when_it_is_told_to(report: Report) -> None:
    warned = {result.scenario.id: result.warnings for result in report.scenarios if result.warnings}

    assert warned == {}
    assert report.notes == ()


def test_it_reads_the_inbox_at_other_places_than_the_reference() -> None:
    (scenario,) = load(["agent/inbox/read-at-final-result"])

    assert _around_the_late_result(play(scenario)) == ["TurnEnd", "ToolResolved", "TurnStart"]
    assert _around_the_late_result(play(scenario, DRIVER)) == ["TurnStart", "ToolResolved", "TurnEnd"]


def _around_the_late_result(result: ScenarioResult) -> list[str]:
    places = ("TurnStart", "TurnEnd", "ToolResolved")
    types = [text_at(mapping_at(entry, "event"), "type") for entry in result.sequence]
    types = [type for type in types if type in places]
    here = types.index("ToolResolved")
    return types[here - 1 : here + 2]
