"""What the commands share: how one ends, and how what it is about is chosen and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from conformance.scenario import PROFILES, Profile

if TYPE_CHECKING:
    from conformance.requirements import Register
    from conformance.scenario import Scenario

WRONG_INPUT = 2
"""The command, a file or a scenario is wrong, or nothing was selected."""
NOT_STARTED = 3
"""The implementation could not be started or kept running."""

DEFAULT_DRIVER = "python:conformance.drivers.reference:driver"

Command = TypeVar("Command", bound=Callable[..., object])


def give_up(message: str, status: int = WRONG_INPUT) -> NoReturn:
    """End the command with one clear message."""
    color = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style("error: ", fg="red") + message, err=True, color=color)
    raise SystemExit(status)


def of_profiles(command: Command) -> Command:
    """The option --profile."""
    return click.option(
        "--profile",
        "profiles",
        multiple=True,
        type=click.Choice(PROFILES),
        help="Only what belongs to this profile; may be repeated.",
    )(command)


def of_requirements(command: Command) -> Command:
    """The option --requirement."""
    return click.option(
        "--requirement",
        "requirements",
        multiple=True,
        metavar="ID",
        help="Only what is about this requirement, or one below it (agent.inbox); may be repeated.",
    )(command)


def of_scenarios(command: Command) -> Command:
    """The arguments and options by which scenarios are chosen; `choose` takes them."""
    for option in (
        of_requirements,
        click.option(
            "-k",
            "expression",
            metavar="EXPR",
            help="Only scenarios whose id or title matches, as in 'inbox and not resume'.",
        ),
        of_profiles,
        click.argument("paths", nargs=-1, metavar="[PATH]..."),
    ):
        command = option(command)
    return command


def read_register() -> Register:
    """The register that ships; ends the command if it is wrong."""
    from conformance import requirements, schemas

    try:
        return requirements.read(schemas.scenarios_folder() / "requirements.yaml")
    except requirements.RequirementsError as error:
        give_up(str(error))


def read(paths: Sequence[str]) -> tuple[Register, Sequence[Scenario]]:
    """The register and all scenarios at `paths`; ends the command if one file is wrong."""
    from conformance import schemas, selection
    from conformance.loader import load_all

    register = read_register()
    scenarios, problems = load_all(selection.resolve(paths, schemas.scenarios_folder()), register)
    if problems:
        for problem in problems:
            click.echo(str(problem), err=True)
        give_up(f"{len(problems)} problem{'s' if len(problems) != 1 else ''}; nothing was played")
    return register, scenarios


def chosen_requirements(names: Sequence[str], register: Register) -> frozenset[str] | None:
    """The ids that --requirement means, None where it was not given; ends the command if there are none."""
    from conformance import selection

    try:
        return selection.requirement_ids(names, register) if names else None
    except selection.SelectionError as error:
        give_up(str(error))


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen. `wanted` are the requirements that were named; `is_narrow` says that something but
    whole profiles was asked for."""

    register: Register
    scenarios: Sequence[Scenario]
    wanted: frozenset[str] | None
    is_narrow: bool


def choose(
    paths: Sequence[str], profiles: Sequence[Profile], expression: str | None, requirements: Sequence[str]
) -> Choice:
    """The scenarios that match all of what was asked for; ends the command if there are none."""
    from conformance import selection

    register, scenarios = read(paths)
    wanted = chosen_requirements(requirements, register)
    try:
        name = selection.expression(expression) if expression is not None else None
    except selection.SelectionError as error:
        give_up(str(error))
    found = selection.select(scenarios, profiles=frozenset(profiles) or None, requirements=wanted, name=name)
    if not found:
        give_up("nothing was selected: no scenario matches all of what was asked for")
    return Choice(register, found, wanted, bool(paths) or name is not None or wanted is not None)
