"""The state of one play, shared by what the host does (`playing`) and what it is asked (`script`).

It has one owner for each thing: who runs, which id each `$tool#n` stands for, what a host would have saved,
and what has failed so far. Knows the transcript and the failures, but neither drivers nor the order of steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance import patterns
from conformance.naming import CallNames
from conformance.patterns import Comparison, Mismatch
from conformance.scenario import MAIN, Json, Position, Scenario
from conformance.transcript import Began, Emitted, Event, Message, Run, Transcript
from conformance.verdict import Failure

DEFAULT_MAX_ROUNDS = 8
"""The bound on tool rounds where an agent sets none (background, limits)."""


@dataclass(slots=True)
class Saved:
    """The messages of one agent that a host would have: all seen at rest, and those announced since."""

    at_rest: list[Message] = field(default_factory=list)
    announced: list[Message] = field(default_factory=list)

    def messages(self) -> list[Message]:
        """The conversation, as complete as the host knows it."""
        return [*self.at_rest, *self.announced]


@dataclass(slots=True)
class Stage:
    """One play under way. `step` counts from 1; 0 is before the first and after the last. `answering` is how
    many Answers are being brought to a runtime, `during` how many entries of the script act at the moment."""

    scenario: Scenario
    transcript: Transcript = field(default_factory=Transcript)
    failures: list[Failure] = field(default_factory=list)
    names: CallNames = field(init=False)
    step: int = 0
    active: dict[str, Run] = field(default_factory=dict)
    stopping: set[str] = field(default_factory=set)
    waiting: dict[str, int] = field(default_factory=dict)
    saved: dict[str, Saved] = field(default_factory=dict)
    warned: dict[str, list[Event]] = field(default_factory=dict)
    answering: int = 0
    during: int = 0

    def __post_init__(self) -> None:
        self.names = CallNames(self.scenario.agents)
        self.transcript.profile = self.scenario.profile

    @property
    def ids(self) -> Mapping[str, str]:
        """The ids of the calls by their references."""
        return self.names.ids

    # Runs

    def begin(self, run: Run) -> Run:
        """Note that `run` has begun and give it its number."""
        run.number = len(self.transcript.runs) + 1
        self.transcript.runs.append(run)
        self.transcript.entries.append(Began(self.step, run))
        self.active[run.agent] = run
        run.warned = self.warned.pop(run.agent, [])
        return run

    def close(self, run: Run) -> None:
        """Settle how a run ended, as far as the suite can know, and forget it as an active one."""
        if run.ending == "open":
            rounds = self.scenario.agents[run.agent].max_rounds or DEFAULT_MAX_ROUNDS
            if run.agent in self.stopping:
                run.ending = "stopped"
            elif run.rounds >= rounds:
                run.ending = "limited"
            else:
                run.ending = "refused" if run.error is not None else "normal"
        self.stopping.discard(run.agent)
        if self.active.get(run.agent) is run:
            del self.active[run.agent]

    def stop(self, agent: str) -> None:
        """Note that the run of `agent` is being stopped, and with it the children's inside it."""
        if agent not in self.active:
            return
        self.stopping.add(agent)
        for run in list(self.active.values()):
            if run.parent is not None and run.parent.agent == agent:
                self.stop(run.agent)

    def is_settled(self, agent: str) -> bool:
        """Whether the agent does nothing on its own now: it is idle or waits for the suite."""
        return agent not in self.active or self.waiting.get(agent, 0) > 0

    # Events

    def hear(self, agent: str, event: Event) -> None:
        """Take down an event, and what it tells of calls and messages."""
        run = self.active.get(agent)
        self.transcript.entries.append(Emitted(self.step, agent, run, event))
        if run is not None:
            self._attribute(run, event)
        elif event["type"] == "Warning":
            self.warned.setdefault(agent, []).append(event)

    def _attribute(self, run: Run, event: Event) -> None:
        run.events.append(event)
        if event["type"] == "MessageEnd":
            self._hear_message(run.agent, event.get("message"))
        elif event["type"] == "Nested":
            inner = event.get("event")
            child = self._child(run, event.get("tool_call_id"))
            if child is not None and isinstance(inner, dict) and isinstance(inner.get("type"), str):
                self._attribute(child, inner)

    def _child(self, parent: Run, call_id: Json) -> Run | None:
        for run in self.active.values():
            if run.parent is parent and run.parent_call == call_id:
                return run
        return None

    def _hear_message(self, agent: str, message: Json) -> None:
        if not isinstance(message, dict):
            return
        self.saved.setdefault(agent, Saved()).announced.append(message)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self.names.bind(agent, call.get("id"), call.get("name"))

    # Failures

    def fail(
        self,
        check: str,
        message: str,
        covers: Iterable[str] = (),
        *,
        expected: Json = None,
        actual: Json = None,
        position: Position | None = None,
        agent: str = MAIN,
        comparison: Comparison | None = None,
    ) -> None:
        """Take down that a check did not hold; it breaks `covers`, or else all that the scenario covers."""
        requirements = tuple(covers) or self.scenario.covers
        self.failures.append(
            Failure(
                check,
                requirements,
                self.scenario.level,
                self.step,
                message,
                expected,
                actual,
                position,
                agent,
                comparison,
                len(self.transcript.entries),
            )
        )

    def mismatch(
        self,
        check: str,
        found: Mismatch | None,
        covers: Sequence[str],
        expected: Json,
        actual: Json,
        position: Position,
        agent: str = MAIN,
    ) -> None:
        """Take down a failed match, if it is one, with both sides whole."""
        if found is not None:
            self.fail(
                check,
                found.message,
                covers,
                expected=expected,
                actual=actual,
                position=position,
                agent=agent,
                comparison=self._compared(check, expected, actual, agent),
            )

    def _compared(self, check: str, expected: Json, actual: Json, agent: str) -> Comparison | None:
        """Both sides of a list, with the calls in it named as the scenario names them."""
        if not isinstance(expected, list) or not isinstance(actual, list):
            return None
        compare = patterns.compare_events if check in ("emits", "emitted") else patterns.compare_list
        found = compare(expected, actual, self.ids)
        if found is None:
            return None
        items = tuple(self.names.named(item, agent, is_nested=bool(found.inside)) for item in found.actual)
        inside = self.names.name(agent, found.inside) if found.inside else ""
        return replace(found, actual=items, inside=inside)


def without_system(messages: Iterable[Mapping[str, Json]]) -> list[Message]:
    """The messages that a pattern looks at: whether the system prompt is one of them is left open."""
    return [dict(message) for message in messages if message.get("role") != "system"]
