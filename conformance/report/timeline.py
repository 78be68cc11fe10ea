"""A scenario as a timeline: who says what and when, what is expected, and what came where that is asked for.

A script alone does not say when each of its entries is due. So it is played, and the transcript gives the
order; where it could not be played, the entries are told agent by agent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.naming import scripted_call_id
from conformance.playing import Played
from conformance.report import verbs, wording
from conformance.report.telling import Said, Teller
from conformance.scenario import MAIN, ModelEntry, Position, Scenario, Step, ToolEntry
from conformance.transcript import (
    Emitted,
    Entry,
    Interpreted,
    Message,
    ModelAnswered,
    ModelCalled,
    Moved,
    Performed,
    Run,
    ToolAnswered,
    ToolCalled,
    Transcript,
)

UNREACHED = 0
"""The number under which stands what was not reached."""


@dataclass(frozen=True, slots=True)
class Line:
    """Something said, at the depth of the child's run in which it was."""

    said: Said
    depth: int = 0


class Timeline:
    """One play put together. With `events` what was emitted stands between what was said."""

    def __init__(self, scenario: Scenario, played: Played | None, *, events: bool = False) -> None:
        self._scenario = scenario
        self._played = played
        self._events = events
        self._teller = Teller(scenario)
        self._model = {entry.position: entry for agent in scenario.agents.values() for entry in agent.model}
        self._tools = {entry.position: entry for entries in scenario.tools.values() for entry in entries}
        self._interpreters = {name: agent.wait_for or () for name, agent in scenario.agents.items()}
        self._interpreters[""] = scenario.runtime.wait_for or ()
        self._asked: Counter[str] = Counter()
        self._given: dict[str, Sequence[Message]] = {}
        self._used: Counter[Position] = Counter()
        self._calls: Counter[str] = Counter()
        self._waiting: dict[tuple[str, str], list[str]] = {}
        self.lacks_something = False
        """Whether more than optional entries were not reached; known at the end."""

    def steps(self) -> Iterator[tuple[int, list[Line]]]:
        """Each step by its number, and at last what was not reached."""
        transcript = self._played.transcript if self._played is not None else Transcript()
        answers = _answers(transcript.entries)
        by_step: dict[int, list[Line]] = {}
        for place, entry in enumerate(transcript.entries):
            told = self._told(entry, answers.get(place))
            by_step.setdefault(entry.step, []).extend(told)
        for number, step in enumerate(self._scenario.steps, start=1):
            before = [Line(said) for said in self._teller.step(step)]
            after = [Line(said) for said in self._teller.expectations(step)]
            yield number, [*before, *_folded(by_step.get(number, [])), *after]
        left = [*self._left_of_models(), *self._left_of_tools(), *self._left_of_interpreters()]
        if left:
            yield UNREACHED, left

    def _told(self, entry: Entry, answer: Entry | None) -> list[Line]:
        """What an entry of the transcript adds, by the script's entry behind it."""
        said: list[Said] = []
        match entry, answer:
            case ModelCalled(agent=agent, messages=given), ModelAnswered(entry=Position() as place):
                self._given[agent] = given
                said += self._teller.given(agent, self._model[place])
            case ModelAnswered(agent=agent, entry=Position() as place, error=error), _:
                said += self._actions(self._model[place].during, "while the model writes")
                cut_off = error is not None and self._model[place].raises is None
                said += _cut_off(self._reply(agent, self._model[place]), cut_off)
            case ToolCalled(agent=agent, tool=tool, call_id=id), ToolAnswered(entry=Position() as place):
                name = self._name(agent, tool, id)
                said += self._teller.found(name, self._tools[place])
                said += self._teller.progress(name, self._tools[place])
                said += self._actions(self._tools[place].during, f"while {tool} executes")
                said += self._teller.child(name, self._tools[place])
            case ToolAnswered(agent=agent, tool=tool, call_id=id, entry=Position() as place), _:
                self._used[place] += 1
                name = self._name(agent, tool, id, is_over=True)
                said += _cut_off(self._teller.answer(name, self._tools[place]), entry.outcome == "aborted")
            case Interpreted(agent=agent), _:
                said += self._interpreted(agent)
            case (Emitted() | Moved() | Performed()) as came, _ if self._events:
                said += self._event(came)
        return [Line(each, _depth(getattr(entry, "run", None))) for each in said]

    def _actions(self, steps: Sequence[Step], when: str) -> Iterator[Said]:
        for said in (said for step in steps for said in self._teller.step(step)):
            yield Said(said.who, f"{said.what} ({when})" if not said.below else said.what, said.below)

    def _reply(self, agent: str, entry: ModelEntry) -> Iterator[Said]:
        self._used[entry.position] += 1
        if self._scenario.profile != "agent":
            ids = [scripted_call_id(self._given[agent], place + 1) for place in range(len(entry.calls))]
            return self._teller.reply(agent, entry, [self._reference(agent, id) for id in ids])
        names = []
        for call in entry.calls:
            self._calls[call.name] += 1
            names.append(f"${call.name}#{self._calls[call.name]}")
            self._waiting.setdefault((agent, call.name), []).append(names[-1])
        return self._teller.reply(agent, entry, names)

    def _interpreted(self, agent: str) -> Iterator[Said]:
        """An interpreter's next entry; they are used in order."""
        entry = self._interpreters[agent][self._asked[agent]]
        self._asked[agent] += 1
        yield from self._teller.asked(agent, entry)
        yield from self._actions(entry.during, "while it is asked")
        yield from self._teller.interpreter(agent, entry)

    def _reference(self, agent: str, id: str) -> str:
        names = self._played.names if self._played is not None else None
        return names.name(agent, id) if names is not None else id

    def _name(self, agent: str, tool: str, id: str, *, is_over: bool = False) -> str:
        """What a call of a tool goes by: its reference or, where agents give ids, the first call that the
        agent has made and that is not over yet."""
        if self._scenario.profile != "agent":
            return self._reference(agent, id) if id else tool
        waiting = self._waiting.get((agent, tool), [])
        if not waiting:
            return tool
        return waiting.pop(0) if is_over else waiting[0]

    def _event(self, came: Emitted | Moved | Performed) -> Iterator[Said]:
        names = self._played.names if self._played is not None else None
        if isinstance(came, Emitted):
            named = names.named(came.event, came.agent) if names is not None else came.event
            who = "" if came.agent == MAIN else f"{came.agent}: "
            yield Said("event", f"{who}{wording.event(named)}")
            return
        ids = {id: reference for reference, id in names.ids.items()} if names is not None else {}
        what = verbs.moved(came, ids) if isinstance(came, Moved) else verbs.performed(came, ids)
        if what is not None:
            yield Said("event", what)

    # What was not reached

    def _left_of_models(self) -> Iterator[Line]:
        for agent, script in self._scenario.agents.items():
            for entry in script.model:
                if not self._takes(entry):
                    self.lacks_something |= not entry.optional
                    optional = "may be asked, and then " if entry.optional else ""
                    for said in (*self._teller.given(agent, entry), *self._teller.reply(agent, entry)):
                        yield Line(
                            Said(
                                said.who, f"{optional if said.who == 'model' else ''}{said.what}", said.below
                            )
                        )
                    for said in self._actions(entry.during, "while the model writes"):
                        yield Line(said)

    def _left_of_tools(self) -> Iterator[Line]:
        for tool, entries in self._scenario.tools.items():
            for entry in entries:
                if not self._takes(entry):
                    self.lacks_something |= not entry.optional
                    during = self._actions(entry.during, f"while {tool} executes")
                    found, progress = self._teller.found(tool, entry), self._teller.progress(tool, entry)
                    child, answer = self._teller.child(tool, entry), self._teller.answer(tool, entry)
                    for said in (*found, *progress, *during, *child, *answer):
                        yield Line(said)

    def _left_of_interpreters(self) -> Iterator[Line]:
        for agent, entries in self._interpreters.items():
            for entry in entries[self._asked[agent] :]:
                self.lacks_something = True
                during = self._actions(entry.during, "while it is asked")
                asked, answer = self._teller.asked(agent, entry), self._teller.interpreter(agent, entry)
                for said in (*asked, *during, *answer):
                    yield Line(said)

    def _takes(self, entry: ModelEntry | ToolEntry) -> bool:
        """Whether an entry has been told already."""
        if not self._used[entry.position]:
            return False
        self._used[entry.position] -= 1
        return True


def _cut_off(said: Iterable[Said], is_cut_off: bool) -> Iterator[Said]:
    """What would be said, and whether nobody waited for it any more."""
    for each in said:
        gone = is_cut_off and each.who in ("model", "tool")
        yield Said(each.who, f"{each.what} (cut off)", each.below) if gone else each


def _depth(run: Run | None) -> int:
    return 0 if run is None or run.parent is None else 1 + _depth(run.parent)


def _answers(entries: Sequence[Entry]) -> dict[int, Entry]:
    """For each place at which a model or a tool was called, its answer."""
    found: dict[int, Entry] = {}
    asked: dict[tuple[str, ...], list[int]] = {}
    for place, entry in enumerate(entries):
        match entry:
            case ModelCalled(agent=agent):
                asked.setdefault((agent,), []).append(place)
            case ToolCalled(agent=agent, call_id=id):
                asked.setdefault((agent, id), []).append(place)
            case ModelAnswered(agent=agent) if asked.get((agent,)):
                found[asked[agent,].pop()] = entry
            case ToolAnswered(agent=agent, call_id=id) if asked.get((agent, id)):
                found[asked[agent, id].pop()] = entry
    return found


def _folded(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines in which a run of events of one type is one line."""
    place = 0
    while place < len(lines):
        line = lines[place]
        end = place + 1
        while line.said.who == "event" and end < len(lines) and _kind(lines[end]) == _kind(line):
            end += 1
        count = end - place
        yield Line(Said("event", f"{line.said.what} … x{count}"), line.depth) if count > 2 else line
        if count == 2:
            yield lines[place + 1]
        place = end


def _kind(line: Line) -> tuple[str, ...]:
    """What lines have in common that are folded: the event's type, and that of the one nested in it."""
    kind, *rest = line.said.what.split("  ")
    return (line.said.who, kind, *(rest[:1] if kind.endswith("Nested") else ()))
