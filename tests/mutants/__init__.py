"""The reference with one fault each: what every scenario must be able to see.

A fault is a replacement in the source of one module of the reference, as small as it can be said. `broken`
makes a copy of the reference with that replacement, and the driver on top of it.
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
    scenarios, where it cannot be otherwise.
    """

    breaks: str
    module: str
    old: str
    new: str
    caught_by: dict[str, str]
    not_local: str = ""


class MutantError(Exception):
    """The fault does not fit the reference as it is now."""


def broken(mutant: Mutant) -> Callable[[], Driver]:
    """The factory of a driver of the reference that has the fault. Raises MutantError."""
    try:
        return copy_with([Edit(mutant.module, mutant.old, mutant.new)])
    except EditError as error:
        raise MutantError(f"{mutant.breaks!r}: {error}") from error


def all_mutants() -> list[Mutant]:
    """Every fault that the modules beside this one list, in the order of their names."""
    found: list[Mutant] = []
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        found.extend(importlib.import_module(f"tests.mutants.{path.stem}").MUTANTS)
    return found
