"""The options that say which implementation is meant and how it is treated: the same for all commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import DEFAULT_DRIVER, Command, configuration, give_up

if TYPE_CHECKING:
    from conformance.drivers.base import Driver
    from conformance.drivers.life import Tap

_SECONDS = click.FloatRange(min=0, min_open=True)


def of_driver(command: Command) -> Command:
    """The options of a driver; `chosen_driver` and `repeated` take them."""
    for option in (
        click.option(
            "--cwd",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="The folder in which a stdio COMMAND is started (default: this one).",
        ),
        click.option(
            "--env",
            multiple=True,
            metavar="NAME=VALUE",
            help="A variable in the environment of a stdio COMMAND; may be repeated.",
        ),
        click.option(
            "--startup-timeout",
            default=30.0,
            show_default=True,
            type=_SECONDS,
            metavar="SECONDS",
            help="How long a stdio COMMAND may take to answer when it is started.",
        ),
        click.option(
            "--timeout",
            default=10.0,
            show_default=True,
            type=_SECONDS,
            metavar="SECONDS",
            help="How long the implementation may be silent while the suite waits for it.",
        ),
        click.option(
            "--driver",
            metavar="DRIVER",
            help="python:MODULE:FACTORY or 'stdio:COMMAND' (default: what is configured, or the reference).",
        ),
    ):
        command = option(command)
    return command


def name_of(driver: str | None) -> str:
    """The name of the driver that is meant: what was given, or is configured, or the reference's."""
    return driver or configuration().driver or DEFAULT_DRIVER


def chosen_driver(
    driver: str | None,
    timeout: float,
    startup_timeout: float,
    env: Sequence[str],
    cwd: Path | None,
    tap: Tap | None = None,
) -> Callable[[], Driver]:
    """The factory of the driver that is meant; ends the command if there is no such driver.

    One that is configured is looked for where the configuration stands. All that crosses is shown to `tap`.
    """
    from conformance.drivers import load_driver
    from conformance.drivers.base import DriverNameError
    from conformance.drivers.life import StdioOptions

    name, configured = name_of(driver), configuration()
    if driver is None and configured.driver is not None:
        sys.path.insert(0, str(configured.folder))
        if name.startswith("stdio:"):
            cwd = cwd or configured.folder
    variables = dict(_variable(text) for text in env)
    options = StdioOptions(variables, cwd, startup_timeout=startup_timeout, timeout=timeout)
    try:
        if tap is not None:
            from conformance.tracing import load_traced

            return load_traced(name, tap, options)
        return load_driver(name, options)
    except DriverNameError as error:
        give_up(str(error))


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals or "\0" in text:
        give_up(f"--env {text}: expected NAME=VALUE")
    return name, value


def repeated(driver: str | None, env: Sequence[str], cwd: Path | None) -> list[str]:
    """The options by which a command that is printed means the same implementation."""
    options = ["--driver", driver] if driver is not None else []
    for variable in env:
        options += ["--env", variable]
    return [*options, *(["--cwd", str(cwd)] if cwd is not None else [])]
