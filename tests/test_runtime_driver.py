"""The reference's driver for runtimes and clients, verb by verb: in this process, and served over stdio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from conformance import schemas
from conformance.drivers.base import (
    Call,
    Driver,
    Generation,
    HostError,
    Implementation,
    ImplementationError,
    Outcome,
    ProtocolError,
)
from conformance.drivers.guarded import Guarded
from conformance.drivers.reference import ReferenceDriver
from conformance.drivers.stdio import StdioDriver
from conformance.scenario import Json

Object: TypeAlias = dict[str, Any]
SERVE = (sys.executable, "-c", "from conformance.cli import main; main(prog_name='outlast')", "serve")
APPROVAL = Outcome("", request={"kind": "approval", "prompt": "Deploy?"})
DEPLOY = Generation(tool_calls=(Call(name="deploy", arguments={}, id="call-1-1"),))
LOOKUP = Generation(tool_calls=(Call(name="lookup", arguments={"city": "Bern"}, id="call-1-1"),))
DONE = Generation(("It is", " done."), usage={"prompt_tokens": 4, "completion_tokens": 2})


@dataclass
class Host:
    """Replies and outcomes in the order in which they are asked for; what it hears is written down.

    A model waits at `gate`, if there is one, and has set `reached` by then."""

    replies: list[Generation] = field(default_factory=list)
    outcomes: list[Outcome | HostError] = field(default_factory=list)
    answer: Object | None = None
    gate: asyncio.Event | None = None
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[object] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        self.asked.append((agent, [message["role"] for message in messages]))
        self.reached.set()
        if self.gate is not None:
            await self.gate.wait()
        return self.replies.pop(0)

    async def execute(
        self, agent: str, call_id: str, tool: str, arguments: Object, answer: Object | None = None
    ) -> Outcome:
        self.asked.append((agent, call_id, tool, arguments, None if answer is None else answer["ok"]))
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, HostError):
            raise outcome
        return outcome

    async def approve(self, agent: str, call_id: str, tool: str, arguments: Object) -> str | None:
        raise AssertionError("nobody asks for approval here")

    async def wait_for(self, agent: str, request: Object) -> Object:
        self.asked.append((agent, request["kind"], request["prompt"]))
        if self.answer is None:
            raise HostError("nobody is there")
        return {"id": request["id"], **self.answer}

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        self.moves.append(f"{runtime} {handle} {before} {after}")

    def event(self, agent: str, event: Object) -> None:
        raise AssertionError("runtimes and clients emit no events")


Opened: TypeAlias = Callable[[Host], AbstractAsyncContextManager[Driver]]


@pytest.fixture(params=["in this process", "over stdio"])
def opened(request: pytest.FixtureRequest) -> Opened:
    """A started driver of the reference."""

    @asynccontextmanager
    async def opened(host: Host) -> Any:
        inside = request.param == "in this process"
        driver: Driver = Guarded(ReferenceDriver()) if inside else StdioDriver(SERVE)
        await driver.start(host)
        try:
            yield driver
        finally:
            await driver.shutdown()

    return opened


def definition(**other: Json) -> Object:
    return {"does": "", "tools": [], "team": [], "interprets": False, "budget": {}, **other}


async def runtime(driver: Driver, definitions: Object, **other: Json) -> None:
    params: Object = {
        "runtime": "main",
        "definitions": definitions,
        "interprets": False,
        "budget": {},
        **other,
    }
    await driver.perform("runtime/create", params)


async def spawned(driver: Driver, name: str, **other: Json) -> Object:
    """The params that address a new handle."""
    handle = await driver.perform("runtime/spawn", {"runtime": "main", "name": name, **other})
    return {"runtime": "main", **handle}


async def client(driver: Driver, **other: Json) -> None:
    params: Object = {
        "agent": "main",
        "tools": ["deploy"],
        "relays": ["lookup"],
        "interprets": False,
        **other,
    }
    await driver.perform("client/create", params)


async def refusal(answer: Awaitable[object]) -> str:
    """The error that something is answered with."""
    try:
        return f"no error, but {await answer}"
    except ImplementationError as error:
        return f"{error.code}: {error.message}"


def play(opened: Opened, host: Host, steps: Callable[[Driver], Awaitable[None]]) -> None:
    """Take the steps with a driver of that host's."""

    async def main() -> None:
        async with opened(host) as driver:
            await steps(driver)

    asyncio.run(main())


def fitting(schema: str, value: Json, part: str = "") -> Json:
    """The value, which fits the schema."""
    assert schemas.explain(schema, value, part) == []
    return value


def test_a_handle_is_spawned_woken_and_waited_for(opened: Opened) -> None:
    host = Host([DONE])

    async def steps(driver: Driver) -> None:
        await runtime(driver, {"ops": definition()})
        ops = await spawned(driver, "ops", budget={"max_tokens": 10})
        assert ops["handle"] == "root/ops.1"
        assert (await driver.perform("runtime/pool_tokens", ops)) == {"tokens": 10}

        await driver.perform("runtime/post", {**ops, "text": "It is Friday."})
        assert (await driver.perform("runtime/inbox_len", ops)) == {"inbox": 1}
        assert await driver.perform("runtime/wake", {**ops, "prompt": "Deploy"}) == {}
        result = await driver.perform("runtime/wait", ops)

        fitting("task-result", result)
        assert (result["status"], result["text"], result["own_tokens"]) == ("done", "It is done.", 6)
        view = await driver.perform("runtime/inspect", ops)
        assert fitting("handle-view", view) == {
            "id": "root/ops.1", "state": "idle", "tokens": 6, "turns": 1, "inbox": 0, "pending_kind": "",
        }  # fmt: skip
        assert (await driver.perform("runtime/list", {"runtime": "main"})) == {"views": [view]}
        assert (await driver.perform("runtime/state_of", ops)) == {"state": "idle"}
        assert (await driver.perform("runtime/usage_tokens", ops)) == {"tokens": 6}

    play(opened, host, steps)
    assert host.asked == [("ops", ["user", "user"])]
    assert host.moves == ["main root/ops.1 idle running", "main root/ops.1 running idle"]


def test_a_suspension_without_an_interpreter_waits_for_its_answer(opened: Opened) -> None:
    host = Host([DEPLOY, DEPLOY, DONE], [APPROVAL, Outcome("It is out.")])

    async def steps(driver: Driver) -> None:
        await runtime(driver, {"ops": definition(tools=["deploy"])})
        ops = await spawned(driver, "ops")
        await driver.perform("runtime/wake", {**ops, "prompt": "Deploy"})
        halted: Object = await driver.perform("runtime/wait", ops)
        fitting("task-result", halted)
        assert halted["status"] == "pending"
        assert halted["pending"]["data"] == {"path": ["root", "ops.1"]}
        view = await driver.perform("runtime/inspect", ops)
        assert (view["state"], view["pending_kind"]) == ("suspended", "approval")

        answer = {"id": halted["pending"]["id"], "ok": True}
        stale = driver.perform("runtime/resume", {"runtime": "main", "answer": {**answer, "id": "?"}})
        assert (await refusal(stale)).startswith("other: no suspended handle waits")
        result = await driver.perform("runtime/resume", {"runtime": "main", "answer": answer})
        assert (result["status"], result["turns"]) == ("done", 3)

    play(opened, host, steps)
    assert [asked for asked in host.asked if isinstance(asked, tuple) and len(asked) == 5] == [
        ("ops", "call-1-1", "deploy", {}, None),
        ("ops", "call-1-1", "deploy", {}, True),
    ]


@pytest.mark.parametrize("whose", ["ops", ""])
def test_an_interpreter_is_asked_in_the_name_of_its_definition_or_none(opened: Opened, whose: str) -> None:
    host = Host([DEPLOY, DONE], [APPROVAL, Outcome("It is out.")], answer={"ok": True})

    async def steps(driver: Driver) -> None:
        ops = definition(tools=["deploy"], interprets=whose == "ops")
        await runtime(driver, {"ops": ops}, interprets=whose == "")
        handle = await spawned(driver, "ops")
        await driver.perform("runtime/wake", {**handle, "prompt": "Deploy"})
        assert (await driver.perform("runtime/wait", handle))["status"] == "done"

    play(opened, host, steps)
    assert (whose, "approval", "Deploy?") in host.asked


def test_an_interpreter_and_a_tool_that_fail_are_the_calls_results(opened: Opened) -> None:
    twice = Generation(tool_calls=tuple(Call(name="deploy", arguments={}, id=id) for id in ("a", "b")))
    host = Host([twice, DONE], [APPROVAL, HostError("the disk is full")])

    async def steps(driver: Driver) -> None:
        await client(driver, interprets=True)
        result = await driver.perform("client/run", {"agent": "main", "prompt": "Deploy"})
        contents = [message["content"] for message in result["messages"]]  # type: ignore[union-attr, index, call-overload]
        assert contents[2:4] == ["It could not be answered: nobody is there", "the disk is full"]

    play(opened, host, steps)


def test_a_turn_that_runs_can_be_looked_at_interrupted_and_outwaited(opened: Opened) -> None:
    async def main() -> None:
        host = Host(gate=asyncio.Event())
        async with opened(host) as driver:
            await runtime(driver, {"ops": definition()}, inbox_cap=1)
            ops = await spawned(driver, "ops")
            assert (await refusal(driver.perform("runtime/wait", ops))).startswith("nothing-to-do")
            assert (await refusal(driver.perform("runtime/wake", {**ops, "prompt": ""}))).startswith("empty")
            await driver.perform("runtime/wake", {**ops, "prompt": "Deploy"})
            await host.reached.wait()
            assert (await driver.perform("runtime/state_of", ops)) == {"state": "running"}
            assert (await refusal(driver.perform("runtime/wake", {**ops, "prompt": "x"}))).startswith("busy")

            await driver.perform("runtime/post", {**ops, "text": "one", "from": ops["handle"]})
            full = await refusal(driver.perform("runtime/post", {**ops, "text": "two"}))
            assert full.startswith("other: the inbox")

            waited = asyncio.create_task(driver.perform("runtime/wait", {**ops, "timeout": 60}))
            await asyncio.sleep(0)  # until it has been asked
            await driver.perform("clock/advance", {"seconds": 60})
            assert (await waited)["status"] == "timeout"

            waited = asyncio.create_task(driver.perform("runtime/wait", ops))
            await asyncio.sleep(0)
            await driver.perform("runtime/interrupt", ops)
            assert (await waited)["status"] == "interrupted"

    asyncio.run(main())


def test_what_is_closed_is_on_the_list_no_more(opened: Opened) -> None:
    host = Host()

    async def steps(driver: Driver) -> None:
        await runtime(driver, {"ops": definition()}, budget={"max_depth": 2})
        ops = await spawned(driver, "ops")
        below = await spawned(driver, "ops", under=ops["handle"])
        assert below["handle"] == "root/ops.1/ops.1"
        deeper = refusal(spawned(driver, "ops", under=below["handle"]))
        assert (await deeper).startswith("other: maxDepth")
        unknown = await refusal(driver.perform("runtime/spawn", {"runtime": "main", "name": "nobody"}))
        assert "nobody" in unknown

        await driver.perform("runtime/close", {**ops, "force": True})
        assert (await driver.perform("runtime/list", {"runtime": "main"})) == {"views": []}
        assert (await driver.perform("runtime/state_of", below)) == {"state": "closed"}

    play(opened, host, steps)
    assert host.moves == ["main root/ops.1/ops.1 idle closed", "main root/ops.1 idle closed"]


def test_two_handles_of_one_definition_may_make_calls_of_one_id_side_by_side(opened: Opened) -> None:
    host = Host([DEPLOY, DEPLOY, DONE, DONE], [Outcome("one"), Outcome("two")])

    async def steps(driver: Driver) -> None:
        await runtime(driver, {"ops": definition(tools=["deploy"])})
        handles = [await spawned(driver, "ops") for _ in range(2)]
        for handle in handles:
            await driver.perform("runtime/wake", {**handle, "prompt": "Deploy"})
        results = [await driver.perform("runtime/wait", handle) for handle in handles]
        assert [result["status"] for result in results] == ["done", "done"]

    play(opened, host, steps)


def test_reset_forgets_what_runs_and_nothing_more_is_heard_of_it(opened: Opened) -> None:
    async def main() -> None:
        host = Host(gate=asyncio.Event())
        async with opened(host) as driver:
            await runtime(driver, {"ops": definition()})
            ops = await spawned(driver, "ops")
            await driver.perform("runtime/wake", {**ops, "prompt": "Deploy"})
            await host.reached.wait()
            waited = asyncio.create_task(driver.perform("runtime/wait", ops))
            await asyncio.sleep(0)
            await driver.reset()
            with pytest.raises((asyncio.CancelledError, ImplementationError)):
                await waited

            host.gate, host.moves = None, []
            host.replies.append(DONE)
            await runtime(driver, {"ops": definition()})
            again = await spawned(driver, "ops")
            assert again == ops
            await driver.perform("runtime/wake", {**ops, "prompt": "Deploy"})
            assert (await driver.perform("runtime/wait", ops))["status"] == "done"
        assert host.moves == ["main root/ops.1 idle running", "main root/ops.1 running idle"]

    asyncio.run(main())


def test_reset_ends_a_turn_that_waits_for_its_child_and_the_child(opened: Opened) -> None:
    task = Call(name="task", arguments={"agent": "scout", "prompt": "Look around"}, id="call-1-1")

    async def main() -> None:
        host = Host([Generation(tool_calls=(task,))])
        async with opened(host) as driver:
            await runtime(driver, {"lead": definition(team=["scout"]), "scout": definition()})
            lead = await spawned(driver, "lead")
            await driver.perform("runtime/wake", {**lead, "prompt": "Begin"})
            await host.reached.wait()
            host.reached.clear()
            host.gate = asyncio.Event()
            await host.reached.wait()
            views = (await driver.perform("runtime/list", {"runtime": "main"}))["views"]
            assert [view["id"] for view in views] == ["root/lead.1", "root/lead.1/scout.1"]  # type: ignore[union-attr, index, call-overload]
            await driver.reset()
        assert host.asked == [("lead", ["user"]), ("scout", ["user"])]

    asyncio.run(main())


def test_a_clients_run_halts_and_goes_on_with_the_answer(opened: Opened) -> None:
    host = Host([LOOKUP, DONE])

    async def steps(driver: Driver) -> None:
        await client(driver)
        halted: Object = await driver.perform("client/run", {"agent": "main", "prompt": "The weather?"})
        fitting("run-result", halted)
        assert halted["pending"]["data"]["calls"] == [
            {"id": "call-1-1", "name": "lookup", "input": {"city": "Bern"}, "arguments": '{"city": "Bern"}'}
        ]
        answer = {"id": halted["pending"]["id"], "ok": True, "data": {"output": "sunny"}}
        params = {"agent": "main", "history": halted["messages"], "pending": halted["pending"]}
        wrong = driver.perform("client/run_with_answer", {**params, "answer": {**answer, "id": "?"}})
        assert "does not echo" in await refusal(wrong)
        result: Object = await driver.perform("client/run_with_answer", {**params, "answer": answer})
        fitting("run-result", result)
        assert (result["status"], result["text"]) == ("done", "It is done.")
        assert [message["content"] for message in result["messages"]][2:] == ["sunny", "It is done."]

    play(opened, host, steps)


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_store_on_disk_outlives_a_crash_and_one_in_memory_does_not(
    opened: Opened, tmp_path: Path, is_kept: bool
) -> None:
    host = Host([LOOKUP, DONE])
    store: Object = {"store": str(tmp_path / "conversations.db")} if is_kept else {}

    async def steps(driver: Driver) -> None:
        await client(driver, **store)
        here: Object = {"agent": "main", "conversation": "weather"}
        assert (await driver.perform("client/stored", here)) == {"messages": None}
        halted: Object = await driver.perform("client/ask", {**here, "prompt": "The weather?"})

        await driver.crash()
        await client(driver, **store)
        kept = halted["messages"] if is_kept else None
        assert (await driver.perform("client/stored", here)) == {"messages": kept}
        answer = {"id": halted["pending"]["id"], "ok": True, "data": {"output": "sunny"}}
        params = {**here, "pending": halted["pending"], "answer": answer}
        if not is_kept:
            assert (await refusal(driver.perform("client/ask_with_answer", params))).startswith("nothing-to")
            return
        result = await driver.perform("client/ask_with_answer", params)
        assert result["status"] == "done"
        assert (await driver.perform("client/stored", here)) == {"messages": result["messages"]}

    play(opened, host, steps)


def test_what_is_no_transcript_is_not_given_back(opened: Opened) -> None:
    async def steps(driver: Driver) -> None:
        await client(driver)
        params: Object = {"agent": "main", "history": [{"role": "user"}], "pending": {}}
        with pytest.raises(ProtocolError) as refused:
            await driver.perform("client/run_with_answer", {**params, "answer": {"id": "", "ok": True}})
        start = "what it answered cannot be given back to it by client/run_with_answer: params.history[0]: "
        assert refused.value.message.startswith(start)

    play(opened, Host(), steps)


def test_a_driver_that_is_older_than_these_profiles_says_so() -> None:
    class Older:
        async def start(self, host: object) -> Implementation:
            return Implementation("older", "1", "python", frozenset({"agent"}), frozenset())

    async def main() -> None:
        driver = Guarded(Older())  # type: ignore[arg-type]
        await driver.start(Host())
        with pytest.raises(ProtocolError, match="the driver has no perform yet"):
            await driver.perform("runtime/list", {"runtime": "main"})

    asyncio.run(main())


@pytest.mark.parametrize(
    "method, answer, words",
    [
        (
            "runtime/spawn",
            {"handle": 3},
            "a wrong answer to runtime/spawn: result.handle: expected text, found",
        ),
        (
            "runtime/list",
            {"views": [1]},
            "a wrong answer to runtime/list: result.views[0]: expected a mapping",
        ),
        ("runtime/wait", None, "runtime/wait answered nothing, expected a mapping"),
        ("runtime/wait", {"text": {1}}, "runtime/wait is no JSON"),
    ],
)
def test_a_driver_in_this_process_is_held_to_the_shapes_of_the_protocol(
    method: str, answer: Json, words: str
) -> None:
    class Wrong(ReferenceDriver):
        async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
            return answer  # type: ignore[return-value]

    async def main() -> None:
        driver = Guarded(Wrong())
        await driver.start(Host())
        with pytest.raises(ProtocolError) as refused:
            await driver.perform(method, {"runtime": "main"})
        assert refused.value.message.startswith(words)

    asyncio.run(main())
