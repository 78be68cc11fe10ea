"""The register on a page: what each requirement demands, and what looks at it.

With a report, what came of it: first what is broken, then what was not measured, then what is met.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.text import Text

from conformance.report import wording
from conformance.report.failures import COLOURS
from conformance.report.page import Page
from conformance.report.reading_back import Known, SavedReport
from conformance.report.specification import area_of, title_of
from conformance.requirements import Requirement
from conformance.scenario import LEVELS
from conformance.verdict import STATUSES, Status

_LEVEL = max(map(len, LEVELS))
_LEVEL_COLOURS = {"must": "", "should": "yellow", "may": "dim"}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Writes requirements. `covered_by` are the scenarios of each, `always_on` the checks by name; `is_short`
    leaves a line for each. `faults` are those against each that the scenarios have been shown to see."""

    page: Page
    covered_by: Mapping[str, Sequence[str]]
    always_on: Mapping[str, str]
    is_short: bool = False
    faults: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def register(self, chosen: Sequence[Requirement]) -> Iterator[Text]:
        """What there is, area by area."""
        width = max(len(requirement.id) for requirement in chosen)
        for area, group in groupby(chosen, key=area_of):
            if self.is_short:
                yield from (self._short(requirement, width) for requirement in group)
                continue
            title = title_of(area)
            yield Text.assemble((area, "bold"), f": {title}" if title != area else "")
            for requirement in group:
                yield Text()
                yield from self._whole(requirement)
            yield Text()
        if self.is_short:
            yield Text()
        levels = [(level, sum(it.level == level for it in chosen)) for level in LEVELS]
        uncovered = sum(not self._looks_at(it) for it in chosen)
        counts = ", ".join(f"{count} {level}" for level, count in levels if count)
        missing = f"; {uncovered} not covered" if uncovered else ""
        yield Text(f"{len(chosen)} requirement{'s' if len(chosen) != 1 else ''}: {counts}{missing}")

    def report(self, chosen: Sequence[Requirement], report: SavedReport) -> Iterator[Text]:
        """What came of them."""
        name = wording.printable(report.subject, keep="")
        yield Text(f"{name}, {report.scenarios} scenario{'s' if report.scenarios != 1 else ''} played")
        if report.stopped:
            yield from self.page.wrapped(Text(f"stopped early: {wording.printable(report.stopped)}", "red"))
        nothing = Known("not-measured", False, ())
        known = {it.id: report.requirements.get(it.id, nothing) for it in chosen}
        asked = [it for it in chosen if known[it.id].is_asked_for or known[it.id].status != "not-measured"]
        width = max((len(it.id) for it in asked), default=0)
        for status in ("broken", "not-measured", "met"):
            group = [it for it in asked if known[it.id].status == status]
            if not group:
                continue
            besides = sum(not _counts(known[it.id]) for it in group)
            of_them = "" if besides == len(group) else f"{besides} of them "
            unasked = f", {of_them}not asked for" if besides else ""
            yield Text()
            yield Text(f"{_words(status)} ({len(group)}{unasked}):", f"bold {COLOURS[status]}")
            for number, requirement in enumerate(group):
                if status == "met" or self.is_short:
                    yield self._short(requirement, width)
                    continue
                if number:
                    yield Text()
                yield from self._whole(requirement, known[requirement.id].broken_by)
        yield Text()
        yield self._total(known.values())

    def _total(self, known: Collection[Known]) -> Text:
        """The counts, as they stand at the end of the run itself."""
        statuses = [it.status for it in known if _counts(it)]
        counts = [(status, statuses.count(status)) for status in STATUSES]
        parts = [Text(f"{count} {status}", COLOURS[status]) for status, count in counts if count]
        if others := len(known) - len(statuses):
            met = sum(it.status == "met" and not _counts(it) for it in known)
            parts.append(Text(f"{others} not asked for{f' ({met} of them met)' if met else ''}"))
        return Text.assemble("requirements: ", Text(", ").join(parts))

    def _short(self, requirement: Requirement, width: int) -> Text:
        level = Text(f"{requirement.level:<{_LEVEL}}", _LEVEL_COLOURS[requirement.level])
        return Text.assemble("  ", level, f"  {requirement.id:<{width}}  ", self._count(requirement))

    def _count(self, requirement: Requirement) -> Text:
        count = len(self.covered_by.get(requirement.id, ()))
        parts = [f"{count} scenario{'s' if count != 1 else ''}"] if count else []
        if requirement.id in self.always_on:
            parts.append("always on")
        if faults := len(self.faults.get(requirement.id, ())):
            parts.append(f"{faults} fault{'s' if faults != 1 else ''}")
        return Text(", ".join(parts)) if parts else Text("not covered", "yellow")

    def _looks_at(self, requirement: Requirement) -> bool:
        return bool(self.covered_by.get(requirement.id)) or requirement.id in self.always_on

    def _whole(self, requirement: Requirement, broken_by: Sequence[str] = ()) -> Iterator[Text]:
        marks = Text(f" ({requirement.level}, {requirement.origin})", _LEVEL_COLOURS[requirement.level])
        yield Text.assemble("  ", (requirement.id, "bold"), marks)
        yield from self.page.wrapped(requirement.text, indent=4)
        others = [id for id in self.covered_by.get(requirement.id, ()) if id not in broken_by]
        for ids, label, style in ((broken_by, "broken by", "red"), (others, "covered by", "dim")):
            for line in _by_folder(ids):
                yield from self.page.wrapped(Text(f"{label} {line}", style), indent=4, hanging=2)
        if requirement.id in self.always_on:
            yield Text(f"    always on: check {self.always_on[requirement.id]}", "dim")
        for fault in self.faults.get(requirement.id, ()):
            yield from self.page.wrapped(Text(f"sees when {fault}", "dim"), indent=4, hanging=2)
        if not self._looks_at(requirement):
            yield Text("    not covered yet", "yellow")


def _by_folder(ids: Iterable[str]) -> Iterator[str]:
    """Ids in a line for each folder."""
    for folder, group in groupby(sorted(ids), key=lambda id: id.rpartition("/")[0]):
        names = ", ".join(id.rpartition("/")[2] for id in group)
        yield f"{folder}: {names}" if folder else names


def _counts(known: Known) -> bool:
    """Whether it is counted: as in `Report.by_status`."""
    return known.is_asked_for or known.status == "broken"


def _words(status: Status) -> str:
    return status.replace("-", " ")
