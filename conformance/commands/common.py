"""What the commands share: how one ends, and how what it is about is chosen and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from conformance.scenario import PROFILES, Profile, Scenario

if TYPE_CHECKING:
    from conformance.collection import Scenarios
    from conformance.configuration import Configuration
    from conformance.requirements import Register

WRONG_INPUT = 2
"""The command, a file or a scenario is wrong, or nothing was selected."""
NOT_STARTED = 3
"""The implementation could not be started or kept running."""

DEFAULT_DRIVER = "python:conformance.drivers.reference:driver"

Command = TypeVar("Command", bound=Callable[..., object])


def give_up(message: str, status: int = WRONG_INPUT) -> NoReturn:
    """End the command with one clear message."""
    _say_error(message)
    raise SystemExit(status)


def refuse(mistakes: Exception) -> NoReturn:
    """End the command with what was wrong in what was given: each line of the message is one mistake."""
    for line in str(mistakes).splitlines():
        _say_error(line)
    raise SystemExit(WRONG_INPUT)


def _say_error(message: str) -> None:
    color = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style("error: ", fg="red") + message, err=True, color=color)


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


def configuration() -> Configuration:
    """What is configured for the current folder; ends the command if it is wrong."""
    from pathlib import Path

    from conformance import configuration as configurations

    try:
        return configurations.find(Path())
    except configurations.ConfigurationError as error:
        refuse(error)


def read_register() -> Register:
    """The register that ships, and the requirements of one's own that are configured; ends the command if
    one is wrong."""
    from conformance.collection import InputError, load_register

    try:
        return load_register(configuration().requirements)
    except InputError as error:
        refuse(error)


def read(paths: Sequence[str]) -> Scenarios:
    """All scenarios at `paths`, or at those that are configured; ends the command if one file is wrong."""
    from conformance import schemas
    from conformance.collection import InputError, load
    from conformance.configuration import ConfigurationError
    from conformance.selection import SelectionError

    configured = configuration()
    try:
        paths = paths or configured.scenarios(schemas.scenarios_folder())
        known = [configured.known_failures] if configured.known_failures is not None else []
        return load(paths, own_requirements=configured.requirements, leave_out=known)
    except (ConfigurationError, SelectionError) as error:
        refuse(error)
    except InputError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        if any(problem.hides for problem in error.problems):
            click.echo("not everything could be looked at: more may be told when this is mended", err=True)
        count = len(error.problems)
        give_up(f"{count} problem{'s' if count != 1 else ''}; nothing was played")


def chosen_requirements(names: Sequence[str], register: Register) -> frozenset[str] | None:
    """The ids that --requirement means, None where it was not given; ends the command if there are none."""
    from conformance import selection

    try:
        return selection.requirement_ids(names, register) if names else None
    except selection.SelectionError as error:
        refuse(error)


def one_scenario(name: str) -> tuple[Scenario, Register]:
    """The one scenario of that path or id, and the register; ends the command if it is none, or several."""
    from conformance import schemas, selection

    try:
        (path,) = selection.resolve([name], schemas.scenarios_folder())
    except selection.SelectionError as error:
        refuse(error)
    if path.is_dir():
        give_up(f"{name} is a folder of scenarios; see: outlast list {name}")
    scenarios = read([name])
    return scenarios[0], scenarios.requirements


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen. `wanted` are the requirements that were named."""

    register: Register
    scenarios: Scenarios
    wanted: frozenset[str] | None


def choose(
    paths: Sequence[str], profiles: Sequence[Profile], expression: str | None, requirements: Sequence[str]
) -> Choice:
    """The scenarios that match all of what was asked for; ends the command if there are none."""
    from conformance import selection

    scenarios = read(paths)
    try:
        found = scenarios.select(
            profiles=profiles or None, requirements=requirements or None, name=expression
        )
    except selection.SelectionError as error:
        refuse(error)
    if not found:
        give_up("nothing was selected: no scenario matches all of what was asked for")
    return Choice(scenarios.requirements, found, found.asked_for if requirements else None)
