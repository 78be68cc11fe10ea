"""`outlast trace`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.commands.common import NOT_STARTED, WRONG_INPUT, give_up, one_scenario
from conformance.commands.driving import chosen_driver, name_of, of_driver, repeated


@click.command()
@click.argument("name", metavar="SCENARIO")
@click.option("--raw", is_flag=True, help="Show each line as it crosses, as JSON.")
@of_driver
def trace(
    name: str,
    raw: bool,
    driver: str | None,
    timeout: float,
    startup_timeout: float,
    env: tuple[str, ...],
    cwd: Path | None,
) -> None:
    """Play one scenario and print the whole exchange with the implementation.

    Each line begins with its direction: -> goes to the implementation, <- comes from it. For stdio:COMMAND
    these are the lines that cross; for python:MODULE:FACTORY those that its calls would be. How the scenario
    ended follows, on stderr where there is --raw; the exit status is 1 where it did not pass.

    \b
    Examples:
      outlast trace agent/inbox/read-at-final --driver "stdio:node driver.mjs"
      outlast trace agent/child/nested --driver python:my_agent.driver:create --raw
    """
    from rich.console import Console

    from conformance import api, schemas
    from conformance.drivers.base import DriverFailure, NotExecutable
    from conformance.interrupts import run_until_told
    from conformance.report.exchange import Exchange
    from conformance.report.failures import FailureText
    from conformance.report.page import Page

    scenario, register = one_scenario(name)
    page = Page()
    tap = Exchange(page.print, raw=raw)
    factory = chosen_driver(driver, timeout, startup_timeout, env, cwd, tap)
    try:
        result = run_until_told(api.play_async(scenario, factory, timeout=timeout))
    except DriverFailure as failure:
        status = WRONG_INPUT if isinstance(failure, NotExecutable) else NOT_STARTED
        give_up(f"--driver {name_of(driver)}: {failure.message}\n{failure.detail}".rstrip(), status)
    command = ["outlast", "run", *repeated(driver, env, cwd)]
    text = FailureText(page, register, command, schemas.scenarios_folder())
    verdict = page if not raw else Page(Console(stderr=True, highlight=False, markup=False, emoji=False))
    if result.verdict in ("passed", "unsupported"):
        why = f": the implementation {result.message}" if result.message else ""
        verdict.print("", f"{result.verdict} {scenario.id}{why}")
    else:
        verdict.print("", *text.scenario(result))
    sys.exit(0 if result.verdict in ("passed", "unsupported") else 1)
