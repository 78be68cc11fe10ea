"""A transcript in a form that is the same for every implementation that does the same.

Ids are numbered in the order in which they first appear (`msg#3`, `call#1`; those of another agent than main
carry its name), so that a wrong id still shows. What measures time is dropped, by the one list below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from conformance.reading import TIMES
from conformance.scenario import MAIN, Json
from conformance.transcript import (
    Emitted,
    Ended,
    Entry,
    Event,
    Interpreted,
    ModelAnswered,
    ModelCalled,
    Moved,
    Performed,
    Replaced,
    Run,
    ToolAnswered,
    ToolCalled,
    Transcript,
)

HOST = "host"
"""Who does what nobody's agent does."""

_WORD = re.compile(r"[\w-]+")


class Numbering:
    """Gives each id of each agent its number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str, str], str] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._owners: dict[str, list[tuple[str, str]]] = {}

    def number(self, agent: str, kind: str, id: str) -> str:
        """The name of an agent's message (`msg`) or call (`call`)."""
        key = (agent, kind, id)
        if key not in self._numbers:
            count = self._counts[agent, kind] = self._counts.get((agent, kind), 0) + 1
            prefix = "" if agent == MAIN else f"{agent}:"
            self._numbers[key] = f"{prefix}{kind}#{count}"
            self._owners.setdefault(id, []).append((agent, self._numbers[key]))
        return self._numbers[key]

    def known(self, id: str, agent: str = "") -> str:
        """The number of an id that has one already, of that agent or of any; otherwise the id itself."""
        owners = self._owners.get(id)
        return max(owners, key=lambda owner: owner[0] == agent)[1] if owners else id

    def tidied(self, value: Json, agent: str = "") -> Json:
        """Anything that was seen of a play, with the ids that are known numbered and times left out."""
        if isinstance(value, list):  # in a list, a text that is an id stands for what it is the id of
            return [
                self.known(item, agent) if isinstance(item, str) else self.tidied(item, agent)
                for item in value
            ]
        if not isinstance(value, dict):
            return value
        return {
            key: self.known(item, agent)
            if isinstance(item, str) and key in ("id", "tool_call_id")
            else item
            if key in ("args", "arguments")
            else self.tidied(item, agent)
            for key, item in value.items()
            if key not in TIMES
        }

    def tidied_text(self, text: str, agent: str = "") -> str:
        """A sentence about a play, with the ids that are known numbered."""
        return _WORD.sub(lambda word: self._tidied_word(word[0], agent), text)

    def _tidied_word(self, word: str, agent: str) -> str:
        return word if word.isdigit() else self.known(word, agent)

    def message(self, agent: str, value: Json) -> Json:
        """A message, or a list of them."""
        return self._walk(agent, value, "msg")

    def event(self, run: Run | None, agent: str, event: Event, children: dict[tuple[int, str], Run]) -> Event:
        """An event; what is nested in it belongs to the child that runs in its call."""
        numbered: Event = {}
        for key, value in event.items():
            if key == "event" and event.get("type") == "Nested" and isinstance(value, dict):
                child = children.get((run.number if run else 0, str(event.get("tool_call_id"))))
                name = child.agent if child else f"{agent}/child"
                numbered[key] = self.event(child, name, value, children)
            elif key in ("pending", "tool_calls"):
                numbered[key] = self._walk(agent, value, "call")
            elif key not in TIMES:
                numbered[key] = self._field(agent, key, value, "msg")
        return numbered

    def exchange(self, agent: str, value: Json) -> dict[str, Json]:
        """What crossed in a profile without events: messages have their numbers, and so have requests."""
        self._meet(agent, value)
        numbered = self.tidied(value, agent)
        if not isinstance(numbered, dict):
            return {}
        error = numbered.get("error")
        if isinstance(error, dict):  # which may name an id in its text
            error["message"] = self.tidied_text(str(error.get("message")), agent)
        return numbered

    def _meet(self, agent: str, value: Json) -> None:
        """Number the requests and messages in a value, in the order in which they stand there."""
        for key, item in value.items() if isinstance(value, dict) else ():
            if key in ("messages", "history"):
                self.message(agent, item)
            elif key in ("pending", "request") and isinstance(item, dict) and isinstance(item.get("id"), str):
                self.number(MAIN, "request", str(item["id"]))
            else:
                self._meet(agent, item)

    def _walk(self, agent: str, value: Json, kind: str) -> Json:
        if isinstance(value, list):
            return [self._walk(agent, item, kind) for item in value]
        if isinstance(value, dict):
            return {k: self._field(agent, k, v, kind) for k, v in value.items() if k not in TIMES}
        return value

    def _field(self, agent: str, key: str, value: Json, kind: str) -> Json:
        if key in ("args", "arguments"):
            return value
        if isinstance(value, str):
            if key == "tool_call_id":
                return self.number(agent, "call", value)
            # A text may name a call, as the heading of a late result does.
            return self.number(agent, kind, value) if key == "id" else self.tidied_text(value, agent)
        return self._walk(agent, value, "call" if key in ("tool_calls", "pending") else "msg")


def _children(runs: Iterable[Run]) -> dict[tuple[int, str], Run]:
    return {(run.parent.number, run.parent_call): run for run in runs if run.parent is not None}


def numbered_sequence(transcript: Transcript, numbering: Numbering) -> list[dict[str, Json]]:
    """All events in order: each with its step, its agent and the event itself, numbered.

    In the profiles without events, everything that crossed stands in their place, by the name of its method.
    """
    if transcript.profile != "agent":
        return _numbered_exchange(transcript, numbering)
    children = _children(transcript.runs)
    sequence: list[dict[str, Json]] = []
    for entry in transcript.entries:
        if isinstance(entry, Replaced):  # what was restored is older than what comes of it
            numbering.message(entry.agent, list[Json](entry.messages))
        elif isinstance(entry, Emitted):
            event = numbering.event(entry.run, entry.agent, entry.event, children)
            sequence.append({"step": entry.step, "agent": entry.agent, "event": event})
    return sequence


def shown_after(transcript: Transcript, seen: int) -> int:
    """How many entries of the numbered sequence there are up to the one that was last of the first `seen` of
    the transcript."""
    entries = transcript.entries
    if transcript.profile == "agent":
        return sum(isinstance(entry, Emitted) for entry in entries[:seen])
    steps = _steps(entries)
    last = next((place for place in reversed(range(seen)) if _crossed(entries[place]) is not None), None)
    if last is None:
        return 0
    return sum(
        _crossed(entry) is not None and (step, place) <= (steps[last], last)
        for place, (step, entry) in enumerate(zip(steps, entries, strict=True))
    )


def _numbered_exchange(transcript: Transcript, numbering: Numbering) -> list[dict[str, Json]]:
    """In the order of the steps: what goes on in the background comes after what the host did meanwhile."""
    steps = _steps(transcript.entries)
    sequence: list[dict[str, Json]] = []
    for place in sorted(range(len(steps)), key=steps.__getitem__):
        step, crossed = steps[place], _crossed(transcript.entries[place])
        if crossed is not None:
            agent, fields = crossed
            sequence.append({"step": step, "agent": agent, "event": numbering.exchange(agent, fields)})
    return sequence


def _steps(entries: Sequence[Entry]) -> list[int]:
    """The step to which each entry belongs. For what goes on in the background that is the one in which the
    host next waits for something: how far it had come when a wake was answered is a matter of chance."""
    steps: list[int] = []
    waiting = max((entry.step for entry in entries), default=0)
    for entry in reversed(entries):
        is_own = isinstance(entry, Performed) and not entry.during
        if isinstance(entry, Performed) and entry.waits:
            waiting = entry.step
        steps.append(entry.step if is_own else waiting)
    return steps[::-1]


def _crossed(entry: Entry) -> tuple[str, dict[str, Json]] | None:
    """Whose doing an entry is, and what it shows."""
    match entry:
        case ModelCalled():
            return entry.agent, {"type": "model/generate", "messages": [*entry.messages]}
        case ModelAnswered():
            said: dict[str, Json] = {"text": entry.text, "tool_calls": [call.name for call in entry.calls]}
            return entry.agent, {
                "type": "model/generated",
                **(said if entry.error is None else {"error": entry.error}),
            }
        case ToolCalled():
            answer: dict[str, Json] = {} if entry.answer is None else {"answer": entry.answer}
            call: dict[str, Json] = {
                "tool": entry.tool,
                "tool_call_id": entry.call_id,
                "arguments": entry.arguments,
            }
            return entry.agent, {"type": "tool/execute", **call, **answer}
        case ToolAnswered():
            how: dict[str, Json] = {"tool": entry.tool, "outcome": entry.outcome, "text": entry.text}
            return entry.agent, {"type": "tool/executed", **how}
        case Interpreted():
            return entry.agent or HOST, {
                "type": "host/wait_for",
                "request": entry.request,
                "answer": entry.answer,
            }
        case Moved():
            moved: dict[str, Json] = {"handle": entry.handle, "before": entry.before, "after": entry.after}
            return HOST, {"type": "runtime/moved", **moved}
        case Performed():
            params = {
                key: value for key, value in entry.params.items() if key != "history"
            }  # a result had it
            came: dict[str, Json] = (
                {"result": entry.result} if entry.error is None else {"error": entry.error}
            )
            return str(entry.params.get("agent", HOST)), {"type": entry.method, **params, **came}
        case _:
            return None


def numbered_conversations(transcript: Transcript, numbering: Numbering) -> dict[str, list[Json]]:
    """Each agent's conversation as last seen at rest, in the numbers that its events have given. Where agents
    do not rest, it is what their model was last given."""
    last: dict[str, list[Json]] = {}
    for entry in transcript.entries:
        if isinstance(entry, Ended) and entry.messages is not None:
            numbered = numbering.message(entry.run.agent, list(entry.messages))
            last[entry.run.agent] = numbered if isinstance(numbered, list) else []
        elif isinstance(entry, ModelCalled) and transcript.profile != "agent":
            numbered = numbering.message(entry.agent, list[Json](entry.messages))
            last[entry.agent] = numbered if isinstance(numbered, list) else []
    return last
