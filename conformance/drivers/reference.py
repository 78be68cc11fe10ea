"""The reference as an implementation under test: the one place where the suite knows of it.

It is also the pattern for a driver in Python: agents by name, a model and tools that ask the host, errors
given their codes, and messages and events in their wire forms.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from conformance import version
from conformance.drivers.base import (
    CAPABILITIES,
    AgentOptions,
    ErrorCode,
    Host,
    HostError,
    Implementation,
    ImplementationError,
    InboxItem,
)
from conformance.drivers.reference_verbs import ReferenceVerbs
from conformance.scenario import PROFILES, Json
from reference import (
    Aborted,
    Agent,
    AgentConfig,
    AgentError,
    Busy,
    CallRequest,
    Chunk,
    EmptyPrompt,
    Event,
    Inbox,
    Message,
    NothingToDo,
    NotIdle,
    Tool,
    ToolCall,
    ToolContext,
    ToolOutput,
    Usage,
)

T = TypeVar("T")

CODES: Mapping[type[AgentError], ErrorCode] = {
    Aborted: "aborted",
    NothingToDo: "nothing-to-do",
    EmptyPrompt: "empty-prompt",
    Busy: "busy",
    NotIdle: "busy",
}


def driver() -> ReferenceDriver:
    """The factory that `outlast run` uses unless it is told another."""
    return ReferenceDriver()


@contextmanager
def _answers() -> Iterator[None]:
    """The reference's own errors, as errors of an implementation."""
    try:
        yield
    except AgentError as error:
        raise ImplementationError(CODES.get(type(error), "other"), str(error)) from error


@dataclass(slots=True)
class _Held:
    """An agent with what the host has of it: its handles, and the tool calls in progress."""

    agent: Agent
    model: _HostModel
    handles: dict[str, Inbox]
    contexts: dict[str, ToolContext] = field(default_factory=dict)


class _HostModel:
    """A model that asks the host."""

    def __init__(self, host: Host, name: str) -> None:
        self._host = host
        self._name = name
        self._wire: dict[int, tuple[Message, dict[str, Json]]] = {}

    async def generate(
        self, messages: Sequence[Message], tools: Sequence[Tool], system_prompt: str
    ) -> AsyncIterator[Chunk]:
        """Model.generate."""
        generation = await self._host.generate(self._name, [self.wire(message) for message in messages])
        for text in generation.chunks:
            yield text
        for call in generation.tool_calls:
            yield CallRequest(call["name"], call["arguments"])
        if generation.usage:
            usage = generation.usage
            yield Usage(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))

    def wire(self, message: Message) -> dict[str, Json]:
        """The wire form of a message; a conversation is asked for again and again, so it is kept."""
        kept = self._wire.get(id(message))
        if kept is None or kept[0] is not message:
            kept = self._wire[id(message)] = message, message.to_json()
        return kept[1]


class _HostTool:
    """A tool that asks the host."""

    def __init__(self, host: Host, owner: str, name: str, contexts: dict[str, ToolContext]) -> None:
        self.name = name
        self._host = host
        self._owner = owner
        self._contexts = contexts

    async def execute(self, args: Mapping[str, Json], ctx: ToolContext) -> ToolOutput:
        """Tool.execute."""
        self._contexts[ctx.call_id] = ctx
        try:
            outcome = await self._host.execute(self._owner, ctx.call_id, self.name, dict(args))
        except HostError as error:
            if error.aborted:
                raise Aborted(error.message) from error
            raise
        finally:
            del self._contexts[ctx.call_id]
        return ToolOutput.pending(outcome.content) if outcome.pending else ToolOutput(outcome.content)


class ReferenceDriver:
    """A `Driver` for the agents, the runtimes and the clients of the reference, in this process."""

    def __init__(self) -> None:
        self._host: Host | None = None
        self._held: dict[str, _Held] = {}
        self._verbs: ReferenceVerbs | None = None
        self._runs: set[asyncio.Future[Any]] = set()

    async def start(self, host: Host) -> Implementation:
        """Driver.start."""
        self._host = host
        return Implementation(
            "outlast reference", version(), "python", frozenset(PROFILES), frozenset(CAPABILITIES)
        )

    async def reset(self) -> None:
        """Driver.reset."""
        await self.crash()

    async def shutdown(self) -> None:
        """Driver.shutdown."""
        await self.crash()

    async def crash(self) -> None:
        """Driver.crash: what runs is cancelled from outside, which the reference takes as its death."""
        runs, self._runs = self._runs, set()
        verbs, self._verbs = self._verbs, None
        self._held.clear()
        if verbs is not None:
            verbs.stop()
        for run in runs:
            run.cancel()
        if runs:
            await asyncio.wait(runs)
        if verbs is not None:
            await verbs.end()

    @property
    def _started(self) -> Host:
        if self._host is None:
            raise ValueError("the driver has not been started")
        return self._host

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        host, contexts = self._started, dict[str, ToolContext]()
        config = AgentConfig()  # what a scenario leaves out is left to the agent
        if options.system_prompt is not None:
            config = replace(config, system_prompt=options.system_prompt)
        if options.pause_on_pending:
            config = replace(config, pause_on_pending=True)
        if options.max_rounds is not None:
            config = replace(config, max_tool_rounds=options.max_rounds)

        async def approve(call: ToolCall) -> str | None:
            return await host.approve(agent, call.id, call.name, dict(call.arguments))

        tools = [_HostTool(host, agent, name, contexts) for name in options.tools]
        made = Agent(config, tools, approve=approve if options.approves else None)
        first = made.inbox()
        handles = {"first": first, "copy": copy(first), "second": made.inbox()}
        self._held[agent] = _Held(made, _HostModel(host, agent), handles, contexts)

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        """Driver.prompt."""
        held = self._held[agent]
        run = held.agent.prompt(text, held.model, self._sink(agent))
        return _replied(await self._ended(asyncio.create_task(run)))

    async def resume(self, agent: str) -> dict[str, Json]:
        """Driver.resume."""
        held = self._held[agent]
        run = held.agent.resume(held.model, self._sink(agent))
        return _replied(await self._ended(asyncio.create_task(run)))

    async def _ended(self, run: asyncio.Future[T]) -> T:
        """What a run answers with, unless it is abandoned."""
        self._runs.add(run)
        try:
            with _answers():
                return await run
        finally:
            self._runs.discard(run)

    def _sink(self, agent: str) -> Callable[[Event], None]:
        host = self._started
        return lambda event: host.event(agent, event.to_json())

    async def stop(self, agent: str) -> None:
        """Driver.stop."""
        self._held[agent].agent.stop()

    async def messages(self, agent: str) -> list[dict[str, Json]]:
        """Driver.messages."""
        held = self._held[agent]
        return [held.model.wire(message) for message in held.agent.messages]

    async def replace_messages(self, agent: str, messages: list[dict[str, Json]]) -> None:
        """Driver.replace_messages."""
        with _answers():
            self._held[agent].agent.replace_messages([Message.from_json(message) for message in messages])

    async def pending_calls(self, agent: str) -> list[dict[str, Json]]:
        """Driver.pending_calls."""
        return [call.to_json() for call in self._held[agent].agent.pending_calls()]

    async def needs_reply(self, agent: str) -> bool:
        """Driver.needs_reply."""
        return self._held[agent].agent.needs_reply()

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        self._put(agent, item)

    def _put(self, agent: str, item: InboxItem) -> None:
        handle = self._held[agent].handles[item.handle]
        if item.word == "push":
            handle.push(item.text)
        elif item.word == "resolve":
            handle.resolve(item.call_id, item.text)
        else:
            handle.reject(item.call_id, item.text)

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads: real threads, which take turns so that the order is always the same."""
        turns = [[threading.Event() for _ in items] for items in threads]
        order = [(n, i) for i in range(max(map(len, threads), default=0)) for n in range(len(threads))]
        baton = [turns[n][i] for n, i in order if i < len(turns[n])]
        following = dict(zip(map(id, baton), [*baton[1:], threading.Event()], strict=True))

        def work(items: Sequence[InboxItem], mine: Sequence[threading.Event]) -> None:
            for item, turn in zip(items, mine, strict=True):
                turn.wait()
                self._put(agent, item)
                following[id(turn)].set()

        workers = [threading.Thread(target=work, args=pair) for pair in zip(threads, turns, strict=True)]
        for worker in workers:
            worker.start()
        if baton:
            baton[0].set()
        for worker in workers:
            worker.join()

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> dict[str, Json]:
        """Driver.run_child."""
        context, held = self._held[agent].contexts[call_id], self._held[child]
        with _answers():
            reply = await context.run_child(held.agent, prompt, held.model)
        return {"message": reply.to_json()}

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Driver.update."""
        self._held[agent].contexts[call_id].update(partial)

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """Driver.perform."""
        if self._verbs is None:
            self._verbs = ReferenceVerbs(self._started)
        with _answers():
            answer = await self._verbs.perform(method, params)
            return await self._ended(answer) if isinstance(answer, asyncio.Future) else answer


def _replied(reply: Message | None) -> dict[str, Json]:
    return {} if reply is None else {"message": reply.to_json()}
