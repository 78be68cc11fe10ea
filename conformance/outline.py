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

from conformance.patterns import Kind
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import MAIN, PROFILES, Json, Profile

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
        # Those of the profile `runtime`:
        "spawn",
        "wake",
        "wait",
        "post",
        "interrupt",
        "close",
        "resume_with",
        "find",
        "advance",
        # And those of the profile `client`:
        "run",
        "ask",
        "run_with_answer",
        "ask_with_answer",
    }
)
"""What a step or an action can do, in one profile or another."""
_VIEWS: Mapping[str, tuple[Kind, str]] = {
    "pending_calls": ("list", "calls"),
    "conversation": ("list", "messages"),
    "emitted": ("events", "events"),
    "state": ("value", "state"),
    "inspect": ("value", "view"),
    "inbox_len": ("value", "count"),
    "pool_tokens": ("value", "tokens_left"),
    "usage_tokens": ("value", "count"),
    "trace": ("list", "trace"),
}
"""What each view has a pattern for, and what the pattern is set against."""
RESULTS: Mapping[Profile, str] = {"agent": "run", "runtime": "task_result", "client": "run_result"}
"""What a step is answered with."""
_NONE: Json = {"$absent": True}
"""As a pattern for an Answer: there is none. Elsewhere it stands only as the value of a field."""
_GIVING_A_HANDLE = ("spawn", "find")


class Action(NamedTuple):
    """A step, or an action inside `during` or `threads`.

    `fields` is the mapping in which its word stands, and empty where the word stands alone. `handle` is the
    one that it addresses or, for spawn and find, the name of the one that it gives.
    """

    path: Path
    word: str
    argument: Json
    fields: Fields
    agent: str
    threads: tuple[tuple[Action, ...], ...] = ()
    handle: str = MAIN
    runtime: str = MAIN

    @property
    def at_word(self) -> Path:
        """Where the word stands: a key, or the action itself where the word stands alone."""
        return (*self.path, self.word) if self.fields else self.path


class Entry(NamedTuple):
    """One entry of a model, a tool or an interpreter."""

    path: Path
    fields: Fields
    during: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a scenario. `models` are the entries of each agent's model, `tools` those of each tool;
    `interpreters` those of each agent's interpreter, and of the runtime's with an empty name; `inner` are the
    actions inside `during` and `threads`, wherever those stand. `profile` is the one whose words the scenario
    has, by what it covers; `agent` where that cannot be told."""

    document: Fields
    agents: Fields
    models: Mapping[str, tuple[Entry, ...]]
    tools: Mapping[str, tuple[Entry, ...]]
    interpreters: Mapping[str, tuple[Entry, ...]]
    steps: tuple[Action, ...]
    inner: tuple[Action, ...]
    profile: Profile

    @property
    def model_entries(self) -> Iterator[Entry]:
        """The entries of all models."""
        return chain.from_iterable(self.models.values())

    @property
    def tool_entries(self) -> Iterator[Entry]:
        """The entries of all tools."""
        return chain.from_iterable(self.tools.values())

    @property
    def interpreter_entries(self) -> Iterator[Entry]:
        """The entries of all interpreters."""
        return chain.from_iterable(self.interpreters.values())

    @property
    def actions(self) -> Iterator[Action]:
        """The steps, and all actions inside something."""
        return chain(self.steps, self.inner)


def named_profile(document: Fields) -> Profile | None:
    """The profile that is named by what a document covers."""
    covers = [id for id in list_at(document, "covers") if isinstance(id, str)]
    return next((profile for profile in PROFILES if any(id.startswith(f"{profile}.") for id in covers)), None)


def outline(document: Json) -> Outline:
    """The outline of a document of any shape."""
    whole = document if isinstance(document, dict) else {}
    agents, tools = mapping_at(whole, "agents"), mapping_at(whole, "tools")
    models = {
        name: tuple(_entries(("agents", name, "model"), list_at(agent, "model")))
        for name, agent in agents.items()
    }
    executions = {name: tuple(_entries(("tools", name), list_at(tools, name))) for name in tools}
    interpreters = {
        name: tuple(_entries((*path, "wait_for"), list_at(fields, "wait_for")))
        for name, path, fields in (
            *((name, ("agents", name), agent) for name, agent in agents.items()),
            ("", ("runtime",), mapping_at(whole, "runtime")),
        )
    }
    steps = tuple(_actions(("steps",), list_at(whole, "steps")))
    during = [
        action
        for entries in (*models.values(), *executions.values(), *interpreters.values())
        for entry in entries
        for action in entry.during
    ]
    threads = [action for outer in (*steps, *during) for thread in outer.threads for action in thread]
    return Outline(
        whole,
        agents,
        models,
        executions,
        interpreters,
        steps,
        (*during, *threads),
        named_profile(whole) or "agent",
    )


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
                handle = text_at(item, "as" if word in _GIVING_A_HANDLE else "handle") or MAIN
                runtime = text_at(item, "runtime") or MAIN
                yield Action(here, word, item[word], item, addressed, threads, handle, runtime)


def _threads(path: Path, items: list[Json], agent: str) -> tuple[tuple[Action, ...], ...]:
    """The actions in the lists of `threads`, which address the agent that the whole addresses."""
    return tuple(
        tuple(_actions((*path, "threads", number), thread, agent))
        for number, thread in enumerate(items)
        if isinstance(thread, list)
    )


Started: TypeAlias = Mapping[str, Action]
"""The runs that have been started and not finished, by whose they are."""


def whose_run(step: Action) -> str:
    """The agent or, in the profile `runtime`, the handle whose run a step starts or finishes. There a step
    addresses no agent but the one that it has unless it says so, and elsewhere no handle."""
    return step.agent if step.handle == MAIN else step.handle


def started_after(step: Action, before: Started) -> Started:
    """The runs that are held once `step` has been done."""
    if step.word == "start":
        return {**before, whose_run(step): before.get(whose_run(step), step)}
    if step.word == "finish":
        return {name: start for name, start in before.items() if name != whose_run(step)}
    return {} if step.word == "crash" else before


class Placed(NamedTuple):
    """A pattern, where it stands, what it is a pattern for, and what it is set against: a property of
    `schemas/seen`, by its name."""

    path: Path
    pattern: Json
    kind: Kind
    seen: str


def patterns_in(scenario: Outline) -> Iterator[Placed]:
    """Every pattern that has the shape its place asks for."""
    result = RESULTS[scenario.profile]
    for entry in scenario.model_entries:
        if isinstance(sees := entry.fields.get("sees"), list):
            yield Placed((*entry.path, "sees"), sees, "list", "messages")
    for entry in scenario.tool_entries:
        yield from _answers((*entry.path, "runs_child"), mapping_at(entry.fields, "runs_child"), "run")
        if entry.fields.get("with_answer", _NONE) != _NONE:
            yield Placed((*entry.path, "with_answer"), entry.fields["with_answer"], "value", "answer")
    for entry in scenario.interpreter_entries:
        if "sees" in entry.fields:
            yield Placed((*entry.path, "sees"), entry.fields["sees"], "value", "request")
    for action in scenario.actions:
        if isinstance(emits := action.fields.get("emits"), list):
            yield Placed((*action.path, "emits"), emits, "events", "events")
        yield from _answers(action.path, action.fields, "handle" if action.word == "spawn" else result)
        if action.word == "find" and isinstance(action.argument, dict):
            yield Placed(action.at_word, action.argument, "value", "view")
        if action.word == "check" and isinstance(action.argument, dict):
            yield from _views(action.at_word, action.argument)


def _views(path: Path, views: Fields) -> Iterator[Placed]:
    for view, (kind, seen) in _VIEWS.items():
        if view in views and (kind == "value" or isinstance(views[view], list)):
            yield Placed((*path, view), views[view], kind, seen)
    if "list" in views:
        yield Placed((*path, "list"), views["list"], _kind_of(views["list"]), "views")
    for conversation, pattern in mapping_at(views, "stored").items():
        yield Placed((*path, "stored", conversation), pattern, _kind_of(pattern), "stored")


def _kind_of(pattern: Json) -> Kind:
    return "list" if isinstance(pattern, list) else "value"


def _answers(path: Path, fields: Fields, result: str) -> Iterator[Placed]:
    for key, seen in (("result", result), ("error", "error")):
        if key in fields:
            yield Placed((*path, key), fields[key], "value", seen)
