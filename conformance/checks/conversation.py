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
from conformance.checks.views import AtEnd, Given, PutInPlace
from conformance.reading import ToolCall, text_at
from conformance.scenario import Json
from conformance.transcript import Began, ModelAnswered, ToolCalled


def ids_unique(facts: Facts) -> list[Fault] | None:
    """No two messages of a conversation, and no two calls in it, have one id."""
    judged = False
    told: dict[tuple[str, str], Fault] = {}
    for view in facts.story:
        if not isinstance(view, Given | AtEnd):
            continue
        judged = judged or len(view.messages) > 1
        messages = [text_at(message, "id") for message in view.messages]
        calls = [call.id for call in view.calls]
        for what, ids in (("messages", messages), ("calls", calls)):
            for id, times in _repeated(ids).items():
                if id:
                    text = f"{times} {what} of {view.agent}'s conversation have the id {id}"
                    told.setdefault((view.agent, id), Fault(view.step, text, 1, times))
    return list(told.values()) if judged else None


def _repeated(ids: Sequence[str]) -> dict[str, int]:
    """The ids that are there more than once, and how often."""
    if len(set(ids)) == len(ids):
        return {}
    return {id: times for id, times in Counter(ids).items() if times > 1}


def well_formed(facts: Facts) -> list[Fault] | None:
    """Whenever the model is called, each call that its agent made has a result."""
    return _answered(facts, left_over=False)


def dangling_failed(facts: Facts) -> list[Fault] | None:
    """The same for calls without any result in a conversation that was put in place."""
    return _answered(facts, left_over=True)


def _answered(facts: Facts, *, left_over: bool) -> list[Fault] | None:
    judged = False
    told: dict[tuple[str, str], Fault] = {}
    for view, call, was_left_over, is_answered in _calls_given(facts):
        if was_left_over is not left_over:
            continue
        judged = True
        if not is_answered:
            text = f"{view.agent}'s model is called and {call.name} ({call.id}) has no result"
            told.setdefault(
                (view.agent, call.id), Fault(view.step, text, "a result", list[Json](view.messages))
            )
    return list(told.values()) if judged else None


def _calls_given(facts: Facts) -> Iterator[tuple[Given, ToolCall, bool, bool]]:
    """Each call that a model is given: whether a restart left it over, and whether it has a result."""
    left_over: dict[str, set[str]] = {}
    for view in facts.story:
        if isinstance(view, PutInPlace):
            left_over[view.agent] = {call.id for call in view.calls} - view.results.keys()
        elif isinstance(view, Given):
            for call in view.calls:
                yield view, call, call.id in left_over.get(view.agent, ()), call.id in view.results


def placeholder_kept(facts: Facts) -> list[Fault] | None:
    """A placeholder that was seen stays in the conversation, unchanged.

    What the model is given and what the conversation holds are each compared with what they were before:
    how the one is made of the other is not looked at. A call that the model is no longer shown was pruned.
    """
    judged = False
    faults: list[Fault] = []
    known: dict[tuple[str, type], dict[str, str]] = defaultdict(dict)
    for view in facts.story:
        if isinstance(view, PutInPlace):
            known.pop((view.agent, Given), None)
            known.pop((view.agent, AtEnd), None)
        if not isinstance(view, Given | AtEnd):
            continue
        calls = {call.id for call in view.calls}
        placeholders = known[view.agent, type(view)]
        for call, content in list(placeholders.items()):
            if call not in calls and isinstance(view, Given):
                continue
            given = view.results.get(call, ())
            judged = judged or any(not result.pending for result in given)
            if not any(result.pending and result.content == content for result in given):
                text = f"the placeholder of {call} is no longer in {view.agent}'s conversation as it was"
                faults.append(Fault(view.step, text, content, [result.content for result in given]))
                del placeholders[call]
        for call, given in view.results.items():
            for result in given:
                if result.pending:
                    placeholders.setdefault(call, result.content)
    return faults if judged or faults else None


def second_dropped_later(facts: Facts) -> list[Fault] | None:
    """A call has one real result at most, however many are sent."""
    return facts.surplus.get("made here")


def dangling_only_missing(facts: Facts) -> list[Fault] | None:
    """A restored call that has a result gets no other, unless somebody sends one."""
    return facts.surplus.get("answered")


def dangling_once(facts: Facts) -> list[Fault] | None:
    """A restored call without a result gets one failed result, in the first run."""
    return facts.surplus.get("dangling")


def never_rerun(facts: Facts) -> list[Fault] | None:
    """A call is executed once, also by an agent that was restored with it.

    Where two calls have one id, an execution that the model has just asked for is that of the new one.
    """
    judged = False
    faults: list[tuple[str, str, Fault]] = []
    given_twice: set[tuple[str, str]] = set()
    books: dict[str, _Executions] = defaultdict(_Executions)
    for entry in facts.story:
        match entry:
            case PutInPlace():
                books[entry.agent] = _Executions(
                    {call.id for call in entry.calls}, restored=bool(entry.calls)
                )
            case Began(run=run):
                books[run.agent].ask(())
            case Given() | AtEnd():
                judged = judged or books[entry.agent].restored
                given_twice.update((entry.agent, id) for id in _repeated([call.id for call in entry.calls]))
            case ModelAnswered():
                books[entry.agent].ask([call.name for call in entry.calls])
            case ToolCalled():
                if books[entry.agent].repeats(entry):
                    text = f"{entry.tool} is executed for {entry.call_id}, which nobody has asked for again"
                    fault = Fault(entry.step, text, None, entry.call_id)
                    faults.append((entry.agent, entry.call_id, fault))
            case _:
                pass
    found = [fault for agent, call, fault in faults if (agent, call) not in given_twice]
    return found if judged or found else None


@dataclass(slots=True)
class _Executions:
    """The calls that one agent has had, and what its model has asked for in its last answer."""

    known: set[str] = field(default_factory=set)
    restored: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    executed: set[str] = field(default_factory=set)

    def ask(self, tools: Sequence[str]) -> None:
        """The model asks for these tools, each once."""
        self.asked = Counter(tools)
        self.executed = set()

    def repeats(self, call: ToolCalled) -> bool:
        """Whether an execution is a second one of its call, be it under another id."""
        unasked = self.asked[call.tool] <= 0 and (self.restored or call.call_id in self.known)
        again = call.call_id in self.executed or unasked
        self.executed.add(call.call_id)
        self.known.add(call.call_id)
        self.asked[call.tool] -= 1
        return again
