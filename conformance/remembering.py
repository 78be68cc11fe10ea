"""Which scenarios did not pass when they were last played: what --last-failed goes by.

Kept in a folder that nobody needs to look at and that version control leaves alone. What stands there is a
convenience: where it cannot be read, nothing is remembered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from conformance.judge import ScenarioResult

FOLDER = ".outlast_cache"
FORMAT = 1
_FILE = "last-failed.json"
_NOT_KEPT = "# Made by outlast; can be thrown away.\n*\n"


class LastFailed:
    """What is remembered below `folder` of the driver of that name."""

    def __init__(self, folder: Path, driver: str) -> None:
        self._folder = folder / FOLDER
        self._driver = driver

    def ids(self) -> frozenset[str]:
        """The scenarios that did not pass when they were last played."""
        return frozenset(self._read().get(self._driver, ()))

    def update(self, results: Iterable[ScenarioResult]) -> None:
        """Remember how these scenarios ended; of others it stays known what was. Raises OSError."""
        everything = self._read()
        failed = set(everything.get(self._driver, ()))
        for result in results:
            if result.verdict in ("passed", "unsupported"):
                failed.discard(result.scenario.id)
            else:
                failed.add(result.scenario.id)
        if sorted(failed) == everything.get(self._driver, []):
            return
        everything[self._driver] = sorted(failed)
        self._write({driver: ids for driver, ids in everything.items() if ids})

    def _read(self) -> dict[str, list[str]]:
        try:
            content = json.loads((self._folder / _FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            return {}
        failed = content.get("failed")
        return {
            driver: [id for id in ids if isinstance(id, str)]
            for driver, ids in (failed.items() if isinstance(failed, dict) else ())
            if isinstance(ids, list)
        }

    def _write(self, failed: dict[str, list[str]]) -> None:
        self._folder.mkdir(exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text(_NOT_KEPT, encoding="utf-8")
        beside = self._folder / f"{_FILE}.{os.getpid()}"
        text = json.dumps({"format": FORMAT, "failed": failed}, indent=1, sort_keys=True)
        beside.write_text(text + "\n", encoding="utf-8")
        beside.replace(self._folder / _FILE)
