"""The whole exchange of one play, both directions, line by line as it crosses.

An implementation that is a subprocess is listened to on its pipes: what is shown are its own lines. For one
in this process the calls on its `Driver` and on the `Host` are written as the lines that they would be over
stdio, so that both look the same. Knows nothing of how lines are shown.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from conformance import version
from conformance.drivers import jsonlines, load_driver, wire
from conformance.drivers.base import (
    AgentOptions,
    Driver,
    DriverFailure,
    Generation,
    Host,
    HostError,
    Implementation,
    ImplementationError,
    InboxItem,
    Outcome,
)
from conformance.drivers.life import StdioOptions, Tap
from conformance.drivers.partial import perform
from conformance.drivers.wire import Object
from conformance.scenario import Json

T = TypeVar("T")


def load_traced(name: str, tap: Tap, options: StdioOptions | None = None) -> Callable[[], Driver]:
    """The factory of the driver called `name`, as `load_driver` has it, with everything shown to `tap`.

    Raises DriverNameError.
    """
    options = options or StdioOptions()
    if name.startswith("stdio:"):
        return load_driver(name, replace(options, tap=tap))
    return traced(load_driver(name, options), tap)


def traced(factory: Callable[[], Driver], tap: Tap) -> Callable[[], Driver]:
    """A factory of drivers in this process, all calls of which are shown to `tap`."""
    return lambda: TracedDriver(factory(), tap)


class _Lines:
    """Numbers requests, and shows lines."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._last = 0

    def number(self) -> int:
        self._last += 1
        return self._last

    def suite(self, message: Object) -> None:
        self._show("->", message)

    def implementation(self, message: Object) -> None:
        self._show("<-", message)

    def _show(self, direction: str, message: Object) -> None:
        try:
            line = jsonlines.encode(message).rstrip()
        except (ValueError, TypeError) as error:
            line = jsonlines.encode({"method": message.get("method", ""), "not JSON": str(error)}).rstrip()
        self._tap("->" if direction == "->" else "<-", line)


class TracedHost:
    """The host, with what it is asked and answers shown."""

    def __init__(self, host: Host, lines: _Lines) -> None:
        self._host = host
        self._lines = lines
        self._last = 0

    async def _ask(
        self, method: str, params: Object, question: Awaitable[T], to_json: Callable[[T], Json]
    ) -> T:
        self._last += 1
        id = self._last
        self._lines.implementation(wire.request(id, method, params))
        try:
            answer = await question
        except HostError as error:
            self._lines.suite(wire.host_failure(id, error))
            raise
        except asyncio.CancelledError:
            self._lines.suite(wire.host_failure(id, HostError("aborted", aborted=True)))
            raise
        self._lines.suite(wire.success(id, to_json(answer)))
        return answer

    async def generate(self, agent: str, messages: Sequence[Object]) -> Generation:
        """Host.generate."""
        params: Object = {"agent": agent, "messages": [*messages]}
        question = self._host.generate(agent, messages)
        return await self._ask("model/generate", params, question, wire.generation_to_json)

    async def execute(
        self, agent: str, call_id: str, tool: str, arguments: Object, answer: Object | None = None
    ) -> Outcome:
        """Host.execute."""
        params = wire.execution_to_json(agent, call_id, tool, arguments, answer)
        question = self._host.execute(agent, call_id, tool, arguments, answer)
        return await self._ask("tool/execute", params, question, wire.outcome_to_json)

    async def approve(self, agent: str, call_id: str, tool: str, arguments: Object) -> str | None:
        """Host.approve."""
        params = wire.execution_to_json(agent, call_id, tool, arguments)
        question = self._host.approve(agent, call_id, tool, arguments)
        return await self._ask("tool/approve", params, question, _approval)

    async def wait_for(self, agent: str, request: Object) -> Object:
        """Host.wait_for."""
        params: Object = {"agent": agent, "request": request}
        question = self._host.wait_for(agent, request)
        return await self._ask("host/wait_for", params, question, lambda it: {"answer": it})

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """Host.moved."""
        step: Object = {"runtime": runtime, "handle": handle, "before": before, "after": after}
        self._lines.implementation(wire.notification("runtime/moved", step))
        self._host.moved(runtime, handle, before, after)

    def event(self, agent: str, event: Object) -> None:
        """Host.event."""
        self._lines.implementation(wire.notification("event", {"agent": agent, "event": event}))
        self._host.event(agent, event)


def _approval(refusal: str | None) -> Json:
    return {"approved": True} if refusal is None else {"approved": False, "reason": refusal}


class TracedDriver:
    """A driver, with what it is asked and answers shown."""

    def __init__(self, driver: Driver, tap: Tap) -> None:
        self._driver = driver
        self._lines = _Lines(tap)

    def __getattr__(self, name: str) -> object:
        """What a driver may have besides (`Accountable`)."""
        return getattr(self._driver, name)

    async def _ask(
        self,
        method: str,
        params: Object,
        question: Awaitable[T],
        to_json: Callable[[T], Json] = lambda answer: {},
    ) -> T:
        id = self._lines.number()
        self._lines.suite(wire.request(id, method, params))
        try:
            answer = await question
        except BaseException as error:
            self._lines.implementation(_failure(id, error))
            raise
        self._lines.implementation(wire.success(id, to_json(answer)))
        return answer

    async def start(self, host: Host) -> Implementation:
        """Driver.start."""
        suite: Object = {"name": "outlast", "version": version()}
        params: Object = {"protocol_versions": [*wire.PROTOCOL_VERSIONS], "suite": suite}
        question = self._driver.start(TracedHost(host, self._lines))
        spoken = wire.PROTOCOL_VERSIONS[0]
        return await self._ask(
            "initialize", params, question, lambda it: wire.implementation_to_json(it, spoken)
        )

    async def reset(self) -> None:
        """Driver.reset."""
        await self._ask("reset", {}, self._driver.reset())

    async def shutdown(self) -> None:
        """Driver.shutdown."""
        await self._ask("shutdown", {}, self._driver.shutdown())

    async def crash(self) -> None:
        """Driver.crash, for which there is no line over stdio: the process is killed."""
        await self._ask("(crash)", {}, self._driver.crash())

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        params = wire.options_to_json(agent, options)
        await self._ask("agent/create", params, self._driver.create(agent, options))

    async def prompt(self, agent: str, text: str) -> Object:
        """Driver.prompt."""
        params: Object = {"agent": agent, "text": text}
        return await self._ask("agent/prompt", params, self._driver.prompt(agent, text), _same)

    async def resume(self, agent: str) -> Object:
        """Driver.resume."""
        return await self._ask("agent/resume", {"agent": agent}, self._driver.resume(agent), _same)

    async def stop(self, agent: str) -> None:
        """Driver.stop."""
        await self._ask("agent/stop", {"agent": agent}, self._driver.stop(agent))

    async def messages(self, agent: str) -> list[Object]:
        """Driver.messages."""
        question = self._driver.messages(agent)
        return await self._ask("agent/messages", {"agent": agent}, question, lambda it: {"messages": [*it]})

    async def replace_messages(self, agent: str, messages: list[Object]) -> None:
        """Driver.replace_messages."""
        params: Object = {"agent": agent, "messages": [*messages]}
        await self._ask("agent/replace_messages", params, self._driver.replace_messages(agent, messages))

    async def pending_calls(self, agent: str) -> list[Object]:
        """Driver.pending_calls."""
        question = self._driver.pending_calls(agent)
        return await self._ask("agent/pending_calls", {"agent": agent}, question, lambda it: {"calls": [*it]})

    async def needs_reply(self, agent: str) -> bool:
        """Driver.needs_reply."""
        question = self._driver.needs_reply(agent)
        return await self._ask(
            "agent/needs_reply", {"agent": agent}, question, lambda it: {"needs_reply": it}
        )

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        params: Object = {"agent": agent, **wire.item_to_json(item)}
        await self._ask(f"inbox/{item.word}", params, self._driver.put(agent, item))

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads."""
        params: Object = {"agent": agent, "threads": wire.threads_to_json(threads)}
        await self._ask("inbox/threads", params, self._driver.put_from_threads(agent, threads))

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> Object:
        """Driver.run_child."""
        params: Object = {"agent": agent, "call_id": call_id, "child": child, "prompt": prompt}
        question = self._driver.run_child(agent, call_id, child, prompt)
        return await self._ask("context/run_child", params, question, _same)

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Driver.update."""
        params: Object = {"agent": agent, "call_id": call_id, "partial": partial}
        await self._ask("tool/update", params, self._driver.update(agent, call_id, partial))

    async def perform(self, method: str, params: Object) -> Object:
        """Driver.perform."""
        return await self._ask(method, params, perform(self._driver, method, params), _same)


def _same(answer: Object) -> Json:
    return answer


def _failure(id: int, error: BaseException) -> Object:
    """What stands for an exception that a driver raises."""
    if isinstance(error, ImplementationError):
        return wire.failure(id, wire.IMPLEMENTATION_ERROR, error.message, {"code": error.code})
    if isinstance(error, asyncio.CancelledError):
        return wire.failure(id, wire.IMPLEMENTATION_ERROR, "the run was dropped", {"code": "aborted"})
    if isinstance(error, DriverFailure):
        return wire.failure(id, wire.METHOD_NOT_FOUND, error.message)
    text = "".join(traceback.format_exception(error))
    return wire.failure(id, wire.INTERNAL_ERROR, f"{type(error).__name__}: {error}", text)
