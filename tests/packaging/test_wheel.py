"""The wheel and the source distribution: what is in them, and that a stranger can use what is installed."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import conformance
from tests.packaging.environments import Environment

pytestmark = pytest.mark.network

SCENARIO = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents: {main: {model: [{text: Hello.}]}}
steps:
  - prompt: Hi
    emits: [AgentStart, ..., AgentEnd]
"""


def _below(checkout: Path, *folders: str) -> set[str]:
    return {
        path.relative_to(checkout).as_posix()
        for folder in folders
        for path in (checkout / folder).rglob("*")
        if path.is_file()
    }


def _in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_has_the_packages_with_types_the_scenarios_and_the_schemas_and_nothing_else(
    wheel: Path, checkout: Path
) -> None:
    packages = _below(checkout, "reference", "conformance")
    data = {f"conformance/_data/{name}" for name in _below(checkout, "scenarios", "schemas")}
    metadata = {name for name in _in_wheel(wheel) if name.split("/")[0].endswith(".dist-info")}

    assert _in_wheel(wheel) - metadata == packages | data
    assert {"reference/py.typed", "conformance/py.typed"} <= packages
    assert "conformance/_data/scenarios/requirements.yaml" in data
    assert any(name.endswith("/licenses/LICENSE") for name in metadata)


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode("utf-8"))

    assert (metadata["Name"], metadata["Version"]) == ("outlast", conformance.version())
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert str(metadata.get_payload()).startswith("# outlast\n")


def test_the_source_distribution_is_the_checkout_with_its_tests(built: Path, checkout: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    files = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".ci/run"}
    folders = _below(checkout, "reference", "conformance", "scenarios", "schemas", "tests")

    assert inside - {"PKG-INFO", ".gitignore"} == files | folders


def test_it_runs_all_scenarios_far_from_the_checkout(stranger: Environment, checkout: Path) -> None:
    count = len(conformance.load([checkout / "scenarios"]))

    done = stranger.run("outlast", "run")

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"scenarios: {count} passed;" in done.stdout


def test_it_says_its_version(stranger: Environment) -> None:
    assert stranger.run("outlast", "--version").stdout == f"outlast, version {conformance.version()}\n"


def test_it_lints_and_plays_a_scenario_of_ones_own(stranger: Environment) -> None:
    (stranger.cwd / "own.yaml").write_text(SCENARIO, encoding="utf-8")

    linted, played = stranger.run("outlast", "lint", "own.yaml"), stranger.run("outlast", "run", "own.yaml")

    assert linted.stdout == "1 scenario read, nothing wrong\n"
    assert played.stdout.endswith("scenarios: 1 passed; requirements: 1 met\n")


def test_it_leads_an_editor_to_the_schema_that_was_installed(stranger: Environment) -> None:
    assert stranger.run("outlast", "new", "new.yaml").returncode == 0
    first = (stranger.cwd / "new.yaml").read_text(encoding="utf-8").splitlines()[0]
    schema = stranger.cwd / first.partition("$schema=")[2]

    assert schema.resolve().name == "scenario.schema.json"
    assert schema.is_file()
    assert stranger.folder.resolve() in schema.resolve().parents


def test_both_packages_are_imported_from_what_was_installed(stranger: Environment) -> None:
    where = "import conformance, reference; print(conformance.__file__); print(reference.__file__)"

    done = stranger.run("python", "-c", where)

    assert done.returncode == 0, done.stderr
    assert all(Path(line).is_relative_to(stranger.folder) for line in done.stdout.splitlines())


def test_the_reference_is_served_from_what_was_installed(stranger: Environment) -> None:
    command = f"stdio:{stranger.folder}/bin/outlast serve"

    done = stranger.run("outlast", "run", "agent/events/turn-order", "--driver", command)

    assert done.stdout.endswith("scenarios: 1 passed; requirements: 1 met\n"), done.stdout + done.stderr
