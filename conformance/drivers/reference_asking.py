"""The model, the tools and the interpreters of the reference's sub-agents and clients: they ask the host.

What is asked here is asked in tasks that are the reference's own, which go on in the background; so it is
kept who is asking. Knows nothing of runtimes and clients.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from conformance.drivers.base import Call, Host
from conformance.scenario import Json
from reference import (
    Answer,
    CallContext,
    FunctionTool,
    ModelReply,
    ModelRequest,
    OnTransition,
    Request,
    State,
    Suspension,
    ToolCall,
    ToolOutput,
    Usage,
    WaitFor,
    pending,
)


class HostAsking:
    """The way to the host, from one reset to the next. From when `is_over` nothing is told any more."""

    def __init__(self, host: Host) -> None:
        self.is_over = False
        self._host = host
        self._asking: set[asyncio.Task[object]] = set()

    async def end(self) -> None:
        """Wait until all who have been cancelled are gone."""
        asking = self._asking - {asyncio.current_task()}
        if asking:
            await asyncio.wait(asking)
        await asyncio.sleep(0)  # for those who were cancelled before they had asked anything

    async def generate(self, request: ModelRequest) -> ModelReply:
        """The model of all: its name is that of the definition or the client. What it leaves out is left
        out."""
        messages = [message.to_json() for message in request.messages]
        with self._noted():
            generation = await self._host.generate(request.model, messages)
        said: dict[str, Any] = {
            "content": "".join(generation.chunks),
            "tool_calls": tuple(map(_call, generation.tool_calls)),
            "usage": _usage(generation.usage),
        }
        return ModelReply(**{name: value for name, value in said.items() if value})

    def tool(self, owner: str, name: str) -> FunctionTool:
        """A tool of a definition or a client."""

        async def execute(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
            answer = None if ctx.answer is None else ctx.answer.to_json()
            with self._noted():
                outcome = await self._host.execute(owner, ctx.call_id, name, dict(args), answer)
            if outcome.request is not None:
                return pending(Request.from_json(outcome.request))
            return ToolOutput(outcome.content)

        return FunctionTool(name, execute)

    def interpreter(self, owner: str, *, is_there: bool = True) -> WaitFor | None:
        """The interpreter of a definition or a client; with an empty name that of a runtime."""

        async def wait_for(request: Request) -> Answer:
            with self._noted():
                return Answer.from_json(await self._host.wait_for(owner, request.to_json()))

        return wait_for if is_there else None

    def observer(self, runtime: str) -> OnTransition:
        """Tells the host of every step of a runtime's handles."""

        def on_transition(handle: str, before: State, after: State) -> None:
            if not self.is_over:
                self._host.moved(runtime, handle, before.value, after.value)

        return on_transition

    @contextmanager
    def _noted(self) -> Iterator[None]:
        task = asyncio.current_task()
        if task is not None:
            self._asking.add(task)
        try:
            yield
        finally:
            if task is not None:
                self._asking.discard(task)


def _call(call: Call) -> ToolCall:
    return ToolCall(call["id"], call["name"], call["arguments"])


def _usage(usage: Mapping[str, int]) -> Usage | None:
    if not usage:
        return None
    return Usage.from_json({"prompt_tokens": 0, "completion_tokens": 0, **usage})
