"""The event streams of a play: one for each run, the Nested ones unwrapped, cut into turns.

Only events of known types are kept: an implementation may add others. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from conformance.reading import EVENT_TYPES, ToolCall, mapping_at, text_at, tool_calls, tool_result
from conformance.scenario import Json
from conformance.transcript import Emitted, Ending, Event, ModelAnswered, Run, Transcript

Children: TypeAlias = dict[int, dict[str, list[Run]]]
"""Child runs by the number of their parent run and the call in which they take place."""

HEAD = ("ContextBudget", "MessageDelta", "GenerationStats")
"""The events in which a turn's generation is told, before its MessageEnd."""

_ONLY_IN_TURNS = ("TurnStart", *HEAD, "TurnEnd")

EXECUTION = ("ToolExecStart", "ToolExecUpdate", "ToolExecEnd", "ToolDenied")
"""The events of a call itself, its nested ones and its result's message left out."""


class Seen(NamedTuple):
    """An event of a stream, and the step in which it came.

    `role` is that of the message in the event, `call_id` the call that the event or its message is about;
    empty where there is none.
    """

    step: int
    event: Event
    type: str
    role: str
    call_id: str

    @classmethod
    def of(cls, step: int, event: Event) -> Seen:
        """An event as it came."""
        kind, message = text_at(event, "type"), event.get("message")
        if not isinstance(message, dict):
            return cls(step, event, kind, "", text_at(event, "tool_call_id"))
        role, result = text_at(message, "role"), tool_result(message)
        return cls(
            step, event, kind, role, text_at(event, "tool_call_id") if result is None else result.call_id
        )

    @property
    def title(self) -> str:
        """The event in a sentence: its type, and the role of its message."""
        carries = self.role and self.type in ("MessageStart", "MessageEnd")
        return f"{self.type} ({self.role})" if carries else self.type

    def is_message(self, type: str, role: str) -> bool:
        """Whether this is a MessageStart or MessageEnd of that role."""
        return self.type == type and self.role == role


@dataclass(frozen=True, slots=True)
class Turn:
    """The events of one turn, from its TurnStart to its TurnEnd as far as they came.

    `whole` says that the turn may be judged as a complete one: the run went on to another, or ended normally.
    `title` says in a sentence where the turn is. `answer` is the MessageEnd of the assistant message, `calls`
    are the calls that it makes. `is_calling` says that the model called tools: its message says so, or
    TurnEnd's, or an event of a call. `is_troubled` says that an Error came in it, after which its order is
    nobody's promise.
    """

    seen: tuple[Seen, ...]
    whole: bool
    title: str
    answer: Seen | None
    calls: tuple[ToolCall, ...]
    is_calling: bool
    is_troubled: bool

    @classmethod
    def of(cls, seen: tuple[Seen, ...], whole: bool, title: str) -> Turn:
        """A turn that consists of these events."""
        types = {each.type for each in seen}
        answer = next((each for each in seen if each.is_message("MessageEnd", "assistant")), None)
        calls = () if answer is None else tuple(tool_calls(mapping_at(answer.event, "message")))
        is_calling = (
            bool(calls)
            or not types.isdisjoint(EXECUTION)
            or any(tool_calls(mapping_at(each.event, "message")) for each in seen if each.type == "TurnEnd")
        )
        return cls(seen, whole, title, answer, calls, is_calling, "Error" in types)

    @property
    def step(self) -> int:
        """The step in which the turn began."""
        return self.seen[0].step

    @property
    def is_answering(self) -> bool:
        """Whether the model answered: it called nothing, and this is more than a stray event."""
        return not self.is_calling and (self.seen[0].type == "TurnStart" or self.answer is not None)


@dataclass(frozen=True, slots=True)
class Stream:
    """The events of one agent's run, and the turns that they make: what stands between two is in neither.

    `run` is None where Nested events came of no run that is known. `calls` are the ids of all calls that the
    run's model made. `call_id` is the call that a child's run is nested in, `parent` the stream in which it
    is. `title` says in a sentence where the stream is.
    """

    seen: tuple[Seen, ...]
    run: Run | None
    ending: Ending
    title: str
    turns: tuple[Turn, ...]
    calls: frozenset[str]
    parent: Stream | None = None
    call_id: str = ""

    @classmethod
    def of(
        cls,
        came: Iterable[Seen],
        run: Run | None,
        ending: Ending,
        parent: Stream | None = None,
        call: str = "",
    ) -> Stream:
        """The stream of a run, of which these events came; those of unknown types are left out."""
        seen = tuple(each for each in came if each.type in EVENT_TYPES)
        title = f"{run.agent}'s run" if run is not None else "the events"
        if parent is not None:
            title = f"{title} nested in {call}"
        cut = list(_cut(seen))
        last_begun = max((index for index, turn in enumerate(cut) if turn[0].type == "TurnStart"), default=0)
        turns = tuple(
            Turn.of(tuple(turn), index < last_begun or ending == "normal", title)
            for index, turn in enumerate(cut)
        )
        calls = frozenset(
            call.id
            for each in seen
            if each.is_message("MessageEnd", "assistant")
            for call in tool_calls(mapping_at(each.event, "message"))
        )
        return cls(seen, run, ending, title, turns, calls, parent, call)

    @property
    def step(self) -> int:
        """The step in which the stream began."""
        return self.seen[0].step if self.seen else self.run.step if self.run is not None else 0


def _cut(stream: Sequence[Seen]) -> Iterator[list[Seen]]:
    """A turn begins with TurnStart, or with what can only be in one whose TurnStart is missing."""
    turn: list[Seen] = []
    for seen in stream:
        if turn and seen.type in ("TurnStart", "AgentStart", "AgentEnd"):
            yield turn
            turn = []
        if turn or seen.type in _ONLY_IN_TURNS or seen.is_message("MessageEnd", "assistant"):
            turn.append(seen)
        if seen.type == "TurnEnd":
            yield turn
            turn = []
    if turn:
        yield turn


def streams_of(transcript: Transcript, children: Children) -> tuple[Stream, ...]:
    """All streams of a play, each before those that are nested in it."""
    failed = {
        entry.run.number
        for entry in transcript.entries
        if isinstance(entry, ModelAnswered) and entry.error is not None and entry.run is not None
    }
    found = [Stream.of(seen, run, _ending(run, failed)) for run, seen in _own_events(transcript)]
    for stream in found:
        found.extend(_nested_in(stream, children, failed))
    return tuple(found)


def children_of(transcript: Transcript) -> Children:
    """The child runs of a play."""
    children: Children = {}
    for run in transcript.runs:
        if run.kind == "child" and run.parent is not None:
            children.setdefault(run.parent.number, {}).setdefault(run.parent_call, []).append(run)
    return children


def owner_of(entry: Emitted, children: Children) -> tuple[Run | None, Event]:
    """The run that an event is of, Nested taken off, as far as it is known, and the event itself."""
    run, event = entry.run, entry.event
    while text_at(event, "type") == "Nested":
        runs = children.get(run.number, {}).get(text_at(event, "tool_call_id"), []) if run is not None else []
        run = runs[0] if len(runs) == 1 else None
        inner = event.get("event")
        if not isinstance(inner, dict):
            return None, event
        event = inner
    return run, event


def _own_events(transcript: Transcript) -> list[tuple[Run, list[Seen]]]:
    by_run: dict[int, list[Seen]] = {}
    for entry in transcript.entries:
        if isinstance(entry, Emitted) and entry.run is not None:
            by_run.setdefault(entry.run.number, []).append(Seen.of(entry.step, entry.event))
    return [(run, by_run.get(run.number, [])) for run in transcript.runs if run.kind != "child"]


def _ending(run: Run | None, failed: set[int]) -> Ending:
    if run is None:
        return "open"
    return "failed" if run.ending == "normal" and run.number in failed else run.ending


def _nested_in(stream: Stream, children: Children, failed: set[int]) -> Iterator[Stream]:
    by_call: dict[str, list[Seen]] = {}
    for seen in stream.seen:
        inner = seen.event.get("event") if seen.type == "Nested" else None
        if isinstance(inner, dict) and seen.call_id:
            by_call.setdefault(seen.call_id, []).append(Seen.of(seen.step, inner))
    expected = children.get(stream.run.number, {}) if stream.run is not None else {}
    for call in dict.fromkeys([*by_call, *expected]):
        runs = expected.get(call, [])
        # Of two runs in one call it cannot be told where the one ends and the other begins.
        run = runs[0] if len(runs) == 1 else None
        yield Stream.of(by_call.get(call, ()), run, _ending(run, failed), stream, call)


def is_whole(stream: Stream) -> bool:
    """Whether a stream comes from AgentStart to AgentEnd."""
    return len(stream.seen) > 1 and stream.seen[0].type == "AgentStart" and stream.seen[-1].type == "AgentEnd"


def value_of(seen: Seen, key: str) -> Json:
    """A field of an event, whatever is in it."""
    return seen.event.get(key)
