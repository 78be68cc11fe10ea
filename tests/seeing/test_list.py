"""`outlast list`: what there is, chosen as a run chooses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import api
from conformance.cli import main
from conformance.report import listing
from conformance.report.page import Page
from tests.seeing import page, same_as_golden
from tests.seeing.plays import ALL, write


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


SELECTIONS = [
    [],
    ["agent/inbox"],
    ["-k", "final and not results"],
    ["--requirement", "agent.resume"],
    ["--profile", "agent", "-k", "stop"],
    ["agent/child", "agent/run", "--requirement", "agent.child.stop"],
]


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda selection: " ".join(selection) or "everything")
def test_it_lists_what_a_run_plays(selection: list[str]) -> None:
    listed = outlast("list", "--quiet", *selection).output.splitlines()
    played = outlast("run", "--verbose", *selection).output.splitlines()

    assert listed
    assert listed == [line.split()[1] for line in played if line.startswith("passed ")]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["agent/run", "-k", "nothing_like_it"], "nothing was selected"),
        (["agent/run", "-k", "(open"], "a bracket is not closed"),
        (["agent/run", "--requirement", "agent.event"], "did you mean agent.events"),
        (["no/such/folder"], "no/such/folder"),
    ],
)
def test_what_cannot_be_listed_ends_with_2_as_a_run_does(arguments: list[str], message: str) -> None:
    for command in ("list", "run"):
        result = outlast(command, *arguments)
        assert (result.exit_code, message in result.output) == (2, True), result.output


def test_a_line_for_another_program_is_whole_and_begins_with_the_id() -> None:
    scenarios = api.load(["agent/inbox"])
    lines = outlast("list", "agent/inbox").output.splitlines()

    assert [line.split()[0] for line in lines] == [scenario.id for scenario in scenarios]
    assert [line.split()[1] for line in lines] == [scenario.level for scenario in scenarios]
    assert all(line.endswith(scenario.title) for line, scenario in zip(lines, scenarios, strict=True))


class Looked(Page):
    """A page at which somebody looks."""

    @property
    def is_terminal(self) -> bool:
        return True


@pytest.mark.parametrize("width", [60, 80, 120])
def test_for_a_person_the_titles_are_broken_to_the_width(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plays"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(**ALL)
    on, written = page(width)
    looked = Looked(on.console)
    looked.print(*listing.listed(looked, api.load(["."])))

    assert same_as_golden(f"list-{width}", written.getvalue())
    assert max(map(len, written.getvalue().splitlines())) <= width


def test_the_total_counts_by_level() -> None:
    assert listing.total(api.load(["agent/inbox/read-at-final"])) == "1 scenario: 1 must"
    assert listing.total(api.load(["agent/run/stop", "agent/run/denied"])) == "2 scenarios: 1 should, 1 may"
