"""What the README says is so: its commands work, they print what it shows, and its words are those in use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

import conformance
from conformance import configuration, pytest_plugin, schemas
from conformance.cli import COMMANDS, main
from conformance.patterns._operators import OPERATORS
from conformance.scenario import Json
from conformance.verdict import VERDICTS
from tests.packaging.environments import copy_checkout
from tests.readme.walk import (
    README,
    ROOT,
    Block,
    Ran,
    blocks,
    environment,
    follow,
    is_offline,
    last_part,
    matches,
    run,
    sandbox,
)

TEXT = README.read_text(encoding="utf-8")
BLOCKS = blocks(TEXT)
SH = [block for block in BLOCKS if block.language == "sh"]
SETUP, TESTS = SH[0], next(block for block in SH if block.is_the_test_command)
HOW_TO_UPDATE = (
    "the README is not up to date; `python -m tests.readme` writes into it what its commands print"
)


def _id(block: Block) -> str:
    return block.commands[0]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> dict[Block, list[Ran]]:
    """The README from top to bottom, but for what needs an index or Node."""
    return follow(sandbox(tmp_path_factory.mktemp("readme")), is_offline)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A fresh checkout."""
    return copy_checkout(tmp_path / "outlast")


def _assert_as_said(block: Block, ran: Iterable[Ran]) -> None:
    ran = list(ran)
    for each in ran:
        assert each.status == each.expected_status, f"{each.command}\n{each.output}\n{each.errors}"
    if block.prints is not None:
        output = "".join(each.output for each in ran)
        assert matches(block.prints.text, output), f"{HOW_TO_UPDATE}\n{output}"


# The first screen


def test_the_first_screen_has_the_two_commands_and_what_the_first_prints() -> None:
    screen = "".join(TEXT.splitlines(keepends=True)[:50])

    assert screen.startswith("# outlast\n")
    assert SETUP.text in screen
    assert TESTS.text in screen
    assert SETUP.prints is not None
    assert SETUP.prints.text in screen


def test_the_first_command_ends_in_a_run_that_prints_what_is_shown(tmp_path: Path) -> None:
    _assert_as_said(SETUP, [run(last_part(SETUP), sandbox(tmp_path))])


@pytest.mark.network
def test_the_first_command_works_in_a_fresh_checkout_and_so_do_the_tests_and_the_driver(
    checkout: Path,
) -> None:
    _assert_as_said(SETUP, [run(SETUP.commands[0], checkout)])
    # Not all tests from within one of them: that they can start is what a fresh environment may change.
    _assert_as_said(TESTS, [run(TESTS.commands[0], checkout, {"PYTEST_ADDOPTS": "--collect-only -q"})])
    for block in SH:
        if block.needs_index and block is not SETUP:
            _assert_as_said(block, [run(command, checkout) for command in block.commands])


def test_both_commands_are_what_the_ci_script_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert SETUP.commands[0].removeprefix("python3 -m venv .venv && ") in script
    assert TESTS.commands[0] in script


# The commands


@pytest.mark.parametrize("block", [*filter(is_offline, SH)], ids=_id)
def test_a_command_does_what_is_said(block: Block, followed: dict[Block, list[Ran]]) -> None:
    _assert_as_said(block, followed[block])


@pytest.mark.node
@pytest.mark.parametrize("block", [block for block in SH if block.needs_node], ids=_id)
def test_a_command_that_needs_node_does_what_is_said(block: Block, tmp_path: Path) -> None:
    folder = sandbox(tmp_path)

    _assert_as_said(block, [run(command, folder) for command in block.commands])


def test_every_command_and_option_that_is_named_exists() -> None:
    help_texts = ""
    for command in {"run", *re.findall(r"`outlast ([a-z-]+)", TEXT)}:
        result = CliRunner().invoke(main, [command, "--help"])
        assert result.exit_code == 0, command
        help_texts += result.output
    run_by_a_test = "".join(block.text for block in SH)

    of_pytest = Path(str(pytest_plugin.__file__)).read_text(encoding="utf-8")

    for option in set(re.findall(r"`(--[a-z-]+)[` ]", TEXT)):
        assert option in help_texts + run_by_a_test + of_pytest


def test_what_a_reader_is_given_in_the_environment_is_nothing_of_the_tests_own(tmp_path: Path) -> None:
    assert not [name for name in environment(tmp_path) if name.startswith("PYTEST")]


# The blocks that are no commands


def test_the_driver_that_is_shown_is_the_one_that_is_tested() -> None:
    driver = (ROOT / "tests" / "implementations" / "pydantic_ai" / "driver.py").read_text(encoding="utf-8")
    (shown,) = (block for block in BLOCKS if "PartialDriver" in block.text)

    assert f"\n\n\n{shown.text}\n\n" in driver


def test_the_configuration_that_is_shown_is_one(tmp_path: Path) -> None:
    (shown,) = (block for block in BLOCKS if block.language == "toml")
    (tmp_path / "pyproject.toml").write_text(shown.text, encoding="utf-8")

    found = configuration.find(tmp_path)

    assert (found.driver, found.paths) == ("python:my_agent.driver:create", ("mine", "agent"))


# The words


def _parts(*names: str) -> dict[str, Json]:
    """What may stand in those parts of a scenario, by its name."""
    parts = schemas.load("scenario")["$defs"]
    assert isinstance(parts, dict)
    found: dict[str, Json] = {}
    for name in names:
        part = parts[name]
        assert isinstance(part, dict)
        assert isinstance(part["properties"], dict)
        found |= part["properties"]
    return found


@pytest.mark.parametrize("part", ["agent", "modelEntry", "toolEntry", "stepMapping", "views"])
def test_every_word_of_a_scenario_stands_in_the_table(part: str) -> None:
    table = _table("where", "words")

    assert [word for word in _parts(part) if f"`{word}`" not in table] == []


def test_the_table_has_no_other_words() -> None:
    known = {
        *_parts("agent", "modelEntry", "toolEntry", "stepMapping", "views"),
        "main",
        "agents.NAME",
        "tools.NAME",
    }

    assert set(re.findall(r"`([\w.]+)`", _table("where", "words"))) <= known


def test_every_operator_stands_in_the_table() -> None:
    assert set(re.findall(r"\$\w+", _table("operator", "matches"))) == set(OPERATORS)


def test_every_outcome_and_status_stands_in_its_table() -> None:
    outcomes = re.findall(r"^\| ([\w, -]+) \|", _table("outcome", "meaning"), re.MULTILINE)

    assert [word for line in outcomes[1:] for word in line.split(", ")] == [*VERDICTS]
    assert re.findall(r"^\| (\d) \|", _table("status", "meaning"), re.MULTILINE) == ["0", "1", "2", "3"]


def _table(*heads: str) -> str:
    _, head, rest = TEXT.partition(f"| {' | '.join(heads)} |\n")
    assert head
    return head + rest.partition("\n\n")[0]


# Where it leads


def test_every_link_leads_somewhere() -> None:
    anchors = {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in _headings()}
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)

    assert [target for target in targets if not target.startswith("#") and not (ROOT / target).exists()] == []
    assert {target[1:] for target in targets if target.startswith("#")} <= anchors


def _headings() -> list[str]:
    return re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )


def test_the_folders_are_those_that_there_are() -> None:
    (layout,) = (block for block in BLOCKS if block.text.startswith("reference/"))
    listed = re.findall(r"^(\w+)/ ", layout.text, re.MULTILINE)
    below = re.findall(r"^  (\w+)/ ", layout.text, re.MULTILINE)
    here = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))}
    inside = {path.parent.name for path in (ROOT / "conformance").glob("*/__init__.py")}

    assert set(listed) == here - {"build", "dist"}
    assert set(below) == inside


def test_the_changelog_has_this_version_with_every_command() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {conformance.version()}")[2].partition("\n## ")[0]

    assert [command for command in COMMANDS if not re.search(rf"`(outlast )?{command}`", section)] == []


def test_versions_are_promised_for_what_has_one() -> None:
    promised = TEXT.partition("## What stays the same")[2].partition("\n## ")[0]

    for version in ("`format: 1`", "`protocol_version: 1`", '`"format": 1`'):
        assert version in promised
