"""What a person sees of a run: a line for each area, failures in full, and the counts."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path

import click

from conformance.judge import Report, ScenarioResult
from conformance.requirements import Register
from conformance.scenario import LEVELS, Json, Scenario
from conformance.verdict import STATUSES, VERDICTS, Failure, Status, Verdict

Echo = Callable[[str], None]

COLOURS: dict[Verdict | Status, str] = {
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


def area(scenario: Scenario) -> str:
    """The folder in which a scenario stands (`agent/inbox`)."""
    return scenario.id.rpartition("/")[0] or "."


def counted(counts: Iterable[tuple[Verdict | Status, int]]) -> str:
    """`3 passed, 1 failed`, coloured; what is zero is left out."""
    parts = [click.style(f"{count} {word}", fg=COLOURS[word]) for word, count in counts if count]
    return ", ".join(parts) or "none"


class TerminalReport:
    """Prints a run.

    `command` is what repeats it for one scenario, without its name; those below the folder `shipped` go by
    their id.
    """

    def __init__(self, echo: Echo, register: Register, command: Sequence[str], shipped: Path) -> None:
        self._echo = echo
        self._register = register
        self._command = command
        self._shipped = shipped

    def print(self, report: Report) -> None:
        """The whole report."""
        implementation = report.implementation
        self._echo(f"{implementation.name} {implementation.version} ({implementation.language})\n")
        self._areas(report.scenarios)
        for result in report.scenarios:
            if result.verdict not in ("passed", "unsupported") or result.warnings:
                self._scenario(result)
        self._unsupported(report.scenarios)
        if report.stopped:
            self._echo(click.style(f"\nstopped early: {report.stopped}", fg="red"))
        self._counts(report)

    def _areas(self, results: Sequence[ScenarioResult]) -> None:
        width = max((len(area(result.scenario)) for result in results), default=0)
        ordered = sorted(results, key=lambda result: area(result.scenario))
        for name, group in groupby(ordered, key=lambda result: area(result.scenario)):
            verdicts = [result.verdict for result in group]
            counts = counted((verdict, verdicts.count(verdict)) for verdict in VERDICTS)
            self._echo(f"{name:<{width}}  {counts}")

    def _unsupported(self, results: Sequence[ScenarioResult]) -> None:
        lacking = [result for result in results if result.verdict == "unsupported"]
        if lacking:
            self._echo("")
        for result in lacking:
            self._echo(f"unsupported  {result.scenario.id}: {result.message}")

    def _scenario(self, result: ScenarioResult) -> None:
        scenario = result.scenario
        verdict = "warning" if result.verdict == "passed" else result.verdict
        colour = "yellow" if verdict == "warning" else "red"
        head = click.style(f"{verdict.upper()} {scenario.id}", fg=colour, bold=True)
        self._echo(f"\n{head} ({scenario.level}): {scenario.title}")
        if result.message:
            self._echo(f"  {result.message}")
        for line in result.detail.rstrip().splitlines():
            self._echo(f"    | {line}")
        for failure in (*result.failures, *result.warnings):
            self._failure(failure)
        ships = scenario.path.is_relative_to(self._shipped)
        again = shlex.join([*self._command, scenario.id if ships else str(scenario.path)])
        self._echo(f"  again: {again}")

    def _failure(self, failure: Failure) -> None:
        where = f"step {failure.step}" if failure.step else "the play as a whole"
        place = f" ({failure.position})" if failure.position else ""
        self._echo(f"  {where}{place}, check {failure.check}: {failure.message}")
        for id in failure.requirements:
            requirement = self._register[id]
            self._echo(f"    breaks {id} ({requirement.level}): {requirement.text}")
        for word, side in (("expected", failure.expected), ("came", failure.actual)):
            if side is not None:
                self._echo(f"    {word}:")
                for line in lines(side):
                    self._echo(f"      {line}")

    def _counts(self, report: Report) -> None:
        self._echo("")
        self._echo("requirements:")
        for level in LEVELS:
            statuses = report.by_status(level)
            if any(statuses.values()):
                self._echo(f"  {level:<6}  {counted((status, statuses[status]) for status in STATUSES)}")
        summary = report.summary()
        total = {status: sum(report.by_status(level)[status] for level in LEVELS) for status in STATUSES}
        scenarios = counted((verdict, summary[verdict]) for verdict in VERDICTS)
        requirements = counted((status, total[status]) for status in STATUSES)
        self._echo(f"scenarios: {scenarios}; requirements: {requirements}")


def lines(value: Json) -> list[str]:
    """One side of a difference: a list item by item, an event as its type and its fields."""
    if not isinstance(value, list):
        return [_one(value)]
    return [_one(item) for item in value] or ["(nothing)"]


def _one(value: Json) -> str:
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        rest = {key: field for key, field in value.items() if key != "type"}
        return f"{value['type']}  {_compact(rest)}" if rest else str(value["type"])
    if isinstance(value, dict) and len(value) == 1:
        (key, field), *_ = value.items()
        return f"{key}: {_compact(field)}" if field is not None else key
    return value if isinstance(value, str) else _compact(value)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
