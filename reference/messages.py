"""What a conversation is made of: messages, the calls that they make, and the results of calls.

Immutable data with the form on the wire that `schemas/` describes. Knows nothing of runs or agents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self, TypeAlias

from reference._record import Json, Record, record

Role: TypeAlias = Literal["system", "user", "assistant", "tool_result"]


@record
class ToolCall(Record):
    """A call of a tool. The agent gives it its `id`; `resolve` and `reject` take that id.

    `arguments` are the model's; whoever is given them leaves them as they are.
    """

    id: str
    name: str
    arguments: Mapping[str, Json]


@record
class ToolOutput(Record):
    """What a tool answers: `ToolOutput("text")`, or a placeholder for work that has only begun,
    `ToolOutput.pending("text")`. The field is called `is_pending`, on the wire it is `pending`."""

    content: str
    is_pending: bool = False
    is_error: bool = False

    _wire_names: ClassVar[Mapping[str, str]] = {"is_pending": "pending"}

    @classmethod
    def pending(cls, content: str) -> Self:
        """A placeholder: the real result will follow through the inbox."""
        return cls(content, is_pending=True)


@record
class ToolResult(Record):
    """The result of a call, as the conversation has it. A placeholder is marked `pending`."""

    tool_call_id: str
    tool_name: str
    content: str
    is_error: bool = False
    pending: bool = False


@record
class Message(Record):
    """One message. `timestamp` is in Unix milliseconds.

    An assistant message may have `tool_calls`; a tool-result message has its `tool_result`, with the same
    content as its own.
    """

    id: str
    role: Role
    content: str
    timestamp: int
    tool_calls: tuple[ToolCall, ...] = ()
    tool_result: ToolResult | None = None
    token_count: int | None = None
    pinned: bool = False
