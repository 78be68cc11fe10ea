"""What did not hold: both sides, what they break, and each thing said once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from conformance import api
from conformance.cli import main
from conformance.drivers.base import Implementation, ImplementationError
from conformance.drivers.reference import ReferenceDriver
from conformance.judge import ScenarioResult
from conformance.reading import text_at
from conformance.report.failures import FailureText
from tests.seeing import Event, altered, flat, page, same_as_golden
from tests.seeing.plays import ALL, LATE, PAUSE, SUSPENDED, printed, report, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plays"
    folder.mkdir()
    monkeypatch.chdir(folder)


def without(kind: str) -> Callable[[Event], Event | None]:
    return lambda event: None if event["type"] == kind else event


def not_pending(event: Event) -> Event:
    result = event.get("result")
    if event["type"] == "ToolExecEnd" and isinstance(result, dict):
        return {**event, "result": {**result, "pending": False}}
    return event


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_expected_stream_stands_beside_the_one_that_came(width: int) -> None:
    came = report(altered(not_pending), pause=PAUSE)

    assert same_as_golden(f"field-{width}", printed(came, width))


def test_the_first_difference_is_marked_and_nothing_else() -> None:
    text = printed(report(altered(without("Paused")), pause=PAUSE))

    (marked,) = [line for line in text.splitlines() if line.lstrip().startswith("> ")]
    assert marked.split("│")[0].strip() == "> Paused  pending [{id: $report#1}]"
    assert marked.split("│")[1].strip() == "AgentEnd  2 messages"


def test_what_is_as_expected_before_it_is_folded() -> None:
    text = printed(report(altered(without("Paused")), pause=PAUSE))

    assert "… 14 more as expected" in text
    assert "MessageDelta" not in text


def test_events_of_one_kind_that_follow_each_other_are_one_line() -> None:
    text = printed(report(altered(without("GenerationStats")), pause=PAUSE))

    assert 'MessageDelta  "I" … x5' in text


def test_calls_have_the_same_name_on_both_sides() -> None:
    text = printed(report(altered(not_pending), pause=PAUSE))

    row = next(line for line in text.splitlines() if "tool_call_id" in line)
    assert row.count("$report#1") == 2


def test_conversations_are_compared_in_the_same_way() -> None:
    wrong = LATE.replace("content: The changelog is right.}", "content: All is right.}")

    assert same_as_golden("conversation", printed(report(late=wrong)))


def test_a_message_of_another_role_stands_beside_the_one_that_was_expected() -> None:
    text = printed(report(late=LATE.replace("        - {role: user}\n", "        - {role: assistant}\n")))

    assert "> assistant" in text
    assert 'user  "Clean the repository"' in text
    assert "null" not in text


def test_a_difference_inside_a_child_is_shown_among_the_childs_events() -> None:
    def change(event: Event) -> Event | None:
        inner = event.get("event")
        return None if isinstance(inner, dict) and inner["type"] == "ToolExecEnd" else event

    text = printed(report(altered(change), child=ALL["child"]))

    assert "came, nested in $delegate#1" in text


def test_a_play_that_leaves_its_script_is_shown_with_what_happened() -> None:
    longer = LATE.replace("steps:", "      - text: And so is the rest.\nsteps:")

    text = printed(report(late=longer))

    assert "script left over: main's model was never called for this entry" in flat(text)
    assert "what happened in step 1:\n" in text
    assert text.count("AgentEnd  2 messages") == 1


LONG_AFTERWARDS = """\
format: 1
title: A tool that is executed once more than the script has, long before the end
covers: [agent.events.turn-order]
agents:
  main:
    tools: [look]
    model:
      - calls: [{look: {}}, {look: {}}]
      - text: Found.
tools:
  look:
    - returns: Here.
steps:
  - prompt: Where is it?
"""


def test_where_a_play_left_its_script_is_marked_with_what_came_before_and_what_came_then() -> None:
    text = printed(report(long=LONG_AFTERWARDS))
    lines = text[text.index("what happened in step 1:") :].splitlines()
    mark = next(place for place, line in enumerate(lines) if line.lstrip().startswith("> "))

    assert lines[mark].strip() == "> main executed look once more than the script has"
    assert lines[mark - 1].strip() == "ToolExecStart  call#2 {}"
    assert lines[mark + 1].strip().startswith("ToolExecEnd  call#2, error")
    assert (lines[mark - 5].strip(), lines[mark + 5].strip()) == ("… 8 more", "… 7 more")


def test_in_the_profiles_without_events_the_request_that_was_too_much_stands_above_the_mark() -> None:
    text = printed(report(asks=SUSPENDED.replace("      - text: It is 42.\n", "")))
    lines = text[text.index("what happened in step ") :].splitlines()
    mark = next(place for place, line in enumerate(lines) if line.lstrip().startswith("> "))

    assert lines[mark].strip() == "> asker's model was called once more than the script has"
    assert lines[mark - 1].strip().startswith("asker: model/generate ")


def test_nothing_is_marked_where_the_end_showed_what_was_wrong() -> None:
    longer = LATE.replace("steps:", "      - text: And so is the rest.\nsteps:")

    assert not [line for line in printed(report(late=longer)).splitlines() if line.strip().startswith("> ")]


def test_a_requirement_is_said_once_however_many_scenarios_break_it() -> None:
    late = LATE.replace("covers: [", "covers: [agent.inbox.all-at-once, ").replace("right.}", "good.}")
    texts = {"a": late, "b": late, "c": late.replace("good.}", "bad.}"), "d": PAUSE}

    text = printed(report(ReferenceDriver, **texts))

    assert text.count("breaks agent.inbox.read-at-final (must)") == 1
    assert "in the same way: b" in text
    assert "FAILED c (must)" in text
    assert text.splitlines()[-1] == "scenarios: 1 passed, 3 failed; requirements: 1 met, 2 broken"


def test_where_a_second_scenario_is_shown_in_short_it_is_said_once_how_all_of_it_is_shown() -> None:
    late = LATE.replace("covers: [", "covers: [agent.inbox.all-at-once, ").replace("right.}", "good.}")
    alone = report(ReferenceDriver, a=late, b=late)
    came = report(ReferenceDriver, a=late, c=late.replace("good.}", "bad.}"))

    assert flat(printed(came)).count("-v shows all of them") == 1
    assert "-v shows" not in flat(printed(came, detail="verbose"))
    assert "-v shows" not in flat(printed(alone))


def test_one_reason_for_all_is_said_once_with_their_number_and_their_ids() -> None:
    class Locked(ReferenceDriver):
        async def prompt(self, agent: str, text: str) -> Event:
            raise ImplementationError("other", "the database is locked")

    text = printed(report(Locked, **ALL))

    assert text.count("the database is locked") == 2
    assert "3 scenarios" in text
    assert same_as_golden("one-reason", text)


def test_a_crash_for_one_reason_is_said_once_with_its_traceback() -> None:
    class Broken(ReferenceDriver):
        async def create(self, agent: str, options: object) -> None:
            raise RuntimeError("no such table")

    text = printed(report(Broken, **ALL))

    assert "CRASHED for one reason: 3 scenarios" in text
    assert text.count("Traceback") == 1
    assert "child, late, pause" in text


def test_weaker_checks_that_did_not_hold_stand_apart_and_short() -> None:
    def change(event: Event) -> Event:
        return {key: value for key, value in event.items() if key != "tokens_generated"}

    text = printed(report(altered(change), pause=PAUSE, late=LATE))
    warnings = text[text.index("warnings") : text.index("\nrequirements:")].strip().splitlines()

    assert "FAILED" not in text
    assert "agent.events.schema-background (should) in 2 scenarios, first in late: " in flat(
        " ".join(warnings)
    )
    assert len(warnings) < 6
    assert text.splitlines()[-1] == "scenarios: 2 passed; requirements: 2 met, 1 broken"


def test_a_requirement_that_breaks_without_having_been_asked_for_is_counted_at_the_end() -> None:
    def change(event: Event) -> Event:
        is_reply = event["type"] == "MessageEnd" and text_at(event["message"], "role") == "assistant"
        return {**event, "type": "Spoken"} if is_reply else event

    came = report(altered(change), late=LATE)
    counts = printed(came).splitlines()[-4:]

    assert "breaks agent.events.turn-order (must)" in printed(came)
    assert "agent.events.turn-order" not in came.asked_for
    assert counts == [
        "requirements:",
        "  must    1 broken, 1 not-measured",
        "  should  1 broken",
        "scenarios: 1 failed; requirements: 2 broken, 1 not-measured",
    ]


def test_of_one_scenario_each_requirement_that_it_breaks_is_said_once() -> None:
    def change(event: Event) -> Event:
        fields = ("used_tokens", "tokens_generated", "turns")
        return {key: value for key, value in event.items() if key not in fields}

    class Thinner(altered(change)):  # type: ignore[misc]
        async def create(self, agent: str, options: object) -> None:
            await super().create(agent, replace(options, pause_on_pending=False))

    (result,) = report(Thinner, pause=PAUSE).scenarios
    text = one_scenario(result)

    assert len(result.warnings) > 2
    assert text.count("breaks agent.events.schema-background (should)") == 1
    assert text.count("check schema-background") == 1
    assert f"and {len(result.warnings) - 1} more of the same" in text


def test_of_a_scenario_that_crashed_nothing_is_told_that_breaks_only_a_should() -> None:
    def change(event: Event) -> Event:
        if event["type"] == "ToolExecStart":
            raise KeyError("no such tool")
        return {key: value for key, value in event.items() if key != "used_tokens"}

    (result,) = report(altered(change), pause=PAUSE).scenarios

    assert (result.verdict, len(result.warnings)) == ("crashed", 1)
    assert "schema-background" not in one_scenario(result)


def test_nor_of_several_that_crashed_for_one_reason() -> None:
    def change(event: Event) -> Event:
        if event["type"] == "GenerationStats":
            raise KeyError("no such tool")
        return {key: value for key, value in event.items() if key != "used_tokens"}

    text = printed(report(altered(change), a=WEAK, b=WEAK))

    assert "CRASHED for one reason: 2 scenarios" in text
    assert "check schema-background" not in text


WEAK = LATE.replace("agent.inbox.read-at-final", "agent.events.schema-background")


def test_an_event_type_that_is_nearly_a_known_one_is_noted_once() -> None:
    def change(event: Event) -> Event:
        names = {"ToolExecStart": "ToolExecutionStart", "TurnStart": "turn_start", "TurnEnd": "Pondering"}
        return {**event, "type": names.get(str(event["type"]), event["type"])}

    told = flat(printed(report(altered(change), pause=PAUSE, late=LATE)))

    assert told.count("event types that are not known") == 1
    assert (
        "note: event types that are not known, and are passed over: ToolExecutionStart (did you mean"
        " ToolExecStart?), turn_start (did you mean TurnStart?)"
    ) in told
    assert "Pondering (" not in told


def test_where_the_reference_fails_one_is_told_to_look_at_the_scenario_first() -> None:
    write(late=LATE.replace("is right.}", "is lost.}"))

    def said(*arguments: str) -> str:
        return flat(CliRunner().invoke(main, ["run", *arguments]).output)

    hint = "note: the reference is expected to pass"
    assert hint in said("late.yaml")
    assert hint not in said("late.yaml", "--driver", "python:conformance.drivers.reference:ReferenceDriver")


def one_scenario(result: ScenarioResult) -> str:
    on, written = page(80)
    text = FailureText(on, api.load_register(), ["outlast", "run"], Path("/shipped"))
    on.print(*text.scenario(result))
    return written.getvalue()


def test_what_an_implementation_lacks_is_said_once() -> None:
    class Childless(ReferenceDriver):
        async def start(self, host: object) -> Implementation:
            said = await super().start(host)  # type: ignore[arg-type]
            return Implementation(said.name, said.version, said.language, said.profiles, frozenset())

    child = ALL["child"]
    text = printed(report(Childless, a=child, b=child, c=child, d=child, e=LATE))

    assert "unsupported: 4 of 5, the implementation lacks children, updates" in text
    assert " a, b" not in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_only_what_is_to_be_copied_is_wider_than_the_page(width: int) -> None:
    def change(event: Event) -> Event | None:
        return None if event["type"] in ("TurnEnd", "GenerationStats") else event

    text = printed(report(altered(change), **ALL), width, "verbose")

    to_copy = ("at ", "again: ", "File ")
    long = [line for line in text.splitlines()[:-1] if cell_len(line) > width]
    assert [line for line in long if not line.lstrip(" |").startswith(to_copy)] == []


def test_quiet_is_a_line_for_each_failure_and_the_counts() -> None:
    text = printed(report(altered(not_pending), pause=PAUSE, late=LATE), detail="quiet")

    failure, *counts = text.splitlines()
    assert failure.startswith(
        "FAILED pause (must): emits: event 14 is ToolExecEnd, but result.pending is false"
    )
    assert counts == [
        "requirements:",
        "  must    1 met, 1 broken",
        "scenarios: 1 passed, 1 failed; requirements: 1 met, 1 broken",
    ]


def test_verbose_shows_every_failure_in_full() -> None:
    texts = {name: PAUSE.replace("Started job 7.", f"Started {name}.", 1) for name in "abc"}
    came = report(altered(not_pending), **texts)

    assert printed(came).count("again: ") == 1
    assert printed(came, detail="verbose").count("again: ") == 3


def test_nothing_that_an_implementation_sends_does_anything_to_the_terminal() -> None:
    def change(event: Event) -> Event:
        if event["type"] == "MessageDelta":
            return {**event, "type": "Warning", "message": "\x1b[2J\x07\u202e gone"}
        return event

    text = printed(report(altered(change), pause=PAUSE))

    assert "gone" in text
    assert not [sign for sign in text if ord(sign) < 32 and sign != "\n"]
    assert text.encode("utf-8").decode("utf-8") == text
