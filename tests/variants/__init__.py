"""The reference taking the other way where the documents leave one open. Nobody may be failed for any.

A variant is a copy of the reference with a few edits, or a translation of what it says, or both. `otherwise`
makes the driver of a copy that takes several other ways at once. `python -m tests.variants` plays each alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.drivers.base import Driver
from conformance.scenario import Profile, Scenario
from tests.copies import Edit, copy_with
from tests.variants._wire import Translated, Translation


@dataclass(frozen=True, slots=True, repr=False)
class Variant:
    """One other way.

    `takes` says in a sentence what is done otherwise, `point` what is left open; two variants at one point
    exclude each other. `edits` and `says` are how it is done. It shows in the `profiles`.
    """

    takes: str
    point: str
    edits: tuple[Edit, ...] = ()
    says: Translation | None = None
    profiles: tuple[Profile, ...] = ("agent",)

    def __repr__(self) -> str:
        return repr(self.takes)

    def goes_with(self, other: Variant) -> bool:
        """Whether one implementation can take both ways, and they show in the same plays: they are at
        different points, and edit different places."""
        if self.point == other.point or self.profiles != other.profiles:
            return False
        return not any(_overlap(mine, theirs) for mine in self.edits for theirs in other.edits)


def _overlap(one: Edit, other: Edit) -> bool:
    if one.module != other.module:
        return False
    (start, end), (other_start, other_end) = one.span(), other.span()
    return start < other_end and other_start < end


def otherwise(variants: Iterable[Variant]) -> Callable[[], Driver]:
    """The factory of a driver of the reference that takes all these ways. Raises EditError."""
    taken = tuple(variants)
    factory = copy_with([edit for variant in taken for edit in variant.edits])
    translations = [variant.says for variant in taken if variant.says is not None]
    return lambda: Translated(factory(), translations) if translations else factory()


def together(variants: Iterable[Variant]) -> list[Variant]:
    """Those of the variants that can be taken together, an earlier one being preferred to a later."""
    taken: list[Variant] = []
    for variant in variants:
        if all(variant.goes_with(other) for other in taken):
            taken.append(variant)
    return taken


def bundles(variants: Iterable[Variant]) -> list[list[Variant]]:
    """All variants, in as few groups as come of taking together whatever can be."""
    left, found = list(variants), list[list[Variant]]()
    while left:
        taken = together(left)
        found.append(taken)
        left = [variant for variant in left if variant not in taken]
    return found


def shown_in(variants: Iterable[Variant], scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Those of the scenarios in whose profiles one of the variants shows."""
    profiles = {profile for variant in variants for profile in variant.profiles}
    return [scenario for scenario in scenarios if scenario.profile in profiles]


def all_variants() -> list[Variant]:
    """Every variant that the modules beside this one list, in the order of their names."""
    found: list[Variant] = []
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        found.extend(importlib.import_module(f"tests.variants.{path.stem}").VARIANTS)
    return found
