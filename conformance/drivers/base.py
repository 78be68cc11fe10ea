"""How the suite reaches an implementation: the one interface that every driver has.

The suite is the `Host`: it owns the model, the tools and the inbox's other end, and the implementation
calls it. The implementation is behind the `Driver`: it owns nothing but the agent. Everything that crosses
is JSON-shaped and has its schema in `schemas/`; a driver translates its implementation's own forms.

What goes wrong, and whose fault it is:

- `ImplementationError`: the implementation answered with an error of its own (`aborted`, `nothing-to-do`).
  A scenario may expect it.
- `Crashed`: the implementation is gone, or raised what is no answer. The scenario in flight ends as crashed.
- `ProtocolError`: the driver said what it may not say. The scenario in flight ends as protocol-error.
- `TimedOut`: it has been waited for longer than allowed. The scenario in flight ends as timed-out.
- `NotStarted`: it cannot be started at all. The command ends with status 3; with 2 where there is nothing
  that could be started (`NotExecutable`).
- `HostError`: the suite's answer to a request that it cannot serve; the implementation sees a failure of
  its model or its tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Protocol, TypedDict, runtime_checkable

from conformance.scenario import Json, Profile

Capability = Literal[
    "answers",
    "children",
    "clock",
    "denial",
    "disk-store",
    "live-views",
    "relays",
    "runtime-budget",
    "runtime-interpreter",
    "state-traces",
    "threads",
    "updates",
]
CAPABILITIES: dict[Capability, str] = {
    "answers": "a halted run can go on with an Answer (client/run_with_answer)",
    "children": "a tool can run another agent inside its call (context/run_child)",
    "clock": "time goes on only where the suite says so (clock/advance)",
    "denial": "a hook can refuse a call before it is executed (tool/approve)",
    "disk-store": "a client can keep its conversations in a file (store in client/create)",
    "live-views": "messages, pending calls and needs_reply can be asked for while a run is going on",
    "relays": "a client can have relay tools (relays in client/create)",
    "runtime-budget": "a runtime can limit all its handles together (budget in runtime/create)",
    "runtime-interpreter": "a runtime can have an interpreter of its own (interprets in runtime/create)",
    "state-traces": "every step of every handle from state to state is told (runtime/moved)",
    "threads": "the inbox can be used from threads of its own (inbox/threads)",
    "updates": "a tool can report progress while it executes (tool/update)",
}

ErrorCode = Literal["aborted", "nothing-to-do", "empty-prompt", "busy", "other"]
ERROR_CODES: tuple[ErrorCode, ...] = ("aborted", "nothing-to-do", "empty-prompt", "busy", "other")

Handle = Literal["first", "copy", "second"]
"""Which inbox handle: the one taken first, a copy of it, or another taken from the agent."""


class ImplementationError(Exception):
    """An error that is the implementation's answer, with a code from `ERROR_CODES`."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message


class HostError(Exception):
    """What the suite answers to a request of the implementation that fails: a model's or a tool's error.

    `aborted` says that the run to which the request belongs has been stopped.
    """

    def __init__(self, message: str, *, aborted: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.aborted = aborted


class DriverFailure(Exception):
    """The play cannot go on; the subclasses say why. `detail` is for a person (a traceback, a stderr)."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail


class Crashed(DriverFailure):
    """The implementation died, or raised something that is no answer."""


class ProtocolError(DriverFailure):
    """The driver said something that it may not say, or not here."""


class NotWritten(ProtocolError):
    """The driver says that it does not have what it was asked: it has not been written so far."""


class TimedOut(DriverFailure):
    """The implementation neither answered nor asked for anything in the time allowed."""


class NotStarted(DriverFailure):
    """The implementation cannot be started, or not be kept running."""


class NotExecutable(NotStarted):
    """There is nothing to start: what the driver's name leads to cannot be executed."""


class DriverNameError(Exception):
    """A driver's name that cannot be understood, or leads nowhere."""


@dataclass(frozen=True, slots=True)
class Implementation:
    """What an implementation says of itself when it is started."""

    name: str
    version: str
    language: str
    profiles: frozenset[Profile]
    capabilities: frozenset[Capability]


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How an agent of a scenario is to be set up. `approves` asks for the hook that may refuse a call."""

    tools: tuple[str, ...] = ()
    pause_on_pending: bool = False
    max_rounds: int | None = None
    system_prompt: str | None = None
    approves: bool = False


class Call(TypedDict):
    """A tool call that the model makes. Its id is the implementation's to give in the profile `agent`; in the
    others it comes with the call."""

    name: str
    arguments: dict[str, Json]
    id: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Generation:
    """The model's reply: the text in the chunks in which it is streamed, and the calls."""

    chunks: tuple[str, ...] = ()
    tool_calls: tuple[Call, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool execution gives; a tool that fails raises `HostError` instead. One that suspends has a
    `request` (in the profiles `runtime` and `client`), and its content says nothing."""

    content: str
    pending: bool = False
    request: dict[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class InboxItem:
    """Something put into an inbox: a message (`push`) or a call's result (`resolve`, `reject`)."""

    word: Literal["push", "resolve", "reject"]
    text: str
    call_id: str = ""
    handle: Handle = "first"


class Host(Protocol):
    """What the implementation may ask of the suite, and tell it."""

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        """The model of `agent` is called with `messages`. Raises HostError where the model fails."""

    async def execute(
        self,
        agent: str,
        call_id: str,
        tool: str,
        arguments: dict[str, Json],
        answer: dict[str, Json] | None = None,
    ) -> Outcome:
        """A tool is executed. Raises HostError where the tool fails.

        In the profiles `runtime` and `client`, `answer` is the Answer in the tool's context, if there is one,
        and `call_id` may be empty where a tool does not learn it."""

    async def approve(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> str | None:
        """Whether a call may be executed: None, or why not."""

    async def wait_for(self, agent: str, request: dict[str, Json]) -> dict[str, Json]:
        """The interpreter of `agent`, a definition or a client, is asked; an empty name is the runtime's own.
        Answers an Answer. Raises HostError where the interpreter fails."""

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """A handle, by its id, went from one state to another (capability `state-traces`)."""

    def event(self, agent: str, event: dict[str, Json]) -> None:
        """`agent`'s run emits an event. The events of a child's run come only inside its parent's."""


class Driver(Protocol):
    """What the suite may ask of an implementation. Agents are called by the names of the scenario.

    Every method but `start` may raise ImplementationError where the implementation answers with an error,
    and Crashed, ProtocolError or TimedOut where there is no answer.
    """

    async def start(self, host: Host) -> Implementation:
        """Make the implementation ready. Called once; raises NotStarted."""

    async def reset(self) -> None:
        """Forget all agents, whatever they are doing: a new scenario begins.

        Behind it nothing may be heard of what was begun in their runs and wakes; a task that serves several
        scenarios is begun in `start`."""

    async def shutdown(self) -> None:
        """End. Nothing is called afterwards, and nothing is left running."""

    async def crash(self) -> None:
        """Abandon everything where it stands, as when the process is killed; then be ready again.

        Agents are gone. Runs in progress raise asyncio.CancelledError or never answer."""

    async def create(self, agent: str, options: AgentOptions) -> None:
        """A fresh agent; an older one with that name is forgotten."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        """Run with new user text. Answers after the run's last event, with {} or {message: the reply}."""

    async def resume(self, agent: str) -> dict[str, Json]:
        """Run on from where the conversation stands. Answers as `prompt` does."""

    async def stop(self, agent: str) -> None:
        """Ask a run in progress to stop. Answers at once."""

    async def messages(self, agent: str) -> list[dict[str, Json]]:
        """The conversation."""

    async def replace_messages(self, agent: str, messages: list[dict[str, Json]]) -> None:
        """Put another conversation in its place."""

    async def pending_calls(self, agent: str) -> list[dict[str, Json]]:
        """The calls whose real result is still owed; each has at least an id."""

    async def needs_reply(self, agent: str) -> bool:
        """Whether the conversation ends in something that the model has not answered."""

    async def put(self, agent: str, item: InboxItem) -> None:
        """Put an item into the agent's inbox."""

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Put items in from threads, one for each list (capability `threads`)."""

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> dict[str, Json]:
        """Inside the execution of `call_id` by `agent`: run `child` and answer {message: its reply}."""

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Inside the execution of `call_id` by `agent`: report progress."""

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """A verb of the profiles `runtime` and `client` (`runtime/spawn`, `client/ask`, `clock/advance`).

        Params and result have the shapes that `schemas/protocol.schema.json` gives that method."""


@runtime_checkable
class Accountable(Protocol):
    """What a driver may have besides: it looks after a process, and can tell more of it."""

    notes: list[str]
    """What a person should know of it although no scenario failed by it."""

    def silence(self, seconds: float) -> DriverFailure:
        """Nothing has been heard for so long: what that was. The process is not used any more."""

    @property
    def lost(self) -> str:
        """Why the implementation cannot be kept running; empty as long as it can."""

    def said(self) -> str:
        """The end of what the process has written to stderr since the scenario began."""
