"""What sub-agents cost is in proportion to their number, their depth and their rounds. Counted in lines."""

from __future__ import annotations

import pytest

from reference import (
    Client,
    Def,
    ModelReply,
    ModelRequest,
    Options,
    Runtime,
    Toolkit,
    answer_output,
    relay_tool,
)
from tests.reference.fakes import run
from tests.reference.sub_agents import Asks, Replies, Reply, call, chain_of, defined, does, ok, woken
from tests.reference.test_cost import lines_executed


def suspends_and_resumes_handles(count: int) -> None:
    async def generate(request: ModelRequest) -> ModelReply:
        seen = request.messages[-1].role == "tool_result"
        return ModelReply("done") if seen else ModelReply(tool_calls=(call("ask"),))

    async def play() -> None:
        rt = Runtime(Options(defined(Def("w", tools=(Asks("ask").tool,))), generate))
        handles = [rt.spawn(rt.root(), "w") for _ in range(count)]
        for handle in handles:
            rt.wake(handle, "go")
        results = [await rt.wait(handle) for handle in handles]
        assert len(rt.list()) == count
        for result in results:
            assert (await rt.resume(ok(result))).status == "done"
        rt.close(rt.root())
        assert rt.list() == []

    run(play())


def suspends_and_resumes_a_chain(levels: int) -> None:
    async def play() -> None:
        options, _, _ = chain_of(levels)
        rt = Runtime(options)
        _, result = await woken(rt, "a0")
        assert (await rt.resume(ok(result))).text == "a0 done"

    run(play())


def suspends_after_rounds(count: int) -> None:
    async def generate(request: ModelRequest) -> ModelReply:
        made = len(request.messages) // 2
        if made > count:
            return ModelReply("done")
        return ModelReply(tool_calls=(call("look" if made < count else "ask", f"c{made}"),))

    async def play() -> None:
        rt = Runtime(Options(defined(Def("w", tools=(Asks("ask").tool, does("look")))), generate))
        _, result = await woken(rt, "w")
        done = await rt.resume(ok(result))
        assert (done.status, done.turns) == ("done", 2 * count + 3)

    run(play())


def suspends_in_each_turn(count: int) -> None:
    async def generate(request: ModelRequest) -> ModelReply:
        seen = request.messages[-1].role == "tool_result"
        return ModelReply("done") if seen else ModelReply(tool_calls=(call("ask"),))

    async def play() -> None:
        rt = Runtime(Options(defined(Def("w", tools=(Asks("ask").tool,))), generate))
        handle = rt.spawn(rt.root(), "w")
        for _ in range(count):
            rt.wake(handle, "go")
            assert (await rt.resume(ok(await rt.wait(handle)))).status == "done"
        assert rt.inspect(handle).turns == 3 * count

    run(play())


def halts_a_client_after_rounds(count: int) -> None:
    async def play() -> None:
        looks: list[Reply] = [call("look", f"c{n}") for n in range(count)]
        kit = Toolkit([does("look"), relay_tool("fetch")])
        client = Client(Heedless([*looks, call("fetch"), "done"]))
        halted = await client.ask("go", kit, "conv")
        assert halted.pending is not None
        answer = answer_output(halted.pending.id, "x")
        done = await client.ask_with_answer(kit, "conv", halted.pending, answer)
        assert len(done.messages) == 2 * count + 4

    run(play())


class Heedless(Replies):
    """A model that replies from a list without looking at the conversation."""

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__(m=replies)

    async def __call__(self, request: ModelRequest) -> ModelReply:
        return await super().__call__(ModelRequest("m", (), (), ""))


@pytest.mark.parametrize("what, size", [
    (suspends_and_resumes_handles, 50),
    (suspends_and_resumes_a_chain, 10),
    (suspends_after_rounds, 100),
    (suspends_in_each_turn, 50),
    (halts_a_client_after_rounds, 100),
])  # fmt: skip
def test_five_times_the_size_takes_no_more_than_five_times_the_lines(what: object, size: int) -> None:
    work = what
    small = lines_executed(lambda: work(size))  # type: ignore[operator]
    large = lines_executed(lambda: work(5 * size))  # type: ignore[operator]
    assert small > 100
    assert large <= 5.05 * small
