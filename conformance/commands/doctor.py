"""`outlast doctor`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.commands.common import NOT_STARTED, WRONG_INPUT, give_up
from conformance.commands.driving import chosen_driver, name_of, of_driver, repeated

EXIT_STATUSES = """
\b
Exit status:
  0  all that must work does, and so does what is claimed
  1  something does not
  2  the command is wrong
  3  the implementation could not be started or kept running
"""


@click.command(epilog=EXIT_STATUSES)
@of_driver
def doctor(
    driver: str | None,
    timeout: float,
    startup_timeout: float,
    env: tuple[str, ...],
    cwd: Path | None,
) -> None:
    """Try the least that must work, step by step, and tell what to mend first.

    For whoever writes a driver. Then each capability is tried, claimed or not. Every step is a scenario that
    can be played again by itself.

    \b
    Examples:
      outlast doctor --driver "stdio:node driver.mjs"
      outlast doctor --driver python:my_agent.driver:create
    """
    from conformance import schemas
    from conformance.api import load_register
    from conformance.drivers.base import DriverFailure, NotExecutable
    from conformance.examination import examine
    from conformance.interrupts import run_until_told
    from conformance.report.diagnosis import DiagnosisText
    from conformance.report.failures import FailureText
    from conformance.report.page import Page

    factory = chosen_driver(driver, timeout, startup_timeout, env, cwd)
    try:
        found = run_until_told(examine(factory, timeout))
    except DriverFailure as failure:
        status = WRONG_INPUT if isinstance(failure, NotExecutable) else NOT_STARTED
        give_up(f"--driver {name_of(driver)}: {failure.message}\n{failure.detail}".rstrip(), status)
    page, options = Page(), repeated(driver, env, cwd)
    command = ["outlast", "run", *options]
    failures = FailureText(page, load_register(), command, schemas.scenarios_folder())
    page.print(*DiagnosisText(page, failures, options).lines(found))
    sys.exit(found.exit_status())
