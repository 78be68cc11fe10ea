"""What may come over a connection, and in which words it is refused: no processes here, only lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from conformance.drivers.base import (
    Crashed,
    DriverFailure,
    Generation,
    HostError,
    ImplementationError,
    Outcome,
    ProtocolError,
)
from conformance.drivers.connection import Connection
from conformance.drivers.limits import Limits
from conformance.scenario import Json

Object = dict[str, Json]


@dataclass
class Host:
    """A host that writes down what it hears, and answers what it is told to."""

    events: list[tuple[str, Object]] = field(default_factory=list)
    answers: Callable[[], Awaitable[Generation]] | None = None

    async def generate(self, agent: str, messages: Sequence[Object]) -> Generation:
        return await self.answers() if self.answers is not None else Generation(("Hello.",))

    async def execute(
        self, agent: str, call_id: str, tool: str, arguments: Object, answer: Object | None = None
    ) -> Outcome:
        raise HostError("the disk is full")

    async def wait_for(self, agent: str, request: Object) -> Object:
        return {"id": request["id"], "ok": True}

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        self.events.append((runtime, {"handle": handle, "before": before, "after": after}))

    async def approve(self, agent: str, call_id: str, tool: str, arguments: Object) -> str | None:
        return "not on a Friday"

    def event(self, agent: str, event: Object) -> None:
        self.events.append((agent, event))


class Wire:
    """A connection without a process: what the suite has sent is in `sent`."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.host = Host()
        self.sent: list[Object] = []
        self._has_sent = asyncio.Event()
        self.connection = Connection(self.host, lambda failure: None, limits or Limits())
        self.connection.send = self._send
        self.connection.known.agents.add("main")

    def _send(self, line: bytes) -> None:
        self.sent.append(json.loads(line))
        self._has_sent.set()

    async def sends(self, count: int) -> list[Object]:
        """What has been sent, once it is so much."""
        while len(self.sent) < count:
            self._has_sent.clear()
            await self._has_sent.wait()
        return self.sent

    def receive(self, message: Json) -> None:
        self.connection.receive(json.dumps(message).encode())

    async def prompt(self) -> asyncio.Task[Json]:
        """A run that is under way; its request has the id 1."""
        params: Object = {"agent": "main", "text": "Hi"}
        run = asyncio.create_task(self.connection.ask("agent/prompt", params, runs="main"))
        await asyncio.sleep(0)
        return run

    @property
    def fault(self) -> str:
        """What the connection has been ended for."""
        failure = self.connection.failure
        return f"{type(failure).__name__}: {failure.message}" if failure is not None else ""


def event(**event: Json) -> Object:
    return {"jsonrpc": "2.0", "method": "event", "params": {"agent": "main", "event": event}}


def request(method: str, id: Json = 1, **params: Json) -> Object:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {"agent": "main", **params}}


def result(id: Json, result: Json) -> Object:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def error(id: Json, **error: Json) -> Object:
    return {"jsonrpc": "2.0", "id": id, "error": error}


@pytest.mark.parametrize(
    "line, words",
    [
        (b"", "a line that is not JSON: '' (stray print? use stderr)"),
        (b"{}{}", "a line that is not JSON: '{}{}' (stray print? use stderr)"),
        (b'{"a":NaN}', "a line that is not JSON: '{\"a\":NaN}' (stray print? use stderr)"),
        (b'{"a":"\\ud800"}', "a line with half a surrogate pair, which is no text: "),
        (b'{"a":[{"b":1,"c":2,"c":2}]}', "a line with the key 'c' twice in one object: '{\"a\":[{"),
        (b"[" * 200 + b"]" * 200, "a line whose JSON is nested more than 100 deep: '[[[["),
        (b"[]", "a line is one JSON object (there are no batches): '[]'"),
        (b"3", "a line is one JSON object (there are no batches): '3'"),
        (b"{}", "neither a request nor an answer: it has no method and no id: '{}'"),
    ],
)
def test_a_line_that_is_no_message_is_quoted(line: bytes, words: str) -> None:
    async def main() -> str:
        wire = Wire()
        wire.connection.receive(line)
        return wire.fault

    assert asyncio.run(main()).startswith(f"ProtocolError: {words}")


@pytest.mark.parametrize(
    "message, words",
    [
        (result(2, {}), "an answer to the request 2, which was never made"),
        (result("1", {}), "an answer to the request '1', which was never made"),
        (result(1.0, {}), "an answer to the request 1.0, which was never made"),
        (result(True, {}), "an answer to the request True, which was never made"),
        (
            error(None, code=-32700, message="Parse error"),
            "an error that answers no request: what the suite sent was not understood",
        ),
        ({"jsonrpc": "2.0", "id": 1}, "an answer has either a result or an error"),
        ({**result(1, {}), "error": None}, "an answer has either a result or an error"),
        ({"id": 1, "result": {}}, 'an answer without "jsonrpc": "2.0"'),
        (result(1, None), "a wrong answer to agent/prompt: result: expected a mapping, found null"),
        (
            result(1, {"message": {"id": "m1", "role": "bot", "content": "", "timestamp": 0}}),
            "a wrong answer to agent/prompt: result.message.role: expected one of system, user, assistant,"
            " tool_result; found text 'bot'",
        ),
        (error(1, message="no"), "a wrong answer to agent/prompt: error: the key 'code' is missing"),
        (error(1, code=1, message="no"), "a wrong answer to agent/prompt: error: the key 'data' is missing"),
        (
            error(1, code=1, message="no", data={"code": "abort"}),
            "a wrong answer to agent/prompt: error.data.code: expected one of aborted, nothing-to-do,"
            " empty-prompt, busy, other; found text 'abort'; did you mean aborted?",
        ),
        (
            error(1, code=500, message="no"),
            "a wrong answer to agent/prompt: error.code: expected 1 for an error of the implementation's own,"
            " or JSON-RPC's -32700, -32600, -32601, -32602 or -32603",
        ),
        (
            error(1, code=-32600, message="no request"),
            "agent/prompt was answered with the error -32600 of a broken driver: no request",
        ),
        (event(tpe="AgentStart"), "a wrong event: params.event: the key 'type' is missing"),
        (
            {**event(type="AgentStart"), "id": 1},
            "a wrong event: id: an event is a notification: it has no id and gets no answer",
        ),
        (request("model/generat"), "there is no method model/generat; did you mean model/generate?"),
        (request("agent/prompt"), "agent/prompt is for the suite to ask"),
        ({**request("event"), "method": 3}, "method: expected text, found number 3"),
        (request("model/generate"), "a wrong model/generate: params: the key 'messages' is missing"),
        (
            request("tool/execute", call_id="c1", tool="t", arguments="{}"),
            "a wrong tool/execute: params.arguments: expected a mapping, found text '{}'",
        ),
        (
            request("model/generate", agent="maim", messages=[]),
            "model/generate of maim, and no agent is called so",
        ),
    ],
)
def test_a_message_that_is_wrong_ends_the_connection_in_words_of_its_own(message: Json, words: str) -> None:
    async def main() -> tuple[str, BaseException | None]:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(message)
        await asyncio.wait({run})
        return wire.fault, run.exception()

    fault, raised = asyncio.run(main())
    assert fault.startswith(f"ProtocolError: {words}"), fault
    assert isinstance(raised, ProtocolError)  # whoever waits for an answer is told, too


def test_an_answer_comes_to_whoever_asked_in_whatever_order() -> None:
    async def main() -> tuple[Json, Json]:
        wire = Wire()
        first = asyncio.create_task(wire.connection.ask("agent/messages", {"agent": "main"}))
        second = asyncio.create_task(wire.connection.ask("agent/needs_reply", {"agent": "main"}))
        await asyncio.sleep(0)
        wire.receive(result(2, {"needs_reply": True}))
        wire.receive(result(1, {"messages": []}))
        return await first, await second

    assert asyncio.run(main()) == ({"messages": []}, {"needs_reply": True})


def test_a_late_answer_is_dropped_and_never_taken_for_another() -> None:
    async def main() -> tuple[Json, str]:
        wire = Wire()
        abandoned = await wire.prompt()
        abandoned.cancel()
        await asyncio.wait({abandoned})
        again = asyncio.create_task(
            wire.connection.ask("agent/prompt", {"agent": "main", "text": "Hi"}, "main")
        )
        await asyncio.sleep(0)
        wire.receive(result(1, {"message": {"id": "m", "role": "user", "content": "late", "timestamp": 0}}))
        wire.receive(result(2, {}))
        return await again, wire.fault

    assert asyncio.run(main()) == ({}, "")


def test_a_second_answer_is_one_too_many() -> None:
    async def main() -> str:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(result(1, {}))
        await run
        wire.receive(result(1, {}))
        return wire.fault

    assert asyncio.run(main()).startswith("ProtocolError: a second answer to the request 1: ")


def test_errors_of_the_implementations_own_are_answers_and_end_nothing() -> None:
    async def main() -> tuple[BaseException | None, str]:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(error(1, code=1, message="one at a time", data={"code": "busy"}))
        await asyncio.wait({run})
        return run.exception(), wire.fault

    raised, fault = asyncio.run(main())
    assert isinstance(raised, ImplementationError)
    assert (raised.code, raised.message, fault) == ("busy", "one at a time", "")


def test_an_internal_error_is_a_crash_and_shows_its_traceback() -> None:
    async def main() -> BaseException | None:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(error(1, code=-32603, message="KeyError: 'x'", data="Traceback ..."))
        await asyncio.wait({run})
        return run.exception()

    raised = asyncio.run(main())
    assert isinstance(raised, Crashed)
    assert raised.message == "agent/prompt was answered with an internal error: KeyError: 'x'"
    assert raised.detail == "Traceback ..."


def test_of_an_error_answer_that_its_message_tells_the_line_is_not_told_once_more() -> None:
    async def main(data: Json) -> str:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(error(1, code=-32602, message="no such field", data=data))
        await asyncio.wait({run})
        return wire.fault

    said = "ProtocolError: agent/prompt was answered with the error -32602 of a broken driver: no such field"
    assert asyncio.run(main("a traceback")) == said
    assert asyncio.run(main({"file": "driver.go"})).startswith(f"{said}: '{{")


def test_a_method_that_only_a_capability_needs_may_be_unknown_which_fails_the_implementation() -> None:
    async def main() -> str:
        wire = Wire()
        asking = asyncio.create_task(wire.connection.ask("inbox/threads", {"agent": "main", "threads": []}))
        await asyncio.sleep(0)
        wire.receive(error(1, code=-32601, message="unknown"))
        await asyncio.wait({asking})
        return f"{asking.exception()!r}{wire.fault}"

    assert asyncio.run(main()) == (
        "ImplementationError('it claims the capability threads and has no inbox/threads')"
    )


def test_any_other_method_that_is_unknown_has_not_been_written_yet() -> None:
    async def main() -> str:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(error(1, code=-32601, message="see driver.py"))
        await asyncio.wait({run})
        return f"{run.exception()!r}"

    assert asyncio.run(main()) == "NotWritten('the driver has no agent/prompt yet: see driver.py')"


def test_events_are_heard_in_order_and_only_while_a_run_is_open() -> None:
    async def main() -> tuple[list[tuple[str, Object]], str]:
        wire = Wire()
        run = await wire.prompt()
        wire.receive(event(type="AgentStart"))
        wire.receive(event(type="AgentEnd"))
        wire.receive(result(1, {}))
        await run
        wire.receive(event(type="Warning", message="too late"))
        return wire.host.events, wire.fault

    heard, fault = asyncio.run(main())
    assert heard == [("main", {"type": "AgentStart"}), ("main", {"type": "AgentEnd"})]
    assert fault.startswith(
        "ProtocolError: event of main while no run of it is open (the answer to a run is the last of it): '{"
    )


def test_what_follows_an_answer_is_heard_after_whoever_asked_has_gone_on() -> None:
    async def main() -> list[str]:
        order: list[str] = []
        wire = Wire()
        await wire.prompt()

        async def stop() -> None:
            await wire.connection.ask("agent/stop", {"agent": "main"})
            order.append("the host goes on")

        wire.host.event = lambda agent, event: order.append(str(event["type"]))  # type: ignore[method-assign]
        stopping = asyncio.create_task(stop())
        await asyncio.sleep(0)
        wire.receive(event(type="TurnStart"))
        wire.receive(result(2, {}))
        wire.receive(event(type="AgentEnd"))
        await stopping
        await asyncio.sleep(0)
        return order

    assert asyncio.run(main()) == ["TurnStart", "the host goes on", "AgentEnd"]


def test_what_the_implementation_asks_is_served_side_by_side() -> None:
    async def main() -> list[Object]:
        wire = Wire()
        gate = asyncio.Event()

        async def answers() -> Generation:
            await gate.wait()
            return Generation(("Hello.",))

        wire.host.answers = answers
        await wire.prompt()
        wire.receive(request("model/generate", "a", messages=[]))
        wire.receive(request("tool/execute", "b", call_id="c1", tool="t", arguments={}))
        wire.receive(request("tool/approve", "c", call_id="c1", tool="t", arguments={}))
        gate.set()
        return (await wire.sends(4))[1:]

    assert asyncio.run(main()) == [
        error("b", code=2, message="the disk is full", data={"code": "failed"}),
        result("c", {"approved": False, "reason": "not on a Friday"}),
        result("a", {"chunks": ["Hello."], "tool_calls": [], "usage": {}}),
    ]


def test_at_a_reset_what_is_still_being_served_is_answered_as_aborted() -> None:
    async def main() -> Object:
        wire = Wire()
        wire.host.answers = asyncio.Event().wait  # type: ignore[assignment]
        await wire.prompt()
        wire.receive(request("model/generate", 5, messages=[]))
        resetting = asyncio.create_task(wire.connection.ask("reset", {}))
        await wire.sends(3)
        wire.receive(result(2, {}))
        await resetting
        return wire.sent[-1]

    assert asyncio.run(main()) == error(5, code=2, message="aborted", data={"code": "aborted"})


def test_after_a_reset_nothing_of_the_forgotten_agents_may_come() -> None:
    async def main() -> str:
        wire = Wire()
        await wire.prompt()
        resetting = asyncio.create_task(wire.connection.ask("reset", {}))
        await asyncio.sleep(0)
        wire.receive(event(type="AgentEnd"))
        wire.receive(result(2, {}))
        await resetting
        wire.receive(event(type="AgentEnd"))
        return wire.fault

    assert asyncio.run(main()).startswith("ProtocolError: event of main, and no agent is called so: ")


MOVED: Object = {"runtime": "main", "handle": "root/ops.1", "before": "idle", "after": "running"}
"""A step of a handle."""


def test_what_belongs_to_a_definition_may_be_asked_for_at_any_time_and_needs_no_run() -> None:
    async def main() -> tuple[list[Object], list[tuple[str, Object]], str]:
        wire = Wire()
        wire.connection.known.standing |= {"", "ops"}
        wire.connection.known.runtimes.add("main")
        wire.receive({"jsonrpc": "2.0", "method": "runtime/moved", "params": MOVED})
        wire.receive(request("model/generate", 1, agent="ops", messages=[]))
        wire.receive(request("host/wait_for", 2, agent="", request={"id": "r1"}))
        return wire.sent, wire.host.events, wire.fault

    sent, heard, fault = asyncio.run(main())
    assert sent == [
        result(1, {"chunks": ["Hello."], "tool_calls": [], "usage": {}}),
        result(2, {"answer": {"id": "r1", "ok": True}}),
    ]
    assert heard == [("main", {"handle": "root/ops.1", "before": "idle", "after": "running"})]
    assert fault == ""


@pytest.mark.parametrize(
    "message, words",
    [
        (
            request("model/generate", agent="ops", messages=[]),
            "model/generate of ops, and no agent is called so",
        ),
        (request("host/wait_for", agent="", request={}), "host/wait_for of '', and no agent is called so"),
        (
            {"jsonrpc": "2.0", "method": "runtime/moved", "params": MOVED},
            "runtime/moved of main, and no runtime is called so",
        ),
    ],
)
def test_nothing_of_a_definition_or_runtime_may_come_after_a_reset(message: Json, words: str) -> None:
    async def main() -> str:
        wire = Wire()
        wire.connection.known.standing |= {"", "ops"}
        wire.connection.known.runtimes.add("main")
        resetting = asyncio.create_task(wire.connection.ask("reset", {}))
        await asyncio.sleep(0)
        wire.receive(result(1, {}))
        await resetting
        wire.receive(message)
        return wire.fault

    assert asyncio.run(main()).startswith(f"ProtocolError: {words}: ")


@pytest.mark.parametrize(
    "limits, words",
    [
        (Limits(events=2), "more than 2 events in one step, the last of them: "),
        (Limits(bytes=200), "more than 200 bytes in one step, the last of them: "),
    ],
)
def test_a_flood_is_cut_off(limits: Limits, words: str) -> None:
    async def main() -> tuple[int, str]:
        wire = Wire(limits)
        await wire.prompt()
        for _ in range(5):
            wire.receive(event(type="Tick"))
        return len(wire.host.events), wire.fault

    assert asyncio.run(main()) == (2, f"ProtocolError: {words}'{json.dumps(event(type='Tick'))}'")


def test_limits_are_for_one_step() -> None:
    async def main() -> str:
        wire = Wire(Limits(events=2))
        for id in (1, 2, 3):
            run = await wire.prompt()
            wire.receive(event(type="AgentStart"))
            wire.receive(event(type="AgentEnd"))
            wire.receive(result(id, {}))
            await run
        return wire.fault

    assert asyncio.run(main()) == ""


@pytest.mark.parametrize(
    "answers, words",
    [
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
        (
            lambda: Generation((3,)),
            "ValueError: it wanted to send a wrong answer to model/generate: result.chunks[0]: expected text,"
            " found number 3",
        ),
    ],
)
def test_a_fault_of_our_own_says_that_it_is_ours(answers: Callable[[], Generation], words: str) -> None:
    async def main() -> str:
        wire = Wire()

        async def answering() -> Generation:
            return answers()

        wire.host.answers = answering
        await wire.prompt()
        wire.receive(request("model/generate", messages=[]))
        return wire.fault

    assert asyncio.run(main()) == (
        f"ProtocolError: a fault of outlast's own, not of the implementation: {words}. Please report it"
    )


def test_a_request_of_ours_that_is_wrong_is_not_sent_and_says_that_it_is_ours() -> None:
    async def main() -> tuple[str, list[Object]]:
        wire = Wire()
        with pytest.raises(DriverFailure) as caught:
            await wire.connection.ask("agent/prompt", {"agent": "main", "text": 3})
        return caught.value.message, wire.sent

    assert asyncio.run(main()) == (
        "a fault of outlast's own, not of the implementation: it wanted to send a wrong agent/prompt:"
        " params.text: expected text, found number 3. Please report it",
        [],
    )


def test_what_is_waiting_when_the_suite_crashes_the_implementation_is_cancelled() -> None:
    async def main() -> bool:
        wire = Wire()
        run = await wire.prompt()
        await wire.connection.close()
        await asyncio.wait({run})
        return run.cancelled()

    assert asyncio.run(main())
