"""`outlast run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import parameters
from conformance.commands.common import (
    DEFAULT_DRIVER,
    NOT_STARTED,
    WRONG_INPUT,
    choose,
    configuration,
    give_up,
    of_scenarios,
)
from conformance.commands.driving import chosen_driver, name_of, of_driver, repeated
from conformance.commands.known import KnownLists
from conformance.scenario import Profile

if TYPE_CHECKING:
    from conformance.collection import Scenarios
    from conformance.execution import Execution
    from conformance.judge import Report
    from conformance.remembering import LastFailed
    from conformance.report.terminal import Detail

EXIT_STATUSES = """
\b
Exit status:
  0  no must is broken and every scenario passed, is unsupported, or is a should
     or may that failed (--strict: no should is broken either; --require-all:
     and nothing asked for is left unmeasured)
     Known failures (--known-failures) do not count.
  1  otherwise; or the list of known failures is out of date
  2  the command, a file or a scenario is wrong, or nothing was selected
  3  the implementation could not be started or kept running
  128 and the number of a signal that ended it: 130 for Ctrl-C
"""


@click.command(epilog=EXIT_STATUSES)
@of_scenarios
@of_driver
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first scenario that does not pass.")
@click.option("--strict", is_flag=True, help="A broken should counts as a broken must.")
@click.option(
    "--require-all", is_flag=True, help="A requirement that was asked for and not measured counts as broken."
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report as JSON.",
)
@click.option(
    "--known-failures",
    "known_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Scenarios that need not pass: a list of {id, outcome, reason, issue, expires}.",
)
@click.option(
    "--write-known-failures",
    "draft_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write such a list of what does not pass, keeping the reasons that stand there.",
)
@click.option(
    "-n",
    "jobs",
    default="1",
    show_default=True,
    callback=parameters.jobs,
    metavar="N|auto",
    help="Play in so many processes at once, each with an implementation of its own.",
)
@click.option(
    "--last-failed",
    "--lf",
    "last_failed",
    is_flag=True,
    help="Only scenarios that did not pass when they were last played with this driver.",
)
@click.option(
    "--repeat",
    default=1,
    type=click.IntRange(min=1),
    metavar="N",
    help="Play each scenario so many times, and tell what is not the same each time.",
)
@click.option(
    "--shuffle", "seed", type=int, metavar="SEED", help="Play in another order, the same for the same SEED."
)
@click.option(
    "--shard",
    callback=parameters.shard,
    metavar="I/N",
    help="Only the part I of N, all of which together are everything.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print a line for each failure, and the counts.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Print a line for each scenario, and each failure in full."
)
def run(
    paths: tuple[str, ...],
    driver: str | None,
    profiles: tuple[Profile, ...],
    expression: str | None,
    requirements: tuple[str, ...],
    exitfirst: bool,
    strict: bool,
    require_all: bool,
    timeout: float,
    startup_timeout: float,
    env: tuple[str, ...],
    cwd: Path | None,
    json_file: Path | None,
    known_file: Path | None,
    draft_file: Path | None,
    jobs: int,
    last_failed: bool,
    repeat: int,
    seed: int | None,
    shard: tuple[int, int] | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Play scenarios against an implementation and judge it.

    PATH is a scenario, a folder of scenarios, or the id of one that comes with outlast or the beginning of
    one (agent/inbox). Without a PATH those are played that outlast.toml, or [tool.outlast] in
    pyproject.toml, names, or else all that come with outlast.

    \b
    Examples:
      outlast run agent/inbox --driver python:my_agent.driver:create
      outlast run -n auto --driver "stdio:node driver.mjs" --json report.json
      outlast run --last-failed -x
      outlast run --write-known-failures known.yaml; outlast run --known-failures known.yaml
    """
    from conformance import schemas
    from conformance.drivers.base import DriverFailure, NotExecutable
    from conformance.execution import Execution
    from conformance.remembering import LastFailed
    from conformance.report.page import Page
    from conformance.report.terminal import TerminalReport
    from conformance.running import Conditions

    if quiet and verbose:
        give_up("--quiet and --verbose: choose one of them")
    if shard is not None and require_all:
        give_up(
            "--shard and --require-all: a part does not measure all that was asked for; choose one of them"
        )
    if json_file is not None and not json_file.parent.is_dir():
        give_up(f"--json {json_file}: there is no folder {json_file.parent}")
    lists = KnownLists(known_file, draft_file)
    chosen = choose(paths, profiles, expression, requirements).scenarios
    factory = chosen_driver(driver, timeout, startup_timeout, env, cwd)
    memory = LastFailed(configuration().folder, name_of(driver))
    if last_failed:
        chosen = _failed_last_time(chosen, memory)
    part = chosen.shard(*shard) if shard is not None else chosen
    often = ["--repeat", str(repeat)] if repeat > 1 else []
    command = ["outlast", "run", *often, *repeated(driver, env, cwd)]
    detail: Detail = "quiet" if quiet else "verbose" if verbose else "normal"
    printed = TerminalReport(
        Page(),
        chosen.requirements,
        command,
        schemas.scenarios_folder(),
        detail,
        repeat=repeat,
        is_reference=name_of(driver) == DEFAULT_DRIVER,
    )
    try:
        with printed.progress(len(part)) as on_result:
            execution = Execution(
                part,
                factory,
                Conditions(timeout, repeat, with_sequence=json_file is not None),
                jobs=jobs,
                seed=seed,
                stop_at_first=exitfirst,
                known=lists.used,
                on_result=on_result,
            )
            report, died = _played(execution)
    except DriverFailure as failure:
        status = WRONG_INPUT if isinstance(failure, NotExecutable) else NOT_STARTED
        give_up(f"--driver {name_of(driver)}: {failure.message}\n{failure.detail}".rstrip(), status)
    printed.print(report)
    _keep(report, memory, json_file)
    lists.write(report, strict=strict)
    sys.exit(died or report.exit_status(strict=strict, require_all=require_all))


def _played(execution: Execution) -> tuple[Report, int]:
    """The report, also on a part; and, where a signal made it that, the status to end with, or else 0."""
    from conformance.interrupts import DEADLY, LoopEnded, Told, finish

    try:
        return finish(execution.play(), DEADLY), 0
    except Told as told:
        report = execution.broken_off(str(told))
        if report is None:
            give_up(f"{told} before anything was played", told.status)
        return report, told.status
    except LoopEnded as failure:
        report = execution.broken_off(failure.message, lost=True)
        if report is None:
            raise
        return report, 0


def _failed_last_time(chosen: Scenarios, memory: LastFailed) -> Scenarios:
    """Those of the chosen that did not pass when they were last played; all of them where all passed."""
    failed = chosen.only(memory.ids())
    if not failed:
        click.echo("--last-failed: none of these failed last time; all of them are played", err=True)
    return failed or chosen


def _keep(report: Report, memory: LastFailed, json_file: Path | None) -> None:
    """Write down what is to be there after this run."""
    from conformance.report import json

    if json_file is not None:
        try:
            json.write(report, json_file)
        except OSError as error:
            give_up(f"--json {json_file}: {error.strerror}")
    try:
        memory.update(report.scenarios)
    except OSError as error:
        click.echo(f"note: --last-failed will not know of this run: {error}", err=True)
