"""Known failures: a list, kept beside an implementation, of the scenarios that it does not pass yet.

A scenario that ends as it is listed does not count against a run. The list may not grow old unnoticed: an
entry that is stale (what it lists holds, or ends otherwise), unmatched (there is no such scenario),
overlapping (another is about the same) or expired is an error of its own. Knows results, and nothing of
how they come about.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TypedDict, cast

from conformance import schemas, source, words
from conformance.collection import InputError
from conformance.judge import Report, ScenarioResult
from conformance.scenario import Position, Scenario
from conformance.source import Problem
from conformance.verdict import Failure, Verdict

TODO = "TODO: say why"
"""The reason of an entry that has been drafted. A run that uses it reminds of it."""

_FINE = ("passed", "unsupported")
_HINTED = 100
"""Of so many unmatched entries it is told what may have been meant."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One known failure: of a scenario, or of one `check` in it. `expires` is its last day."""

    scenario: str
    check: str
    outcome: Verdict
    reason: str
    issue: str
    expires: datetime.date | None
    position: Position

    @property
    def id(self) -> str:
        """As it is written: `agent/inbox/fifo` or `agent/inbox/fifo:emits`."""
        return f"{self.scenario}:{self.check}" if self.check else self.scenario


class _Item(TypedDict, total=False):
    id: str
    outcome: Verdict
    reason: str
    issue: str
    expires: str


@dataclass(frozen=True, slots=True)
class KnownFailures:
    """A list that has been read.

    `entries` are all of it; those that `count` neither overlap with one before them nor have expired.
    `problems` says of all others why they do not. `roots` are folders below which there are scenarios, beside
    those that ship and that are played.
    """

    path: Path
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
    count: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    """By the ids of their scenarios."""
    roots: tuple[Path, ...] = ()

    def marked(self, result: ScenarioResult) -> ScenarioResult:
        """How a scenario ended, with what is known of it."""
        entries = [entry for entry in self.count.get(result.scenario.id, ()) if not _stale(entry, result)]
        whole = any(not entry.check for entry in entries)
        checks = _checks(result)
        listed = frozenset(checks if whole else {entry.check for entry in entries})
        failed = {failure.check for failure in result.failures}
        is_known = whole or (result.verdict == "failed" and bool(entries) and failed <= listed)
        return replace(result, is_known=is_known, listed=listed)

    def applied(self, report: Report) -> Report:
        """A report on results that have been marked, with what is wrong with the list."""
        problems = [
            *self.problems,
            *self.stale(report.scenarios),
            *self.unmatched(result.scenario for result in report.scenarios),
        ]
        drafted = sum(entry.reason == TODO for entry in self.entries)
        notes = report.notes
        if drafted:
            notes = (*notes, f"{self.path}: {drafted} of {len(self.entries)} have no reason but {TODO!r}")
        return replace(
            report, list_problems=tuple(sorted(problems, key=source.in_order)), uses_list=True, notes=notes
        )

    def stale(self, results: Iterable[ScenarioResult]) -> Iterator[Problem]:
        """What is wrong with the entries that are not true of these results."""
        for result in results:
            for entry in self.count.get(result.scenario.id, ()):
                why = _stale(entry, result)
                if why:
                    yield Problem(entry.position, f"{entry.id} is stale: {why}")

    def unmatched(self, scenarios: Iterable[Scenario]) -> Iterator[Problem]:
        """What is wrong with the entries for which there is no scenario, neither among these nor where they,
        or others, stand."""
        there = list(scenarios)
        folders = dict.fromkeys([schemas.scenarios_folder(), *self.roots, *map(_root, there)])
        ids = {scenario.id for scenario in there}
        known: list[str] = []
        hinted = 0
        for entry in self.entries:
            name = entry.scenario
            if name not in ids and not any((folder / f"{name}.yaml").is_file() for folder in folders):
                known = known or [*ids, *_shipped_ids()]
                hinted += 1
                hint = words.suggestions(name, known) if hinted <= _HINTED else ""
                yield Problem(entry.position, f"{entry.id} is unmatched: there is no such scenario{hint}")


def _checks(result: ScenarioResult) -> set[str]:
    return {failure.check for failure in _counting(result)}


def _counting(result: ScenarioResult) -> list[Failure]:
    """What did not hold and breaks something; that two plays differ (--repeat) breaks nothing."""
    return [failure for failure in (*result.failures, *result.warnings) if failure.requirements]


def _stale(entry: Entry, result: ScenarioResult) -> str:
    """Why an entry is not true of how its scenario ended; nothing where it is."""
    if not entry.check:
        same = result.verdict == entry.outcome
        return "" if same else f"it ends as {result.verdict}, not as {entry.outcome}"
    if entry.check in _checks(result):
        return ""
    if result.verdict in ("failed", *_FINE):
        return f"its check {entry.check} does not fail (the scenario ends as {result.verdict})"
    return f"it ends as {result.verdict} before that check"


def _root(scenario: Scenario) -> Path:
    """The folder below which the id of a scenario begins."""
    path = scenario.path.absolute()
    return path.parents[scenario.id.count("/")]


def _shipped_ids() -> list[str]:
    folder = schemas.scenarios_folder()
    return [file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*/*.yaml")]


# Reading


def read(
    path: str | PathLike[str], *, roots: Iterable[Path] = (), today: datetime.date | None = None
) -> KnownFailures:
    """The list in the file at `path`. Raises InputError for what is no list of known failures.

    `roots` as in `KnownFailures`; `today` is the day by which entries expire.
    """
    path = Path(path)
    try:
        file = source.read(path)
    except source.SourceError as error:
        raise InputError(error.problems) from error
    problems = [*_misfits(file)]
    entries: list[Entry] = []
    for index, item in enumerate(cast("list[_Item]", file.value) if not problems else ()):
        scenario, _, check = item["id"].partition(":")
        expires = None
        try:
            expires = datetime.date.fromisoformat(item["expires"]) if "expires" in item else None
        except ValueError:
            position = file.position((index, "expires"))
            problems.append(Problem(position, f"there is no such day: {item['expires']}"))
        if check and item["outcome"] != "failed":
            message = f"a check can only have failed; found {item['outcome']}"
            problems.append(Problem(file.position((index, "outcome")), message))
        position = file.position((index, "id"))
        reason, issue = item["reason"], item.get("issue", "")
        entries.append(Entry(scenario, check, item["outcome"], reason, issue, expires, position))
    if problems:
        raise InputError(problems)
    listed = _sorted_out(path, entries, today or datetime.date.today())
    return replace(listed, roots=tuple(roots))


def _misfits(file: source.Source) -> Iterator[Problem]:
    for mistake in schemas.mistakes("known-failures", file.value):
        find = file.key_position if mistake.at_key else file.position
        yield Problem(find(mistake.path), mistake.message)


def _sorted_out(path: Path, entries: Sequence[Entry], today: datetime.date) -> KnownFailures:
    """What counts of a list, and why the rest does not."""
    problems: list[Problem] = []
    count: dict[str, list[Entry]] = {}
    seen: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        before = seen.setdefault(entry.scenario, {})
        same = _overlapping(entry, before)
        before.setdefault(entry.check, entry)
        if same is not None:
            line = same.position.line
            message = f"{entry.id} is overlapping: {same.id} stands in line {line} already"
            problems.append(Problem(entry.position, message))
        elif entry.expires is not None and entry.expires < today:
            problems.append(Problem(entry.position, f"{entry.id} has expired: on {entry.expires}"))
        else:
            count.setdefault(entry.scenario, []).append(entry)
    counting = {scenario: tuple(its) for scenario, its in count.items()}
    return KnownFailures(path, tuple(entries), tuple(problems), counting)


def _overlapping(entry: Entry, before: dict[str, Entry]) -> Entry | None:
    """The first of those before it, by their checks, that is about the same."""
    if not entry.check:
        return next(iter(before.values()), None)
    same = [before[check] for check in ("", entry.check) if check in before]
    return min(same, key=lambda other: (other.position.line, other.position.column), default=None)
