"""Serving an agent to the suite from a process of its own: the implementation's end of `stdio:COMMAND`.

An agent in Python needs an adapter that is a `Driver` (`drivers/base.py`), which the suite can use in its own
process as well (`python:MODULE:FACTORY`), and a file that serves it:

    from conformance import sdk
    from my_agent.adapter import create

    sdk.serve(create())

What is printed meanwhile goes to stderr, so that it cannot get between the lines of the protocol. The suite
looks at every line that comes from here; what comes from the suite is trusted.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

from conformance.drivers import jsonlines, wire
from conformance.drivers.base import (
    Driver,
    ImplementationError,
    ProtocolError,
)
from conformance.drivers.partial import perform
from conformance.drivers.raised import traceback_of
from conformance.drivers.suite import Suite
from conformance.drivers.wire import Object
from conformance.scenario import Json

__all__ = ["serve"]

_PERFORMED = ("runtime/", "client/", "clock/")
"""How the methods begin that are one method of a driver's."""
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_PIECE = 64 * 1024
"""Bytes that are read at once: what a pipe holds. More is slower, since memory is asked for each time."""
_LAST_WORDS = 0.2
"""Seconds for answers that are under way when stdin is closed."""


def serve(driver: Driver) -> None:
    """Serve `driver` over stdin and stdout until the suite says `shutdown` or closes stdin."""
    with _own_stdout() as stdout:
        asyncio.run(_serve(driver, stdout))


async def _serve(driver: Driver, stdout: int) -> None:
    await _Server(driver, stdout).serve()


@contextmanager
def _own_stdout() -> Iterator[int]:
    """The real stdout for us alone; for everybody else, whatever it is written in, stdout is stderr."""
    sys.stdout.flush()
    ours = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    python_stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        yield ours
    finally:
        sys.stdout = python_stdout
        os.dup2(ours, _STDOUT)
        os.close(ours)


class _Server:
    """Answers the suite by asking the driver."""

    def __init__(self, driver: Driver, stdout: int) -> None:
        self._driver = driver
        self._suite = Suite(stdout)
        self._begun = b""
        self._answering: set[asyncio.Task[None]] = set()
        self._methods: dict[str, Callable[[Object], Awaitable[Json]]] = {
            "initialize": self._initialize,
            "agent/create": self._create,
            "agent/prompt": lambda p: driver.prompt(str(p["agent"]), str(p["text"])),
            "agent/resume": lambda p: driver.resume(str(p["agent"])),
            "agent/stop": lambda p: driver.stop(str(p["agent"])),
            "agent/messages": self._messages,
            "agent/replace_messages": self._replace_messages,
            "agent/pending_calls": self._pending_calls,
            "agent/needs_reply": self._needs_reply,
            "inbox/push": lambda p: driver.put(str(p["agent"]), wire.item_from_json("push", p)),
            "inbox/resolve": lambda p: driver.put(str(p["agent"]), wire.item_from_json("resolve", p)),
            "inbox/reject": lambda p: driver.put(str(p["agent"]), wire.item_from_json("reject", p)),
            "inbox/threads": self._put_from_threads,
            "context/run_child": self._run_child,
            "tool/update": self._update,
            "reset": lambda p: driver.reset(),
            "shutdown": lambda p: driver.shutdown(),
        }

    async def serve(self) -> None:
        """Until the suite has had enough."""
        loop = asyncio.get_running_loop()
        try:
            loop.add_reader(_STDIN, self._readable)
        except PermissionError:  # a file, which can always be read
            while not self._suite.is_gone.is_set():
                self._readable()
        try:
            await self._suite.is_gone.wait()
        finally:
            loop.remove_reader(_STDIN)
        if self._answering:  # lines piped in by hand: stdin is at its end before they are answered
            await asyncio.wait(self._answering, timeout=_LAST_WORDS)
        self._suite.flush()

    def _readable(self) -> None:
        data = os.read(_STDIN, _PIECE)
        if not data:
            self._suite.is_gone.set()
            asyncio.get_running_loop().remove_reader(_STDIN)
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            message = wire.mapping(jsonlines.decode(line))
            if "method" not in message:
                self._suite.take_answer(message)
                continue
            self._answering.add(asyncio.get_running_loop().create_task(self._answer(message)))

    async def _answer(self, message: Object) -> None:
        try:
            await self._serve(message)
        finally:
            task = asyncio.current_task()
            if task is not None:
                self._answering.discard(task)

    async def _serve(self, message: Object) -> None:
        id, method, params = message["id"], str(message["method"]), wire.mapping(message["params"])
        ask = self._methods.get(method)
        if ask is None and method.startswith(_PERFORMED):
            ask = partial(perform, self._driver, method)
        if ask is None:
            self._suite.send(wire.failure(id, wire.METHOD_NOT_FOUND, f"there is no method {method}"))
            return
        try:
            result = await ask(params)
            answer = wire.success(id, {} if result is None else result)
        except ImplementationError as error:
            answer = wire.failure(id, wire.IMPLEMENTATION_ERROR, error.message, {"code": error.code})
        except ProtocolError as error:  # what an adapter says that has not been written to its end
            answer = wire.failure(id, wire.METHOD_NOT_FOUND, error.message)
        except asyncio.CancelledError:
            answer = wire.failure(id, wire.IMPLEMENTATION_ERROR, "the run was dropped", {"code": "aborted"})
        except Exception as error:  # noqa: BLE001 - whatever a driver raises is for the suite to see
            said = f"{type(error).__name__}: {error}"
            answer = wire.failure(id, wire.INTERNAL_ERROR, said, traceback_of(error))
        self._suite.send(answer)
        if method == "shutdown":
            self._suite.is_gone.set()

    async def _initialize(self, params: Object) -> Json:
        ours, theirs = wire.PROTOCOL_VERSIONS, params["protocol_versions"]
        spoken = [version for version in ours if isinstance(theirs, list) and version in theirs]
        if not spoken:
            raise ImplementationError(
                "other", f"this speaks version {ours[0]} of the protocol, and not {theirs}"
            )
        return wire.implementation_to_json(await self._driver.start(self._suite), spoken[0])

    async def _create(self, params: Object) -> Json:
        await self._driver.create(str(params["agent"]), wire.options_from_json(params))
        return {}

    async def _messages(self, params: Object) -> Json:
        return {"messages": [*await self._driver.messages(str(params["agent"]))]}

    async def _replace_messages(self, params: Object) -> Json:
        await self._driver.replace_messages(str(params["agent"]), wire.objects(params["messages"]))
        return {}

    async def _pending_calls(self, params: Object) -> Json:
        return {"calls": [*await self._driver.pending_calls(str(params["agent"]))]}

    async def _needs_reply(self, params: Object) -> Json:
        return {"needs_reply": await self._driver.needs_reply(str(params["agent"]))}

    async def _put_from_threads(self, params: Object) -> Json:
        threads = wire.threads_from_json(params["threads"])
        await self._driver.put_from_threads(str(params["agent"]), threads)
        return {}

    async def _run_child(self, params: Object) -> Json:
        agent, call_id = str(params["agent"]), str(params["call_id"])
        child, prompt = str(params["child"]), str(params["prompt"])
        return await self._suite.inside(
            agent, call_id, lambda: self._driver.run_child(agent, call_id, child, prompt)
        )

    async def _update(self, params: Object) -> Json:
        agent, call_id = str(params["agent"]), str(params["call_id"])
        await self._driver.update(agent, call_id, str(params["partial"]))
        return {}
