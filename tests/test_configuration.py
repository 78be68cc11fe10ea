"""What a project writes once: outlast.toml, or [tool.outlast] in pyproject.toml."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import InputError, load
from conformance.cli import main
from conformance.configuration import Configuration, ConfigurationError, find
from conformance.drivers.reference import ReferenceDriver

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
OWN = """\
format: 1
requirements:
  - id: agent.house.greeting
    level: should
    origin: derived
    text: The agent says hello.
    source: the rules of this house
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that we are in, with a scenario in a folder of its own."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


class Renamed(ReferenceDriver):
    """Notes by which name it was found."""

    notes = ("found by its configured name",)


def test_where_nothing_is_configured_there_is_nothing_but_the_folder(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.other]\nfound = true\n")

    assert find(project) == Configuration(project)


@pytest.mark.parametrize(
    "name, head", [("outlast.toml", ""), ("pyproject.toml", "[project]\nname = 'x'\n[tool.outlast]\n")]
)
def test_both_files_say_the_same(name: str, head: str, project: Path) -> None:
    (project / name).write_text(
        f"{head}driver = 'python:mine:driver'\npaths = ['mine']\n"
        "known_failures = 'known.yaml'\nrequirements = 'own.yaml'\n"
    )

    assert find(project / "mine") == Configuration(
        project,
        project / name,
        driver="python:mine:driver",
        paths=("mine",),
        known_failures=project / "known.yaml",
        requirements=project / "own.yaml",
    )


def test_the_nearest_folder_is_asked_and_there_outlast_toml_goes_first(project: Path) -> None:
    (project / "outlast.toml").write_text("driver = 'python:far:driver'")
    (project / "mine" / "pyproject.toml").write_text("[tool.outlast]\ndriver = 'python:near:driver'")
    near = find(project / "mine").driver
    (project / "mine" / "outlast.toml").write_text("driver = 'python:nearer:driver'")

    assert near == "python:near:driver"
    assert find(project / "mine").driver == "python:nearer:driver"


def test_a_pyproject_that_is_not_about_us_may_be_as_it_likes(project: Path) -> None:
    (project / "pyproject.toml").write_text("[[[ no TOML")

    assert find(project).driver is None


@pytest.mark.parametrize(
    "text, message",
    [
        ("drivr = 'x'", "drivr: unknown key; did you mean driver?"),
        ("timeout = 3", "timeout: unknown key; known here: driver, paths, known_failures, requirements"),
        ("driver = 3", "driver: expected a text that is not empty, found number 3"),
        ("driver = ' '", "driver: expected a text that is not empty, found text ' '"),
        ("paths = 'mine'", "paths: expected a list of texts that is not empty, found text 'mine'"),
        ("paths = []", "paths: expected a list of texts that is not empty, found an empty list"),
        ("paths = ['a', 2]", "paths[1]: expected a text that is not empty, found number 2"),
        ("requirements = {}", "requirements: expected a text that is not empty, found a table"),
        ("known_failures = 2026-01-01", "known_failures: expected a text that is not empty, found a date"),
        ("driver = ", "this is not TOML: Invalid value (at end of document)"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_key_and_what_was_expected(
    text: str, message: str, project: Path
) -> None:
    (project / "outlast.toml").write_text(text)

    with pytest.raises(ConfigurationError) as raised:
        find(project)

    assert str(raised.value).startswith(f"{project / 'outlast.toml'}: {message}")


def test_all_that_is_wrong_is_told_and_the_key_in_pyproject_has_its_whole_name(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text("[tool.outlast]\npath = ['mine']\ndriver = 3\n")

    result = outlast("run")

    assert result.exit_code == 2
    assert f"{file}: tool.outlast.path: unknown key; did you mean paths?\n" in result.output
    assert (
        f"{file}: tool.outlast.driver: expected a text that is not empty, found number 3\n" in result.output
    )


def test_configured_paths_are_played_unless_others_are_given(project: Path) -> None:
    (project / "outlast.toml").write_text("paths = ['mine', 'agent/child/live']")
    configured, given = outlast("run"), outlast("run", "mine")

    assert "scenarios: 2 passed" in configured.output
    assert "scenarios: 1 passed" in given.output


def test_lint_reads_what_is_configured_and_wants_something_to_read(project: Path) -> None:
    nothing = outlast("lint")
    (project / "outlast.toml").write_text("paths = ['mine']")
    configured = outlast("lint")

    assert nothing.exit_code == 2
    assert "lint what? expected a PATH, or paths in outlast.toml" in nothing.output
    assert configured.output == "1 scenario read, nothing wrong\n"


def test_each_mistake_in_the_configuration_is_told_as_an_error(project: Path) -> None:
    (project / "outlast.toml").write_text("driver = 5\npaths = 7")

    at = f"error: {project / 'outlast.toml'}:"

    assert outlast("run").output.splitlines() == [
        f"{at} driver: expected a text that is not empty, found number 5",
        f"{at} paths: expected a list of texts that is not empty, found number 7",
    ]


def test_a_configured_path_that_leads_nowhere_is_told_with_its_place(project: Path) -> None:
    (project / "outlast.toml").write_text("paths = ['mine', 'yours']")
    result = outlast("list")

    assert result.exit_code == 2
    assert f"{project / 'outlast.toml'}: paths[1]: there is no yours; expected a scenario" in result.output


def test_the_configured_driver_is_used_unless_another_is_given(project: Path) -> None:
    (project / "outlast.toml").write_text("driver = 'python:tests.test_configuration:Renamed'")
    configured = outlast("run", "mine")
    given = outlast("run", "mine", "--driver", "python:conformance.drivers.reference:driver")

    assert "note: found by its configured name" in configured.output
    assert "note:" not in given.output


def test_names_in_the_configuration_are_relative_to_its_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "beside_the_configuration.py").write_text(
        "from conformance.drivers.reference import driver as driver"
    )
    (project / "outlast.toml").write_text(
        "driver = 'python:beside_the_configuration:driver'\npaths = ['mine']\n"
    )
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")

    result = outlast("run", "-n", "2")

    assert (result.exit_code, "scenarios: 1 passed" in result.output) == (0, True), result.output


def test_what_is_configured_as_something_else_is_no_scenario(project: Path) -> None:
    (project / "outlast.toml").write_text(
        "paths = ['mine']\nrequirements = 'mine/own.yaml'\nknown_failures = 'mine/known.yaml'\n"
    )
    (project / "mine" / "own.yaml").write_text(OWN)
    (project / "mine" / "known.yaml").write_text("[]")

    assert outlast("lint").output == "1 scenario read, nothing wrong\n"


def test_requirements_of_ones_own_stand_beside_ours_and_are_measured(project: Path) -> None:
    (project / "own.yaml").write_text(OWN)
    (project / "outlast.toml").write_text("requirements = 'own.yaml'")
    (project / "mine" / "two.yaml").write_text(
        SCENARIO.replace("agent.events.turn-order", "agent.house.greeting")
    )

    result = outlast("run", "mine", "--requirement", "agent.house", "--require-all")

    assert result.exit_code == 0
    assert "scenarios: 1 passed; requirements: 1 met" in result.output


@pytest.mark.parametrize(
    "old, new, place, message",
    [
        (
            "agent.house.greeting",
            "agent.events.turn-order",
            "3:9",
            "the id agent.events.turn-order is that of a requirement that comes with outlast;"
            " expected one of its own",
        ),
        (
            "agent.house.greeting",
            "house.greeting.hello",
            "3:9",
            "expected a profile (agent, runtime or client)",
        ),
        ("    text: The agent says hello.\n", "", "3:5", "the key 'text' is missing"),
    ],
)
def test_requirements_of_ones_own_have_ids_of_their_own_and_the_form_of_ours(
    old: str, new: str, place: str, message: str, project: Path
) -> None:
    (project / "own.yaml").write_text(OWN.replace(old, new))

    with pytest.raises(InputError) as raised:
        load(["mine"], own_requirements="own.yaml")

    assert [str(problem)[: len(f"own.yaml:{place}: {message}")] for problem in raised.value.problems] == [
        f"own.yaml:{place}: {message}"
    ]


def test_a_scenario_covers_something_whatever_requirements_there_are(project: Path) -> None:
    (project / "own.yaml").write_text(OWN)
    (project / "mine" / "one.yaml").write_text(SCENARIO.replace("covers: [agent.events.turn-order]\n", ""))

    with pytest.raises(InputError, match="the key 'covers' is missing"):
        load(["mine"], own_requirements="own.yaml")
