"""One agent's late results, between two replacements of its conversation: which came, which were dropped.

A result is for its call's placeholder, and the first that was put in is used; every other is to be dropped.
What is open is not judged: a result for a call that was left without any when the process died.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from conformance.checks.inbox_messages import Item
from conformance.reading import ToolResult

NOT_PENDING = ("returns", "raises", "denied")
"""How an execution ends whose call is not pending afterwards."""

Results: TypeAlias = Mapping[str, Sequence[ToolResult]]


def count_real(results: Results, owed: set[str]) -> dict[str, int]:
    """How many real results each call has; calls with none are left out.

    A model may be given messages without marks. So where a call in `owed`, one that was pending, has no
    result that is marked as pending, one of its results is taken for the placeholder.
    """
    counts: dict[str, int] = {}
    for call, given in results.items():
        real = sum(not result.pending for result in given)
        if real == len(given) and call in owed:
            real -= 1
        if real:
            counts[call] = real
    return counts


def pending_in(results: Results) -> set[str]:
    """The calls that have a placeholder."""
    return {call for call, given in results.items() if any(result.pending for result in given)}


@dataclass(slots=True)
class LateResults:
    """The results that wait, and what is known of the calls that results were put in for.

    `made` are the calls that the agent has made. `drops` says that a result has been put in since the last
    model call that has to be dropped.
    """

    made: set[str] = field(default_factory=set)
    drops: bool = False
    _waiting: dict[str, list[Item]] = field(default_factory=dict)
    _put: Counter[str] = field(default_factory=Counter)
    _real: dict[str, int] = field(default_factory=dict)
    _before: Mapping[str, int] = field(default_factory=dict)
    _completed: set[str] = field(default_factory=set)
    _owed: set[str] = field(default_factory=set)
    _resolved: Counter[str] = field(default_factory=Counter)
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def beside(cls, calls: Iterable[str], results: Results) -> LateResults:
        """For an agent that has a conversation with these calls and results already."""
        owed = pending_in(results)
        real = count_real(results, owed)
        return cls(made=set(calls), _real=dict(real), _before=real, _owed=owed)

    @property
    def waiting(self) -> list[Item]:
        """All results that have not come yet."""
        return [item for items in self._waiting.values() for item in items]

    def put(self, call_id: str, item: Item) -> None:
        """A result is put in."""
        answered = self._real.get(call_id, 0) > 0
        self._put[call_id] += 1
        self.drops = self.drops or answered or self._put[call_id] > 1 or call_id not in self.made
        if not answered:
            self._waiting.setdefault(call_id, []).append(item)

    def execute(self, call_id: str) -> None:
        """A call is executed."""
        self.made.add(call_id)
        self._completed.discard(call_id)

    def end_execution(self, call_id: str, outcome: str) -> None:
        """The execution ends."""
        if outcome in NOT_PENDING:
            self._completed.add(call_id)
            self.drops = self.drops or self._put[call_id] > 0
        elif outcome == "pending":
            self._owed.add(call_id)

    def resolve(self, step: int, call_id: str) -> bool:
        """ToolResolved comes for a call. Whether that is for a result that was to be dropped."""
        self._resolved[call_id] += 1
        self._seen.setdefault(call_id, step)
        settled_before = call_id in self._completed or call_id in self._before
        return self._put[call_id] > 0 and self._resolved[call_id] > (0 if settled_before else 1)

    def deliver(self, results: Results, model_calls: int) -> tuple[list[Item], list[tuple[str, Item]]]:
        """The model is called: the results that were due and are there, and, by call, those that are lost."""
        found: list[Item] = []
        lost: list[tuple[str, Item]] = []
        for call, items in list(self._waiting.items()):
            given = results.get(call, ())
            first = items[0]
            due = first.is_due(model_calls)
            pending = any(result.pending for result in given)
            if pending and any(not result.pending for result in given):
                found.extend([first] if due else [])
            elif not due:
                continue
            elif pending:
                lost.append((call, first))
            del self._waiting[call]
        return found, lost

    def show(self, step: int, results: Results) -> list[str]:
        """The conversation is shown: the calls of which it has a result that was to be dropped."""
        surplus: list[str] = []
        self._owed |= pending_in(results)
        real = count_real(results, self._owed)
        for call in self._put.keys() & results.keys():
            self._seen.setdefault(call, step)
            allowed = max(1, self._before.get(call, 0))
            one_was_enough = self._put[call] > 1 or call in self._real or call in self._completed
            if real.get(call, 0) > allowed and one_was_enough:
                surplus.append(call)
                del self._put[call]
        self._real.update(real)
        return sorted(surplus)

    def unknown(self) -> list[tuple[int, str]]:
        """When all has been shown: ids that no call has and whose result was not dropped, with the step."""
        return [
            (self._seen[call], call)
            for call in sorted(self._put)
            if call not in self.made and call in self._seen
        ]
