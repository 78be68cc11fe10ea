"""Calls with more real results than they may have, by what had become of them when their agent was restored.

Where a result was put in for a call, it does not matter how the call was restored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from conformance.checks.finding import Fault
from conformance.checks.inbox_results import count_real, pending_in
from conformance.checks.views import AtEnd, Given, Happening, PutInPlace, View
from conformance.transcript import Put, ToolAnswered

Origin: TypeAlias = Literal["made here", "answered", "dangling"]
"""Where a call is from: this agent made it, or was restored with it, with a result or without any."""


def surplus_of(story: Sequence[Happening]) -> Mapping[Origin, list[Fault]]:
    """The faults among the calls of each origin; an origin is missing where there was nothing to judge."""
    judged: dict[Origin, dict[tuple[str, str], Fault]] = {}
    books: dict[str, _Results] = defaultdict(_Results)
    for entry in story:
        match entry:
            case PutInPlace():
                books[entry.agent] = _Results.beside(entry)
            case ToolAnswered(outcome="pending"):
                books[entry.agent].owed.add(entry.call_id)
            case Put(word="resolve" | "reject"):
                books[entry.agent].put(entry.call_id)
            case Given() | AtEnd():
                book = books[entry.agent]
                for origin in book.origins() if isinstance(entry, Given) else ():
                    judged.setdefault(origin, {})
                for call, origin, times, allowed in book.surplus(entry):
                    text = (
                        f"real results of {call} in {entry.agent}'s conversation: {times}, expected {allowed}"
                    )
                    fault = Fault(entry.step, text, allowed, times)
                    judged.setdefault(origin, {}).setdefault((entry.agent, call), fault)
            case _:
                pass
    return {origin: list(faults.values()) for origin, faults in judged.items()}


@dataclass(slots=True)
class _Results:
    """The real results of one agent's calls: how many there were when they were last seen.

    `restored` are the calls of a conversation that was put in place of a fresh agent's, and `before` says how
    many real results they had.
    """

    real: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    restored: dict[str, Origin] = field(default_factory=dict)
    owed: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    sent_again: bool = False

    @classmethod
    def beside(cls, view: PutInPlace) -> _Results:
        owed = pending_in(view.results)
        real = count_real(view.results, owed)
        # A living agent may have results in its inbox still, so that what they are for is not known.
        states: dict[str, Origin] = {
            call.id: "answered" if call.id in view.results else "dangling"
            for call in view.calls
            if view.fresh
        }
        return cls(dict(real), real, states, owed)

    def put(self, call_id: str) -> None:
        """A result is put in."""
        self.sent.add(call_id)
        self.sent_again = self.sent_again or call_id in self.real

    def origins(self) -> set[Origin]:
        """Of which calls there is something to judge."""
        found = set(self.restored.values())
        return found | {"made here"} if self.sent_again else found

    def surplus(self, view: View) -> list[tuple[str, Origin, int, int]]:
        """The calls with too many real results: their origin, how many there are, and how many may be."""
        self.owed |= pending_in(view.results)
        self.real = count_real(view.results, self.owed)
        too_many: list[tuple[str, Origin, int, int]] = []
        for call, times in self.real.items():
            origin = "made here" if call in self.sent else self.restored.get(call, "made here")
            before = self.before.get(call, 0)
            allowed = before if origin == "answered" else max(1, before)
            if times > allowed:
                too_many.append((call, origin, times, allowed))
        if not too_many:
            return []
        made = Counter(call.id for call in view.calls)
        return [entry for entry in too_many if made[entry[0]] < 2]
