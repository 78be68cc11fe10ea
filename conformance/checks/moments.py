"""Looks at one handle at one moment: what several views say of the same thing has to be the same.

Views are asked for one after the other, so only those of a handle that is at rest, with nothing between them,
are of one moment. Knows which verb shows what, and nothing of what may be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance.checks.finding import Fault
from conformance.reading import list_at, text_at
from conformance.scenario import Json
from conformance.transcript import Entry, Performed

_OF_ONE_HANDLE = frozenset({"runtime/inspect", "runtime/state_of", "runtime/inbox_len"})
_VIEWS = _OF_ONE_HANDLE | {"runtime/list", "runtime/pool_tokens", "runtime/usage_tokens"}

_AT_REST = ("done", "pending", "incomplete", "error")


class _Shown(NamedTuple):
    """What a verb showed of a handle."""

    step: int
    verb: str
    handle: str
    values: dict[str, Json]


def disagreements(entries: Sequence[Entry], field: str) -> list[Fault] | None:
    """Where two verbs showed another `field` of a handle, `state` or `inbox`, at one moment."""
    faults: list[Fault] = []
    was_judged = False
    for moment in _moments(entries):
        first: dict[str, _Shown] = {}
        for shown in moment:
            if field not in shown.values:
                continue
            other = first.setdefault(shown.handle, shown)
            if other.verb == shown.verb:
                continue
            was_judged = True
            expected, actual = other.values[field], shown.values[field]
            if expected != actual:
                message = f"{shown.verb} of {shown.handle} does not agree with {other.verb}"
                faults.append(Fault(shown.step, message, expected, actual))
    return faults if was_judged else None


def _moments(entries: Sequence[Entry]) -> Iterator[list[_Shown]]:
    """Looks in direct succession, as far as they are at handles that are at rest."""
    restless: set[tuple[str, str]] = set()
    moment: list[_Shown] = []
    place = 0, ""
    for entry in entries:
        if isinstance(entry, Performed) and entry.method in _VIEWS and not entry.during:
            if place != (entry.step, entry.runtime):
                yield moment
                moment, place = [], (entry.step, entry.runtime)
            moment += [it for it in _shown(entry) if not _is_restless(entry.runtime, it.handle, restless)]
            continue
        yield moment
        moment = []
        if isinstance(entry, Performed):
            _note(entry, restless)
    yield moment


def _is_restless(runtime: str, handle: str, restless: set[tuple[str, str]]) -> bool:
    """Whether a handle, or one above it, has something to do."""
    return any(
        runtime == where and (handle == above or handle.startswith(f"{above}/")) for where, above in restless
    )


def _shown(entry: Performed) -> Iterator[_Shown]:
    verb, result = entry.method.removeprefix("runtime/"), entry.result or {}
    if entry.method == "runtime/list":
        for view in list_at(result, "views"):
            if isinstance(view, dict):
                yield _Shown(entry.step, verb, text_at(view, "id"), view)
    elif entry.method in _OF_ONE_HANDLE:
        yield _Shown(entry.step, verb, entry.handle, result)


def _note(entry: Performed, restless: set[tuple[str, str]]) -> None:
    """A handle is at rest until it is woken, and again when its turn has come to an end. One that is to close
    may do so at any time."""
    where = entry.runtime, entry.handle
    if entry.method in ("runtime/wake", "runtime/close"):
        restless.add(where)
    elif entry.method == "runtime/wait" and text_at(entry.result, "status") in _AT_REST:
        restless.discard(where)
