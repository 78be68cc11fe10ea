"""What did not hold, for a person: each requirement once, with the smallest run that shows it.

Knows the groups (`grouping`), how two sides are drawn (`comparing`), and what was going on then
(`happening`).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.text import Text

from conformance.judge import ScenarioResult
from conformance.patterns import Comparison, compare_events, problems
from conformance.reading import text_at
from conformance.report import wording
from conformance.report.comparing import difference
from conformance.report.grouping import Broken, Groups, Shown, by_area, way
from conformance.report.happening import what_happened
from conformance.report.page import LONGEST, Page
from conformance.requirements import Register, Requirement
from conformance.scenario import Json, Position
from conformance.selection import probe_name
from conformance.verdict import Failure, Status, Verdict

COLOURS: Mapping[Verdict | Status, str] = {
    "passed": "green",
    "met": "green",
    "failed": "red",
    "broken": "red",
    "crashed": "red",
    "timed-out": "red",
    "protocol-error": "red",
    "unsupported": "yellow",
    "not-measured": "yellow",
}
SHORT = 3
"""So many scenarios are shown in short beside the one that is shown whole; of the rest the ids."""
MANY = 10
"""So many requirements are listed where others are not more than a number."""
FEW = 3
"""So many ids are listed in one line."""
IN_SHORT = "Of each requirement one scenario is shown in full, and others in short: -v shows all of them."
LAST_LINES = 12
"""So many lines of a traceback, or of what was written to stderr."""
FIRST_LINES = 7
"""So many lines from the beginning of a traceback: its heading, and mostly two frames."""


@dataclass(frozen=True, slots=True)
class FailureText:
    """Writes failures on a page.

    `command` is what repeats the run for one scenario, without its name; those below the folder `shipped` go
    by their id. `played` is how many scenarios of each folder there were. With
    `everything` each scenario is shown whole, and not only one for each requirement.
    """

    page: Page
    register: Register
    command: Sequence[str]
    shipped: Path
    everything: bool = False
    played: Mapping[str, int] = field(default_factory=dict)

    def groups(self, groups: Groups) -> list[Text]:
        """All failures, common reasons first."""
        lines: list[Text] = []
        for shown in (*groups.common, *groups.ended):
            lines += [Text(), *self._same_reason(shown)]
        for broken in groups.broken:
            lines += [Text(), *self._broken(broken)]
        if not self.everything and any(len(broken.shown) > 1 for broken in groups.broken):
            lines += [Text(), *self.page.wrapped(Text(IN_SHORT, "dim"), hanging=2)]
        return lines

    def scenario(self, result: ScenarioResult) -> list[Text]:
        """One scenario that did not pass, with its failures and what they break, each of which is said once.

        Where it was not brought to its end, only what breaks a must: anything weaker would bury the cause."""
        lines = [*self._head(result), *self._ending(result)]
        warnings = [warning for warning in result.warnings if warning.requirements]
        every = _beside_the_cause(result.verdict, [*result.failures, *warnings])
        for requirements in dict.fromkeys(failure.requirements for failure in every):
            these = [failure for failure in every if failure.requirements == requirements]
            lines += self._failures_alike(result, these)
            for id in requirements:
                requirement = self.register[id]
                text = f"breaks {id} ({requirement.level}): {requirement.text}"
                lines += self.page.wrapped(text, indent=2, hanging=2)
        return [*lines, self._again(result)]

    def _failures_alike(self, result: ScenarioResult, failures: Sequence[Failure]) -> list[Text]:
        """Those that break the same: the first of each kind, and how many there are besides."""
        ways: dict[object, list[Failure]] = {}
        for failure in failures:
            ways.setdefault(way([failure]), []).append(failure)
        shown = [first for first, *_ in ways.values()]
        shown = [*failures] if self.everything else shown if failures[0].level == "must" else shown[:1]
        lines = [line for failure in shown for line in self.failure(result, failure)]
        rest = len(failures) - len(shown)
        return [*lines, *([Text(f"  and {rest} more of the same")] if rest else [])]

    def one_line(self, result: ScenarioResult) -> Text:
        """A scenario that did not pass: its name, and the first thing that is wrong."""
        scenario = result.scenario
        first = next(iter(result.failures), None)
        why = result.message or (f"{first.check}: {first.message}" if first else "")
        head = Text(f"{result.verdict.upper()} {scenario.id} ({scenario.level})", COLOURS[result.verdict])
        return Text.assemble(head, f": {wording.printable(why, keep='')}")

    # Groups

    def _same_reason(self, shown: Shown) -> list[Text]:
        """One reason for several scenarios, said once."""
        result = shown.result
        count = len(shown.results)
        if count == 1:
            return self.scenario(result)
        verdict = result.verdict.upper()
        lines = [Text(f"{verdict} for one reason: {count} scenarios", f"bold {COLOURS[result.verdict]}")]
        lines += self._ending(result)
        for failure in _beside_the_cause(result.verdict, shown.failures)[:1]:
            lines += self.failure(result, failure)
        lines += self.ids(shown.results, indent=2)
        broken = {id for each in shown.results for failure in each.failures for id in failure.requirements}
        if broken:
            ordered = [id for id in self.register if id in broken]
            named = ", ".join(ordered) if len(ordered) <= MANY else f"{len(ordered)} requirements"
            lines += self.page.wrapped(f"breaks {named}", indent=2, hanging=2)
        return [*lines, self._again(result)]

    def _broken(self, broken: Broken) -> list[Text]:
        """What a group of requirements demands, and the scenarios in which it did not hold."""
        lines: list[Text] = []
        for requirement in broken.requirements:
            lines += self._requirement(requirement)
        last = len(broken.shown) if self.everything else 1 + SHORT
        for number, shown in enumerate(broken.shown[:last]):
            lines.append(Text())
            whole = number == 0 or self.everything
            lines += self._shown(shown) if whole else self._short(shown)
            lines += self._alike(shown.alike)
            if whole:
                lines.append(self._again(shown.result, indent=4))
        rest = [result for shown in broken.shown[last:] for result in shown.results]
        if rest:
            lines += [Text(), Text(f"  and {len(rest)} more:"), *self.ids(rest, indent=4)]
        return lines

    def _alike(self, results: Sequence[ScenarioResult]) -> list[Text]:
        if len(results) > FEW:
            return [Text(f"    in the same way {len(results)} more:"), *self.ids(results, indent=6)]
        names = ", ".join(result.scenario.id for result in results)
        return self.page.wrapped(f"in the same way: {names}", indent=4, hanging=2) if names else []

    def _requirement(self, requirement: Requirement) -> list[Text]:
        head = Text.assemble(
            (f"breaks {requirement.id}", "bold red"),
            (f" ({requirement.level}):", "red"),
            f" {requirement.text}",
        )
        return self.page.wrapped(head, hanging=2)

    def _shown(self, shown: Shown) -> list[Text]:
        lines = self._head(shown.result, indent=2)
        for failure in shown.failures:
            lines += self.failure(shown.result, failure, indent=4)
        return [*lines, *self._ending(shown.result)]

    def _short(self, shown: Shown) -> list[Text]:
        lines = self._head(shown.result, indent=2)
        failure = shown.failures[0]
        return [*lines, *self.page.wrapped(f"{failure.check}: {failure.message}", indent=4, hanging=2)]

    # One scenario

    def _head(self, result: ScenarioResult, indent: int = 0) -> list[Text]:
        scenario = result.scenario
        verdict: Verdict = result.verdict
        word = "WARNING" if verdict == "passed" else verdict.upper()
        colour = "yellow" if verdict == "passed" else COLOURS[verdict]
        head = Text.assemble(
            (f"{word} {scenario.id}", f"bold {colour}"),
            f" ({scenario.level}): {wording.printable(scenario.title)}",
        )
        return self.page.wrapped(head, indent, hanging=2)

    def _ending(self, result: ScenarioResult) -> list[Text]:
        """Why a play was not brought to its end."""
        message = wording.printable(result.message)
        lines = self.page.wrapped(message, indent=2, hanging=2) if message else []
        return [*lines, *(Text(f"    | {line}", "dim") for line in self._end_of(result.detail.rstrip()))]

    def _end_of(self, detail: str) -> list[str]:
        """The last lines of a traceback or of what was written to stderr, and how many were before them. Of a
        traceback the first lines, too: those are where it begins in the implementation."""
        end = wording.printable(detail[-LONGEST:]).splitlines()
        first = FIRST_LINES if detail.startswith("Traceback ") else 0
        count = len(detail.splitlines())
        if self.everything or count <= first + LAST_LINES:
            first, kept = 0, end
        else:
            kept = end[-LAST_LINES:]
        if len(kept) == len(end) > 1 and len(detail) > LONGEST:
            kept = end[1:]  # of the first of these there is only a part
        begin = wording.printable(detail[:LONGEST]).splitlines()[:first]
        left_out = count - len(begin) - len(kept)
        return [*begin, f"… {left_out} lines", *kept] if left_out > 0 else kept

    def failure(self, result: ScenarioResult, failure: Failure, indent: int = 2) -> list[Text]:
        """One check that did not hold: where, what is wrong, and both sides."""
        where = f"step {failure.step}" if failure.step else "the play as a whole"
        message = f"{where}, check {failure.check}: {wording.printable(failure.message)}"
        lines = self.page.wrapped(message, indent, hanging=2)
        if failure.position is not None:
            lines.append(Text(f"{' ' * indent}at {_place(failure.position)}"))
        comparison = failure.comparison or _of_types(failure)
        if comparison is not None:
            return lines + difference(self.page, comparison, indent + 2)
        if failure.check == "play":
            return lines + what_happened(self.page, result.sequence, failure, indent + 2)
        return lines + self._sides(failure, indent + 2)

    def _sides(self, failure: Failure, indent: int) -> list[Text]:
        lines: list[Text] = []
        for word, side, style in (("expected", failure.expected, "green"), ("came", failure.actual, "red")):
            if side is None and not (word == "came" and failure.expected is not None):
                continue
            text = "nothing" if side is None else _side(side)
            line = Text.assemble((f"{word:<9}", "bold"), (text, style))
            lines += self.page.wrapped(line, indent, hanging=9, width=self.page.width)
        return lines

    def _again(self, result: ScenarioResult, indent: int = 2) -> Text:
        scenario = result.scenario
        path = scenario.path.absolute()
        is_shipped = path.is_relative_to(self.shipped)
        name = scenario.id if is_shipped else probe_name(path) or str(scenario.path)
        return Text(f"{' ' * indent}again: {shlex.join([*self.command, name])}")

    # Many scenarios

    def ids(self, results: Sequence[ScenarioResult], indent: int) -> list[Text]:
        """The ids of scenarios, folder by folder; where it is the whole of a long one, that is said."""
        lines: list[Text] = []
        for folder, names in by_area(results).items():
            count = len(names)
            is_whole = FEW < count == self.played.get(folder) and not self.everything
            of = f" of {self.played[folder]}" if self.played.get(folder, count) > count else ""
            listed = f"all {count}" if is_whole else f"{count}{of}: {', '.join(names)}"
            lines += self.page.wrapped(f"{folder}, {listed}", indent, hanging=2)
        return lines


def _beside_the_cause(verdict: Verdict, failures: Sequence[Failure]) -> Sequence[Failure]:
    """What is told beside why a play was not brought to its end: nothing weaker than a must."""
    if verdict in ("passed", "failed"):
        return failures
    return [failure for failure in failures if failure.level == "must"]


def _of_types(failure: Failure) -> Comparison | None:
    """Both sides where they are lists of the types of events."""
    expected, actual = failure.expected, failure.actual
    if not isinstance(expected, list) or not isinstance(actual, list) or not expected:
        return None
    if not all(isinstance(name, str) for name in (*expected, *actual)) or problems(expected, "events"):
        return None
    return compare_events(expected, [{"type": name} for name in actual], {})


def _side(value: Json) -> str:
    """One side of a difference that is no list to compare: a list of events by their lines."""
    if isinstance(value, list):
        return ", ".join(
            wording.item(item) if isinstance(item, dict) else wording.said(item) for item in value
        )
    if isinstance(value, dict) and text_at(value, "type"):
        return wording.event(value)
    return wording.printable(value) if isinstance(value, str) else wording.said(value)


def _place(position: Position) -> str:
    return str(replace(position, path=below_here(position.path)))


def below_here(path: str) -> str:
    """A path as short as it can be said in the current folder."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
