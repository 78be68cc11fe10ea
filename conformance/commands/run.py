"""`outlast run`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import NOT_STARTED, WRONG_INPUT, choose, give_up, of_scenarios
from conformance.commands.driving import chosen_driver, of_driver, repeated
from conformance.scenario import Profile

if TYPE_CHECKING:
    from conformance.judge import Report
    from conformance.report.terminal import Detail

EXIT_STATUSES = """
\b
Exit status:
  0  no must is broken and every scenario passed, is unsupported, or is a should
     or may that failed (--strict: no should is broken either; --require-all:
     and nothing asked for is left unmeasured)
  1  otherwise
  2  the command, a file or a scenario is wrong, or nothing was selected
  3  the implementation could not be started or kept running
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
@click.option("-q", "--quiet", is_flag=True, help="Print a line for each failure, and the counts.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Print a line for each scenario, and each failure in full."
)
def run(
    paths: tuple[str, ...],
    driver: str,
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
    quiet: bool,
    verbose: bool,
) -> None:
    """Play scenarios against an implementation and judge it.

    PATH is a scenario, a folder of scenarios, or the id of one that comes with outlast or the beginning of
    one (agent/inbox). Without a PATH all that come with outlast are played.

    \b
    Example:
      outlast run agent/inbox --driver python:my_agent.driver:create
      outlast run agent/inbox --driver "stdio:node driver.mjs"
    """
    from conformance import schemas
    from conformance.drivers.base import DriverFailure, NotExecutable
    from conformance.interrupts import run_until_told
    from conformance.report import json as json_report
    from conformance.report.page import Page
    from conformance.report.terminal import TerminalReport

    if quiet and verbose:
        give_up("--quiet and --verbose: choose one of them")
    if json_file is not None and not json_file.parent.is_dir():
        give_up(f"--json {json_file}: there is no folder {json_file.parent}")
    choice = choose(paths, profiles, expression, requirements)
    chosen, register = choice.scenarios, choice.register
    factory = chosen_driver(driver, timeout, startup_timeout, env, cwd)
    asked_for = frozenset(
        id for id in register if register[id].profile in {scenario.profile for scenario in chosen}
    )
    command = ["outlast", "run", *repeated(driver, env, cwd)]
    detail: Detail = "quiet" if quiet else "verbose" if verbose else "normal"
    printed = TerminalReport(Page(), register, command, schemas.scenarios_folder(), detail)

    async def played() -> Report:
        from conformance.running import run as run_scenarios
        from conformance.session import Session

        session = await Session.start(factory)
        try:
            with printed.progress(len(chosen)) as on_result:
                report = await run_scenarios(
                    chosen,
                    session,
                    register,
                    asked_for=choice.wanted if choice.is_narrow else asked_for,
                    timeout=timeout,
                    stop_at_first=exitfirst,
                    with_sequence=json_file is not None,
                    on_result=on_result,
                )
        finally:
            notes = await session.close()
        return replace(report, notes=notes)

    try:
        report = run_until_told(played())
    except DriverFailure as failure:
        status = WRONG_INPUT if isinstance(failure, NotExecutable) else NOT_STARTED
        give_up(f"--driver {driver}: {failure.message}\n{failure.detail}".rstrip(), status)
    printed.print(report)
    if json_file is not None:
        try:
            json_report.write(report, json_file)
        except OSError as error:
            give_up(f"--json {json_file}: {error.strerror}")
    sys.exit(report.exit_status(strict=strict, require_all=require_all))
