"""What stands where in a scenario's document, whatever else may be wrong with it.

A document that breaks the schema has an outline too: what has the wrong shape is passed over, so that all
that can be said about the rest is said at once. Knows nothing of requirements, positions or the classes of
`scenario`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from conformance.drivers.base import Capability
from conformance.patterns import Kind
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import MAIN, Json

Path: TypeAlias = tuple[str | int, ...]
Fields: TypeAlias = dict[str, Json]

WORDS = frozenset(
    {
        "prompt",
        "resume",
        "start",
        "finish",
        "restore",
        "new",
        "replace_messages",
        "push",
        "resolve",
        "reject",
        "stop",
        "crash",
        "check",
        "threads",
    }
)
"""What a step or an action can do."""
_VIEWS: Mapping[str, Kind] = {"pending_calls": "list", "conversation": "list", "emitted": "events"}
_LIVE = ("pending_calls", "needs_reply", "conversation")
_NEEDED: Mapping[str, Capability] = {"runs_child": "children", "denied": "denial", "updates": "updates"}


class Action(NamedTuple):
    """A step, or an action inside `during` or `threads`.

    `fields` is the mapping in which its word stands, and empty where the word stands alone.
    """

    path: Path
    word: str
    argument: Json
    fields: Fields
    agent: str
    threads: tuple[tuple[Action, ...], ...] = ()

    @property
    def at_word(self) -> Path:
        """Where the word stands: a key, or the action itself where the word stands alone."""
        return (*self.path, self.word) if self.fields else self.path


class Entry(NamedTuple):
    """One entry of a model or a tool."""

    path: Path
    fields: Fields
    during: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a scenario. `models` are the entries of each agent's model, `tools` those of each tool;
    `inner` are the actions inside `during` and `threads`, wherever those stand."""

    document: Fields
    agents: Fields
    models: Mapping[str, tuple[Entry, ...]]
    tools: Mapping[str, tuple[Entry, ...]]
    steps: tuple[Action, ...]
    inner: tuple[Action, ...]

    @property
    def model_entries(self) -> Iterator[Entry]:
        """The entries of all models."""
        return chain.from_iterable(self.models.values())

    @property
    def tool_entries(self) -> Iterator[Entry]:
        """The entries of all tools."""
        return chain.from_iterable(self.tools.values())

    @property
    def actions(self) -> Iterator[Action]:
        """The steps, and all actions inside something."""
        return chain(self.steps, self.inner)


def outline(document: Json) -> Outline:
    """The outline of a document of any shape."""
    whole = document if isinstance(document, dict) else {}
    agents, tools = mapping_at(whole, "agents"), mapping_at(whole, "tools")
    models = {
        name: tuple(_entries(("agents", name, "model"), list_at(agent, "model")))
        for name, agent in agents.items()
    }
    executions = {name: tuple(_entries(("tools", name), list_at(tools, name))) for name in tools}
    steps = tuple(_actions(("steps",), list_at(whole, "steps")))
    during = [
        action
        for entries in (*models.values(), *executions.values())
        for entry in entries
        for action in entry.during
    ]
    threads = [action for outer in (*steps, *during) for thread in outer.threads for action in thread]
    return Outline(whole, agents, models, executions, steps, (*during, *threads))


def _entries(path: Path, items: list[Json]) -> Iterator[Entry]:
    for index, item in enumerate(items):
        if isinstance(item, dict):
            here = (*path, index)
            yield Entry(here, item, tuple(_actions((*here, "during"), list_at(item, "during"))))


def _actions(path: Path, items: list[Json], agent: str = MAIN) -> Iterator[Action]:
    for index, item in enumerate(items):
        here = (*path, index)
        if isinstance(item, str):
            yield Action(here, item, None, {}, agent)
        elif isinstance(item, dict):
            word = next((word for word in item if word in WORDS), None)
            if word is not None:
                addressed = text_at(item, "agent") or agent
                threads = _threads(here, list_at(item, "threads"), addressed)
                yield Action(here, word, item[word], item, addressed, threads)


def _threads(path: Path, items: list[Json], agent: str) -> tuple[tuple[Action, ...], ...]:
    """The actions in the lists of `threads`, which address the agent that the whole addresses."""
    return tuple(
        tuple(_actions((*path, "threads", number), thread, agent))
        for number, thread in enumerate(items)
        if isinstance(thread, list)
    )


Started: TypeAlias = Mapping[str, Action]
"""The runs that have been started and not finished, by agent."""


def started_after(step: Action, before: Started) -> Started:
    """The runs that are held once `step` has been done."""
    if step.word == "start":
        return {**before, step.agent: before.get(step.agent, step)}
    if step.word == "finish":
        return {agent: start for agent, start in before.items() if agent != step.agent}
    return {} if step.word == "crash" else before


def patterns_in(scenario: Outline) -> Iterator[tuple[Path, Json, Kind]]:
    """Every pattern that has the shape its place asks for, with its path and what it is a pattern for."""
    for entry in scenario.model_entries:
        if isinstance(sees := entry.fields.get("sees"), list):
            yield (*entry.path, "sees"), sees, "list"
    for entry in scenario.tool_entries:
        yield from _answers((*entry.path, "runs_child"), mapping_at(entry.fields, "runs_child"))
    for action in scenario.actions:
        if isinstance(emits := action.fields.get("emits"), list):
            yield (*action.path, "emits"), emits, "events"
        yield from _answers(action.path, action.fields)
        if action.word == "check" and isinstance(action.argument, dict):
            for view, kind in _VIEWS.items():
                if isinstance(pattern := action.argument.get(view), list):
                    yield (*action.path, "check", view), pattern, kind


def _answers(path: Path, fields: Fields) -> Iterator[tuple[Path, Json, Kind]]:
    for key in ("result", "error"):
        if key in fields:
            yield (*path, key), fields[key], "value"


def needs(scenario: Outline) -> frozenset[Capability]:
    """The capabilities without which the scenario cannot be played."""
    found: set[Capability] = set()
    for entry in scenario.tool_entries:
        found.update(capability for word, capability in _NEEDED.items() if word in entry.fields)
    if any(action.word == "threads" for action in scenario.actions):
        found.add("threads")
    started: Started = {}
    for step in scenario.steps:
        if step.agent in started and _looks_at_what_lives(step):
            found.add("live-views")
        started = started_after(step, started)
    if any(map(_looks_at_what_lives, scenario.inner)):
        found.add("live-views")
    return frozenset(found)


def _looks_at_what_lives(action: Action) -> bool:
    views = action.argument if action.word == "check" and isinstance(action.argument, dict) else {}
    return any(view in views for view in _LIVE)
