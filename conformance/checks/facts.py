"""What the checks look at: a transcript, and what several of them want to know of it, worked out once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance import schemas
from conformance.checks.delivery import Deliveries, deliveries_of
from conformance.checks.finding import Fault
from conformance.checks.streams import Stream, children_of, streams_of
from conformance.checks.surplus import Origin, surplus_of
from conformance.checks.views import Happening, story_of
from conformance.transcript import Emitted, Entry, Run, ToolAnswered, ToolCalled, Transcript


@dataclass(frozen=True, slots=True)
class Facts:
    """A play as the checks see it: `entries` are all that happened, `story` what of it
    concerns messages; its events, and what several of them ask of these.

    `misfits` are the events that do not fit the background schema: all others fit both. `deliveries` are what
    became of the items put into the inboxes, `surplus` are the faults among calls with too many results.
    """

    entries: Sequence[Entry]
    story: Sequence[Happening]
    emitted: Sequence[Emitted]
    misfits: Sequence[Emitted]
    streams: tuple[Stream, ...]
    deliveries: Deliveries
    surplus: Mapping[Origin, list[Fault]]
    _executions: Mapping[int, Sequence[ToolCalled]]
    _outcomes: Mapping[tuple[int, str], str]

    def executions(self, run: Run) -> Sequence[ToolCalled]:
        """The tool executions of a run."""
        return self._executions.get(run.number, ())

    def outcome(self, run: Run | None, call_id: str) -> str:
        """How an execution ended (`returns`, `pending`, ...); empty where that is not known."""
        return "" if run is None else self._outcomes.get((run.number, call_id), "")


def gather(transcript: Transcript) -> Facts:
    """The facts of a play, in time linear in what happened. Where there are no events, there is nothing to
    work out."""
    if transcript.profile != "agent":
        return Facts(transcript.entries, (), (), (), (), Deliveries(), {}, {}, {})
    executions: dict[int, list[ToolCalled]] = {}
    outcomes: dict[tuple[int, str], str] = {}
    for entry in transcript.entries:
        if isinstance(entry, ToolCalled) and entry.run is not None:
            executions.setdefault(entry.run.number, []).append(entry)
        elif isinstance(entry, ToolAnswered) and entry.run is not None:
            outcomes[entry.run.number, entry.call_id] = entry.outcome
    story = story_of(transcript)
    emitted = [entry for entry in transcript.entries if isinstance(entry, Emitted)]
    children = children_of(transcript)
    return Facts(
        transcript.entries,
        story,
        emitted,
        [entry for entry in emitted if not schemas.is_valid("event-background", entry.event)],
        streams_of(transcript, children),
        deliveries_of(story, children),
        surplus_of(story),
        executions,
        outcomes,
    )
