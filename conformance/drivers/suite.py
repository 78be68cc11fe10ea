"""The suite, as an implementation in a process of its own sees it: the host that a driver is given there.

What it is asked goes out as lines, and what it answers comes in. Knows nothing of what the suite asks.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

from conformance.drivers import jsonlines, wire
from conformance.drivers.base import Generation, HostError, Outcome
from conformance.drivers.wire import Object
from conformance.scenario import Json


class Suite:
    """A `Host`: what it is asked goes out as lines, in the order of the asking."""

    def __init__(self, stdout: int) -> None:
        self.is_gone = asyncio.Event()
        self._stdout = stdout
        self._loop = asyncio.get_running_loop()
        self._lines: list[bytes] = []
        self._last_id = 0
        self._asked: dict[int, asyncio.Future[Object]] = {}
        self._orders: dict[tuple[str, str], asyncio.Queue[Callable[[], Awaitable[None]] | None]] = {}

    async def generate(self, agent: str, messages: Sequence[Object]) -> Generation:
        """Host.generate."""
        result = await self._ask("model/generate", {"agent": agent, "messages": [*messages]})
        return wire.generation_from_json(result)

    async def execute(
        self, agent: str, call_id: str, tool: str, arguments: Object, answer: Object | None = None
    ) -> Outcome:
        """Host.execute. What the suite wants done inside the execution is done here, in the tool's own task:
        a child is a part of the call, and a stop finds it there."""
        params = wire.execution_to_json(agent, call_id, tool, arguments, answer)
        orders: asyncio.Queue[Callable[[], Awaitable[None]] | None] = asyncio.Queue()
        self._orders[agent, call_id] = orders
        try:
            with self._asking("tool/execute", params) as outcome:
                outcome.add_done_callback(lambda _: orders.put_nowait(None))
                while (order := await orders.get()) is not None:
                    await order()
                return wire.outcome_from_json(await outcome)
        finally:  # unless another handle of the same definition makes a call of that id
            if self._orders.get((agent, call_id)) is orders:
                del self._orders[agent, call_id]

    async def inside(self, agent: str, call_id: str, action: Callable[[], Awaitable[Json]]) -> Json:
        """What `action` answers, done inside the execution of a call."""
        answer: asyncio.Future[Json] = self._loop.create_future()

        async def order() -> None:
            try:
                result = await action()
            except asyncio.CancelledError:
                answer.cancel()
                raise
            except Exception as error:  # noqa: BLE001 - it is the answer, and none of the tool's business
                answer.set_exception(error)
            else:
                answer.set_result(result)

        self._orders[agent, call_id].put_nowait(order)
        return await answer

    async def approve(self, agent: str, call_id: str, tool: str, arguments: Object) -> str | None:
        """Host.approve."""
        params = wire.execution_to_json(agent, call_id, tool, arguments)
        result = await self._ask("tool/approve", params)
        return None if result["approved"] is True else str(result.get("reason", ""))

    async def wait_for(self, agent: str, request: Object) -> Object:
        """Host.wait_for."""
        result = await self._ask("host/wait_for", {"agent": agent, "request": request})
        return wire.mapping(result["answer"])

    def event(self, agent: str, event: Object) -> None:
        """Host.event."""
        self._tell("event", {"agent": agent, "event": event})

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """Host.moved."""
        step: Object = {"runtime": runtime, "handle": handle, "before": before, "after": after}
        self._tell("runtime/moved", step)

    def _tell(self, method: str, params: Object) -> None:
        if not self._lines:
            self._loop.call_soon(self.flush)
        self._lines.append(jsonlines.encode(wire.notification(method, params)))

    async def _ask(self, method: str, params: Object) -> Object:
        with self._asking(method, params) as answer:
            return await answer

    @contextmanager
    def _asking(self, method: str, params: Object) -> Iterator[asyncio.Future[Object]]:
        self._last_id += 1
        id = self._last_id
        self._asked[id] = self._loop.create_future()
        self.send(wire.request(id, method, params))
        try:
            yield self._asked[id]
        finally:
            del self._asked[id]

    def take_answer(self, message: Object) -> None:
        """The suite has answered. What nobody waits for any more, since its run was stopped, is dropped."""
        id = message["id"]
        answer = self._asked.get(id) if isinstance(id, int) else None
        if answer is None or answer.done():
            return
        if "result" in message:
            answer.set_result(wire.mapping(message["result"]))
            return
        error = wire.mapping(message["error"])
        is_aborted = wire.mapping(error.get("data")).get("code") == "aborted"
        answer.set_exception(HostError(str(error["message"]), aborted=is_aborted))

    def send(self, message: Object) -> None:
        """Send a line, behind the events that were before it; somebody is waiting for it."""
        self._lines.append(jsonlines.encode(message))
        self.flush()

    def flush(self) -> None:
        """Write what is to be sent. Events are sent together, at the latest in the loop's next round."""
        data = memoryview(b"".join(self._lines))
        self._lines.clear()
        try:
            while data:
                data = data[os.write(self._stdout, data) :]
        except BrokenPipeError:
            self.is_gone.set()
