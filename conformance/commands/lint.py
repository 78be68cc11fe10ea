"""`outlast lint`."""

from __future__ import annotations

import click

from conformance.commands.common import configuration, give_up, read


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
def lint(paths: tuple[str, ...]) -> None:
    """Read scenarios without playing them and tell what is wrong, and where.

    Without a PATH those that outlast.toml or [tool.outlast] in pyproject.toml names are read.

    \b
    Example:
      outlast lint my_scenarios/
    """
    if not paths and not configuration().paths:
        give_up("lint what? expected a PATH, or paths in outlast.toml or [tool.outlast] in pyproject.toml")
    scenarios = read(paths)
    click.echo(f"{len(scenarios)} scenario{'s' if len(scenarios) != 1 else ''} read, nothing wrong")
