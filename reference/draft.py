"""An answer while the model writes it: what has come so far, and how fast.

Knows nothing of the run, nor of how chunks arrive.
"""

from __future__ import annotations

from collections.abc import Callable

from reference.events import GenerationStats, MessageDelta
from reference.messages import Message, ToolCall
from reference.model import Chunk, Usage


class Draft:
    """Takes the chunks of one answer, which will be the message `message_id`. `timer` gives seconds."""

    __slots__ = ("_began", "_calls", "_message_id", "_pieces", "_seconds", "_timer", "_usage")

    def __init__(self, message_id: str, timer: Callable[[], float]) -> None:
        self._message_id = message_id
        self._timer = timer
        self._pieces: list[str] = []
        self._calls: list[ToolCall] = []
        self._usage: Usage | None = None
        self._seconds: list[float] = []
        self._began = timer()

    def take(self, chunk: Chunk) -> MessageDelta | None:
        """Take the next chunk. Text that is not empty gives its MessageDelta; each counts as one token.

        A call gets its id from its message's and its place: `msg-2-call-1`.
        """
        seconds = self._tick()
        if isinstance(chunk, str):
            if chunk:
                self._pieces.append(chunk)
                count = len(self._pieces)
                return MessageDelta(chunk, count, _rate(count, seconds))
        elif isinstance(chunk, Usage):
            self._usage = chunk
        else:
            call_id = f"{self._message_id}-call-{len(self._calls) + 1}"
            self._calls.append(ToolCall(call_id, chunk.name, chunk.arguments))
        return None

    def stats(self, prompt_tokens: int) -> GenerationStats:
        """The answer is complete. `prompt_tokens`: what to say of the prompt if the model did not."""
        tokens = len(self._pieces)
        if self._usage is not None:
            prompt_tokens, tokens = self._usage.prompt_tokens, self._usage.completion_tokens
        took = self._tick()
        waited, *_ = self._seconds
        return GenerationStats(tokens, prompt_tokens, _rate(tokens, took), waited * 1000, took * 1000)

    def message(self, timestamp: int) -> Message:
        """The answer as a message. Its tokens are counted only if the model said how many."""
        count = None if self._usage is None else self._usage.completion_tokens
        text = "".join(self._pieces)
        return Message(self._message_id, "assistant", text, timestamp, tuple(self._calls), None, count)

    def _tick(self) -> float:
        """Note that something has happened, so many seconds after the beginning."""
        seconds = self._timer() - self._began
        self._seconds.append(seconds)
        return seconds


def _rate(count: int, seconds: float) -> float:
    return count / seconds if seconds else 0.0
