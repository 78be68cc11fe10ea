"""What a run tells its host, event by event.

Each event is immutable data; `to_json` gives `{"type": <its name>, ...fields}`. The order in which events
come is the business of `run`. Knows nothing of agents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, NoneType
from typing import Self, TypeAlias

from reference._record import Json, MalformedData, Record, record
from reference.messages import Message, ToolCall, ToolOutput


class Event(Record):
    """Any event."""

    __slots__ = ()

    def to_json(self) -> dict[str, Json]:
        """The event as JSON, with its type."""
        return {"type": type(self).__name__, **super().to_json()}

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Read the event that `to_json` wrote.

        Raises:
            MalformedData: the type is unknown or not the one asked for, or a field is missing or wrong.
        """
        match data:
            case {"type": str(name)} if issubclass(kind := EVENT_TYPES.get(name, NoneType), cls):
                return super(Event, kind).from_json(data)
        raise MalformedData(f"expected an event of type {cls.__name__}, found {data!r}")


Sink: TypeAlias = Callable[[Event], None]
"""Where a run's events go, one call for each, while it runs. It must not raise."""


# The run and its turns.


@record
class AgentStart(Event):
    """A run begins."""


@record
class AgentEnd(Event):
    """A run is over. `messages`: what the assistant and the tools have added in it, in order."""

    messages: tuple[Message, ...]


@record
class TurnStart(Event):
    """The model is about to be asked."""


@record
class TurnEnd(Event):
    """The model has answered and every call of its message has its result."""

    message: Message
    tool_results: tuple[Message, ...]


# Messages and the model's writing.


@record
class MessageStart(Event):
    """A message is about to join the conversation. An assistant message has none."""

    message: Message


@record
class MessageEnd(Event):
    """A message has joined the conversation: whoever keeps these has the conversation."""

    message: Message


@record
class MessageDelta(Event):
    """A piece of what the model is writing."""

    delta: str
    tokens_generated: int
    tokens_per_sec: float


@record
class GenerationStats(Event):
    """The model has finished one answer."""

    tokens_generated: int
    prompt_tokens: int
    tokens_per_sec: float
    time_to_first_token_ms: float
    generation_time_ms: float


@record
class ContextBudget(Event):
    """How much of the context the conversation fills, just before the model is asked."""

    used_tokens: int
    max_tokens: int
    messages_in_context: int
    messages_pruned: int


# Tool calls.


@record
class ToolExecStart(Event):
    """A tool begins to execute a call."""

    tool_call_id: str
    tool_name: str
    args: Mapping[str, Json]


@record
class ToolExecUpdate(Event):
    """The executing tool reports progress."""

    tool_call_id: str
    tool_name: str
    partial: str


@record
class ToolExecEnd(Event):
    """The tool has answered, maybe with a placeholder."""

    tool_call_id: str
    tool_name: str
    result: ToolOutput


@record
class ToolDenied(Event):
    """The approval hook refused the call, which therefore has no ToolExec events."""

    tool_call_id: str
    tool_name: str
    reason: str


# Work that outlasts a run.


@record
class ToolResolved(Event):
    """A pending call's real result has been read from the inbox; `result` is as it was put in."""

    tool_call_id: str
    tool_name: str
    result: ToolOutput


@record
class Paused(Event):
    """The run ends here, because calls are pending. `pending`: all that wait, in call order."""

    pending: tuple[ToolCall, ...]


@record
class Nested(Event):
    """An event of a child's run, which takes place inside the call `tool_call_id`."""

    tool_call_id: str
    event: Event


# What the host should hear of.


@record
class Warning(Event):
    """Something was dropped, marked failed or cut short."""

    message: str


@record
class Error(Event):
    """The model failed."""

    message: str


EVENT_TYPES: Mapping[str, type[Event]] = MappingProxyType({
    kind.__name__: kind
    for kind in (
        AgentStart, AgentEnd, TurnStart, TurnEnd, MessageStart, MessageEnd, MessageDelta, GenerationStats,
        ContextBudget, ToolExecStart, ToolExecUpdate, ToolExecEnd, ToolDenied, ToolResolved, Paused, Nested,
        Warning, Error,
    )
})  # fmt: skip
"""Every event, by its name on the wire."""

event_from_json = Event.from_json
