"""What handles show of themselves: their ids, their states, the steps between these, and their views.

Steps are judged only where the implementation tells of them (capability `state-traces`); a view is a look at
one moment, between two of which much may have happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from conformance import schemas, words
from conformance.checks import moments
from conformance.checks.finding import Fault
from conformance.patterns import dotted
from conformance.reading import list_at, text_at
from conformance.scenario import Json
from conformance.transcript import Entry, Interpreted, Moved, Performed

STATES = ("idle", "running", "suspended", "closed")
_PINNED = frozenset(
    {
        ("idle", "running"),
        ("running", "idle"),
        ("running", "suspended"),
        ("suspended", "running"),
        ("idle", "closed"),
        ("running", "closed"),
        ("suspended", "closed"),
    }
)
"""The steps that there are. What becomes of a suspended handle that is closed is left open."""
_THROUGH_IDLE = ("suspended", "idle")
"""A durable resume may show it, if `running` follows, and a close, if `closed` does. Whether an interrupt
gives up what a suspended handle waits for is left open."""

_DEEPEST = 1000
"""Ids of more segments are no handles: there is nothing to learn from them, and a tree of them is large."""

Where: TypeAlias = tuple[str, str]
"""A runtime, and the id of a handle in it."""


class Look(NamedTuple):
    """A handle as it was seen once: in a step, in the state, and with the whole view where it was one."""

    step: int
    where: Where
    state: Json
    view: Json = None


def looks(entries: Sequence[Entry]) -> Iterator[Look]:
    """All that was seen of handles, in order; what was told of their steps is not among it."""
    for entry in entries:
        if not isinstance(entry, Performed) or entry.result is None:
            continue
        if entry.method == "runtime/state_of":
            yield Look(entry.step, (entry.runtime, entry.handle), entry.result.get("state"))
        elif entry.method == "runtime/inspect":
            where = entry.runtime, entry.handle
            yield Look(entry.step, where, entry.result.get("state"), entry.result)
        elif entry.method == "runtime/list":
            for view in list_at(entry.result, "views"):
                state = view.get("state") if isinstance(view, dict) else None
                yield Look(entry.step, (entry.runtime, text_at(view, "id")), state, view)


class _Step(NamedTuple):
    """A step of a handle, and the state that comes after the next one, or an empty text. `interrupted`: the
    host has interrupted the handle since the step before."""

    move: Moved
    interrupted: bool
    following: str

    @property
    def is_through_idle(self) -> bool:
        """Whether it leads from suspended to idle, and may."""
        is_open = self.interrupted or self.following in ("running", "closed")
        return (self.move.before, self.move.after) == _THROUGH_IDLE and is_open


def _steps(entries: Sequence[Entry]) -> dict[Where, list[_Step]]:
    """What was told of each handle's steps, in order."""
    moves: dict[Where, list[tuple[Moved, bool]]] = {}
    interrupted: set[Where] = set()
    for entry in entries:
        if isinstance(entry, Performed) and entry.method == "runtime/interrupt":
            interrupted.add((entry.runtime, entry.handle))
        elif isinstance(entry, Moved) and entry.before != entry.after:
            where = entry.runtime, entry.handle
            moves.setdefault(where, []).append((entry, where in interrupted))
            interrupted.discard(where)
    return {where: [*_with_following(told)] for where, told in moves.items()}


def _with_following(moves: Sequence[tuple[Moved, bool]]) -> Iterator[_Step]:
    states = [move.after for move, _ in moves]
    for (move, interrupted), following in zip(moves, [*states[1:], ""], strict=True):
        yield _Step(move, interrupted, following)


def transitions(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.transitions: every step is one of the pinned, and begins where the last one ended."""
    told = _steps(entries)
    faults: list[Fault] = []
    for (_, handle), steps in told.items():
        last = "idle"
        for step in steps:
            before, after = step.move.before, step.move.after
            if before != last:
                message = f"{handle} was {last} and then left the state {before}"
                faults.append(Fault(step.move.step, message, last, before))
            if (before, after) not in _PINNED and not step.is_through_idle:
                message = f"{handle} went from {before} to {after}, which is no pinned step"
                faults.append(Fault(step.move.step, message, None, [before, after]))
            last = after
    return faults if told else None


def only_answer(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.only-answer: nothing but an Answer gets a handle out of suspended, or its close.

    The Answer may be an interpreter's: a handle may show itself suspended while that is asked. Which handle
    it was asked for is not known, so it counts for all that are suspended then. What becomes of a handle
    whose interpreter fails is left open.
    """
    upcoming = {where: iter(steps) for where, steps in _steps(entries).items()}
    unanswered: set[Where] = set()
    faults: list[Fault] = []
    was_judged = False
    for entry in entries:
        if isinstance(entry, Interpreted):
            unanswered.clear()
        if not isinstance(entry, Moved) or entry.before == entry.after:
            continue
        where = entry.runtime, entry.handle
        step = next(upcoming[where])
        if entry.after == "suspended":
            unanswered.add(where)
        elif entry.before == "suspended" and entry.after != "closed":
            was_judged = True
            is_closing = step.is_through_idle and (step.interrupted or step.following == "closed")
            if where in unanswered and not entry.answering and not is_closing:
                message = f"{entry.handle} went from suspended to {entry.after} without an Answer"
                faults.append(Fault(entry.step, message))
    return faults if was_judged else None


@dataclass(slots=True)
class _Closed:
    """A handle in the tree of those that were closed, by the last segment of its id. `id` is empty as long as
    it was not closed itself; `place` says after how many others it was."""

    id: str = ""
    place: int = -1
    below: dict[str, _Closed] = field(default_factory=dict)


def children_first(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.close: of two handles that are told to be closed, one below the other, the lower one is
    the first."""
    trees: dict[str, _Closed] = {}
    faults: list[Fault] = []
    was_judged = False
    for place, entry in enumerate(entries):
        if not isinstance(entry, Moved) or entry.after != "closed" or entry.before == "closed":
            continue
        if entry.handle.count("/") > _DEEPEST:
            continue
        *upper, handle = _path(trees.setdefault(entry.runtime, _Closed()), entry.handle)
        was_judged = was_judged or bool(handle.below)
        above = max(upper, key=lambda node: node.place)
        if above.place >= 0:
            message = f"{entry.handle} was closed after {above.id}, which it is below"
            faults.append(Fault(entry.step, message, [entry.handle, above.id], [above.id, entry.handle]))
        handle.id, handle.place = entry.handle, place
    return faults if was_judged or faults else None


def _path(root: _Closed, id: str) -> Iterator[_Closed]:
    """The nodes that lead to a handle, the root first and its own last; those that are missing are made."""
    yield root
    for segment in id.split("/"):
        root = root.below.setdefault(segment, _Closed())
        yield root


def closed_final(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.closed-final: what has been seen closed is never seen as anything else."""
    closed: set[Where] = set()
    faults: list[Fault] = []
    was_judged = False
    for look in looks(entries):
        if look.where in closed:
            was_judged = True
            if look.state != "closed":
                message = f"{look.where[1]} was closed and is {words.plain(look.state)} now"
                faults.append(Fault(look.step, message, "closed", look.state))
        elif look.state == "closed":
            closed.add(look.where)
    return faults if was_judged else None


def state_names(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.state-names: a state has one of four names."""
    seen = list(looks(entries))
    return [
        Fault(look.step, f"the state of {look.where[1]} is {words.not_among(STATES, look.state)}")
        for look in seen
        if look.state not in STATES
    ] or ([] if seen else None)


def pending_kind_cleared(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.pending-kind-cleared: only a suspended handle has a pending kind."""
    views = [look for look in looks(entries) if isinstance(look.view, dict) and look.state != "suspended"]
    return [
        Fault(look.step, f"{look.where[1]} is {words.plain(look.state)} and has a pending kind", "", kind)
        for look in views
        if isinstance(look.view, dict) and (kind := look.view.get("pending_kind")) not in ("", None)
    ] or ([] if views else None)


def list_views(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.list-views: every entry of list() is a view with id, state and pending kind."""
    return _fitting(entries, "runtime/list", "/$defs/entry")


def inspected(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.inspect: what inspect() gives is a whole view, of the handle that was asked for, and in
    the state that the other views show."""
    faults = _fitting(entries, "runtime/inspect", "")
    for entry in entries:
        if isinstance(entry, Performed) and entry.method == "runtime/inspect" and entry.result is not None:
            id = entry.result.get("id")
            if id != entry.handle:
                message = f"inspect of {entry.handle} gave the view of another"
                faults = [*(faults or ()), Fault(entry.step, message, entry.handle, id)]
    if faults is None:
        return None
    return [*faults, *(moments.disagreements(entries, "state") or ())]


def depth(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.inbox.depth: what inbox_len gives is the inbox of the view."""
    return moments.disagreements(entries, "inbox")


def _fitting(entries: Sequence[Entry], method: str, part: str) -> list[Fault] | None:
    faults: list[Fault] = []
    was_judged = False
    for entry in entries:
        if not isinstance(entry, Performed) or entry.method != method or entry.result is None:
            continue
        views = list_at(entry.result, "views") if method == "runtime/list" else [entry.result]
        for view in views:
            was_judged = True
            if not schemas.is_valid("handle-view", view, part):
                path, message = schemas.explain("handle-view", view, part)[0]
                text = f"a view of {method.removeprefix('runtime/')}: {dotted(path)}: {message}"
                faults.append(Fault(entry.step, text.replace(": : ", ": "), None, view))
    return faults if was_judged else None


def ids(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.id: under the parent's, and given once.

    What the root is called is not told: something that all ids of a runtime begin with, up to a slash.
    """
    given: set[Where] = set()
    roots: dict[str, list[str]] = {}
    faults: list[Fault] = []
    for entry in _spawns(entries):
        id = text_at(entry.result, "handle")
        parent = text_at(entry.params, "under")
        above = id[:-1].split("/")[:-1]
        root = parent.split("/") if parent else _common(roots.get(entry.runtime, above), above)
        if not root or above[: len(root)] != root:
            message = f"the id {id} is not one under its parent's"
            expected = parent or "/".join(roots.get(entry.runtime, ["(the root)"]))
            faults.append(Fault(entry.step, message, f"{expected}/...", id))
        elif not parent:
            roots[entry.runtime] = root
        if (entry.runtime, id) in given:
            faults.append(Fault(entry.step, f"the id {id} was given twice", None, id))
        given.add((entry.runtime, id))
    return faults if given else None


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """What two lists of segments have in common from their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    length = next((place for place, (here, there) in pairs if here != there), min(len(one), len(other)))
    return [*one[:length]]


def id_layout(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.id-layout: the definition's name, a dot, a number."""
    spawns = list(_spawns(entries))
    faults: list[Fault] = []
    for entry in spawns:
        last = text_at(entry.result, "handle").rpartition("/")[2]
        name, _, number = last.rpartition(".")
        if name != text_at(entry.params, "name") or not number.isdigit():
            faults.append(Fault(entry.step, "the last segment", f"{text_at(entry.params, 'name')}.N", last))
    return faults if spawns else None


def _spawns(entries: Sequence[Entry]) -> Iterator[Performed]:
    for entry in entries:
        if isinstance(entry, Performed) and entry.method == "runtime/spawn" and entry.result is not None:
            yield entry
