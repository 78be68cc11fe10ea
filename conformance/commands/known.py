"""The lists of known failures that a command is given: the one that is used, and the one that is drafted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import configuration, give_up

if TYPE_CHECKING:
    from conformance.judge import Report
    from conformance.known_failures import KnownFailures


class KnownLists:
    """Reads both at once, before anything is played; ends the command if one is wrong.

    `used` is the list in `known_file`, or that which is configured. `draft_file` is where one is to be
    written; it need not exist.
    """

    def __init__(self, known_file: Path | None, draft_file: Path | None) -> None:
        if draft_file is not None and not draft_file.parent.is_dir():
            give_up(f"--write-known-failures {draft_file}: there is no folder {draft_file.parent}")
        file = known_file or configuration().known_failures
        if known_file is None and file is not None and file == _absolute(draft_file) and not file.exists():
            file = None  # configured, and about to be written for the first time
        self._draft_file = draft_file
        self.used = _read(file) if file is not None else None
        self._older = _read(draft_file) if draft_file is not None and draft_file.exists() else None

    def write(self, report: Report, *, strict: bool) -> None:
        """Draft the list, if one was asked for, and say so."""
        if self._draft_file is None:
            return
        from conformance.drafting import draft, write

        entries = draft(report, self._older, self._draft_file, strict=strict)
        try:
            write(entries, self._draft_file)
        except OSError as error:
            give_up(f"--write-known-failures {self._draft_file}: {error.strerror}")
        count = f"{len(entries)} known failure{'s' if len(entries) != 1 else ''}"
        click.echo(f"wrote {self._draft_file}: {count}", err=True)


def _absolute(path: Path | None) -> Path | None:
    return path.absolute() if path is not None else None


def _read(file: Path) -> KnownFailures:
    from conformance.collection import InputError
    from conformance.known_failures import read

    try:
        return read(file, roots=_roots())
    except InputError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        count = len(error.problems)
        give_up(f"{file} is no list of known failures: {count} problem{'s' if count != 1 else ''}")


def _roots() -> list[Path]:
    """The folders below which the ids of scenarios begin that are configured."""
    from conformance.loader import root_below

    configured = configuration()
    given = [(configured.folder / path).absolute() for path in configured.paths]
    return [root_below(path) for path in given if path.exists()]
