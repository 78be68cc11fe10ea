"""`outlast requirements`: what is demanded, what looks at it, what came of it, and a specification."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from conformance import api, schemas
from conformance.checks import ALWAYS_ON
from conformance.cli import main
from conformance.reading import EVENT_TYPES
from conformance.report import specification
from conformance.report.coverage import Coverage
from conformance.report.reading_back import Known, SavedReport
from conformance.requirements import Origin, Requirement
from conformance.scenario import LEVELS, PROFILES, Level
from tests.seeing import flat, page, same_as_golden
from tests.seeing.plays import LATE, PAUSE, report, write

REGISTER = api.load_register()


def outlast(*arguments: str, width: int = 80) -> Result:
    return CliRunner().invoke(main, ["requirements", *arguments], env={"COLUMNS": str(width)})


def listed(*arguments: str) -> list[str]:
    lines = outlast("--quiet", *arguments).output.splitlines()
    return [line.split()[1] for line in lines if line.startswith("  ")]


def some(name: str, level: Level, text: str) -> Requirement:
    return Requirement(f"agent.house.{name}", level, "derived", text, "our handbook")


SOME = (
    some("answers", "must", "An agent that is asked answers, and where there is nothing to say it says so."),
    some("polite", "should", "A reply is polite."),
    some("short", "may", "A reply is short."),
    some("kind", "should", "A reply is kind."),
)
COVERED_BY = {
    SOME[0].id: ["house/answers", "house/answers-late", "house/rules/answers-in-the-same-run", "late"],
    SOME[1].id: ["house/polite"],
}
ALWAYS_ON_HERE = {SOME[0].id: "answers", SOME[2].id: "short"}
FAULTS = {SOME[0].id: ["nothing is said", "what is said is said twice, and the second time to somebody else"]}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_is_listed_with_its_text_and_what_covers_it(width: int) -> None:
    on, written = page(width)
    on.print(*Coverage(on, COVERED_BY, ALWAYS_ON_HERE, faults=FAULTS).register(SOME))

    assert same_as_golden(f"requirements-{width}", written.getvalue())
    assert max(map(len, written.getvalue().splitlines())) <= width


def test_in_short_each_is_a_line() -> None:
    on, written = page(80)
    on.print(*Coverage(on, COVERED_BY, ALWAYS_ON_HERE, is_short=True, faults=FAULTS).register(SOME))

    assert written.getvalue().splitlines() == [
        "  must    agent.house.answers  4 scenarios, always on, 2 faults",
        "  should  agent.house.polite   1 scenario",
        "  may     agent.house.short    always on",
        "  should  agent.house.kind     not covered",
        "",
        "4 requirements: 1 must, 2 should, 1 may; 1 not covered",
    ]


def test_the_scenarios_and_checks_are_those_that_look_at_it() -> None:
    covering = {scenario.id for scenario in api.load() if "agent.child.nested" in scenario.covers}
    (check,) = [check for check in ALWAYS_ON if check.requirement == "agent.child.nested"]
    output = flat(outlast("--requirement", "agent.child.nested").output)

    assert f"always on: check {check.name}" in output
    assert all(id.rpartition("/")[2] in output for id in covering)


def test_all_are_listed_in_the_order_of_the_register() -> None:
    assert listed() == list(REGISTER)


def test_ids_and_beginnings_of_ids_may_stand_by_themselves_or_behind_the_option() -> None:
    pending = listed("agent.pending")

    assert pending == [id for id in REGISTER if id.startswith("agent.pending.")]
    assert pending == listed("--requirement", "agent.pending")
    assert listed("agent.child.live", "agent.pending") == [*pending, "agent.child.live"]
    assert listed("agent.pending", "--requirement", "agent.child.live") == [*pending, "agent.child.live"]


def test_the_help_explains_every_level_and_origin_in_a_line() -> None:
    lines = [line.split() for line in outlast("--help").output.splitlines()]
    explained = {words[0] for words in lines if len(words) > 2}

    assert explained >= {*LEVELS, *get_args(Origin)}


def test_one_that_does_not_exist_is_told_of_with_the_nearest_that_does() -> None:
    result = outlast("agent.pendng")

    assert result.exit_code == 2
    assert result.output == "error: there is no requirement agent.pendng; did you mean agent.pending?\n"


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_or_a_level_leaves_the_others_out(profile: str) -> None:
    assert listed("--profile", profile) == [id for id in REGISTER if id.startswith(f"{profile}.")]
    mays = [id for id, it in REGISTER.items() if it.level == "may" and it.profile == profile]
    assert not mays or listed("--profile", profile, "--level", "may") == mays


def test_one_that_nothing_looks_at_is_told() -> None:
    on, written = page(80)
    on.print(*Coverage(on, {}, {}).register(SOME))

    assert written.getvalue().count("not covered yet") == len(SOME)


def test_a_selection_without_any_requirement_ends_with_2() -> None:
    result = outlast("--requirement", "agent.events", "--profile", "client")

    assert (result.exit_code, "nothing was selected" in result.output) == (2, True)


# What came of it


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    came = report(pause=PAUSE, late=LATE.replace("is right.}", "is lost.}"))
    file = tmp_path / "report.json"
    file.write_text(json.dumps(came.to_json(), indent=1), encoding="utf-8")
    return file


def test_of_a_report_what_is_broken_comes_first_and_in_full() -> None:
    known = {
        SOME[0].id: Known("broken", True, ("house/answers-late",)),
        SOME[1].id: Known("met", True, ()),
        SOME[2].id: Known("not-measured", True, ()),
        SOME[3].id: Known("not-measured", False, ()),
    }
    on, written = page(80)
    saved = SavedReport("somebody 1.0 (go)", 4, "stopped at the first", known)
    on.print(*Coverage(on, COVERED_BY, ALWAYS_ON_HERE).report(SOME, saved))

    assert same_as_golden("requirements-report", written.getvalue())


def test_what_nobody_asked_for_is_counted_and_not_called_unmeasured(saved: Path) -> None:
    output = outlast("--report", str(saved)).output
    last = output.splitlines()[-1]

    assert re.fullmatch(r"requirements: 1 met, 1 broken, \d+ not asked for \(\d+ of them met\)", last), last
    assert "not measured" not in output


def test_a_report_counts_as_the_run_did_that_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(pause=PAUSE, late=LATE.replace("is right.}", "is lost.}"))
    of_run = CliRunner().invoke(main, ["run", ".", "--json", "report.json"]).output.splitlines()[-1]
    of_report = outlast("--report", "report.json").output.splitlines()[-1]

    assert of_run == "scenarios: 1 passed, 1 failed; requirements: 1 met, 1 broken"
    assert of_report.startswith("requirements: 1 met, 1 broken, ")


def test_a_report_that_has_been_cut_off_anywhere_ends_with_2_and_one_line(saved: Path) -> None:
    text = saved.read_text(encoding="utf-8").rstrip()
    for length in [*range(0, len(text), 997), len(text) - 1]:
        saved.write_text(text[:length], encoding="utf-8")
        result = outlast("--report", str(saved))
        assert result.exit_code == 2
        assert result.output.startswith(f"error: --report {saved}: ")
        assert len(result.output.splitlines()) == 1, result.output
        assert length == 0 or "cut off" in result.output


@pytest.mark.parametrize(
    "content, message",
    [
        (b'{"a": 1}', "this is JSON, but no report of outlast run --json"),
        (b"[1, 2]", "this is JSON, but no report of outlast run --json"),
        (b"# Readme\n\nHello", "this is no JSON: Expecting value in line 1"),
        (b"\xff\xfe\x00", "this is no text, and so no report"),
        (b"[" * 100_000, "this is nested too deeply for a report"),
        (b'{"format": 2, "requirements": [], "implementation": {}}', "its format is 2"),
        (b'{"format": 1, "requirements": [], "implementation": {}}', "the report has no end"),
        (
            b'{"format": 1, "requirements": [], "implementation": {}, "complete": true}',
            "this is no report of outlast: ",
        ),
    ],
)
def test_a_file_that_is_no_report_ends_with_2_and_one_line(
    content: bytes, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "some.json"
    file.write_bytes(content)
    result = outlast("--report", str(file))

    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert f"error: --report {file}: {message}" in result.output


def test_a_file_that_is_not_there_ends_with_2() -> None:
    assert outlast("--report", "/no/such/report.json").exit_code == 2


# The specification

HANDLE_VIEW = ("id", "state", "tokens", "turns", "inbox", "pending_kind")


def test_the_specification_has_every_requirement_once_behind_the_heading_of_its_area() -> None:
    text = outlast("--markdown").output

    for id, requirement in REGISTER.items():
        assert text.count(f"`{id}`") == 1, id
        heading = text.index(f"## {specification.title_of(specification.area_of(requirement))}\n")
        assert heading < text.index(f"`{id}`")
        assert requirement.text.replace("\n", " ") in flat(text)


def test_every_area_of_the_register_has_a_heading_and_a_place_for_its_statements() -> None:
    areas = {specification.area_of(requirement) for requirement in REGISTER.values()}
    sections = specification.sections()

    assert areas | set(PROFILES) | {specification.GENERAL} == sections.keys()
    for area in areas:
        assert sections[area].count("<!-- statements -->") == 1
        assert re.match(r"\n## \w", sections[area])


def test_the_specification_tells_the_fields_of_what_crosses_and_of_every_event() -> None:
    text = outlast("--markdown").output

    for kind in EVENT_TYPES:
        assert f"`{kind}`" in text
    for name in ("message", "task-result", "request", "answer", "run-result"):
        for field in schemas.load(name)["properties"]:  # type: ignore[union-attr]
            assert f"| `{field}` |" in text
    for field in HANDLE_VIEW:
        assert f"| `{field}` |" in text
    assert "| `ToolExecStart` | `tool_call_id` | string | must |" in text
    assert "| `ContextBudget` | `used_tokens` | integer | should |" in text
    assert "<!--" not in text


def test_a_part_of_the_specification_has_only_the_sections_that_belong_to_it() -> None:
    text = outlast("--markdown", "--requirement", "agent.resume.several").output

    assert re.findall(r"^#+ (.+)$", text, re.MULTILINE) == [
        "Agents whose work outlasts a single run",
        "How to read it",
        "Profile `agent`",
        "Vocabulary",
        "What an agent offers",
        "Messages",
        "One run from its beginning to its end",
        "Resuming",
    ]
    assert text.count("- **must**") == 2  # the level is explained, and used once


def test_the_specification_can_tell_what_is_met(saved: Path) -> None:
    text = outlast("--markdown", "--report", str(saved), "--profile", "agent").output

    assert "- **must** [broken] When the model has given its final answer" in text
    assert "- **must** [met] With pause_on_pending set" in text


def test_requirements_of_ones_own_are_listed_and_specified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = """\
format: 1
requirements:
  - id: agent.house.polite
    level: should
    origin: derived
    text: A reply is polite.
    source: our handbook
"""
    Path("own.yaml").write_text(own, encoding="utf-8")
    Path("plays").mkdir()
    Path("outlast.toml").write_text('requirements = "own.yaml"\npaths = ["plays"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path / "plays")
    write(polite=LATE.replace("agent.inbox.read-at-final", "agent.house.polite"))
    monkeypatch.chdir(tmp_path)

    assert "covered by polite" in outlast("--requirement", "agent.house").output
    assert (
        "## agent.house\n\n- **should** A reply is polite. `agent.house.polite`"
        in outlast("--markdown").output
    )
