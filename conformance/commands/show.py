"""`outlast show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import DEFAULT_DRIVER, NOT_STARTED, give_up, one_scenario
from conformance.commands.driving import chosen_driver, name_of, of_driver, repeated
from conformance.drivers import load_driver

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.drivers.base import Driver
    from conformance.judge import ScenarioResult
    from conformance.playing import Played
    from conformance.requirements import Register
    from conformance.scenario import Scenario


@click.command()
@click.argument("name", metavar="SCENARIO")
@click.option("--events", is_flag=True, help="Play it, and show what is emitted and whether it passes.")
@of_driver
def show(
    name: str,
    events: bool,
    driver: str | None,
    timeout: float,
    startup_timeout: float,
    env: tuple[str, ...],
    cwd: Path | None,
) -> None:
    """Show one scenario as a timeline.

    SCENARIO is a file, or the id of a scenario that comes with outlast. Step by step one sees what the host
    does, what the model says and the tools answer, and what is expected. A --driver implies --events: what
    that implementation does stands between.

    \b
    Examples:
      outlast show agent/inbox/read-at-final
      outlast show agent/child/stop --driver python:my_agent.driver:create
    """
    from conformance import schemas
    from conformance.report.failures import FailureText
    from conformance.report.page import Page
    from conformance.report.showing import Showing

    scenario, register = one_scenario(name)
    wants_events = events or driver is not None
    if wants_events:
        factory = chosen_driver(driver, timeout, startup_timeout, env, cwd)
        played, result = _played(scenario, factory, register, timeout, name_of(driver))
    else:  # played for nothing but the order in which the script is used
        played, _ = _played(scenario, load_driver(DEFAULT_DRIVER), register, timeout, DEFAULT_DRIVER)
        result = None
    page = Page()
    command = ["outlast", "run", *repeated(driver, env, cwd)]
    failures = FailureText(page, register, command, schemas.scenarios_folder())
    page.print(*Showing(page, register, scenario, played, failures, result).lines())


def _played(
    scenario: Scenario, factory: Callable[[], Driver], register: Register, timeout: float, name: str
) -> tuple[Played | None, ScenarioResult]:
    """What comes of a scenario; no play where the implementation says beforehand that it cannot. Ends the
    command if the implementation cannot be started."""
    from conformance.drivers.base import DriverFailure
    from conformance.interrupts import run_until_told
    from conformance.judge import judge, unsupported
    from conformance.playing import play
    from conformance.session import Session

    async def played() -> tuple[Played | None, ScenarioResult]:
        session = await Session.start(factory)
        try:
            lacking = unsupported(scenario, session.implementation)
            if lacking is not None:
                return None, lacking
            came = await play(scenario, session, timeout)
            return came, judge(scenario, came, register)
        finally:
            await session.close()

    try:
        return run_until_told(played())
    except DriverFailure as failure:
        give_up(f"--driver {name}: {failure.message}\n{failure.detail}".rstrip(), NOT_STARTED)
