"""The always-on checks: whatever a scenario says, every play is also judged by these.

They look at a transcript and nothing else, so they judge written, generated and recorded plays alike. Each
belongs to one requirement. They are lenient where the documents leave something open, and never raise,
whatever an implementation has sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conformance.checks import (
    arguments,
    conversation,
    delivery,
    events,
    fields,
    handles,
    pairs,
    results,
    tools,
)
from conformance.checks.facts import Facts, gather
from conformance.checks.finding import Fault, Finding
from conformance.transcript import Entry, Transcript

__all__ = ["ALWAYS_ON", "Check", "Finding", "run_checks"]

MOST = 50
"""How many faults of one kind are told of one play."""

Judge: TypeAlias = Callable[[Facts], list[Fault] | None]
"""Looks at a play. None: there was nothing in it that this could have judged."""

HostJudge: TypeAlias = Callable[[Sequence[Entry]], list[Fault] | None]
"""The same for the profiles in which the host sees results and views, and no events."""


@dataclass(frozen=True, slots=True)
class Check:
    """An always-on check: it judges one requirement, by whose last word it is called."""

    requirement: str
    judge: Judge

    @property
    def profile(self) -> str:
        """The profile whose plays it judges."""
        return self.requirement.partition(".")[0]

    @property
    def name(self) -> str:
        """What the check is called in reports."""
        return self.requirement.rpartition(".")[2]

    def run(self, facts: Facts) -> list[Finding] | None:
        """The findings; None where there was nothing to judge."""
        faults = self.judge(facts)
        if faults is None:
            return None
        findings = [
            Finding(self.name, self.requirement, fault.step, fault.message, fault.expected, fault.actual)
            for fault in faults[:MOST]
        ]
        if len(faults) > MOST:
            message = f"and {len(faults) - MOST} times more"
            findings.append(Finding(self.name, self.requirement, faults[MOST].step, message))
        return findings


def _delivered(requirement: str) -> Check:
    return Check(requirement, lambda facts: facts.deliveries.by_requirement.get(requirement))


def _of_host(requirement: str, judge: HostJudge) -> Check:
    return Check(requirement, lambda facts: judge(facts.entries))


ALWAYS_ON: tuple[Check, ...] = (
    Check("agent.events.run-brackets", events.run_brackets),
    Check("agent.events.run-brackets-always", events.run_brackets_always),
    Check("agent.events.turn-order", events.turn_order),
    Check("agent.events.calling-turn-order", events.calling_turn_order),
    Check("agent.events.tool-group", tools.tool_group),
    Check("agent.events.groups-in-order", tools.groups_in_order),
    Check("agent.events.same-message", pairs.same_message),
    Check("agent.events.deltas-add-up", events.deltas_add_up),
    Check("agent.events.stats-once", events.stats_once),
    Check("agent.events.agent-end-complete", events.agent_end_complete),
    Check("agent.events.ids-unique", conversation.ids_unique),
    Check("agent.events.schema", fields.schema),
    Check("agent.events.schema-background", fields.schema_background),
    Check("agent.run.arguments", arguments.of_agents),
    Check("agent.child.nested", tools.nested),
    Check("agent.pending.well-formed", conversation.well_formed),
    Check("agent.pending.call-id", tools.call_id),
    Check("agent.pending.placeholder-kept", conversation.placeholder_kept),
    Check("agent.pending.second-dropped-later", conversation.second_dropped_later),
    Check("agent.restart.dangling-failed", conversation.dangling_failed),
    Check("agent.restart.dangling-only-missing", conversation.dangling_only_missing),
    Check("agent.restart.dangling-once", conversation.dangling_once),
    Check("agent.restart.never-rerun", conversation.never_rerun),
    *map(
        _delivered,
        (
            delivery.AT_PROMPT,
            delivery.AT_RESUME,
            delivery.BETWEEN_CALLS,
            delivery.AFTER_STOP,
            delivery.FROM_THREADS,
            delivery.ONCE,
            delivery.DROPPED,
        ),
    ),
    _of_host("runtime.handle.id", handles.ids),
    _of_host("runtime.handle.id-layout", handles.id_layout),
    _of_host("runtime.handle.state-names", handles.state_names),
    _of_host("runtime.handle.transitions", handles.transitions),
    _of_host("runtime.handle.only-answer", handles.only_answer),
    _of_host("runtime.handle.closed-final", handles.closed_final),
    _of_host("runtime.handle.close", handles.children_first),
    _of_host("runtime.handle.list-views", handles.list_views),
    _of_host("runtime.handle.inspect", handles.inspected),
    _of_host("runtime.handle.pending-kind-cleared", handles.pending_kind_cleared),
    _of_host("runtime.handle.tool-arguments", arguments.of_hosted),
    _of_host("runtime.result.fields", results.fields),
    _of_host("runtime.result.status-vocabulary", results.status_vocabulary),
    _of_host("runtime.result.cumulative", results.cumulative),
    _of_host("runtime.result.limit", results.limit_named),
    _of_host("runtime.result.limit-empty", results.limit_empty),
    _of_host("runtime.inbox.depth", handles.depth),
    _of_host("client.run.call-arguments", arguments.of_hosted),
    _of_host("client.halt.pending", results.halted),
    _of_host("client.answer.one-result-each", results.one_result_each),
)
"""Every check. A test goes through them and wants a play that passes each and one that fails it."""


def run_checks(transcript: Transcript) -> tuple[list[Finding], set[str]]:
    """What is wrong with a play, and the requirements for which a check had something to judge."""
    facts = gather(transcript)
    findings: list[Finding] = []
    judged: set[str] = set()
    for check in ALWAYS_ON:
        if check.profile != transcript.profile:
            continue
        found = check.run(facts)
        if found is not None:
            judged.add(check.requirement)
            findings.extend(found)
    return findings, judged
