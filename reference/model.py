"""What an agent asks of a model: one method, and the pieces in which it answers.

Knows nothing of how a model is reached; whoever runs an agent brings one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from reference._record import Json, Record, record
from reference.messages import Message
from reference.tools import Tool


@record
class CallRequest(Record):
    """A call that the model wants made. The agent gives it its id."""

    name: str
    arguments: Mapping[str, Json]


@record
class Usage(Record):
    """How many tokens an answer took, where the model says so. `total_tokens`: as it counts them itself; None
    for the sum of the two."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int | None = None

    @property
    def total(self) -> int:
        """All tokens that the answer took."""
        return self.prompt_tokens + self.completion_tokens if self.total_tokens is None else self.total_tokens


Chunk: TypeAlias = str | CallRequest | Usage
"""A piece of an answer: some text, a call, or the count of tokens."""


class Model(Protocol):
    """A backend."""

    def generate(
        self, messages: Sequence[Message], tools: Sequence[Tool], system_prompt: str
    ) -> AsyncIterator[Chunk]:
        """Answer the conversation, piece by piece; most simply as an async generator.

        `messages` is a view of the conversation, which goes on growing: copy what is to be kept. The system
        prompt is no message of it. What this raises ends the run with an Error event. An async generator
        that is not run to its end is closed.
        """
