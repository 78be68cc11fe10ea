"""The reference with one fault each: what every scenario must be able to see.

A fault is a replacement in the source of one module of the reference, as small as it can be said. `broken`
makes a copy of the reference with that replacement, and the driver on top of it. `python -m tests.mutants`
plays each against every scenario.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.drivers.base import Driver
from tests.copies import Edit, EditError, copy_with


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault.

    `breaks` says what goes wrong, in a sentence. In `module` (as in `agent`, `inbox`) the text `old`, which
    stands there exactly once, becomes `new`. `caught_by` maps the ids of the scenarios that must see it to
    the requirement that each of them must name. `not_local` says why it hurts more than a tenth of the other
    scenarios, where it cannot be otherwise. `by_timing` says why scenarios that are not about it may see it
    in this process and not over stdio, or the other way round.
    """

    breaks: str
    module: str
    old: str
    new: str
    caught_by: dict[str, str]
    not_local: str = ""
    by_timing: str = ""

    @property
    def requirements(self) -> tuple[str, ...]:
        """What it breaks: the requirements that are to be named, each once."""
        return tuple(dict.fromkeys(self.caught_by.values()))

    @property
    def profiles(self) -> frozenset[str]:
        """The profiles that these requirements are in."""
        return frozenset(requirement.partition(".")[0] for requirement in self.requirements)

    def mentions(self, text: str) -> bool:
        """Whether the text, in capitals or not, stands in what it breaks, in its module or in a requirement
        or scenario of its."""
        places = (self.breaks, self.module, *self.caught_by, *self.requirements)
        return any(text.casefold() in place.casefold() for place in places)


class MutantError(Exception):
    """The fault does not fit the reference as it is now."""


def broken(mutant: Mutant) -> Callable[[], Driver]:
    """The factory of a driver of the reference that has the fault. Raises MutantError."""
    try:
        return copy_with([Edit(mutant.module, mutant.old, mutant.new)])
    except (EditError, SyntaxError) as error:
        raise MutantError(f"{mutant.breaks!r}: {error}") from error


def all_mutants() -> list[Mutant]:
    """Every fault that the modules beside this one list, in the order of their names."""
    found: list[Mutant] = []
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        found.extend(importlib.import_module(f"tests.mutants.{path.stem}").MUTANTS)
    return found
