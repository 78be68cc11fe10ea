"""`outlast serve`."""

from __future__ import annotations

import click

from conformance.commands.common import DEFAULT_DRIVER, give_up


@click.command()
@click.option(
    "--driver",
    default=DEFAULT_DRIVER,
    metavar="DRIVER",
    help="python:MODULE:FACTORY (default: the reference).",
)
def serve(driver: str) -> None:
    """Serve an adapter written in Python over stdin and stdout, as 'stdio:COMMAND' wants it.

    \b
    Example:
      outlast run --driver "stdio:outlast serve --driver python:my_agent.driver:create"
    """
    from conformance import sdk
    from conformance.drivers.base import DriverNameError
    from conformance.drivers.python import load_driver

    try:
        factory = load_driver(driver)
    except DriverNameError as error:
        give_up(str(error))
    sdk.serve(factory())
