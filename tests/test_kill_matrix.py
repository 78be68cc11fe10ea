"""`python -m tests.mutants`: what is played, what is wrong with it, and how that is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import api, schemas
from conformance.loader import load_all
from conformance.verdict import Verdict
from tests.mutants import Mutant, all_mutants
from tests.mutants.__main__ import main
from tests.mutants.matrix import Cell, Matrix, Row, judging
from tests.mutants.matrix.playing import Plan, over_stdio, play
from tests.mutants.matrix.showing import text

REGISTER = api.load_register()
LOADED, _ = load_all([schemas.scenarios_folder()], REGISTER)
FEW = {
    "agent/child/grandchild",
    "agent/child/reply",
    "agent/events/late-result",
    "agent/events/run-brackets",
    "agent/events/placeholder-default",
    "agent/inbox/fifo",
    "agent/inbox/push-exact",
    "agent/inbox/read-at-final",
    "agent/pending/pause",
    "agent/pending/pause-names-all",
    "agent/pending/order",
    "agent/restart/dangling-failed",
    "agent/resume/nothing-to-do",
    "agent/run/stop",
}
SCENARIOS = [scenario for scenario in LOADED if scenario.id in FEW]
PLAN = Plan(SCENARIOS, dict(REGISTER), timeout=0.5, hangs_after=2.0)

LAST = "        self.emit(AgentEnd(tuple(self._added)))\n"
PAUSED = "                    self.emit(Paused(conversation.pending_calls()))\n"
INDENT = " " * 20
PAUSE = {"agent/pending/pause": "agent.pending.pause"}
BRACKETS = {"agent/events/run-brackets": "agent.events.run-brackets"}

GOOD = Mutant("Paused is not emitted", "run", PAUSED, "", PAUSE)
HARMLESS = Mutant("nothing is broken", "run", PAUSED, PAUSED, PAUSE)
MISNAMED = replace(GOOD, caught_by={"agent/pending/order": "agent.pending.pause"})
ELSEWHERE = replace(GOOD, caught_by={"runtime/no/such": "agent.pending.pause"})
UNHEARD = replace(GOOD, caught_by={"agent/pending/pause": "agent.pending.unheard-of"})
WIDE = Mutant("no run has an end", "run", LAST, "", BRACKETS)
EXCUSED = replace(WIDE, not_local="every run ends")
CRASHING = Mutant("a pause goes wrong", "run", PAUSED, INDENT + "raise LookupError('oh')\n", PAUSE)
SILENT = Mutant(
    "a pause takes for ever", "run", PAUSED, INDENT + "import asyncio; await asyncio.Event().wait()\n", PAUSE
)
ENDLESS = Mutant("a pause holds everything up", "run", PAUSED, INDENT + "while True: pass\n", PAUSE)
DEADLY = Mutant("a pause kills the process", "run", PAUSED, INDENT + "import os; os._exit(7)\n", PAUSE)
UNFIT = Mutant("an edit that fits no longer", "run", "no such text", "", PAUSE)
NO_PYTHON = Mutant("an edit that is no Python", "run", PAUSED, "if\n", PAUSE)
MUTANTS = [
    *(ENDLESS, DEADLY, GOOD, HARMLESS, MISNAMED, ELSEWHERE, UNHEARD),
    *(WIDE, EXCUSED, CRASHING, SILENT, UNFIT, NO_PYTHON),
]


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return of(play(MUTANTS, PLAN, jobs=2))


def of(rows: Sequence[Row], served: Sequence[Row] = (), *, is_whole: bool = True) -> Matrix:
    return Matrix({scenario.id: scenario for scenario in SCENARIOS}, REGISTER, (*rows,), (*served,), is_whole)


def wrong(matrix: Matrix, mutant: Mutant) -> list[str]:
    (row,) = (row for row in matrix.rows if row.mutant is mutant)
    return judging.of_row(row, matrix)


def test_a_mutant_that_is_seen_by_the_scenarios_about_it_is_as_it_should_be(matrix: Matrix) -> None:
    assert wrong(matrix, GOOD) == []
    assert "    3  Paused is not emitted" in [*text(matrix)]


def test_a_mutant_that_nothing_sees_survives(matrix: Matrix) -> None:
    assert wrong(matrix, HARMLESS) == ["it survives", "agent/pending/pause does not see it"]


def test_a_scenario_that_sees_a_mutant_must_name_the_requirement_and_one_must_be_about_it(
    matrix: Matrix,
) -> None:
    assert wrong(matrix, MISNAMED) == [
        "agent/pending/order names agent.pending.order and not agent.pending.pause",
        "none of the scenarios that are to name agent.pending.pause covers it",
    ]


def test_a_mutant_must_name_scenarios_and_requirements_that_there_are(matrix: Matrix) -> None:
    assert wrong(matrix, ELSEWHERE) == ["runtime/no/such is no scenario of its profile"]
    assert wrong(matrix, UNHEARD)[0] == "there is no requirement agent.pending.unheard-of"


def test_a_mutant_that_fails_many_scenarios_that_are_not_about_it_must_say_why(matrix: Matrix) -> None:
    others = len(SCENARIOS) - 1

    assert wrong(matrix, WIDE) == [
        f"it is not local, and does not say why: {others} of the {others} other scenarios fail"
    ]
    assert wrong(matrix, EXCUSED) == []
    assert f"       not local: {others} of {others} others, because every run ends" in [*text(matrix)]


def test_a_mutant_that_is_local_need_not_say_why_it_is_not() -> None:
    passed = [Cell(scenario.id, "passed") for scenario in SCENARIOS if scenario.id != "agent/pending/pause"]
    killed = Cell("agent/pending/pause", "failed", frozenset(GOOD.requirements))
    row = Row(replace(GOOD, not_local="every run ends"), (killed, *passed))
    others = len(FEW) - 2  # one more is about it

    assert judging.of_row(row, of([row])) == [
        f"it says why it is not local, and is: 0 of the {others} other scenarios fail"
    ]


def test_a_mutant_must_not_crash_or_fall_silent(matrix: Matrix) -> None:
    assert any(problem.startswith("agent/pending/pause crashed: ") for problem in wrong(matrix, CRASHING))
    assert "agent/pending/pause timed-out: neither an answer nor a request for 0.5 s" in wrong(matrix, SILENT)


def test_a_mutant_that_ends_its_process_or_holds_it_up_is_told_and_the_next_is_played(matrix: Matrix) -> None:
    where = "while it played agent/events/late-result"  # the first one that pauses

    assert wrong(matrix, DEADLY) == [f"its process ended with status 7 {where}"]
    assert wrong(matrix, ENDLESS) == [f"its process ended with status 1 {where}"]
    assert not any(row.lost for row in matrix.rows if row.mutant in (GOOD, WIDE, SILENT))


def test_an_edit_that_cannot_be_made_is_told(matrix: Matrix) -> None:
    assert wrong(matrix, UNFIT) == ["it cannot be played: 'no such text' stands 0 times in run"]
    assert wrong(matrix, NO_PYTHON)[0].startswith("it cannot be played: expected an indented block")


def test_a_scenario_that_kills_nothing_is_wrong_once_every_mutant_has_been_played() -> None:
    rows = [Row(GOOD, (Cell("agent/pending/pause", "failed", frozenset(GOOD.requirements)),))]
    idle = sorted(FEW - {"agent/pending/pause"})

    assert judging.problems(of(rows)) == [f"{id}: it kills no mutant" for id in idle]
    assert judging.problems(of(rows, is_whole=False)) == []


def test_a_mutant_that_ends_otherwise_over_stdio_is_told() -> None:
    named = frozenset(GOOD.requirements)
    here = Row(GOOD, (Cell("agent/pending/pause", "failed", named),))
    there = Row(GOOD, (Cell("agent/pending/pause", "crashed"),))
    gone = Row(GOOD, (), "it cannot be played: no")

    assert judging.problems(of([here], [here], is_whole=False)) == []
    assert judging.problems(of([here], [there], is_whole=False)) == [
        "'Paused is not emitted': agent/pending/pause ends as failed agent.pending.pause in this process"
        " and as crashed over stdio"
    ]
    assert judging.problems(of([here], [gone], is_whole=False)) == [
        "'Paused is not emitted', over stdio: it cannot be played: no"
    ]


def test_mutants_that_are_served_by_a_process_of_their_own_end_as_they_do_in_this_one() -> None:
    every = all_mutants()
    sample = every[:: len(every) // 6]
    ids = {id for mutant in sample for id in mutant.caught_by} | FEW
    plan = Plan([scenario for scenario in LOADED if scenario.id in ids], dict(REGISTER))

    here, there = play(sample, plan, jobs=2), play(sample, replace(plan, factory=over_stdio), jobs=2)

    assert [*judging.differences(of(here, there))] == []
    assert all(row.kills() and not row.lost for row in there)


def test_only_a_mutant_that_says_why_may_be_seen_one_way_only_and_not_by_the_scenarios_about_it() -> None:
    about, other = "agent/pending/pause", "agent/pending/order"

    def told(mutant: Mutant, id: str, there: Verdict) -> bool:
        here = Row(mutant, (Cell(id, "failed"),))
        return bool([*judging.differences(of([here], [Row(mutant, (Cell(id, there),))]))])

    timed = replace(GOOD, by_timing="a call may have ended by then")
    assert told(GOOD, other, "passed")
    assert not told(timed, other, "passed")
    assert told(timed, other, "timed-out")
    assert told(timed, about, "passed")


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_the_command_plays_what_is_selected_and_writes_it_down(tmp_path: Path) -> None:
    file = tmp_path / "matrix.json"

    result = command("--only", "paused NAMES one call", "-v", "--json", str(file))

    assert result.exit_code == 0, result.output
    head = ["agent.pending.pause (must)", "    3  Paused names one call only", "         agent/pending/order"]
    assert result.output.splitlines()[:3] == head
    assert "survivors: none\nscenarios that kill none: not known" in result.output
    assert result.output.splitlines()[-2] == "wrong: none"
    written = json.loads(file.read_text(encoding="utf-8"))
    (mutant,) = written["mutants"]
    assert (mutant["requirements"], mutant["kills"], written["whole"]) == (["agent.pending.pause"], 3, False)
    assert mutant["not_passed"]["agent/pending/order"]["names"] == ["agent.pending.order"]
    assert {"id": "agent/pending/order", "kills": 1} in written["scenarios"]


def test_the_command_ends_with_1_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutants.__main__.all_mutants", lambda: [HARMLESS])

    result = command()

    assert result.exit_code == 1
    assert "survivors: 1\n  nothing is broken\n" in result.output


def test_the_command_ends_with_2_where_no_mutant_is_selected() -> None:
    assert command("--only", "no such words").exit_code == 2
