"""From plays to verdicts: how a scenario ended, and which requirements are met, broken or not measured.

The rules in one place: a scenario fails by its own checks, and by an always-on check that is at least as
strong as itself; a requirement is met only by what has passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.checks import run_checks
from conformance.drivers.base import (
    Crashed,
    DriverFailure,
    Implementation,
    NotWritten,
    ProtocolError,
    TimedOut,
)
from conformance.numbering import Numbering, numbered_conversations, numbered_sequence, shown_after
from conformance.playing import Played
from conformance.requirements import Register, Requirement
from conformance.scenario import LEVELS, Json, Level, Scenario
from conformance.source import Problem
from conformance.transcript import Transcript
from conformance.unknown_events import unknown_types
from conformance.verdict import STATUSES, VERDICTS, Failure, Status, Verdict


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How one scenario ended.

    `failures` made it fail; `warnings` are always-on checks weaker than the scenario that did not hold.
    `judged` are the requirements for which an always-on check had something to judge. `message` and `detail`
    say why a scenario ended as anything but passed or failed. `is_known` says that it ended as it is listed
    among the known failures; `listed` are the checks that are. `lost` says why the implementation cannot be
    kept running after it. `unknown_types` are event types that came and have no meaning here. `is_unwritten`
    says that the driver does not have yet what it was asked.
    """

    scenario: Scenario
    verdict: Verdict
    failures: tuple[Failure, ...] = ()
    warnings: tuple[Failure, ...] = ()
    judged: frozenset[str] = frozenset()
    sequence: tuple[dict[str, Json], ...] = ()
    conversations: Mapping[str, list[Json]] = field(default_factory=dict)
    message: str = ""
    detail: str = ""
    seconds: float = 0.0
    is_known: bool = False
    listed: frozenset[str] = frozenset()
    lost: str = ""
    unknown_types: tuple[str, ...] = ()
    is_unwritten: bool = False


def unsupported(scenario: Scenario, implementation: Implementation) -> ScenarioResult | None:
    """The result of a scenario that needs what the implementation said beforehand that it lacks, if so."""
    if scenario.profile not in implementation.profiles:
        return ScenarioResult(scenario, "unsupported", message=f"lacks the profile {scenario.profile}")
    lacking = sorted(scenario.needs - implementation.capabilities)
    if lacking:
        return ScenarioResult(scenario, "unsupported", message=f"lacks {', '.join(lacking)}")
    return None


def judge(
    scenario: Scenario,
    played: Played,
    register: Register,
    seconds: float = 0.0,
    *,
    with_sequence: bool = True,
) -> ScenarioResult:
    """The verdict on a play: the scenario's own checks and all always-on checks.

    Without `with_sequence` the result of a scenario that passed has neither sequence nor conversations.
    """
    findings, judged = run_checks(played.transcript)
    failures, warnings = list(played.failures), list[Failure]()
    for finding in findings:
        level = register[finding.requirement].level
        failure = Failure(
            finding.check,
            (finding.requirement,),
            level,
            finding.step,
            finding.message,
            finding.expected,
            finding.actual,
        )
        weaker = LEVELS.index(level) > LEVELS.index(scenario.level)
        (warnings if weaker else failures).append(failure)
    broke_off = played.broke_off
    numbering = Numbering()
    shown = with_sequence or failures or warnings or broke_off
    sequence = numbered_sequence(played.transcript, numbering) if shown else []
    return ScenarioResult(
        scenario,
        _verdict(broke_off, failures),
        tuple(_tidied(failure, numbering, played.transcript) for failure in failures),
        tuple(_tidied(failure, numbering, played.transcript) for failure in warnings),
        frozenset(judged),
        tuple(sequence),
        numbered_conversations(played.transcript, numbering) if shown else {},
        broke_off.message if broke_off else "",
        broke_off.detail if broke_off else "",
        seconds,
        unknown_types=unknown_types(played.transcript),
        is_unwritten=isinstance(broke_off, NotWritten),
    )


def _tidied(failure: Failure, numbering: Numbering, transcript: Transcript) -> Failure:
    comparison = failure.comparison
    if comparison is not None:
        items = tuple(numbering.tidied(item, failure.agent) for item in comparison.actual)
        comparison = replace(comparison, actual=items)
    return replace(
        failure,
        message=numbering.tidied_text(failure.message, failure.agent),
        expected=numbering.tidied(failure.expected, failure.agent),
        actual=numbering.tidied(failure.actual, failure.agent),
        comparison=comparison,
        seen=None if failure.seen is None else shown_after(transcript, failure.seen),
    )


def _verdict(broke_off: DriverFailure | None, failures: Sequence[Failure]) -> Verdict:
    if isinstance(broke_off, TimedOut):
        return "timed-out"
    if isinstance(broke_off, ProtocolError):
        return "protocol-error"
    if isinstance(broke_off, Crashed):
        return "crashed"
    if broke_off is not None:
        raise broke_off
    return "failed" if failures else "passed"


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """What is known of one requirement after a run, and the scenarios that broke it."""

    requirement: Requirement
    status: Status
    broken_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run of the suite.

    `asked_for` are the requirements that the selection was to measure. `stopped` says why the run ended
    before its last scenario, if it did; `lost` that this was because the implementation could not be started
    or kept running. `notes` are what a person should know of the driver although no scenario failed by it.
    `uses_list` says that there was a list of known failures, and `list_problems` what is wrong with it.
    """

    implementation: Implementation
    scenarios: tuple[ScenarioResult, ...]
    requirements: tuple[RequirementResult, ...]
    asked_for: frozenset[str] = frozenset()
    stopped: str = ""
    lost: bool = False
    notes: tuple[str, ...] = ()
    uses_list: bool = False
    list_problems: tuple[Problem, ...] = ()

    def known(self) -> tuple[ScenarioResult, ...]:
        """The scenarios that ended as they are listed among the known failures."""
        return tuple(result for result in self.scenarios if result.is_known)

    def summary(self) -> dict[Verdict, int]:
        """How many scenarios ended how, known failures among them; every verdict is there."""
        counts = dict.fromkeys(VERDICTS, 0)
        for result in self.scenarios:
            counts[result.verdict] += 1
        return counts

    def by_status(self, level: Level) -> dict[Status, int]:
        """How many requirements of `level` have which status: those that were asked for, and those that were
        found broken besides, since what breaks need not be what was looked for."""
        counts = dict.fromkeys(STATUSES, 0)
        for result in self.requirements:
            counts_here = result.requirement.id in self.asked_for or result.status == "broken"
            if counts_here and result.requirement.level == level:
                counts[result.status] += 1
        return counts

    def exit_status(self, *, strict: bool = False, require_all: bool = False) -> int:
        """0, 1 or 3, with which the command ends."""
        if self.lost:
            return 3
        if self.list_problems:
            return 1
        if any(is_fatal(result, strict=strict) for result in self.scenarios):
            return 1
        unmeasured = (
            result.status == "not-measured" and result.requirement.id in self.asked_for
            for result in self.requirements
        )
        return int(require_all and any(unmeasured))

    def to_json(self) -> dict[str, Json]:
        """The report as plain data, as `schemas/report.schema.json` describes it."""
        from conformance.report.json import to_json  # which knows reports, and so is imported late

        return to_json(self)


def is_fatal(result: ScenarioResult, *, strict: bool = False) -> bool:
    """Whether the run cannot end with 0 because of this scenario: it did not end by a check, or a must is
    broken (`strict`: or a should)."""
    if result.verdict in ("crashed", "timed-out", "protocol-error") and not result.is_known:
        return True
    broken = {
        failure.level
        for failure in (*result.failures, *result.warnings)
        if failure.requirements and failure.check not in result.listed
    }
    if result.verdict == "failed" and not result.is_known:
        broken.add(result.scenario.level)
    return "must" in broken or (strict and "should" in broken)


def requirement_results(
    register: Register, results: Iterable[ScenarioResult]
) -> tuple[RequirementResult, ...]:
    """What all results together say of each requirement of the register."""
    met: set[str] = set()
    broken: dict[str, list[str]] = {}
    for result in results:
        if result.verdict == "passed":
            met.update(result.scenario.covers)
        met.update(result.judged)
        for failure in (*result.failures, *result.warnings):
            for requirement in failure.requirements:
                by = broken.setdefault(requirement, [])
                if result.scenario.id not in by:
                    by.append(result.scenario.id)
    return tuple(
        RequirementResult(
            requirement,
            "broken" if id in broken else "met" if id in met else "not-measured",
            tuple(broken.get(id, ())),
        )
        for id, requirement in register.items()
    )
