"""The reference with one fault each: what every scenario must be able to see.

A fault is a replacement in the source of one module of the reference, as small as it can be said. `broken`
loads a second copy of the reference with that replacement, and the driver on top of it, and leaves the
original alone.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from conformance.drivers.base import Driver

DRIVER = "conformance.drivers.reference"


@dataclass(frozen=True, slots=True)
class Fault:
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


class FaultError(Exception):
    """The fault does not fit the reference as it is now."""


class _Faulty(SourceFileLoader):
    """Compiles one module with the replacement made."""

    def __init__(self, name: str, path: str, fault: Fault) -> None:
        super().__init__(name, path)
        self._fault = fault

    def get_code(self, fullname: str) -> object:  # type: ignore[override]
        source = self.get_data(self.path).decode()
        found = source.count(self._fault.old)
        if found != 1:
            raise FaultError(f"{self._fault.breaks!r}: {self._fault.old!r} stands {found} times in {fullname}")
        return compile(source.replace(self._fault.old, self._fault.new), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != f"reference.{self._fault.module}":
            return None
        spec = PathFinder.find_spec(fullname, path)  # type: ignore[arg-type]
        if spec is None or spec.origin is None:
            raise FaultError(f"there is no module {fullname}")
        spec.loader = _Faulty(fullname, spec.origin, self._fault)
        return spec


def broken(fault: Fault) -> Callable[[], Driver]:
    """The factory of a driver of the reference that has the fault. Raises FaultError."""
    finder = _Finder(fault)
    kept = {name: module for name, module in sys.modules.items() if _belongs(name)}
    for name in kept:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        factory: Callable[[], Driver] = importlib.import_module(DRIVER).driver
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _belongs(name)]:
            del sys.modules[name]
        sys.modules.update(kept)
        parent, _, leaf = DRIVER.rpartition(".")
        if DRIVER in kept:
            setattr(sys.modules[parent], leaf, kept[DRIVER])
    return factory


def _belongs(name: str) -> bool:
    return name == "reference" or name.startswith("reference.") or name == DRIVER


def all_faults() -> list[Fault]:
    """Every fault that the modules beside this one list, in the order of their names."""
    found: list[Fault] = []
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        found.extend(importlib.import_module(f"tests.faults.{path.stem}").FAULTS)
    return found
