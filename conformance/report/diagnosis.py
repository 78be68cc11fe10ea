"""What was found out about an implementation that is being written, for whoever writes it.

It says what works, what is to be mended first, and how each thing is tried again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from conformance.drivers.base import CAPABILITIES
from conformance.examination import Diagnosis, Probe, Step
from conformance.judge import ScenarioResult
from conformance.report import wording
from conformance.report.failures import FailureText
from conformance.report.page import Page

_INDENT = 12
_WIDEST = max(map(len, CAPABILITIES))


@dataclass(frozen=True, slots=True)
class DiagnosisText:
    """Writes a diagnosis on a page. `driver` are the options by which a command means the implementation."""

    page: Page
    failures: FailureText
    driver: Sequence[str]

    def lines(self, found: Diagnosis) -> Iterator[Text]:
        """All of it."""
        it = found.implementation
        yield Text(wording.printable(f"{it.name} {it.version} ({it.language})", keep=""))
        yield Text()
        yield Text.assemble("  1  ", ("ok     ", "green"), "it starts, and says what it is")
        for number, step in enumerate(found.steps, start=2):
            yield from self._step(number, step)
        yield Text()
        yield Text("capabilities:")
        for probe in found.probes:
            yield from self._probe(probe)
        yield Text()
        for note in found.notes:
            yield Text(f"note: {wording.printable(note)}", "yellow")
        yield from self._conclusion(found)

    def _step(self, number: int, step: Step) -> Iterator[Text]:
        if step.result is None:
            yield Text.assemble(f" {number:>2}  ", ("-      ", "dim"), f"not tried: {step.what}")
        elif step.works:
            yield Text.assemble(
                f" {number:>2}  ", ("ok     ", "green"), step.what, (f"  {step.scenario}", "dim")
            )
        else:
            level = step.result.scenario.level
            word, colour = ("WRONG  ", "bold red") if step.is_wrong else ("weak   ", "yellow")
            if step.result.is_unwritten:
                word, colour = "to do  ", "yellow"
            weaker = "" if level == "must" else f" (a {level})"
            yield Text.assemble(f" {number:>2}  ", (word, colour), step.what, weaker)
            yield from self._why(step.result, step.scenario)

    def _probe(self, probe: Probe) -> Iterator[Text]:
        name = f"  {probe.capability:<{_WIDEST}} "
        result = probe.result
        if result is None:
            claimed = "claimed" if probe.is_claimed else "not claimed"
            yield Text.assemble(name, (f"not tried ({claimed})", "dim"))
        elif probe.is_claimed and probe.works:
            yield Text.assemble(name, ("ok", "green"), ": it is claimed, and works")
        elif probe.is_claimed:
            yield Text.assemble(name, ("WRONG", "bold red"), ": it is claimed, and does not work")
            yield from self._why(result, probe.scenario)
        elif probe.works:
            yield Text.assemble(name, ("unused", "yellow"), ": it works, and is not claimed in initialize")
        else:
            yield Text.assemble(name, f"not claimed: {CAPABILITIES[probe.capability]}")

    def _why(self, result: ScenarioResult, scenario: str) -> Iterator[Text]:
        first = next(iter(result.failures), None)
        where = f"step {first.step}, " if first is not None and first.step else ""
        said = result.message or (f"{where}check {first.check}: {first.message}" if first else "")
        said = said or str(result.verdict)
        yield from self.page.wrapped(wording.printable(said, keep=""), _INDENT, hanging=2)
        if not result.is_unwritten:
            yield Text(f"{' ' * _INDENT}again: {self._command('run', scenario)}")

    def _command(self, word: str, scenario: str) -> str:
        return shlex.join(["outlast", word, scenario, *self.driver])

    def _conclusion(self, found: Diagnosis) -> Iterator[Text]:
        if found.lost:
            yield Text(f"it could not be kept running: {wording.printable(found.lost)}", "red")
        tried = list(_to_be_mended(found))
        if found.exit_status() == 0 and not tried:
            yield Text("all of this works; the rest:", "green")
            yield Text(f"  {shlex.join(['outlast', 'run', *self.driver])}")
        if tried:
            yield from self._first(*tried[0])

    def _first(self, what: str, scenario: str, result: ScenarioResult) -> Iterator[Text]:
        """What is to be written or mended before all else, and how."""
        if result.is_unwritten:
            yield Text.assemble(("to be written next: ", "bold"), what)
            yield from self.page.wrapped(wording.printable(result.message, keep=""), 2, hanging=2)
        else:
            yield Text.assemble(("to be mended first: ", "bold"), what)
            yield from self.failures.scenario(result)
        yield Text("  every line that crosses:")
        yield Text(f"    {self._command('trace', scenario)}")
        if result.is_unwritten:
            yield Text("  and when it is written, what comes next:")
            yield Text(f"    {shlex.join(['outlast', 'doctor', *self.driver])}")


def _to_be_mended(found: Diagnosis) -> Iterator[tuple[str, str, ScenarioResult]]:
    """What does not work, and its scenario: what must be mended before what is only weak."""
    failed = [step for step in found.steps if not step.works]
    for step in failed:
        if step.is_wrong and step.result is not None:
            yield step.what, step.scenario, step.result
    for probe in found.probes:
        if probe.is_claimed and not probe.works and probe.result is not None:
            yield f"what is claimed as {probe.capability}", probe.scenario, probe.result
    for step in failed:
        if not step.is_wrong and step.result is not None:
            yield step.what, step.scenario, step.result
