"""Drafting a list of known failures from a run, keeping what a person has written into an older one.

Knows how such a list is written (`known_failures` reads it). Comments in the older list are not kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from conformance.judge import Report, ScenarioResult
from conformance.known_failures import TODO, Entry, KnownFailures
from conformance.scenario import Position

_HEAD = """\
# Scenarios that are known not to pass: outlast run --known-failures FILE
# Each counts as long as it ends so; one that passes is an error, so that it is taken out again.
"""


def draft(
    report: Report,
    old: KnownFailures | None,
    path: Path,
    *,
    strict: bool = False,
) -> list[Entry]:
    """The entries that fit a run, sorted by id; `strict`: with what --strict counts besides.

    Of `old`, entries are kept whose scenarios were not played, and those that are true of what was; others
    are dropped, and so are those for which there is no scenario. What is new has the reason `TODO`.
    """
    played = {result.scenario.id: result for result in report.scenarios}
    unmatched = old.unmatched(result.scenario for result in played.values()) if old is not None else ()
    gone = {problem.position for problem in unmatched}
    before: dict[str, list[Entry]] = {}
    for entry in old.entries if old is not None else ():
        known = {other.id for other in before.get(entry.scenario, ())}
        if entry.position not in gone and entry.id not in known:
            before.setdefault(entry.scenario, []).append(entry)
    kept = [entry for id, entries in before.items() if id not in played for entry in entries]
    for result in report.scenarios:
        kept += _of(result, before.get(result.scenario.id, ()), Position(str(path), 1, 1), strict)
    return sorted(kept, key=lambda entry: entry.id)


def _of(result: ScenarioResult, before: Iterable[Entry], position: Position, strict: bool) -> list[Entry]:
    """The entries of one scenario: those of its checks if there are such already, or else one for it all."""
    id = result.scenario.id
    failing = {failure.check for failure in result.failures}
    warning = {failure.check for failure in result.warnings if failure.requirements}
    by_check = [entry for entry in before if entry.check in (failing | warning)]
    listed = {entry.check for entry in by_check}
    if result.verdict in ("passed", "unsupported"):
        counting = {failure.check for failure in result.warnings if failure.level == "should" and strict}
        new = sorted(counting & warning - listed)
        return [*by_check, *(Entry(id, check, "failed", TODO, "", None, position) for check in new)]
    if result.verdict == "failed" and by_check:
        new = sorted(failing - listed)
        return [*by_check, *(Entry(id, check, "failed", TODO, "", None, position) for check in new)]
    same = [entry for entry in before if not entry.check]
    if same and same[0].outcome == result.verdict:
        return same[:1]
    return [Entry(id, "", result.verdict, TODO, "", None, position)]


def write(entries: Iterable[Entry], path: Path) -> None:
    """Write a list; what stood there is replaced by a whole one. Raises OSError."""
    blocks = [_block(entry) for entry in entries]
    text = _HEAD + ("\n" + "\n".join(blocks) if blocks else "[]\n")
    beside = path.with_name(f".{path.name}.partial")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _block(entry: Entry) -> str:
    fields = {"id": entry.id, "outcome": entry.outcome, "reason": entry.reason, "issue": entry.issue}
    lines = [f"{key}: {json.dumps(value)}" for key, value in fields.items() if value]
    lines[1] = f"outcome: {entry.outcome}"
    if entry.expires is not None:
        lines.append(f"expires: {entry.expires}")
    return "- " + "\n  ".join(lines) + "\n"
