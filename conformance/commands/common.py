"""What the commands share: how one ends, and how what it is about is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.requirements import Register
    from conformance.scenario import Scenario

WRONG_INPUT = 2
"""The command, a file or a scenario is wrong, or nothing was selected."""
NOT_STARTED = 3
"""The implementation could not be started or kept running."""

DEFAULT_DRIVER = "python:conformance.drivers.reference:driver"


def give_up(message: str, status: int = WRONG_INPUT) -> NoReturn:
    """End the command with one clear message."""
    click.echo(click.style("error: ", fg="red") + message, err=True)
    raise SystemExit(status)


def read(paths: Sequence[str]) -> tuple[Register, Sequence[Scenario]]:
    """The register and all scenarios at `paths`; ends the command if one file is wrong."""
    from conformance import requirements, schemas, selection
    from conformance.loader import load_all

    shipped = schemas.scenarios_folder()
    try:
        register = requirements.read(shipped / "requirements.yaml")
    except requirements.RequirementsError as error:
        give_up(str(error))
    scenarios, problems = load_all(selection.resolve(paths, shipped), register)
    if problems:
        for problem in problems:
            click.echo(str(problem), err=True)
        give_up(f"{len(problems)} problem{'s' if len(problems) != 1 else ''}; nothing was played")
    return register, scenarios
