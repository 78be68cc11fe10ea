"""`outlast show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import DEFAULT_DRIVER, NOT_STARTED, give_up, read
from conformance.commands.driving import chosen_driver, name_of, of_driver, repeated

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
    from conformance.drivers import load_driver
    from conformance.drivers.base import DriverFailure
    from conformance.interrupts import run_until_told
    from conformance.report.failures import FailureText
    from conformance.report.page import Page
    from conformance.report.showing import Showing

    scenarios = read([_existing(name)])
    scenario, register = scenarios[0], scenarios.requirements
    played, result = None, None
    wants_events = events or driver is not None
    if wants_events:
        factory = chosen_driver(driver, timeout, startup_timeout, env, cwd)
    else:
        factory = load_driver(DEFAULT_DRIVER)  # only for the order in which the script is used
    try:
        played, result = run_until_told(_play(scenario, factory, register, timeout))
    except DriverFailure as failure:
        give_up(f"--driver {name_of(driver)}: {failure.message}\n{failure.detail}".rstrip(), NOT_STARTED)
    page = Page()
    command = ["outlast", "run", *repeated(driver, env, cwd)]
    failures = FailureText(page, register, command, schemas.scenarios_folder())
    shown = Showing(page, register, scenario, played, failures, result if wants_events else None)
    page.print(*shown.lines())


def _existing(name: str) -> str:
    """The name of one scenario; ends the command if it is none, or several."""
    from conformance import schemas, selection, words

    shipped = schemas.scenarios_folder()
    (path,) = selection.resolve([name], shipped)
    if path.is_dir():
        give_up(f"{name} is a folder of scenarios; see: outlast list {name}")
    if not path.exists():
        ids = [file.relative_to(shipped).with_suffix("").as_posix() for file in shipped.rglob("*/*.yaml")]
        ending = [id for id in ids if id.endswith(f"/{name}")]
        hint = f"; did you mean {ending[0]}?" if ending else words.suggestion(name, ids)
        give_up(f"there is no scenario {name}{hint or '; see: outlast list'}")
    return name


async def _play(
    scenario: Scenario, factory: Callable[[], Driver], register: Register, timeout: float
) -> tuple[Played | None, ScenarioResult]:
    """What comes of a scenario; no play where the implementation says beforehand that it cannot."""
    from conformance.judge import judge, unsupported
    from conformance.playing import play
    from conformance.session import Session

    session = await Session.start(factory)
    try:
        lacking = unsupported(scenario, session.implementation)
        if lacking is not None:
            return None, lacking
        played = await play(scenario, session, timeout)
        return played, judge(scenario, played, register)
    finally:
        await session.close()
