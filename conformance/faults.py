"""The faults that the scenarios are known to see: tests put them into the reference, one at a time.

Knows the file in which they are listed, and nothing of how they are made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance import schemas

FILE = "faults.json"
"""Beside the register of requirements."""


def known_faults(folder: Path | None = None) -> Mapping[str, Sequence[str]]:
    """What goes wrong in each, in a clause, by the requirement that it breaks."""
    file = (folder or schemas.scenarios_folder()) / FILE
    faults: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return faults
