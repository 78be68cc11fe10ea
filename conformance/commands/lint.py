"""`outlast lint`."""

from __future__ import annotations

import click

from conformance.commands.common import read


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def lint(paths: tuple[str, ...]) -> None:
    """Read scenarios without playing them and tell what is wrong, and where.

    \b
    Example:
      outlast lint my_scenarios/
    """
    scenarios = read(paths)
    click.echo(f"{len(scenarios)} scenario{'s' if len(scenarios) != 1 else ''} read, nothing wrong")
