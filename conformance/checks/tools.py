"""Checks of the events of tool calls: each call's own order, the order among calls, and nested streams.

A turn that was cut short is not judged, nor is whether the group of a call is complete that did not end by
itself. Groups of several calls may interleave but for `groups_in_order`.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.checks.streams import Seen, Stream, Turn, is_whole
from conformance.scenario import Json
from conformance.transcript import ToolCalled

GROUP = ("ToolExecStart", "ToolExecEnd", "MessageStart", "MessageEnd")
"""The events of a call that the documents put in order; a message is that of its result."""

ENDED_BY_ITSELF = ("returns", "pending")


def tool_group(facts: Facts) -> list[Fault] | None:
    """ToolExecStart, ToolExecEnd, MessageStart, MessageEnd of each call, before its turn's TurnEnd."""
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        started: set[str] = set()
        for turn in stream.turns:
            if not turn.whole:
                continue
            groups = _groups(turn)
            if groups is None:
                started.update(seen.call_id for seen in turn.seen if seen.type == "ToolExecStart")
                continue
            for call, group in groups.items():
                started.add(call)
                judged = True
                fault = _group_fault(turn, call, group, facts.outcome(stream.run, call))
                faults.extend([fault] if fault is not None else [])
        for execution in _unannounced(facts, stream, started):
            judged = True
            message = (
                f"{stream.title} has no ToolExecStart in a turn for {execution.tool} ({execution.call_id})"
            )
            faults.append(Fault(execution.step, message, "ToolExecStart", None))
    return faults if judged else None


def _groups(turn: Turn) -> dict[str, list[Seen]] | None:
    """The group's events of each call that was executed in the turn; None where they cannot be told apart.

    The documents print no id for ToolExecEnd: one without an id belongs to the call that is executing, if
    there is only one.
    """
    groups: dict[str, list[Seen]] = {}
    open_calls: list[str] = []
    denied = {seen.call_id for seen in turn.seen if seen.type == "ToolDenied"}
    executed = {seen.call_id for seen in turn.seen if seen.type in GROUP[:2]} - {""} - denied
    for seen in turn.seen:
        if seen.type not in GROUP or (seen.type in GROUP[2:] and seen.role != "tool_result"):
            continue
        call = seen.call_id
        if seen.type == "ToolExecEnd" and not call and len(open_calls) == 1:
            call = open_calls[0]
        if not call:
            return None
        if seen.type == "ToolExecStart":
            open_calls.append(call)
        elif seen.type == "ToolExecEnd" and call in open_calls:
            open_calls.remove(call)
        if call in executed:
            groups.setdefault(call, []).append(seen)
    return groups


def _group_fault(turn: Turn, call: str, group: list[Seen], outcome: str) -> Fault | None:
    """The first event of a call that is out of its place, or the one that is missing."""
    by_itself = outcome in ENDED_BY_ITSELF
    place = 0
    for seen in group:
        if place == len(GROUP):
            if seen.type != "ToolExecStart":
                continue  # a late result, or an event of a call whose id was given out twice
            place = 0
        expected = GROUP[place]
        if not by_itself and seen.type in GROUP[place:]:
            place = GROUP.index(seen.type)  # which of its events a call has that failed is open
        if seen.type != GROUP[place]:
            message = f"{turn.title} has {seen.title} for {call} where {expected} was expected"
            return Fault(seen.step, message, list(GROUP), [event.type for event in group])
        place += 1
    if place < len(GROUP) and by_itself:
        message = f"a turn of {turn.title} ends without {GROUP[place]} for {call}"
        return Fault(turn.step, message, list(GROUP), [event.type for event in group])
    return None


def _unannounced(facts: Facts, stream: Stream, started: set[str]) -> Iterator[ToolCalled]:
    if stream.run is None or stream.ending != "normal" or not stream.seen:
        return
    if _told_under_other_ids(facts, stream):
        return
    for execution in facts.executions(stream.run):
        if (
            execution.call_id not in started
            and facts.outcome(stream.run, execution.call_id) in ENDED_BY_ITSELF
        ):
            yield execution


def call_id(facts: Facts) -> list[Fault] | None:
    """The id that a tool is given is the one in the events of its call."""
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        if stream.run is None or stream.ending != "normal":
            continue
        started = _started(stream)
        executions = facts.executions(stream.run)
        judged = judged or bool(started and executions)
        others: list[Json] = [*_told_under_other_ids(facts, stream)]
        for execution in executions if others else ():
            if execution.call_id not in started:
                message = f"{execution.tool} is given the id {execution.call_id}, which is in no event"
                faults.append(Fault(execution.step, message, others, execution.call_id))
    return faults if judged else None


def _started(stream: Stream) -> set[str]:
    return {seen.call_id for seen in stream.seen if seen.type == "ToolExecStart"}


def _told_under_other_ids(facts: Facts, stream: Stream) -> list[str]:
    """The ids that ToolExecStart tells of and no tool was given, where some tools were given other ones."""
    if stream.run is None:
        return []
    given = {execution.call_id for execution in facts.executions(stream.run)}
    started = _started(stream)
    return sorted(started - given) if given - started else []


def groups_in_order(facts: Facts) -> list[Fault] | None:
    """Several calls of one turn: in call order, each group complete before the next begins."""
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        for turn in stream.turns:
            order = [call.id for call in turn.calls]
            if not turn.whole or len(order) < 2 or len(set(order)) < len(order):
                continue
            came = _visits(turn, set(order))
            judged = judged or len(set(came)) > 1
            present = set(came)
            expected = [call for call in order if call in present]
            if came != expected:
                message = f"the events of the calls of a turn of {turn.title} do not come call by call"
                faults.append(Fault(turn.step, message, list(expected), list(came)))
    return faults if judged else None


def _visits(turn: Turn, calls: set[str]) -> list[str]:
    """The calls in the order in which the stream comes to them, up to the result's MessageEnd of each."""
    visits: list[str] = []
    done: set[str] = set()
    executed = {seen.call_id for seen in turn.seen if seen.type in ("ToolExecStart", "ToolDenied")} & calls
    for seen in turn.seen:
        call = seen.call_id
        if call not in executed or call in done or seen.type == "ToolResolved":
            continue
        if not visits or visits[-1] != call:
            visits.append(call)
        if seen.is_message("MessageEnd", "tool_result"):
            done.add(call)
    return visits


def nested(facts: Facts) -> list[Fault] | None:
    """Nested events come between their call's ToolExecStart and ToolExecEnd; a child's run comes whole."""
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        if any(seen.type == "Nested" for seen in stream.seen):
            judged = True
            faults.extend(_misplaced(stream))
        if stream.parent is not None and stream.ending == "normal":
            judged = True
            fault = _not_whole(stream)
            faults.extend([fault] if fault is not None else [])
    return faults if judged else None


def _misplaced(stream: Stream) -> list[Fault]:
    """The first Nested event of each call that comes while the call is not executing.

    Not judged: the turn in which a run was stopped or failed and what follows, and the end of a call whose
    ToolExecEnd may be one of those that name no call.
    """
    executing: set[str] = set()
    faults: dict[str, Fault] = {}
    cut_short = next((turn.seen[0] for turn in stream.turns if not turn.whole), None)
    for seen in stream.seen:
        if seen is cut_short:
            break
        call = seen.call_id
        if seen.type == "ToolExecStart":
            executing.add(call)
        elif seen.type == "ToolExecEnd":
            executing -= {call} if call or len(executing) != 1 else set(executing)
        elif seen.type == "Nested" and call and call not in executing:
            message = f"{stream.title} has a Nested event of {call} while {call} is not executing"
            expected = "between ToolExecStart and ToolExecEnd of the call"
            faults.setdefault(call, Fault(seen.step, message, expected, seen.event))
    return list(faults.values())


def _not_whole(stream: Stream) -> Fault | None:
    if is_whole(stream):
        return None
    types: list[Json] = [seen.type for seen in stream.seen]
    message = f"{stream.title} does not come whole, from AgentStart to AgentEnd"
    return Fault(stream.step, message, ["AgentStart", "...", "AgentEnd"], types)
