"""A fault is one change in the text of one module of the reference; its outcome is what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.copies import FOLDER


@dataclass(frozen=True, slots=True)
class Fault:
    """One change: in `module`, what stands from `line` on is `text` instead of `original`. `source` is the
    whole of the module then."""

    module: str
    line: int
    original: str
    text: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.text or '(nothing)'}   instead of   {self.original}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a fault. `seen_by` is the scenario that saw it, or how it came to light without one; empty
    if it survived."""

    fault: Fault
    seen_by: str
    seconds: float

    @property
    def survived(self) -> bool:
        """Whether no scenario saw it."""
        return not self.seen_by


def modules() -> list[str]:
    """The modules of the reference."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def path_of(module: str) -> Path:
    """Where the source of a module is."""
    return FOLDER / f"{module}.py"
