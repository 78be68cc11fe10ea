"""What a scenario is, once it has been read: plain frozen data.

Made by `loader`, played by `playing`. Knows nothing of YAML text, drivers or verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final, Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Level = Literal["must", "should", "may"]
Profile = Literal["agent", "runtime", "client"]

PROFILES: tuple[Profile, ...] = ("agent", "runtime", "client")

LEVELS: tuple[Level, ...] = ("must", "should", "may")
"""Strongest first."""

MAIN = "main"
"""The agent, handle or runtime that a step or an action addresses unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; line and column count from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Absent(Enum):
    """The type of `ABSENT`: the scenario says nothing here (which is not the same as null)."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the host does: a step, or an action inside `during` or `threads`.

    `word` is the word that it is written with (`prompt`, `push`, `check`, ...) and `argument` what stands
    behind it, in one form whatever the shorthand:

    - prompt: the text. push: {text, handle}. resolve, reject: {call, with, handle}.
    - check: a mapping of view to pattern. replace_messages: a list of messages.
    - start: {prompt: text} or {resume: None}.
    - resume, finish, restore, new, stop, crash: None.
    - threads: None; the lists are in `threads`.

    Those of the profile `runtime`, which address `handle`, and `runtime` where they address none:

    - spawn: {name, under, budget}; `handle` is what the new handle is called, `under` its parent or None.
    - find: a pattern for one entry of list(); `handle` is what the handle found is called from then on.
    - post: {text, from}; `from` is a handle or None. wake: {prompt}. wait: {timeout}, seconds or None.
    - interrupt: None. close: {force}. advance: seconds.
    - resume_with: {request, ok, data, reason}; `request` is a reference, the last two may be missing.

    And those of the profile `client`:

    - run: {text}. ask: {text, conversation}.
    - run_with_answer: {request, echo, ok, data, reason}; `request` says which halted run goes on, `echo`
      whose id the Answer has. ask_with_answer: the same and {conversation}.

    `emits`, `result` and `error` are patterns, or `ABSENT` where the scenario has none.
    """

    word: str
    argument: Json
    position: Position
    agent: str = MAIN
    handle: str = MAIN
    runtime: str = MAIN
    threads: tuple[tuple[Step, ...], ...] = ()
    emits: list[Json] | None = None
    result: Json | Absent = ABSENT
    error: Json | Absent = ABSENT
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call that the scripted model makes. Its id is the implementation's to give in the profile
    `agent`, and the suite's in the others."""

    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """What the scripted model does on one call.

    `chunks` are the pieces in which the text is streamed (`text: x` is the one chunk x; no text is none).
    `sees` is a pattern for the messages that the model is given, system messages left out.
    """

    position: Position
    chunks: tuple[str, ...] = ()
    calls: tuple[ScriptedCall, ...] = ()
    raises: str | None = None
    usage: Mapping[str, int] | None = None
    sees: list[Json] | None = None
    during: tuple[Step, ...] = ()
    optional: bool = False
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunsChild:
    """A tool execution that runs another agent of the scenario and waits for its reply."""

    agent: str
    prompt: str
    result: Json | Absent = ABSENT
    error: Json | Absent = ABSENT


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """What a scripted tool does on one execution.

    `outcome` and `text` are one of: returns, pending, raises, denied; or `reply` (with no text), where the
    entry has only `runs_child` and so answers with the child's reply; or `suspends`, with a `request`.
    `with_answer` is a pattern for the Answer that the tool finds in its context (`{$absent: true}`: there is
    none). An `optional` entry is used only where that matches.
    """

    position: Position
    outcome: Literal["returns", "pending", "raises", "denied", "reply", "suspends"]
    text: str = ""
    request: Mapping[str, Json] | None = None
    with_answer: Json | Absent = ABSENT
    optional: bool = False
    updates: tuple[str, ...] = ()
    runs_child: RunsChild | None = None
    during: tuple[Step, ...] = ()
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InterpreterEntry:
    """What an interpreter (`wait_for`) does when it is asked once: it answers, or raises.

    `sees` is a pattern for the Request. The Answer has the Request's id.
    """

    position: Position
    ok: bool = True
    data: Mapping[str, Json] | None = None
    reason: str | None = None
    raises: str | None = None
    sees: Json | Absent = ABSENT
    during: tuple[Step, ...] = ()
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentScript:
    """An agent of the scenario: its configuration, and what its model does.

    In the profile `runtime` this is a definition, in `client` a client. `wait_for` is None where there is no
    interpreter. `budget` has the keys of `reference.Budget`; `relays` are the names of relay tools, and
    `max_turns` is how often one run of a client may ask its model.
    """

    position: Position
    tools: tuple[str, ...] = ()
    pause_on_pending: bool = False
    max_rounds: int | None = None
    max_turns: int | None = None
    system_prompt: str | None = None
    model: tuple[ModelEntry, ...] = ()
    does: str = ""
    team: tuple[str, ...] = ()
    relays: tuple[str, ...] = ()
    budget: Mapping[str, int] = field(default_factory=dict)
    wait_for: tuple[InterpreterEntry, ...] | None = None


@dataclass(frozen=True, slots=True)
class RuntimeScript:
    """How every runtime of the scenario is set up, and what its interpreter does."""

    wait_for: tuple[InterpreterEntry, ...] | None = None
    budget: Mapping[str, int] = field(default_factory=dict)
    inbox_cap: int | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One play.

    `id` is the path below the scenarios' folder without its suffix. `needs` are the capabilities without
    which it cannot be played, worked out from the words that it uses. `description` says what a reader has to
    know beside the title. `store` is where clients keep their conversations.
    """

    id: str
    path: Path
    title: str
    covers: tuple[str, ...]
    level: Level
    profile: Profile
    agents: Mapping[str, AgentScript]
    tools: Mapping[str, tuple[ToolEntry, ...]]
    steps: tuple[Step, ...]
    needs: frozenset[str] = frozenset()
    description: str = ""
    runtime: RuntimeScript = field(default_factory=RuntimeScript)
    store: Literal["memory", "disk"] = "memory"
