"""Writing transcripts by hand: messages, events, and the plays that they come in.

What is written here is right unless a test says otherwise: all fields are there, ids differ, and the parts of
a stream are in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from conformance.scenario import Json
from conformance.transcript import (
    Asked,
    Began,
    Emitted,
    Ended,
    Ending,
    Event,
    Message,
    ModelAnswered,
    ModelCalled,
    Put,
    Replaced,
    Run,
    ToolAnswered,
    ToolCalled,
    Transcript,
)

# Messages


def user(text: str) -> Message:
    """A user message."""
    return {"id": f"user {text}", "role": "user", "content": text, "timestamp": 1}


def assistant(text: str, *calls: str) -> Message:
    """The model's message, with calls of the tool `report` that have these ids."""
    message: Message = {
        "id": f"assistant {text} {calls}",
        "role": "assistant",
        "content": text,
        "timestamp": 1,
    }
    if calls:
        message["tool_calls"] = [{"id": call, "name": "report", "arguments": {}} for call in calls]
    return message


def result(call: str, text: str, **marks: bool) -> Message:
    """A call's result; `pending=True` makes it a placeholder."""
    inner: dict[str, Json] = {"tool_call_id": call, "tool_name": "report", "content": text, **marks}
    return {
        "id": f"result {call} {text}",
        "role": "tool_result",
        "content": text,
        "timestamp": 1,
        "tool_result": inner,
    }


def placeholder(call: str) -> Message:
    """A call's placeholder."""
    return result(call, f"{call} is under way", pending=True)


# Events


def event(type: str, **fields: Json) -> Event:
    """An event."""
    return {"type": type, **fields}


BUDGET = event("ContextBudget", used_tokens=1, max_tokens=9, messages_in_context=1, messages_pruned=0)
STATS = event(
    "GenerationStats",
    tokens_generated=1,
    prompt_tokens=1,
    tokens_per_sec=1.0,
    time_to_first_token_ms=1,
    generation_time_ms=1,
)
WARNING = event("Warning", message="take care")


def delta(text: str) -> Event:
    """A piece of the model's text."""
    return event("MessageDelta", delta=text, tokens_generated=1, tokens_per_sec=1.0)


def said(message: Message) -> Event:
    """MessageEnd of the model's message."""
    return event("MessageEnd", message=message)


def told(message: Message) -> list[Event]:
    """MessageStart and MessageEnd of a message."""
    return [event("MessageStart", message=message), said(message)]


def late(call: str, text: str) -> list[Event]:
    """The events of a late result."""
    resolved = event("ToolResolved", tool_call_id=call, tool_name="report", result={"content": text})
    return [resolved, *told(result(call, text))]


def start(call: str) -> Event:
    """ToolExecStart."""
    return event("ToolExecStart", tool_call_id=call, tool_name="report", args={})


def end(call: str, text: str = "written") -> Event:
    """ToolExecEnd."""
    return event("ToolExecEnd", tool_call_id=call, tool_name="report", result={"content": text})


def executed(call: str, text: str = "written", nested: Sequence[Event] = ()) -> list[Event]:
    """All events of one call, with the events of a child's run inside."""
    return [start(call), *nested, end(call, text), *told(result(call, text))]


def nested(call: str, *events: Event) -> list[Event]:
    """Events of a child's run, as its parent shows them."""
    return [event("Nested", tool_call_id=call, event=inner) for inner in events]


def generation(message: Message) -> list[Event]:
    """The events from TurnStart to MessageEnd."""
    deltas = [delta(str(message["content"]))] if message["content"] else []
    return [event("TurnStart"), BUDGET, *deltas, STATS, said(message)]


def turn(message: Message, *calls: Event) -> list[Event]:
    """A whole turn: the model's message, and the events of its calls."""
    return [*generation(message), *calls, event("TurnEnd", message=message, tool_results=[])]


def run_of(*events: Event, messages: Sequence[Message]) -> list[Event]:
    """A whole run, whose AgentEnd carries the messages."""
    return [event("AgentStart"), *events, event("AgentEnd", messages=list[Json](messages))]


DONE = assistant("Done.")
CALLING = assistant("", "c1")
ANSWERED = run_of(*told(user("Go")), *turn(DONE), messages=[DONE])
"""A run that answers at once."""
EXECUTED = run_of(
    *told(user("Go")),
    *turn(CALLING, *executed("c1")),
    *turn(DONE),
    messages=[CALLING, result("c1", "written"), DONE],
)
"""A run that calls a tool and then answers."""


def without(events: Sequence[Event], type: str) -> list[Event]:
    """The events but those of one type."""
    return [event for event in events if event["type"] != type]


# Plays


class Play:
    """A transcript that is being written. Each method adds what happens next."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self._step = 0
        self._runs: dict[str, Run] = {}
        self._executed: dict[str, list[str]] = {}

    def prompt(self, text: str = "Go", agent: str = "main") -> Play:
        """A run begins."""
        return self._begin("prompt", agent, text)

    def resume(self, agent: str = "main") -> Play:
        """A run begins that has no text of its own."""
        return self._begin("resume", agent, "")

    def child(self, call: str, agent: str = "helper", parent: str = "main") -> Play:
        """A child's run begins inside a call."""
        return self._begin("child", agent, "Help", self._runs[parent], call)

    def emit(self, *events: Event, agent: str = "main") -> Play:
        """The agent's run emits events."""
        run = self._runs.get(agent)
        for emitted in events:
            self.transcript.entries.append(Emitted(self._step, agent, run, emitted))
            if run is not None:
                run.events.append(emitted)
        return self

    def model(
        self, *messages: Message, calls: int = 0, agent: str = "main", error: str | None = None
    ) -> Play:
        """The model is called with messages, and answers: with calls of `report`, or with an error."""
        run = self._runs.get(agent)
        asked = (Asked("report", {}),) * calls
        self.transcript.entries.append(ModelCalled(self._step, agent, run, messages))
        self.transcript.entries.append(ModelAnswered(self._step, agent, run, "", asked, error))
        return self

    def asks(self, *arguments: dict[str, Json], agent: str = "main") -> Play:
        """The model is called, and calls `report` with each of these arguments."""
        run, asked = self._runs.get(agent), tuple(Asked("report", each) for each in arguments)
        self.transcript.entries.append(ModelCalled(self._step, agent, run, []))
        self.transcript.entries.append(ModelAnswered(self._step, agent, run, "", asked, None))
        return self

    def tool(
        self,
        call: str,
        outcome: str = "returns",
        agent: str = "main",
        arguments: dict[str, Json] | None = None,
    ) -> Play:
        """The tool `report` is executed, and its execution ends."""
        run = self._runs.get(agent)
        self.transcript.entries.append(ToolCalled(self._step, agent, run, call, "report", arguments or {}))
        self._executed.setdefault(agent, []).append(call)
        return self.tool_ends(call, outcome, agent)

    def tool_ends(self, call: str, outcome: str = "returns", agent: str = "main") -> Play:
        """A tool's execution ends."""
        run = self._runs.get(agent)
        self.transcript.entries.append(ToolAnswered(self._step, agent, run, call, "report", outcome, ""))
        return self

    def push(self, text: str, *, settled: bool = True, agent: str = "main", threaded: bool = False) -> Play:
        """A message is put in."""
        self.transcript.entries.append(Put(self._step, agent, "push", text, "", settled, threaded))
        return self

    def resolve(self, call: str, text: str, *, settled: bool = True) -> Play:
        """A result is put in."""
        self.transcript.entries.append(Put(self._step, "main", "resolve", text, call, settled))
        return self

    def ends(
        self, *messages: Message, ending: Ending = "normal", agent: str = "main", told: bool = True
    ) -> Play:
        """The run ends; `messages` are the conversation then.

        Where its events are not what the play is about, and none was written, it has the least that it may.
        """
        run = self._runs[agent]
        if told and not run.events and run.kind != "child":
            self.emit(*_least(self._executed.get(agent, [])), agent=agent)
        self._executed.pop(agent, None)
        del self._runs[agent]
        run.ending = ending
        if run.kind != "child":
            self.transcript.entries.append(Ended(self._step, run, messages or None))
        return self

    def holds(self, *messages: Message, fresh: bool = True, agent: str = "main") -> Play:
        """The agent is given a conversation: a fresh agent, or, with replace_messages, the same."""
        self._step += 1
        self.transcript.entries.append(Replaced(self._step, agent, messages, fresh))
        return self

    def _begin(
        self,
        kind: Literal["prompt", "resume", "child"],
        agent: str,
        text: str,
        parent: Run | None = None,
        call: str = "",
    ) -> Play:
        self._step += 0 if parent else 1
        number = len(self.transcript.runs) + 1
        run = Run(number, agent, kind, self._step, text, parent, call)
        self._runs[agent] = run
        self.transcript.runs.append(run)
        self.transcript.entries.append(Began(self._step, run))
        return self


def _least(calls: Sequence[str]) -> list[Event]:
    """The least that a run emits which executed these calls."""
    if not calls:
        return run_of(messages=[])
    groups = [event for call in calls for event in executed(call)]
    message = assistant("", *calls)
    return run_of(*turn(message, *groups), messages=[message, *(result(call, "written") for call in calls)])


def stream(*events: Event, ending: Ending = "normal", **calls: str) -> Play:
    """A play of one run that emits events; `calls` are executed in it and end as said."""
    play = Play().prompt().model(calls=len(calls))
    for call, outcome in calls.items():
        play.tool(call, outcome)
    return play.emit(*events).ends(ending=ending, told=False)
