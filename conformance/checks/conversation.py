"""Checks of the conversation: its form whenever the model is given it, and that no call is executed twice.

A conversation is seen when the model is called and when a run ends. What a conversation brought with it when
it was put in place is nobody's fault.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.checks.inbox_results import count_real, pending_in
from conformance.reading import ToolCall, calls_of, results_of, text_at
from conformance.scenario import Json
from conformance.transcript import (
    Began,
    Ended,
    Message,
    ModelAnswered,
    ModelCalled,
    Put,
    Replaced,
    ToolAnswered,
    ToolCalled,
    Transcript,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A conversation as it was at some moment: given to the model, or at a run's end."""

    step: int
    agent: str
    messages: Sequence[Message]
    to_model: bool


def shown(entry: object) -> Shown | None:
    """The conversation that an entry of a transcript shows, if any."""
    match entry:
        case ModelCalled():
            return Shown(entry.step, entry.agent, entry.messages, to_model=True)
        case Ended(messages=messages) if messages is not None:
            return Shown(entry.step, entry.run.agent, messages, to_model=False)
        case _:
            return None


def ids_unique(facts: Facts) -> list[Fault] | None:
    """No two messages of a conversation, and no two calls in it, have one id."""
    judged = False
    told: dict[tuple[str, str], Fault] = {}
    for view in filter(None, map(shown, facts.transcript.entries)):
        judged = judged or len(view.messages) > 1
        messages = [text_at(message, "id") for message in view.messages]
        calls = [call.id for call in calls_of(view.messages)]
        for what, ids in (("messages", messages), ("calls", calls)):
            for id, times in Counter(ids).items():
                if id and times > 1:
                    text = f"{times} {what} of {view.agent}'s conversation have the id {id}"
                    told.setdefault((view.agent, id), Fault(view.step, text, 1, times))
    return list(told.values()) if judged else None


def well_formed(facts: Facts) -> list[Fault] | None:
    """Whenever the model is called, each call that its agent made has a result."""
    return _answered(facts, left_over=False)


def dangling_failed(facts: Facts) -> list[Fault] | None:
    """The same for calls without any result in a conversation that was put in place."""
    return _answered(facts, left_over=True)


def _answered(facts: Facts, *, left_over: bool) -> list[Fault] | None:
    judged = False
    told: dict[tuple[str, str], Fault] = {}
    for view, call, was_left_over, is_answered in _calls_shown(facts.transcript):
        if was_left_over is not left_over:
            continue
        judged = True
        if not is_answered:
            text = f"{view.agent}'s model is called and {call.name} ({call.id}) has no result"
            told.setdefault(
                (view.agent, call.id), Fault(view.step, text, "a result", list[Json](view.messages))
            )
    return list(told.values()) if judged else None


def _calls_shown(transcript: Transcript) -> Iterator[tuple[Shown, ToolCall, bool, bool]]:
    """Each call that a model is shown: whether a restart left it over, and whether it has a result."""
    left_over: dict[str, set[str]] = {}
    for entry in transcript.entries:
        if isinstance(entry, Replaced):
            results = results_of(entry.messages)
            left_over[entry.agent] = {call.id for call in calls_of(entry.messages)} - results.keys()
        elif isinstance(entry, ModelCalled):
            view = Shown(entry.step, entry.agent, entry.messages, to_model=True)
            results = results_of(entry.messages)
            for call in calls_of(entry.messages):
                yield view, call, call.id in left_over.get(entry.agent, ()), call.id in results


def placeholder_kept(facts: Facts) -> list[Fault] | None:
    """A placeholder that was seen stays in the conversation, unchanged.

    What the model is given and what the conversation holds are each compared with what they were before:
    how the one is made of the other is not looked at. A call that the model is no longer shown was pruned.
    """
    judged = False
    faults: list[Fault] = []
    known: dict[tuple[str, bool], dict[str, str]] = defaultdict(dict)
    for entry in facts.transcript.entries:
        if isinstance(entry, Replaced):
            known.pop((entry.agent, True), None)
            known.pop((entry.agent, False), None)
        view = shown(entry)
        if view is None:
            continue
        results = results_of(view.messages)
        calls = {call.id for call in calls_of(view.messages)}
        placeholders = known[view.agent, view.to_model]
        for call, content in list(placeholders.items()):
            if call not in calls and view.to_model:
                continue
            given = results.get(call, [])
            judged = judged or any(not result.pending for result in given)
            if not any(result.pending and result.content == content for result in given):
                text = f"the placeholder of {call} is no longer in {view.agent}'s conversation as it was"
                faults.append(Fault(view.step, text, content, [result.content for result in given]))
                del placeholders[call]
        for call in pending_in(results):
            placeholders.setdefault(call, next(given.content for given in results[call] if given.pending))
    return faults if judged or faults else None


def second_dropped_later(facts: Facts) -> list[Fault] | None:
    """A call has one real result at most, however many are sent."""
    judged = False
    told: dict[tuple[str, str], Fault] = {}
    books: dict[str, _Results] = defaultdict(_Results)
    for entry in facts.transcript.entries:
        match entry:
            case Replaced():
                books[entry.agent] = _Results.beside(entry.messages)
            case ToolAnswered(outcome="pending"):
                books[entry.agent].owed.add(entry.call_id)
            case Put(word="resolve" | "reject"):
                book = books[entry.agent]
                book.sent_again = book.sent_again or entry.call_id in book.real
            case _:
                view = shown(entry)
                if view is None:
                    continue
                judged = judged or (books[view.agent].sent_again and view.to_model)
                for call, times in books[view.agent].surplus(view.messages):
                    text = f"{call} has {times} real results in {view.agent}'s conversation"
                    told.setdefault((view.agent, call), Fault(view.step, text, 1, times))
    return list(told.values()) if judged or told else None


@dataclass(slots=True)
class _Results:
    """The real results of one agent's calls, as they were last seen; `before`: as they were put in place."""

    real: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    owed: set[str] = field(default_factory=set)
    sent_again: bool = False

    @classmethod
    def beside(cls, messages: Sequence[Message]) -> _Results:
        results = results_of(messages)
        owed = pending_in(results)
        return cls(count_real(results, owed), count_real(results, owed), owed)

    def surplus(self, messages: Sequence[Message]) -> list[tuple[str, int]]:
        """The calls that have more real results than they may, and how many."""
        results = results_of(messages)
        self.owed |= pending_in(results)
        self.real = count_real(results, self.owed)
        made = Counter(call.id for call in calls_of(messages))
        return [
            (call, times)
            for call, times in self.real.items()
            if times > max(1, made[call], self.before.get(call, 0))
        ]


def never_rerun(facts: Facts) -> list[Fault] | None:
    """A call is executed once, also by an agent that was restored with it.

    Where ids are given out twice, an execution that the model has just asked for is that of the new call.
    """
    judged = False
    faults: list[Fault] = []
    books: dict[str, _Executions] = defaultdict(_Executions)
    for entry in facts.transcript.entries:
        match entry:
            case Replaced():
                books[entry.agent] = _Executions(restored=bool(calls_of(entry.messages)))
            case Began(run=run):
                books[run.agent].ask(())
            case ModelCalled():
                judged = judged or books[entry.agent].restored
            case ModelAnswered():
                books[entry.agent].ask(entry.calls)
            case ToolCalled():
                if not books[entry.agent].execute(entry):
                    text = f"{entry.tool} is executed for {entry.call_id}, which nobody has asked for again"
                    faults.append(Fault(entry.step, text, None, entry.call_id))
            case _:
                pass
    return faults if judged or faults else None


@dataclass(slots=True)
class _Executions:
    """What one agent's model has asked for in its last answer, and what of that has been executed."""

    restored: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    executed: set[str] = field(default_factory=set)

    def ask(self, tools: Sequence[str]) -> None:
        self.asked = Counter(tools)
        self.executed = set()

    def execute(self, call: ToolCalled) -> bool:
        """Whether the execution was asked for and is the first of its call."""
        first = call.call_id not in self.executed and self.asked[call.tool] > 0
        self.executed.add(call.call_id)
        self.asked[call.tool] -= 1
        return first
