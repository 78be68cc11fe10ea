"""Scenarios as a whole: read, chosen from and dealt out, with the requirements that they are to measure.

Knows files and the register, not how anything is played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import overload

from conformance import requirements, schemas, selection
from conformance.loader import load_all
from conformance.requirements import Register, RequirementsError
from conformance.scenario import Profile, Scenario
from conformance.source import Problem


class InputError(Exception):
    """Files are wrong: `problems` has everything, each with its place, and the message a line for each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class Scenarios(Sequence[Scenario]):
    """Scenarios in the order of their ids, and the requirements that they may cover.

    `asked_for` are the requirements that they are to measure. `is_all` says that these are all scenarios that
    ship, or all of some profiles: then all requirements of these profiles are asked for.
    """

    items: tuple[Scenario, ...]
    requirements: Register
    asked_for: frozenset[str]
    is_all: bool = False

    @overload
    def __getitem__(self, index: int) -> Scenario: ...
    @overload
    def __getitem__(self, index: slice) -> Scenarios: ...
    def __getitem__(self, index: int | slice) -> Scenario | Scenarios:
        return self._narrowed(self.items[index]) if isinstance(index, slice) else self.items[index]

    def __iter__(self) -> Iterator[Scenario]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def select(
        self,
        *,
        profiles: Iterable[Profile] | None = None,
        requirements: Iterable[str] | None = None,
        name: str | None = None,
    ) -> Scenarios:
        """Those of one of `profiles` that cover one of `requirements` (ids, or beginnings of ids) and whose
        id or title matches `name`, as in `inbox and not resume`. Raises SelectionError."""
        wanted = None
        if requirements is not None:
            wanted = selection.requirement_ids(requirements, self.requirements)
        items = tuple(
            selection.select(
                self.items,
                profiles=frozenset(profiles) if profiles is not None else None,
                requirements=wanted,
                name=selection.expression(name) if name is not None else None,
            )
        )
        if wanted is not None:
            return replace(self, items=items, asked_for=wanted, is_all=False)
        if name is None and self.is_all:
            return replace(self, items=items, asked_for=_of_profiles(items, self.requirements))
        return self._narrowed(items)

    def only(self, ids: Iterable[str]) -> Scenarios:
        """Those with one of these ids."""
        wanted = frozenset(ids)
        return self._narrowed(tuple(scenario for scenario in self.items if scenario.id in wanted))

    def shard(self, number: int, count: int) -> Scenarios:
        """The part `number` (from 1) of `count`, dealt like cards: all parts together are everything. What is
        asked for stays the same; `merge` puts their reports together."""
        if not 1 <= number <= count:
            raise ValueError(f"there is no part {number} of {count}")
        return replace(self, items=self.items[number - 1 :: count])

    def _narrowed(self, items: tuple[Scenario, ...]) -> Scenarios:
        return replace(self, items=items, asked_for=covered(items), is_all=False)


def covered(items: Iterable[Scenario]) -> frozenset[str]:
    """All requirements that some scenarios cover."""
    return frozenset(id for scenario in items for id in scenario.covers)


def _of_profiles(items: Iterable[Scenario], register: Register) -> frozenset[str]:
    profiles = {scenario.profile for scenario in items}
    return frozenset(id for id, requirement in register.items() if requirement.profile in profiles)


def load(
    paths: Iterable[str | PathLike[str]] = (),
    *,
    own_requirements: str | PathLike[str] | None = None,
    leave_out: Iterable[str | PathLike[str]] = (),
) -> Scenarios:
    """The scenarios at `paths`: files, folders, ids of scenarios that ship or their beginnings.

    Without a path all that ship. `own_requirements` is a file of requirements of your own, which scenarios
    may cover beside ours; neither that nor the files to `leave_out` are taken for scenarios.

    Raises SelectionError for a path that leads nowhere, and InputError with everything that is wrong.
    """
    given = [str(path) for path in paths]
    register = load_register(own_requirements)
    others = [Path(file) for file in (own_requirements, *leave_out) if file is not None]
    found, problems = load_all(selection.resolve(given, schemas.scenarios_folder()), register, others)
    if problems:
        raise InputError(problems)
    items = tuple(found)
    asked_for = covered(items) if given else _of_profiles(items, register)
    return Scenarios(items, register, asked_for, is_all=not given)


def load_register(own_requirements: str | PathLike[str] | None = None) -> Register:
    """The requirements that come with outlast, and those in your own file behind them. Raises InputError."""
    try:
        register = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
        if own_requirements is not None:
            register = requirements.read(Path(own_requirements), beside=register)
    except RequirementsError as error:
        raise InputError(error.problems) from error
    return register
