"""What was seen of a play, in the order in which it happened: the only thing that a judge looks at.

A transcript is written by `playing` and read by the matchers, the always-on checks and the reports. It holds
what crossed the boundary and what the suite did, and no opinion on either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from conformance.scenario import Json, Position, Profile

Event: TypeAlias = dict[str, Json]
Message: TypeAlias = dict[str, Json]

Ending = Literal["normal", "stopped", "failed", "limited", "refused", "crashed", "open"]
"""How a run ended, as far as the suite can know: the suite stopped it; its model raised; it had as many
model calls as its bound on rounds allows; the implementation answered with an error; the suite crashed it;
it has not ended. `normal` is everything else, pauses included."""


@dataclass(slots=True)
class Run:
    """One run of one agent: `prompt`, `resume`, or `child` for a run inside a tool call.

    `events` are the agent's own, in order, Nested ones among them as they came. `parent_call` is the id of
    the call in which a child's run takes place (its events are those found inside the parent's Nested).
    `rounds` counts the model's replies with tool calls. `warned` are the Warnings that came since the agent's
    last run, in none: when a dropped result is warned of is left open.
    """

    number: int
    agent: str
    kind: Literal["prompt", "resume", "child"]
    step: int
    text: str = ""
    parent: Run | None = None
    parent_call: str = ""
    events: list[Event] = field(default_factory=list)
    warned: list[Event] = field(default_factory=list)
    ending: Ending = "open"
    rounds: int = 0
    error: dict[str, Json] | None = None
    result: dict[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Began:
    """A run began."""

    step: int
    run: Run


@dataclass(frozen=True, slots=True)
class Emitted:
    """An event came. `run` is the run to whose agent the driver attributed it (None: no run was open)."""

    step: int
    agent: str
    run: Run | None
    event: Event


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """The model was called with `messages` (system messages are not among them)."""

    step: int
    agent: str
    run: Run | None
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that the model makes. `id` is empty where calls get their ids from the implementation."""

    name: str
    arguments: dict[str, Json]
    id: str = ""


@dataclass(frozen=True, slots=True)
class ModelAnswered:
    """The model replied with `text` and `calls`, or failed with `error`. `entry` is the place of the script's
    entry that says so."""

    step: int
    agent: str
    run: Run | None
    text: str
    calls: tuple[Asked, ...]
    error: str | None
    entry: Position | None = None


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool was executed, with `answer` in its context where there is an Answer."""

    step: int
    agent: str
    run: Run | None
    call_id: str
    tool: str
    arguments: dict[str, Json]
    answer: dict[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """A tool's execution ended. `outcome` is returns, pending, raises, denied, suspends or aborted; `entry`
    is the place of the script's entry that says so."""

    step: int
    agent: str
    run: Run | None
    call_id: str
    tool: str
    outcome: str
    text: str
    entry: Position | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """An item was put into the inbox and that was answered.

    `settled` says that the agent was idle or waiting for the suite at that moment, so that its next reading
    of the inbox must find the item. `threaded` says that it was put in from a thread of its own."""

    step: int
    agent: str
    word: Literal["push", "resolve", "reject"]
    text: str
    call_id: str
    settled: bool
    threaded: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """The suite asked the agent's run to stop."""

    step: int
    agent: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """The agent has this conversation and an empty history otherwise: it is fresh, or was restored or
    crashed (`fresh`), or replace_messages was called on it (not `fresh`; its inbox is as it was)."""

    step: int
    agent: str
    messages: Sequence[Message]
    fresh: bool
    crashed: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """A run ended; `messages` is the conversation then (None where it could not be asked for)."""

    step: int
    run: Run
    messages: Sequence[Message] | None


@dataclass(slots=True)
class Performed:
    """A verb of the profiles `runtime` and `client`; it is answered with `result`, or else with `error`.

    `method` and `params` are as they crossed. `handle` is the id of the handle that was addressed, in the
    runtime `runtime`; both are empty for a client's verbs. One that waits for something (`waits`) stands
    where it was answered, with all that happened meanwhile before it, and any other where it was asked, so
    that its answer may not have come yet. `during` says that it was not a step of its own.
    """

    step: int
    method: str
    params: dict[str, Json]
    runtime: str = ""
    handle: str = ""
    result: dict[str, Json] | None = None
    error: dict[str, Json] | None = None
    during: bool = False

    @property
    def waits(self) -> bool:
        """Whether it is answered only when something has ended."""
        return self.method in WAITING


WAITING = frozenset(
    {
        "runtime/wait",
        "runtime/resume",
        "client/run",
        "client/ask",
        "client/run_with_answer",
        "client/ask_with_answer",
    }
)
"""The verbs that are answered only when something has ended."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A handle, by its id, was said to have gone from one state to another. `answering` says that an Answer
    was being brought to the runtime then."""

    step: int
    runtime: str
    handle: str
    before: str
    after: str
    answering: bool


@dataclass(frozen=True, slots=True)
class Interpreted:
    """An interpreter was asked and gave `answer`, or failed (None). `agent` is empty for the runtime's."""

    step: int
    agent: str
    request: dict[str, Json]
    answer: dict[str, Json] | None


Entry: TypeAlias = (
    Began
    | Emitted
    | ModelCalled
    | ModelAnswered
    | ToolCalled
    | ToolAnswered
    | Put
    | Stopped
    | Replaced
    | Ended
    | Performed
    | Moved
    | Interpreted
)


@dataclass(slots=True)
class Transcript:
    """A whole play. `steps` in the entries count from 1."""

    entries: list[Entry] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    profile: Profile = "agent"
