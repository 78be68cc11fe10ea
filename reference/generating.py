"""How sub-agents and clients ask a model: one function, which is handed a request and gives the whole reply.

The messages are those of the agent, and so is a call; but here it is the model that gives calls their ids.
Knows nothing of how a model is reached.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reference._record import Record, record
from reference.messages import Message, ToolCall
from reference.model import Usage
from reference.toolkit import FunctionTool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is given.

    Args:
        model: which model, where one function serves several.
        messages: a view of the transcript, which goes on growing: copy what is to be kept.
        tools: what it may call.
        system_prompt: no message of the transcript.
    """

    model: str
    messages: Sequence[Message]
    tools: Sequence[FunctionTool]
    system_prompt: str


@record
class ModelReply(Record):
    """What a model answers: text, calls or both. A reply without calls is final."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None


Generate: TypeAlias = Callable[[ModelRequest], Awaitable[ModelReply]]
"""Whatever this raises is the model's failure."""
