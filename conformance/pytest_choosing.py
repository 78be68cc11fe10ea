"""Which scenarios the command line of pytest means: they are named and chosen as for `outlast run`.

Knows pytest's arguments and our options, not how scenarios become tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import loader, schemas, selection
from conformance.requirements import Register
from conformance.scenario import Scenario


def named(config: pytest.Config) -> list[Path]:
    """The files and folders that are named where pytest is called; folders only with `--outlast`.

    Ids of scenarios that come with outlast are put where pytest finds them. Raises pytest.UsageError for what
    is nearly one.
    """
    if config.args_source != pytest.Config.ArgsSource.ARGS or config.option.pyargs:
        return []
    folder, shipped = config.invocation_params.dir, schemas.scenarios_folder()
    config.args[:] = [_in_place(text, folder, shipped) for text in config.args]
    return list(_of_ours([folder / text for text in config.args], takes_folders=config.getoption("outlast")))


def _in_place(text: str, folder: Path, shipped: Path) -> str:
    """An argument as pytest understands it."""
    if "::" in text or (folder / text).exists():
        return text
    for path in (shipped / text, shipped / f"{text}.yaml"):
        if path.exists():
            return str(path)
    hint = selection.nearest(text, shipped)
    if hint and not text.endswith(".py"):
        raise pytest.UsageError(f"there is no scenario, file or folder {text}{hint}")
    return text


def _of_ours(paths: list[Path], *, takes_folders: bool) -> Iterator[Path]:
    for path in paths:
        if path.suffix == loader.SUFFIX or (takes_folders and path.is_dir()):
            yield path.absolute()


@dataclass(frozen=True, slots=True)
class Choice:
    """What is asked for of the scenarios that are collected; an empty profile or None: whatever they are."""

    profiles: frozenset[str]
    requirements: frozenset[str] | None

    @classmethod
    def of(cls, config: pytest.Config, register: Register) -> Choice:
        """What the options say. Raises pytest.UsageError for a requirement that there is not."""
        names = config.getoption("outlast_requirement")
        try:
            wanted = selection.requirement_ids(names, register) if names else None
        except selection.SelectionError as error:
            raise pytest.UsageError(f"--outlast-requirement: {error}") from error
        return cls(frozenset(config.getoption("outlast_profile")), wanted)

    def takes(self, scenario: Scenario) -> bool:
        """Whether a scenario is asked for."""
        is_about = self.requirements is None or not self.requirements.isdisjoint(scenario.covers)
        return is_about and (not self.profiles or scenario.profile in self.profiles)
