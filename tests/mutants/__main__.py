"""`python -m tests.mutants`: every mutant against every scenario of its profile."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from conformance import api, schemas
from conformance.commands.common import give_up
from conformance.faults import FILE
from conformance.loader import load_all
from conformance.requirements import Register
from conformance.workers import processors
from tests.mutants import all_mutants
from tests.mutants.matrix import Matrix, Row, listing, showing
from tests.mutants.matrix.judging import problems
from tests.mutants.matrix.playing import Plan, over_stdio, play, without_a_fault


@click.command()
@click.option(
    "--only",
    "words",
    multiple=True,
    metavar="TEXT",
    help="Only mutants with this text in what they break, or in a requirement or scenario of theirs.",
)
@click.option("-n", "jobs", type=click.IntRange(min=1), help="So many processes (default: one a processor).")
@click.option("--stdio", is_flag=True, help="Play each over stdio, too, and compare.")
@click.option(
    "--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the matrix down."
)
@click.option(
    "--list",
    "lists",
    is_flag=True,
    help="Play nothing: write the list that `outlast requirements` shows, scenarios/faults.json.",
)
@click.option("-v", "--verbose", is_flag=True, help="Name the scenarios that kill each mutant.")
def main(
    words: tuple[str, ...], jobs: int | None, stdio: bool, file: Path | None, lists: bool, verbose: bool
) -> None:
    """Play every mutant of the reference against every scenario of its profile.

    Each mutant is listed below the requirement that it breaks, behind the number of scenarios that kill it.
    The exit status is 1 where a mutant survives or a scenario kills none, a scenario that must kill a mutant
    does not name its requirement, anything crashes or times out, or a mutant fails more than a tenth of the
    scenarios that are not about it without saying why; with --stdio also where the two ways differ. It is 2
    where there is nothing to play, or the reference itself does not pass.
    """
    began = time.monotonic()
    mutants, register = all_mutants(), api.load_register()
    if lists:
        (schemas.scenarios_folder() / FILE).write_text(listing.written(mutants, register), encoding="utf-8")
        return
    chosen = [mutant for mutant in mutants if not words or any(map(mutant.mentions, words))]
    if not chosen:
        give_up("no mutant has any of these texts")
    plan = _plan(register)
    jobs = min(jobs or processors(), len(chosen))
    rows = play(chosen, plan, jobs, _Counter(len(chosen)))
    served = play(chosen, replace(plan, factory=over_stdio), jobs, _Counter(len(chosen))) if stdio else ()
    by_id = {scenario.id: scenario for scenario in plan.scenarios}
    matrix = Matrix(by_id, register, rows, served, is_whole=len(chosen) == len(mutants))
    for line in showing.text(matrix, with_killers=verbose):
        click.echo(line)
    click.echo(f"{time.monotonic() - began:.0f} s in {showing.many(jobs, 'process')}")
    if file is not None:
        showing.write(matrix, file)
    raise SystemExit(bool(problems(matrix)))


def _plan(register: Register) -> Plan:
    """All scenarios, each of which passes with the reference as it is; or the command ends."""
    scenarios, wrong = load_all([schemas.scenarios_folder()], register)
    if wrong:
        give_up("\n".join(map(str, wrong)))
    plan = Plan(scenarios, dict(register))
    failed = [cell for cell in without_a_fault(plan) if cell.verdict != "passed"]
    if failed:
        give_up("\n".join(f"the reference without a fault: {it.scenario} {it.verdict}" for it in failed))
    return plan


class _Counter:
    """How far the playing has come, for somebody who looks on."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def __call__(self, row: Row) -> None:
        self._done += 1
        if sys.stderr.isatty():
            is_last = self._done == self._total
            click.echo(f"\r{self._done} of {self._total} mutants", err=True, nl=is_last)


if __name__ == "__main__":
    main(prog_name="python -m tests.mutants")
