"""The command `outlast`. Everything that it does can be done from Python too: see `conformance.api`.

Each command is a module of `commands`, and imports what it needs when it is called, so that
`outlast --help` answers at once.
"""

from __future__ import annotations

import importlib

import click

COMMANDS = ("run", "list", "show", "requirements", "new", "lint", "init-driver", "doctor", "trace", "serve")
"""In the order in which the help lists them; each is the function of that name in its module."""


class Commands(click.Group):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"conformance.commands.{name}"), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="outlast", prog_name="outlast")
def main() -> None:
    """Check agents whose work outlasts a single run.

    Scenarios script a model, its tools and a host; they are played against an implementation, and what it
    does is judged by the requirements that it meets or breaks.
    """
