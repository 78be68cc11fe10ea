"""The conversations that a play shows: when the model is called, when a run ends, when they are put in place.

Each is read once, for all checks. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conformance.checks.inbox_results import Results
from conformance.reading import ToolCall, calls_of, results_of, text_at
from conformance.transcript import Emitted, Ended, Entry, Message, ModelCalled, Replaced, Transcript


@dataclass(frozen=True, slots=True)
class View:
    """A conversation as it was at some moment, with its calls and, by call, its results."""

    step: int
    agent: str
    messages: Sequence[Message]
    calls: Sequence[ToolCall]
    results: Results


@dataclass(frozen=True, slots=True)
class Given(View):
    """What the model was called with."""


@dataclass(frozen=True, slots=True)
class AtEnd(View):
    """What the conversation was when a run ended."""


@dataclass(frozen=True, slots=True)
class PutInPlace(View):
    """What the conversation was made to be. `fresh`: the agent has nothing else, an inbox included."""

    fresh: bool


Happening: TypeAlias = Entry | View
"""An entry of a transcript, or the conversation that one shows."""


_TELLING = ("MessageEnd", "ToolResolved", "Nested")
"""The types of the events that tell of calls and their results, and of those in which they may be."""


def story_of(transcript: Transcript) -> tuple[Happening, ...]:
    """What happened, each conversation as a View: in place of its entry, or before that of a run's end.

    Of the events only those are in it that tell of calls or results; all of them are in the streams.
    """
    return tuple(_told(transcript))


def _told(transcript: Transcript) -> Iterator[Happening]:
    for entry in transcript.entries:
        match entry:
            case Emitted():
                if text_at(entry.event, "type") in _TELLING:
                    yield entry
            case ModelCalled():
                yield Given(entry.step, entry.agent, *_read(entry.messages))
            case Replaced():
                yield PutInPlace(entry.step, entry.agent, *_read(entry.messages), entry.fresh)
            case Ended(messages=messages) if messages is not None:
                yield AtEnd(entry.step, entry.run.agent, *_read(messages))
                yield entry
            case _:
                yield entry


def _read(messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[ToolCall], Results]:
    return messages, calls_of(messages), results_of(messages)
