"""`outlast new`: a scenario to begin with."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from click.testing import CliRunner, Result

from conformance import load, run, schemas
from conformance.cli import main
from conformance.examples import example
from conformance.skeleton import skeleton

COMMENT = "# yaml-language-server: $schema="


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that we are in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_what_is_written_passes_lint_and_passes_against_the_reference() -> None:
    assert outlast("new", "mine/greeting.yaml").exit_code == 0
    assert outlast("lint", "mine").exit_code == 0

    report = run(load(["mine"]))

    assert [(it.verdict, it.failures, it.warnings) for it in report.scenarios] == [("passed", (), ())]


@pytest.mark.parametrize("is_like_one_of_ours", [True, False])
def test_whatever_requirement_it_covers_it_passes(is_like_one_of_ours: bool, here: Path) -> None:
    ours = load()
    for requirement in ours.requirements.values():
        path = here / f"{requirement.id}.yaml"
        like = example([requirement.id], ours) if is_like_one_of_ours else None
        path.write_text(skeleton(path, requirement.id, [requirement], path, like), encoding="utf-8")

    scenarios = load([here])
    report = run(scenarios)

    assert [scenario.covers for scenario in scenarios] == [(scenario.title,) for scenario in scenarios]
    assert report.summary()["passed"] == len(scenarios) > 100


def test_it_does_what_the_requirement_is_about_as_a_scenario_of_ours_does() -> None:
    ours = load()
    about = {scenario.id: scenario.covers for scenario in ours}
    found = {id: example([id], ours) for id in ours.requirements}

    assert [id for id, like in found.items() if like is None or about[like.id] != (id,)] == []


@pytest.mark.parametrize(
    "id, steps",
    [
        (
            "runtime.resume.done",
            ["spawn: asker", "wake: ", "wait:", "resume_with: {request: $request#1, ok: true}"],
        ),
        ("runtime.handle.close", ["close:"]),
        ("runtime.limits.max-turns", ["max_turns", "incomplete"]),
        ("client.store.durable", ["store: disk", "- crash", "- ask_with_answer:"]),
        ("agent.restart.json-round-trip", ["restore"]),
        ("agent.child.stop", ["runs_child", "stop"]),
    ],
)
def test_so_its_steps_have_the_words_of_what_it_covers(id: str, steps: list[str]) -> None:
    outlast("new", "one", "--covers", id)
    text = Path("one.yaml").read_text(encoding="utf-8")

    assert [step for step in steps if step not in text] == []
    assert "# What follows is that of " in text
    assert "\ndescription:" not in text


def test_of_several_requirements_it_is_like_one_that_covers_most_of_them() -> None:
    outlast("new", "one", "--covers", "runtime.resume.done", "--covers", "runtime.handle.suspended")

    assert "# What follows is that of runtime/resume/done:" in Path("one.yaml").read_text(encoding="utf-8")
    assert outlast("run", "one.yaml").exit_code == 0


def test_the_requirement_can_be_read_in_it() -> None:
    outlast("new", "one", "--covers", "agent.inbox.read-at-final")
    text = Path("one.yaml").read_text(encoding="utf-8")
    statement = load(["one.yaml"]).requirements["agent.inbox.read-at-final"].text

    assert statement.split()[0] in text
    assert "# agent.inbox.read-at-final (must): " in text
    assert max(len(line) for line in text.splitlines() if line.startswith("# agent")) <= 100


@pytest.mark.parametrize("path", ["one.yaml", "deep/down/one.yaml", "with a space/one.yaml"])
def test_its_first_line_leads_an_editor_to_the_schema(path: str, here: Path) -> None:
    outlast("new", path)
    first = (here / path).read_text(encoding="utf-8").splitlines()[0]
    reference = first.removeprefix(COMMENT)

    assert first.startswith(COMMENT)
    assert " " not in reference
    led = (here / path).parent / unquote(reference)
    assert led.resolve() == (schemas.folder() / "scenario.schema.json").resolve()


@pytest.mark.parametrize(
    "title",
    [
        "A plain sentence",
        'It is: "so" # always',
        "yes",
        "- a",
        "null",
        "ends with a colon:",
        "*",
        "Grüße 🙂",
        "tab\there",
    ],
)
def test_a_title_is_kept_whatever_yaml_would_make_of_it(title: str) -> None:
    outlast("new", "one", "--title", title)

    assert load(["one.yaml"])[0].title == title
    assert yaml.safe_load(Path("one.yaml").read_text(encoding="utf-8"))["title"] == title


def test_without_a_title_it_has_the_name_of_the_file() -> None:
    outlast("new", "a-late_result")

    assert load(["a-late_result.yaml"])[0].title == "A late result"


def test_nothing_is_overwritten(here: Path) -> None:
    (here / "one.yaml").write_text("mine")
    result = outlast("new", "one")

    assert (result.exit_code, (here / "one.yaml").read_text()) == (2, "mine")
    assert "one.yaml: this exists already, and is left as it is" in result.output


def test_what_to_do_next_is_said_and_works() -> None:
    result = outlast("new", "my scenarios/one")

    assert "wrote my scenarios/one.yaml" in result.output
    assert "  outlast run 'my scenarios/one.yaml' " in result.output
    assert outlast("run", "my scenarios/one.yaml").exit_code == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["one.yml"], "one.yml: a scenario is a file named *.yaml"),
        (["one", "--covers", "agent.inbox.read-at-finale"], "did you mean agent.inbox.read-at-final?"),
        (["one", "--covers", "runtime.spawn"], "--covers runtime.spawn: there is no such requirement"),
        (["one", "--title", ""], "one.yaml:3:8: this must not be empty"),
        (
            ["one", "--covers", "agent.events.turn-order", "--covers", "agent.events.calling-turn-order"],
            "all that a scenario covers has one level",
        ),
        (["file/one"], "file/one.yaml: this cannot be written: "),
    ],
)
def test_what_would_be_no_scenario_is_not_written_and_why_is_said(
    arguments: list[str], message: str, here: Path
) -> None:
    (here / "file").write_text("")
    result = outlast("new", *arguments)

    assert (result.exit_code, message in result.output) == (2, True), result.output
    assert [path.name for path in here.iterdir()] == ["file"]


def test_a_requirement_of_ones_own_can_be_covered(here: Path) -> None:
    (here / "outlast.toml").write_text("requirements = 'own.yaml'")
    (here / "own.yaml").write_text(
        "format: 1\nrequirements:\n"
        "  - {id: agent.house.rule, level: may, origin: derived, text: It is so., source: us}\n"
    )

    assert outlast("new", "one", "--covers", "agent.house.rule").exit_code == 0
    assert "scenarios: 1 passed" in outlast("run", "one.yaml").output
