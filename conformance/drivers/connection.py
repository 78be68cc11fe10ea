"""JSON-RPC with one process: whose answer an answer is, what may come when, and who is to blame.

Every line is looked at in the order in which they come, and events are handed on at once: what an answer
stands for has been heard before the answer is. Behind an answer nothing is looked at before whoever asked has
gone on: an event that follows the answer to a stop belongs to what the host does next, as it would in one
process, however the lines are cut into pieces by the way. The first fault ends the connection: all that are
waiting for an answer get it, and so does whoever asks next. Knows nothing of processes.

- A fault of the implementation's driver: ProtocolError, in words that name it.
- A fault of the suite's own: ProtocolError too, since no verdict says so, in words that say whose it is.
- An error that is an answer: ImplementationError, for the one who asked.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from conformance.drivers import jsonlines, serving, shapes, wire
from conformance.drivers.base import (
    Crashed,
    DriverFailure,
    Host,
    HostError,
    ImplementationError,
    NotWritten,
    ProtocolError,
)
from conformance.drivers.blame import ErrorInWords, again, error_answer, host_at_fault, our_fault
from conformance.drivers.eager import begun
from conformance.drivers.known import Known
from conformance.drivers.limits import NEW_STEP, Limits, Meter
from conformance.drivers.wire import Object
from conformance.scenario import Json


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request of the suite's that has not been answered. `runs` is the agent whose run it is, if it is."""

    method: str
    runs: str
    answer: asyncio.Future[Json]


class Connection:
    """The exchange with one process.

    Args:
        host: who serves what the implementation asks.
        ended: called when the connection is over because of a fault, with it; may add details.
        limits: how much may come.

    `send` has to be set before anything is asked.
    """

    def __init__(self, host: Host, ended: Callable[[DriverFailure], None], limits: Limits) -> None:
        self.send: Callable[[bytes], None] = lambda line: None
        self.failure: DriverFailure | None = None
        """Why the connection is over, if it is."""
        self.is_known = False
        """Whether somebody has been told of the failure."""
        self.is_clean = True
        """Whether nothing has been asked since the implementation forgot all agents, or was started."""
        self.known = Known()
        """Of whom the implementation may speak."""
        self._host = host
        self._ended = ended
        self._meter = Meter(limits)
        self._last_id = 0
        self._asked: dict[int, _Asked] = {}
        self._abandoned: dict[int, _Asked] = {}
        self._serving: dict[Json, asyncio.Task[None]] = {}
        self._unread: deque[bytes] = deque()
        self._is_waiting = False

    # What the suite asks

    async def ask(self, method: str, params: Object, runs: str = "") -> Json:
        """The result that answers a request.

        `runs` is the agent whose run this is. Raises ImplementationError, and DriverFailure where there is no
        answer or a wrong one; asyncio.CancelledError where the connection was closed.
        """
        if self.failure is not None:
            self.is_known = True
            raise again(self.failure)
        self._last_id += 1
        id = self._last_id
        message = wire.request(id, method, params)
        wrong = shapes.wrong_request(method, message)
        if wrong is not None:
            raise our_fault(f"it wanted to send a wrong {method}: {wrong}")
        if runs:
            self.known.running[id] = runs
        self.known.hear_of(method, params)
        if method in NEW_STEP:
            self._meter.reset()
        self.is_clean = False
        asked = self._asked[id] = _Asked(method, runs, asyncio.get_running_loop().create_future())
        self.send(jsonlines.encode(message))
        if method == "reset":  # the play is over: nobody is going to serve what is still being asked
            for task in self._serving.values():
                task.cancel()
        try:
            return await asked.answer
        except asyncio.CancelledError:
            if self._asked.pop(id, None) is not None:
                self._abandoned[id] = asked
            raise

    def waiting_for(self) -> list[str]:
        """The methods that have not been answered, the newest last."""
        return [asked.method for asked in self._asked.values()]

    # Its end

    def fail(self, failure: DriverFailure) -> None:
        """End the connection; all who wait for an answer learn why."""
        if self.failure is not None:
            return
        self.failure = failure
        self._ended(failure)
        for asked in self._asked.values():
            if not asked.answer.done():
                self.is_known = True
                asked.answer.set_exception(again(failure))
        self._asked.clear()
        for task in self._serving.values():
            task.cancel()

    async def close(self) -> None:
        """End the connection because the suite wants it: nobody is told, waiting requests are cancelled."""
        if self.failure is None:
            self.failure = Crashed("it has been ended")
        self.is_known = True
        for asked in self._asked.values():
            asked.answer.cancel()
        self._asked.clear()
        serving = [task for task in self._serving.values() if task is not asyncio.current_task()]
        for task in serving:
            task.cancel()
        if serving:
            await asyncio.wait(serving)

    # What the implementation sends

    def receive(self, line: bytes) -> None:
        """Take one line."""
        self._unread.append(line)
        if not self._is_waiting:
            self._read()

    def end(self, failure: DriverFailure) -> None:
        """No more lines will come, because of `failure`; it counts if those that have come are right."""
        self._is_waiting = False
        while self._unread and self.failure is None:
            self._read()
        self.fail(failure)

    def _read(self) -> None:
        self._is_waiting = False
        while self._unread and not self._is_waiting and self.failure is None:
            self._read_line(self._unread.popleft())

    def _read_line(self, line: bytes) -> None:
        try:
            self._take(line)
        except jsonlines.NotJson as error:
            self.fail(ProtocolError(str(error)))
        except NotWritten as error:
            self.fail(error)
        except ProtocolError as error:
            line_too = "" if isinstance(error, ErrorInWords) else f": {jsonlines.quoted(line)}"
            self.fail(ProtocolError(f"{error.message}{line_too}", error.detail))
        except Crashed as error:
            self.fail(error)
        except Exception as error:  # noqa: BLE001 - a host that raises here is at fault, not the implementation
            self.fail(host_at_fault(error))

    def _take(self, line: bytes) -> None:
        message = jsonlines.decode(line)
        self._meter.line(len(line))
        if not isinstance(message, dict):
            raise ProtocolError("a line is one JSON object (there are no batches)")
        if "method" in message:
            self._take_request(message)
        elif "id" in message:
            self._take_answer(message)
        else:
            raise ProtocolError("neither a request nor an answer: it has no method and no id")

    def _take_request(self, message: Object) -> None:
        method = message["method"]
        if not isinstance(method, str) or method not in shapes.IMPLEMENTATION_METHODS:
            raise ProtocolError(shapes.unknown_method(method))
        wrong = shapes.wrong_request(method, message)
        if wrong is not None:
            raise ProtocolError(f"a wrong {method}: {wrong}")
        params = wire.mapping(message["params"])
        if method in shapes.NOTIFICATIONS:
            self._meter.event()
            self.known.demand(method, params)
            serving.tell(self._host, method, params)
            return
        self._meter.request()
        id = message["id"]
        if isinstance(id, float):
            raise ProtocolError(f"a wrong {method}: id: expected a whole number or text")
        if id in self._serving:
            raise ProtocolError(f"a second request with the id {id!r}, while the first is being served")
        self.known.demand(method, params)
        self._serve(id, method, params)

    def _take_answer(self, message: Object) -> None:
        id = message["id"]
        if message.get("jsonrpc") != "2.0":
            raise ProtocolError('an answer without "jsonrpc": "2.0"')
        if ("result" in message) == ("error" in message):
            raise ProtocolError("an answer has either a result or an error")
        if id is None:
            raise ProtocolError("an error that answers no request: what the suite sent was not understood")
        if type(id) is not int:
            raise ProtocolError(_never_made(id))
        self.known.running.pop(id, None)
        if self._abandoned.pop(id, None) is not None:
            return  # a late one: whoever asked has given up
        asked = self._asked.pop(id, None)
        if asked is None:
            was_made = 0 < id <= self._last_id
            raise ProtocolError(f"a second answer to the request {id}" if was_made else _never_made(id))
        try:
            self._settle(asked, message)
        except (ProtocolError, Crashed):
            self._asked[id] = asked  # its asker is told with the others
            raise
        self._is_waiting = True
        asyncio.get_running_loop().call_soon(self._read)  # behind the asker, who is called before this

    def _settle(self, asked: _Asked, message: Object) -> None:
        if "result" in message:
            wrong = shapes.wrong_result(asked.method, message["result"])
            if wrong is not None:
                raise ProtocolError(f"a wrong answer to {asked.method}: {wrong}")
            if asked.method == "reset":
                self._forget()
            if not asked.answer.done():
                asked.answer.set_result(message["result"])
            return
        wrong = shapes.wrong_error(asked.method, message["error"])
        if wrong is not None:
            raise ProtocolError(f"a wrong answer to {asked.method}: {wrong}")
        error = error_answer(asked.method, wire.mapping(message["error"]))
        if not isinstance(error, ImplementationError):
            raise error
        if not asked.answer.done():
            asked.answer.set_exception(error)

    def _forget(self) -> None:
        """The implementation has forgotten all agents: nothing of them may be heard any more."""
        self.known.forget()
        self.is_clean = True

    # Serving

    def _serve(self, id: Json, method: str, params: Object) -> None:
        rest = begun(self._answer(id, method, params))
        if rest is None:
            return
        task = asyncio.get_running_loop().create_task(rest)
        self._serving[id] = task
        task.add_done_callback(lambda _: self._serving.pop(id))

    async def _answer(self, id: Json, method: str, params: Object) -> None:
        try:
            result = await serving.ask(self._host, method, params)
            wrong = shapes.wrong_result(method, result)
            if wrong is not None:
                raise ValueError(f"it wanted to send a wrong answer to {method}: {wrong}")
            answer = wire.success(id, result)
        except HostError as error:
            answer = wire.host_failure(id, error)
        except asyncio.CancelledError:
            if self.failure is not None:
                raise
            answer = wire.host_failure(id, HostError("aborted", aborted=True))
        except ImplementationError as error:  # of something that the host asked while it served this
            answer = wire.host_failure(id, HostError(error.message, aborted=error.code == "aborted"))
        except DriverFailure:  # whoever plays is told as well
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no fault of the implementation
            self.fail(host_at_fault(error))
            return
        self.send(jsonlines.encode(answer))


def _never_made(id: Json) -> str:
    return f"an answer to the request {id!r}, which was never made"
