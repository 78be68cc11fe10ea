"""What a person sees of a run: a line for each area, what did not hold, warnings, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from conformance.judge import Report, ScenarioResult
from conformance.report import wording
from conformance.report.failures import COLOURS, FailureText
from conformance.report.grouping import area, grouped
from conformance.report.page import Page, joined
from conformance.requirements import Register
from conformance.scenario import LEVELS
from conformance.verdict import STATUSES, VERDICTS, Failure, Status, Verdict

Detail = Literal["quiet", "normal", "verbose"]
FEW = 3
"""So many ids are listed where the number alone would do."""


def counted(counts: Iterable[tuple[Verdict | Status, int]]) -> Text:
    """`3 passed, 1 failed`, coloured; what is zero is left out."""
    parts = [Text(f"{count} {word}", COLOURS[word]) for word, count in counts if count]
    return joined(parts) if parts else Text("none")


class TerminalReport:
    """Prints a run on a page.

    `command` is what repeats it for one scenario, without its name; those below the folder `shipped` go by
    their id. `repeat` is how often each scenario is played, and `is_reference` says that it is the reference
    that plays them.
    """

    def __init__(
        self,
        page: Page,
        register: Register,
        command: Sequence[str],
        shipped: Path,
        detail: Detail = "normal",
        *,
        repeat: int = 1,
        is_reference: bool = False,
    ) -> None:
        self._page = page
        self._shipped = shipped
        self._repeat = repeat
        self._is_reference = is_reference
        self._register = register
        self._detail = detail
        self._text = FailureText(page, register, command, shipped, everything=detail == "verbose")

    @contextmanager
    def progress(self, total: int) -> Iterator[Callable[[ScenarioResult], None]]:
        """While scenarios are played: what is to be called after each.

        On a terminal there is a bar, which is gone at the end; `verbose` prints a line for each scenario.
        """
        if not self._page.is_terminal or self._detail == "quiet" or total < FEW:
            yield self._line
            return
        columns = (BarColumn(bar_width=None), MofNCompleteColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=self._page.console, transient=True, expand=True) as bar:
            task = bar.add_task("", total=total)
            failed = 0

            def played(result: ScenarioResult) -> None:
                nonlocal failed
                failed += result.verdict not in ("passed", "unsupported") and not result.is_known
                bar.update(task, advance=1, description=f"{failed} failed" if failed else "")
                self._line(result)

            yield played

    def _line(self, result: ScenarioResult) -> None:
        if self._detail != "verbose":
            return
        scenario = result.scenario
        verdict = Text(f"{result.verdict:<{max(map(len, VERDICTS))}}", COLOURS[result.verdict])
        why = f": {wording.printable(result.message, keep='')}" if result.message else ""
        warned = Text(" (with warnings)", "yellow") if result.warnings else Text()
        known = Text(" (known)", "yellow") if result.is_known else Text()
        self._page.print(Text.assemble(verdict, f"  {scenario.id}{why}", warned, known))

    def print(self, report: Report) -> None:
        """The whole report; when quiet, one line for each scenario that did not pass, and the counts."""
        news = [result for result in report.scenarios if not result.is_known]
        failed = [result for result in news if result.verdict not in ("passed", "unsupported")]
        if self._detail == "quiet":
            self._page.print(*map(self._text.one_line, failed))
        else:
            self._heading(report)
            self._page.print(*self._areas(report.scenarios))
            played = Counter(area(result.scenario) for result in report.scenarios)
            text = replace(self._text, played=played)
            self._page.print(*text.groups(grouped(news, self._register)))
            self._page.print(*self._warnings(news), *self._unsupported(report.scenarios))
            self._page.print(*self._known(report.known()))
        self._page.print(*self._not_repeatable(report.scenarios))
        if report.list_problems:
            self._page.print("", Text("wrong with the list of known failures:", "bold red"))
        for problem in report.list_problems:
            self._page.print(Text(f"  {wording.printable(str(problem))}", "red"))
        if report.stopped:
            self._page.print("", Text(f"stopped early: {wording.printable(report.stopped)}", "red"))
        for note in (*report.notes, *self._of_the_reference(failed)):
            line = Text(f"note: {wording.printable(note)}", "yellow")
            self._page.print("", *self._page.wrapped(line, hanging=2))
        if self._detail != "quiet":
            self._page.print("")
        self._page.print(*self._counts(report))

    def _heading(self, report: Report) -> None:
        it = report.implementation
        name = wording.printable(f"{it.name} {it.version} ({it.language})", keep="")
        self._page.print(*([""] if self._detail == "verbose" else []), name, "")

    def _areas(self, results: Sequence[ScenarioResult]) -> Iterator[Text]:
        width = max((len(area(result.scenario)) for result in results), default=0)
        ordered = sorted(results, key=lambda result: area(result.scenario))
        for name, group in groupby(ordered, key=lambda result: area(result.scenario)):
            verdicts = [result.verdict for result in group]
            counts = counted((verdict, verdicts.count(verdict)) for verdict in VERDICTS)
            yield Text.assemble(f"{name:<{width}}  ", counts)

    def _warnings(self, results: Sequence[ScenarioResult]) -> Iterator[Text]:
        """One entry for each requirement that always-on checks found broken beside what was tested."""
        found: dict[str, list[tuple[ScenarioResult, Failure]]] = {}
        for result in results:
            for failure in result.warnings:
                for id in failure.requirements if failure.check not in result.listed else ():
                    found.setdefault(id, []).append((result, failure))
        if not found:
            return
        yield Text()
        head = "warnings (weaker than the scenarios in which they came; they count with --strict):"
        yield from self._page.wrapped(Text(head, "bold yellow"), hanging=2)
        for id in (id for id in self._register if id in found):
            result, failure = found[id][0]
            count = len({result.scenario.id for result, _ in found[id]})
            where = f"in {count} scenarios, first in" if count > 1 else "in"
            level = self._register[id].level
            message = wording.printable(failure.message)
            told = Text.assemble((id, "yellow"), f" ({level}) {where} {result.scenario.id}: {message}")
            yield from self._page.wrapped(told, indent=2, hanging=2)

    def _not_repeatable(self, results: Sequence[ScenarioResult]) -> Iterator[Text]:
        """What differed between two plays of the same scenario, which breaks no requirement."""
        found = [
            (result, failure) for result in results for failure in result.warnings if not failure.requirements
        ]
        is_played = any(result.verdict != "unsupported" for result in results)
        if found or (is_played and self._repeat > 1):
            yield Text()
        if found:
            yield Text("not the same each time (--repeat):", "bold yellow")
        elif is_played and self._repeat > 1:
            yield Text(f"--repeat {self._repeat}: each was played {self._repeat} times, always the same")
        for result, failure in found:
            yield Text(f"  {result.scenario.id}", "yellow")
            yield from self._text.failure(result, failure, indent=4)

    def _of_the_reference(self, failed: Sequence[ScenarioResult]) -> Iterator[str]:
        """Where to look first, if the reference does not pass scenarios that do not come with it."""
        paths = [result.scenario.path.absolute() for result in failed]
        if self._is_reference and any(not path.is_relative_to(self._shipped) for path in paths):
            yield "the reference is expected to pass: of a scenario of yours, look at the scenario first"

    def _unsupported(self, results: Sequence[ScenarioResult]) -> Iterator[Text]:
        """What the implementation said that it lacks, and how many scenarios need it."""
        lacking: dict[str, list[ScenarioResult]] = {}
        for result in results:
            if result.verdict == "unsupported":
                lacking.setdefault(result.message, []).append(result)
        if lacking:
            yield Text()
        for message, group in lacking.items():
            head = Text(
                f"unsupported: {len(group)} of {len(results)}, the implementation {message}", "yellow"
            )
            yield from self._page.wrapped(head, hanging=2)
            if len(group) <= FEW or self._detail == "verbose":
                yield from self._text.ids(group, indent=2)

    def _known(self, known: Sequence[ScenarioResult]) -> Iterator[Text]:
        """What failed as it was listed: the ids are enough."""
        if known:
            yield Text()
            head = f"known failures: {len(known)}, which do not count; what they break is broken"
            yield Text(head, "yellow")
            yield from self._text.ids(known, indent=2)

    def _counts(self, report: Report) -> Iterator[Text]:
        yield Text("requirements:")
        for level in LEVELS:
            statuses = report.by_status(level)
            if any(statuses.values()):
                counts = counted((status, statuses[status]) for status in STATUSES)
                yield Text.assemble(f"  {level:<6}  ", counts)
        summary = report.summary()
        total = {status: sum(report.by_status(level)[status] for level in LEVELS) for status in STATUSES}
        known = Counter(result.verdict for result in report.known())
        scenarios = counted((verdict, summary[verdict] - known[verdict]) for verdict in VERDICTS)
        if known:
            also = Text(f"{known.total()} known to fail", "yellow")
            scenarios = joined([scenarios, also]) if scenarios.plain != "none" else also
        requirements = counted((status, total[status]) for status in STATUSES)
        yield Text.assemble("scenarios: ", scenarios, "; requirements: ", requirements)
