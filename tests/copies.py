"""Copies of the reference that have another text in some places, with the driver on top of them.

The original is left alone, and copies do not know of each other.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

import conformance.drivers.reference
import reference
from conformance.drivers.base import Driver

DRIVER = "conformance.drivers.reference"
FOLDER = Path(reference.__file__).parent


@dataclass(frozen=True, slots=True)
class Edit:
    """In `module` (as in `run`, `inbox`; `driver` is the one in this process, `driver_runtime` and so on are
    the modules that it has for its profiles) the text `old`, which stands there exactly once, becomes `new`.
    """

    module: str
    old: str
    new: str

    @property
    def name(self) -> str:
        """What Python calls the module."""
        if self.module.startswith("driver"):
            return DRIVER + self.module.removeprefix("driver")
        return f"reference.{self.module}"

    @property
    def path(self) -> Path:
        """Where the module's source is."""
        package, _, leaf = self.name.rpartition(".")
        folder = FOLDER if package == "reference" else Path(conformance.drivers.reference.__file__).parent
        return folder / f"{leaf}.py"

    def span(self) -> tuple[int, int]:
        """From where to where in the source the old text stands. Raises EditError."""
        try:
            source = self.path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise EditError(f"there is no module {self.module}") from error
        found = source.count(self.old)
        if found != 1:
            raise EditError(f"{self.old!r} stands {found} times in {self.module}")
        start = source.index(self.old)
        return start, start + len(self.old)


class EditError(Exception):
    """An edit does not fit the source as it is now."""


def copy_with(edits: Sequence[Edit]) -> Callable[[], Driver]:
    """The factory of a driver for a copy of the reference with these edits. Raises EditError."""
    finder = _Finder(edits)
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
        for name in [name for name in kept if name.startswith(DRIVER)]:
            parent, _, leaf = name.rpartition(".")
            setattr(sys.modules[parent], leaf, kept[name])
    return factory


def _belongs(name: str) -> bool:
    """Whether it is the reference, or what the suite has to reach it: all that knows of its classes."""
    return name == "reference" or name.startswith(("reference.", DRIVER))


class _Edited(SourceFileLoader):
    """Compiles one module with its edits made."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> object:  # type: ignore[override]
        return compile(self._source, self.path, "exec")


class _Finder(MetaPathFinder):
    """Finds the modules that have edits. The places are those in the original, so that no edit is made in
    what another has put in."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._sources: dict[str, str] = {}
        for edit, (start, end) in sorted(((edit, edit.span()) for edit in edits), key=_from_behind):
            name = edit.name
            source = self._sources.get(name) or edit.path.read_text(encoding="utf-8")
            self._sources[name] = source[:start] + edit.new + source[end:]

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        spec = PathFinder.find_spec(fullname, path)  # type: ignore[arg-type]
        if spec is None or spec.origin is None:
            raise EditError(f"there is no module {fullname}")
        spec.loader = _Edited(fullname, spec.origin, self._sources[fullname])
        return spec


def _from_behind(placed: tuple[Edit, tuple[int, int]]) -> tuple[str, int]:
    return placed[0].module, -placed[1][0]
