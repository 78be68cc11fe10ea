"""What the checks look at: a transcript, and what several of them want to know of it, worked out once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.checks.delivery import Deliveries, deliveries_of
from conformance.checks.streams import Stream, children_of, streams_of
from conformance.checks.views import Happening, story_of
from conformance.transcript import Run, ToolAnswered, ToolCalled, Transcript


@dataclass(frozen=True, slots=True)
class Facts:
    """A transcript, the same with conversations read, its event streams, and what became of the items put
    into the inboxes."""

    transcript: Transcript
    story: Sequence[Happening]
    streams: tuple[Stream, ...]
    deliveries: Deliveries
    _executions: Mapping[int, Sequence[ToolCalled]]
    _outcomes: Mapping[tuple[int, str], str]

    def executions(self, run: Run) -> Sequence[ToolCalled]:
        """The tool executions of a run."""
        return self._executions.get(run.number, ())

    def outcome(self, run: Run | None, call_id: str) -> str:
        """How an execution ended (`returns`, `pending`, ...); empty where that is not known."""
        return "" if run is None else self._outcomes.get((run.number, call_id), "")


def gather(transcript: Transcript) -> Facts:
    """The facts of a play, in time linear in what happened."""
    executions: dict[int, list[ToolCalled]] = {}
    outcomes: dict[tuple[int, str], str] = {}
    for entry in transcript.entries:
        if isinstance(entry, ToolCalled) and entry.run is not None:
            executions.setdefault(entry.run.number, []).append(entry)
        elif isinstance(entry, ToolAnswered) and entry.run is not None:
            outcomes[entry.run.number, entry.call_id] = entry.outcome
    story = story_of(transcript)
    children = children_of(transcript)
    return Facts(
        transcript,
        story,
        streams_of(transcript, children),
        deliveries_of(story, children),
        executions,
        outcomes,
    )
