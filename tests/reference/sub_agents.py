"""The least that sub-agents and clients need: a model that replies from a list, and tools that ask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from reference import (
    Answer,
    CallContext,
    Def,
    FunctionTool,
    Handle,
    Json,
    Message,
    ModelReply,
    ModelRequest,
    Options,
    Request,
    Runtime,
    State,
    Suspension,
    TaskResult,
    ToolCall,
    ToolOutput,
    Usage,
    pending,
)

Reply: TypeAlias = "ModelReply | str | ToolCall | list[ToolCall] | BaseException"


def call(tool: str, call_id: str = "c1", **arguments: Json) -> ToolCall:
    """A call, as a model makes it."""
    return ToolCall(call_id, tool, arguments)


def task(agent: str, prompt: str = "go", call_id: str = "t1") -> ToolCall:
    """A call that delegates."""
    return call("task", call_id, agent=agent, prompt=prompt)


def tokens(count: int, content: str = "", *calls: ToolCall) -> ModelReply:
    """A reply that takes so many tokens."""
    return ModelReply(content, calls, Usage(count, 0))


class Replies:
    """A model for several agents: each has a list of replies, by the name in its definition's `model`. Keeps
    what each `saw`, time by time."""

    def __init__(self, **replies: list[Reply]) -> None:
        self._left = {name: list(each) for name, each in replies.items()}
        self.saw: dict[str, list[tuple[Message, ...]]] = {}
        self.offered: dict[str, tuple[str, ...]] = {}
        self.gates: dict[str, Gate] = {}

    async def __call__(self, request: ModelRequest) -> ModelReply:
        name = request.model
        self.saw.setdefault(name, []).append(tuple(request.messages))
        self.offered[name] = tuple(tool.name for tool in request.tools)
        if name in self.gates:
            await self.gates[name].wait()
        reply = self._left[name].pop(0)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, str):
            return ModelReply(reply)
        if isinstance(reply, ToolCall):
            return ModelReply(tool_calls=(reply,))
        return ModelReply(tool_calls=tuple(reply)) if isinstance(reply, list) else reply

    def asked(self, name: str) -> int:
        """How many times that one was asked."""
        return len(self.saw.get(name, ()))


class Gate:
    """A place where something waits until the host opens it."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()

    async def wait(self) -> None:
        self._reached.set()
        await self._opened.wait()

    async def reached(self) -> None:
        await self._reached.wait()

    def open(self) -> None:
        self._opened.set()


class Asks:
    """A tool that suspends until it has an Answer; keeps the Answers that it found, None for none."""

    def __init__(self, name: str, kind: str = "approval", request_id: str = "") -> None:
        self.found: list[Answer | None] = []
        self._kind = kind
        self._id = request_id
        self.tool = FunctionTool(name, self._execute)

    async def _execute(self, args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
        self.found.append(ctx.answer)
        if ctx.answer is not None:
            return ToolOutput("granted " + json.dumps(dict(ctx.answer.data or {})))
        return pending(Request(self._kind, f"may I use {self.tool.name}?", self._id))


def does(name: str, work: Callable[[], object] | None = None) -> FunctionTool:
    """A tool that does that and answers."""

    async def execute(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput:
        done = work() if work is not None else None
        if isinstance(done, Awaitable):
            await done
        return ToolOutput(f"{name} done")

    return FunctionTool(name, execute)


def defined(*definitions: Def) -> dict[str, Def]:
    """A registry."""
    return {each.name: each for each in definitions}


async def woken(runtime: Runtime, name: str, prompt: str = "go") -> tuple[Handle, TaskResult]:
    """A new handle under the root, and the result of its first turn."""
    handle = runtime.spawn(runtime.root(), name)
    runtime.wake(handle, prompt)
    return handle, await runtime.wait(handle)


def request_of(result: TaskResult) -> Request:
    """The request that a pending result has."""
    if result.pending is None:
        raise AssertionError(f"nothing is pending: {result}")
    return result.pending


def ok(result: TaskResult) -> Answer:
    """The Answer that grants what a pending result asks for."""
    return Answer(request_of(result).id, True)


class Trace:
    """What `Options.on_transition` is told."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, State, State]] = []

    def __call__(self, handle_id: str, before: State, after: State) -> None:
        self.steps.append((handle_id, before, after))

    def of(self, handle: Handle) -> list[State]:
        """The states that the handle went through, from the first on."""
        return [State.IDLE, *(after for each, _, after in self.steps if each == handle.id)]


def chain_of(levels: int, **replies: list[Reply]) -> tuple[Options, Replies, Asks]:
    """Agents a0, a1, ... of which each delegates to the next; the last asks. Each then says it is done."""
    asks = Asks("ask")
    last = levels - 1
    script: dict[str, list[Reply]] = {}
    for n in range(last):
        script[f"a{n}"] = [task(f"a{n + 1}"), task(f"a{n + 1}"), f"a{n} done"]
    script[f"a{last}"] = [call("ask"), call("ask"), f"a{last} done"]
    model = Replies(**(script | replies))
    registry = defined(
        *(Def(f"a{n}", model=f"a{n}", team=(f"a{n + 1}",)) for n in range(last)),
        Def(f"a{last}", model=f"a{last}", tools=(asks.tool,)),
    )
    return Options(registry, model), model, asks
