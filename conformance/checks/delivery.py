"""What became of the items that were put into the inboxes: delivered once, lost, repeated, or dropped.

Only what is certain is judged. An item is due at the first model call after it was put in, or, where the
agent was on the move at that moment, at the second. A crash takes the inbox with it; whether
replace_messages empties it is open. Which requirement an item is judged by depends on where it was due.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.checks.finding import Fault
from conformance.checks.inbox_messages import Item, PushedMessages
from conformance.checks.inbox_results import LateResults
from conformance.checks.streams import Children, owner_of
from conformance.checks.views import AtEnd, Given, Happening, PutInPlace, View
from conformance.reading import mapping_at, text_at, tool_calls
from conformance.scenario import Json
from conformance.transcript import Began, Emitted, Ended, Put, Run, ToolAnswered, ToolCalled

AT_PROMPT = "agent.inbox.read-at-prompt"
AT_RESUME = "agent.inbox.read-at-resume"
BETWEEN_CALLS = "agent.inbox.read-between-calls"
AFTER_STOP = "agent.inbox.nothing-lost-on-stop"
FROM_THREADS = "agent.inbox.any-thread"
ONCE = "agent.inbox.from-outside"
DROPPED = "agent.inbox.dropped-no-event"


@dataclass(slots=True)
class Deliveries:
    """What was found, by requirement. A requirement that is not among the keys was not judged."""

    by_requirement: dict[str, list[Fault]] = field(default_factory=dict)

    def judged(self, requirement: str, fault: Fault | None = None) -> None:
        """Note that a requirement was judged, and what was wrong, if anything was."""
        faults = self.by_requirement.setdefault(requirement, [])
        faults.extend([] if fault is None else [fault])


class Desk:
    """One agent's inbox, from one replacement of its conversation to the next."""

    def __init__(self, found: Deliveries, view: View | None = None) -> None:
        self._found = found
        self._pushed = PushedMessages() if view is None else PushedMessages.beside(view.messages)
        calls = [] if view is None else [call.id for call in view.calls]
        self.results = LateResults.beside(calls, {} if view is None else view.results)
        self.run: Run | None = None
        self._model_calls = 0
        self._calls_in_run = 0

    def begin(self, run: Run) -> None:
        """A run begins."""
        self.end()
        self.run = run
        self._calls_in_run = 0
        self._pushed.put(Item(run.text.strip(), run.step, None, is_prompt=True))

    def end(self) -> None:
        """The run in progress, if there is one, is over."""
        if self.run is not None and self.run.ending in ("stopped", "failed"):
            for item in (*self._pushed.waiting, *self.results.waiting):
                item.after_stop = True
        self.run = None

    def put(self, put: Put) -> None:
        """An item is put in."""
        due = self._model_calls + (0 if put.settled else 1)
        # Whether the white space around a text is kept is for `push-exact` to say.
        item = Item(put.text.strip(), put.step, due, in_run=self.run is not None, threaded=put.threaded)
        if put.word == "push":
            self._pushed.put(item, settled=put.settled)
        else:
            self.results.put(put.call_id, item)

    def hear(self, step: int, event: dict[str, Json]) -> None:
        """The agent emits an event."""
        kind = text_at(event, "type")
        if kind == "MessageEnd":
            self.results.made.update(call.id for call in tool_calls(mapping_at(event, "message")))
        elif kind == "ToolResolved":
            call = text_at(event, "tool_call_id")
            if self.results.resolve(step, call):
                message = f"ToolResolved comes for {call}, though the result was to be dropped"
                self._found.judged(DROPPED, Fault(step, message, None, event))

    def call_model(self, view: Given) -> None:
        """The model is called: what is due has to be there."""
        step = view.step
        prompt = self.run.text.strip() if self.run is not None else ""
        found, lost, new = self._pushed.show(step, view.messages, self._model_calls, prompt)
        for item in found:
            self._note_found(item)
        for item in lost:
            message = f"the message pushed in step {item.step} is not there when the model is called"
            self._found.judged(self._due_by(item), Fault(step, message, item.text, list[Json](new)))
        came, missing = self.results.deliver(view.results, self._model_calls)
        for item in came:
            self._found.judged(self._due_by(item))
        for call, item in missing:
            message = f"the result of {call} sent in step {item.step} is not there when the model is called"
            shown: list[Json] = [result.content for result in view.results.get(call, ())]
            self._found.judged(self._due_by(item), Fault(step, message, item.text, shown))
        if self.results.drops:
            self._found.judged(DROPPED)
            self.results.drops = False
        self.show(view)
        self._model_calls += 1
        self._calls_in_run += 1

    def show(self, view: View) -> None:
        """The conversation is seen."""
        self.results.made.update(call.id for call in view.calls)
        for call in self.results.show(view.step, view.results):
            message = f"a result for {call} that was to be dropped stands in the conversation"
            self._found.judged(DROPPED, Fault(view.step, message, None, call))

    def leave(self) -> None:
        """The conversation is about to be replaced, or the play is over: judge what needs all of it."""
        for repeated in self._pushed.repeated():
            message = (
                f"a message stands {repeated.times} times in the conversation "
                f"and was put in {repeated.put_in} times"
            )
            self._found.judged(ONCE, Fault(repeated.step, message, repeated.text, repeated.message))
        for step, call in self.results.unknown():
            message = f"a result for {call}, an id that no call has, was not dropped"
            self._found.judged(DROPPED, Fault(step, message, None, call))

    def follow(self, old: Desk) -> None:
        """Go on from a conversation that was replaced under a living agent: what waited may come, or not."""
        for item in old._pushed.waiting:
            self._pushed.put(Item(item.text, item.step, None))
        self.run, self._calls_in_run = old.run, old._calls_in_run

    def _note_found(self, item: Item) -> None:
        if item.is_due(self._model_calls):
            self._found.judged(self._due_by(item))
        if item.in_run and not item.threaded:
            self._found.judged(ONCE)

    def _due_by(self, item: Item) -> str:
        """The requirement by which an item is judged that is due at the present model call."""
        if item.threaded:
            return FROM_THREADS  # a should, whenever it is read
        if item.after_stop:
            return AFTER_STOP
        if self._calls_in_run:
            return BETWEEN_CALLS
        return AT_RESUME if self.run is not None and self.run.kind == "resume" else AT_PROMPT


class _Pass:
    """One pass over a story, with a desk for each agent."""

    def __init__(self, children: Children) -> None:
        self.found = Deliveries()
        self._children = children
        self._desks: dict[str, Desk] = {}

    def desk(self, agent: str) -> Desk:
        if agent not in self._desks:
            self._desks[agent] = Desk(self.found)
        return self._desks[agent]

    def take(self, entry: Happening) -> None:
        match entry:
            case Given():
                self.desk(entry.agent).call_model(entry)
            case AtEnd():
                self.desk(entry.agent).show(entry)
            case PutInPlace():
                self._replace(entry)
            case Began(run=run):
                self.desk(run.agent).begin(run)
            case Ended(run=run):
                self._end(run)
            case Put():
                self.desk(entry.agent).put(entry)
            case ToolCalled():
                self.desk(entry.agent).results.execute(entry.call_id)
            case ToolAnswered():
                self.desk(entry.agent).results.end_execution(entry.call_id, entry.outcome)
                # A child's run is over when the call is in which it takes place.
                here = self._children.get(entry.run.number, {}) if entry.run is not None else {}
                for child in here.get(entry.call_id, ()):
                    self._end(child)
            case Emitted():
                owner, event = owner_of(entry, self._children)
                if owner is not None:
                    self.desk(owner.agent).hear(entry.step, event)
            case _:
                pass

    def _replace(self, view: PutInPlace) -> None:
        old = self.desk(view.agent)
        old.leave()
        new = self._desks[view.agent] = Desk(self.found, view)
        if not view.fresh:
            new.follow(old)

    def _end(self, run: Run) -> None:
        if self.desk(run.agent).run is run:
            self.desk(run.agent).end()

    def leave(self) -> None:
        for desk in self._desks.values():
            desk.leave()


def deliveries_of(story: Sequence[Happening], children: Children) -> Deliveries:
    """What became of all items of a play."""
    through = _Pass(children)
    for entry in story:
        through.take(entry)
    through.leave()
    return through.found
