"""What crosses the boundary of a handle, and what a client answers: its fields, its words, and its counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance import schemas, words
from conformance.checks.finding import Fault
from conformance.checks.handles import looks
from conformance.patterns import dotted
from conformance.reading import calls_of, list_at, mapping_at, results_of, text_at
from conformance.scenario import Json
from conformance.transcript import Entry, ModelCalled, Performed

STATUSES = ("done", "pending", "incomplete", "interrupted", "closed", "timeout", "error")
_GIVE_RESULTS = ("runtime/wait", "runtime/resume")
_NEEDS_LIMIT = ("incomplete", "timeout")
_CLEAN = ("done", "pending")
"""Statuses of runs that nothing stopped."""


class Result(NamedTuple):
    """A TaskResult, and the handle whose it is, where that is known: `resume` does not tell."""

    step: int
    runtime: str
    handle: str
    value: dict[str, Json]


def _results(entries: Sequence[Entry]) -> Iterator[Result]:
    for entry in entries:
        if isinstance(entry, Performed) and entry.method in _GIVE_RESULTS and entry.result is not None:
            yield Result(entry.step, entry.runtime, entry.handle, entry.result)


def fields(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.result.fields: a TaskResult has its eight fields."""
    results = list(_results(entries))
    faults: list[Fault] = []
    for result in results:
        if not schemas.is_valid("task-result", result.value):
            path, message = schemas.explain("task-result", result.value)[0]
            text = f"a TaskResult: {dotted(path)}: {message}".replace(": : ", ": ")
            faults.append(Fault(result.step, text, None, result.value))
    return faults if results else None


def status_vocabulary(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.result.status-vocabulary: the status is one of seven words."""
    results = list(_results(entries))
    return [
        Fault(
            result.step,
            f"the status of a TaskResult: {words.not_among(STATUSES, result.value.get('status'))}",
        )
        for result in results
        if result.value.get("status") not in STATUSES
    ] or ([] if results else None)


def cumulative(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.result.cumulative: what has been counted for a handle never shrinks."""
    last: dict[tuple[str, str, str, str], int] = {}
    faults: list[Fault] = []
    was_judged = False
    for step, runtime, handle, source, counts in _counts(entries):
        for name, count in counts.items():
            if not isinstance(count, int):
                continue
            key = runtime, handle, source, name
            before = last.get(key)
            if before is not None:
                was_judged = True
                if count < before:
                    message = f"{name} of {handle} went from {before} to {count}"
                    faults.append(Fault(step, message, f"at least {before}", count))
            last[key] = count
    return faults if was_judged else None


def _counts(entries: Sequence[Entry]) -> Iterator[tuple[int, str, str, str, dict[str, Json]]]:
    for result in _results(entries):
        if result.handle:
            counts = {name: result.value.get(name) for name in ("turns", "total_tokens")}
            yield result.step, result.runtime, result.handle, "result", counts
    for look in looks(entries):
        if isinstance(look.view, dict):
            counts = {name: look.view.get(name) for name in ("turns", "tokens")}
            yield look.step, *look.where, "view", counts


def limit_named(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.result.limit: what stopped a run is named."""
    stopped = [result for result in _results(entries) if result.value.get("status") in _NEEDS_LIMIT]
    return [
        Fault(result.step, f"a run is {result.value['status']} and no limit is named", "a limit", "")
        for result in stopped
        if not text_at(result.value, "limit")
    ] or ([] if stopped else None)


def limit_empty(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.result.limit-empty: where nothing stopped a run, no limit is named."""
    clean = [result for result in _results(entries) if result.value.get("status") in _CLEAN]
    return [
        Fault(result.step, f"a run is {result.value['status']} and a limit is named", "", limit)
        for result in clean
        if (limit := result.value.get("limit")) not in ("", None)
    ] or ([] if clean else None)


def halted(entries: Sequence[Entry]) -> list[Fault] | None:
    """client.halt.pending: a run that is pending has the request."""
    faults: list[Fault] = []
    was_judged = False
    for entry in entries:
        if not isinstance(entry, Performed) or text_at(entry.result, "status") != "pending":
            continue
        was_judged = True
        pending = mapping_at(entry.result, "pending")
        if not schemas.is_valid("request", pending):
            path, message = schemas.explain("request", pending)[0]
            text = f"the request of a pending run: {dotted(path)}: {message}".replace(": : ", ": ")
            faults.append(Fault(entry.step, text, None, pending))
    return faults if was_judged else None


def one_result_each(entries: Sequence[Entry]) -> list[Fault] | None:
    """client.answer.one-result-each: where a run goes on with an Answer, every call of the turn has one
    result, and no placeholder, in whatever the model is given and in the end."""
    was_judged = False
    faults: list[Fault] = []
    for step, messages in _gone_on(entries):
        calls, results = calls_of(messages), results_of(messages)
        was_judged = was_judged or bool(calls)
        for call in calls:
            found = results.get(call.id, [])
            if len(found) != 1:
                message = f"the call {call.id} of {call.name} has {len(found)} results"
                faults.append(Fault(step, message, 1, len(found)))
            elif found[0].pending:
                faults.append(Fault(step, f"the call {call.id} of {call.name} still has its placeholder"))
    return faults if was_judged else None


def _gone_on(entries: Sequence[Entry]) -> Iterator[tuple[int, Sequence[Json]]]:
    """What models were given in runs that go on, and the transcripts of those that have come to their end:
    from behind the last user message, since going on adds none. What stands before it is no part of the turn
    that halted."""
    steps = {
        entry.step
        for entry in entries
        if isinstance(entry, Performed) and entry.method.endswith("_with_answer")
    }
    for entry in entries:
        if isinstance(entry, ModelCalled) and entry.step in steps:
            yield entry.step, _behind_the_user(entry.messages)
        elif isinstance(entry, Performed) and entry.step in steps and _is_done(entry):
            yield entry.step, _behind_the_user(list_at(entry.result, "messages"))


def _is_done(entry: Performed) -> bool:
    return text_at(entry.result, "status") == "done"


def _behind_the_user(messages: Sequence[Json]) -> Sequence[Json]:
    users = [place for place, message in enumerate(messages) if text_at(message, "role") == "user"]
    return messages[users[-1] + 1 :] if users else messages
