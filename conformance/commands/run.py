"""`outlast run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import DEFAULT_DRIVER, NOT_STARTED, give_up, read
from conformance.scenario import PROFILES, Profile

if TYPE_CHECKING:
    from conformance.judge import Report

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
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--driver",
    default=DEFAULT_DRIVER,
    metavar="DRIVER",
    help="python:MODULE:FACTORY (default: the reference).",
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice(PROFILES),
    help="Only scenarios of this profile; may be repeated.",
)
@click.option(
    "-k",
    "expression",
    metavar="EXPR",
    help="Only scenarios whose id or title matches, as in 'inbox and not resume'.",
)
@click.option(
    "--requirement",
    "requirements",
    multiple=True,
    metavar="ID",
    help="Only scenarios that cover this requirement, or one below it (agent.inbox); may be repeated.",
)
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first scenario that does not pass.")
@click.option("--strict", is_flag=True, help="A broken should counts as a broken must.")
@click.option(
    "--require-all", is_flag=True, help="A requirement that was asked for and not measured counts as broken."
)
@click.option(
    "--timeout",
    default=10.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long the implementation may be silent while the suite waits for it.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report as JSON.",
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
    json_file: Path | None,
) -> None:
    """Play scenarios against an implementation and judge it.

    PATH is a scenario, a folder of scenarios, or the id of one that comes with outlast or the beginning of
    one (agent/inbox). Without a PATH all that come with outlast are played.

    \b
    Example:
      outlast run agent/inbox --driver python:my_agent.driver:create
    """
    import asyncio

    from conformance import schemas, selection
    from conformance.drivers.base import DriverFailure
    from conformance.drivers.python import DriverNameError, load_driver
    from conformance.report import json as json_report
    from conformance.report.terminal import TerminalReport

    if json_file is not None and not json_file.parent.is_dir():
        give_up(f"--json {json_file}: there is no folder {json_file.parent}")
    register, scenarios = read(paths)
    try:
        wanted = selection.requirement_ids(requirements, register) if requirements else None
        name = selection.expression(expression) if expression is not None else None
    except selection.SelectionError as error:
        give_up(str(error))
    chosen = selection.select(scenarios, profiles=frozenset(profiles) or None, requirements=wanted, name=name)
    if not chosen:
        give_up("nothing was selected: no scenario matches all of what was asked for")
    try:
        factory = load_driver(driver)
    except DriverNameError as error:
        give_up(str(error))
    everything = not paths and name is None and wanted is None
    asked_for = frozenset(
        id for id in register if register[id].profile in {scenario.profile for scenario in chosen}
    )

    async def played() -> Report:
        from conformance.running import run as run_scenarios
        from conformance.session import Session

        session = await Session.open(factory())
        try:
            return await run_scenarios(
                chosen,
                session,
                register,
                asked_for=asked_for if everything else wanted,
                timeout=timeout,
                stop_at_first=exitfirst,
                with_sequence=json_file is not None,
            )
        finally:
            await session.driver.shutdown()

    try:
        report = asyncio.run(played())
    except DriverFailure as failure:
        give_up(f"--driver {driver}: {failure.message}\n{failure.detail}".rstrip(), NOT_STARTED)
    command = ["outlast", "run", *(["--driver", driver] if driver != DEFAULT_DRIVER else [])]
    TerminalReport(click.echo, register, command, schemas.scenarios_folder()).print(report)
    if json_file is not None:
        try:
            json_report.write(report, json_file)
        except OSError as error:
            give_up(f"--json {json_file}: {error.strerror}")
    sys.exit(report.exit_status(strict=strict, require_all=require_all))
