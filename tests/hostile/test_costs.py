"""Any file up to 1 MiB is refused, or read, within two seconds and 256 MiB."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from tempfile import TemporaryDirectory

import pytest

from tests.hostile.measuring import MEBIBYTES, SECONDS, Cost, kinds

FILES = [(kind.name, name) for kind in kinds() for name, _ in kind.files]


@cache
def costs() -> dict[tuple[str, str], Cost]:
    """What reading each of the files has cost, by its kind and its name."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.hostile.measuring", folder]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {(cost.kind, cost.file): cost for cost in (Cost(*json.loads(line)) for line in told.splitlines())}


@pytest.mark.parametrize("kind, name", FILES, ids=[f"{kind}: {name}" for kind, name in FILES])
def test_a_hostile_file_is_read_or_refused_soon_and_in_little_memory(kind: str, name: str) -> None:
    cost = costs()[kind, name]

    assert cost.outcome in ("read", "refused")
    assert cost.seconds < SECONDS
    assert cost.mebibytes < MEBIBYTES


def test_no_two_hostile_files_have_one_name() -> None:
    assert len(set(FILES)) == len(FILES)
