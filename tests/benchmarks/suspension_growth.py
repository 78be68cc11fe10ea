"""How the cost of suspending and being resumed grows with what there is.

    python -m tests.benchmarks.suspension_growth

For each kind of thing the reference is measured at several sizes, each the best of several rounds. What is
printed last is the time for one unit beside that of the smallest size: it stays at 1 as long as the cost is
in proportion to the size. It is no test and asserts nothing.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from reference import (
    Answer,
    CallContext,
    Client,
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
    Suspension,
    TaskResult,
    ToolCall,
    Toolkit,
    ToolOutput,
    Usage,
    answer_output,
    pending,
    relay_tool,
)

Measured: TypeAlias = Callable[[], Awaitable[None]]
ROUNDS = 5
USAGE = Usage(10, 5)


async def approve(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
    if ctx.answer is not None:
        return ToolOutput("granted")
    return pending(Request("approval", "May I?"))


async def look(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput:
    return ToolOutput("seen")


TOOLS = (FunctionTool("approve", approve), FunctionTool("look", look))


def call(number: int, name: str, **arguments: Json) -> ModelReply:
    return ModelReply(tool_calls=(ToolCall(f"c{number}", name, arguments),), usage=USAGE)


async def asks_once(request: ModelRequest) -> ModelReply:
    """Calls the tool that suspends, and ends when it has answered."""
    if request.messages[-1].role == "tool_result":
        return ModelReply("Done.", usage=USAGE)
    return call(len(request.messages), "approve")


def looks(rounds: int) -> Callable[[ModelRequest], Awaitable[ModelReply]]:
    """Calls `look` so many times, then the tool that suspends, and ends."""

    async def generate(request: ModelRequest) -> ModelReply:
        taken = len(request.messages) // 2
        if taken <= rounds:
            return call(taken, "look" if taken < rounds else "approve")
        return ModelReply("Done.", usage=USAGE)

    return generate


def see(result: TaskResult, status: str) -> TaskResult:
    if result.status != status:
        raise SystemExit(f"it should have been {status}: {result}")
    return result


async def suspended(host: Runtime, handle: Handle, prompt: str) -> str:
    """Wake a handle, and see it suspended; the id of its request."""
    host.wake(handle, prompt)
    request = see(await host.wait(handle), "pending").pending
    return "" if request is None else request.id


# What is measured. Each is given a size and has a fresh start, which is not measured.


async def handles(size: int) -> Measured:
    """So many handles side by side, all suspended at once, looked at, resumed one by one, and closed."""
    host = Runtime(Options({"asker": Def("asker", tools=TOOLS)}, asks_once))

    async def measured() -> None:
        each = [host.spawn(host.root(), "asker") for _ in range(size)]
        for handle in each:
            host.wake(handle, "Go.")
        results = [see(await host.wait(handle), "pending") for handle in each]
        if sum(view.pending_kind == "approval" for view in host.list()) != size:
            raise SystemExit("not all are suspended")
        for result in results:
            see(await host.resume(Answer(result.pending.id if result.pending else "", True)), "done")
        for handle in each:
            host.close(handle)

    return measured


async def tree(size: int) -> Measured:
    """A tree in which every handle has ten children, and all of them are suspended and resumed."""
    host = Runtime(Options({"asker": Def("asker", tools=TOOLS)}, asks_once))

    async def measured() -> None:
        each = [host.spawn(host.root(), "asker")]
        while len(each) < size:
            each.append(host.spawn(each[(len(each) - 1) // 10], "asker"))
        for handle in each:
            request = await suspended(host, handle, "Go.")
            see(await host.resume(Answer(request, True)), "done")
        if len(host.list()) != size:
            raise SystemExit("not all are listed")
        host.close(each[0], force=True)

    return measured


async def chain(size: int) -> Measured:
    """A task that is handed down so many levels; the lowest suspends, and the Answer brings all to an end."""

    async def generate(request: ModelRequest) -> ModelReply:
        if request.messages[-1].role == "tool_result":
            return ModelReply("Done.", usage=USAGE)
        level = int(request.model)
        if level == size:
            return call(1, "approve")
        return call(1, "task", agent=str(level + 1), prompt="Go on.")

    registry = {
        str(level): Def(str(level), model=str(level), tools=TOOLS, team=(str(level + 1),))
        for level in range(1, size + 1)
    }
    host = Runtime(Options(registry, generate))

    async def measured() -> None:
        handle = host.spawn(host.root(), "1")
        request = await suspended(host, handle, "Go.")
        see(await host.resume(Answer(request, True)), "done")
        host.close(handle)

    return measured


async def rounds_of_the_turn(size: int) -> Measured:
    """A turn with so many rounds of a tool before the one that suspends; all of them are played again."""
    host = Runtime(Options({"asker": Def("asker", tools=TOOLS)}, looks(size)))

    async def measured() -> None:
        handle = host.spawn(host.root(), "asker")
        request = await suspended(host, handle, "Go.")
        see(await host.resume(Answer(request, True)), "done")
        host.close(handle)

    return measured


async def turns_of_the_handle(size: int) -> Measured:
    """One handle that is woken so many times, and each time suspends and is resumed."""
    host = Runtime(Options({"asker": Def("asker", tools=TOOLS)}, asks_once))

    async def measured() -> None:
        handle = host.spawn(host.root(), "asker")
        for _ in range(size):
            request = await suspended(host, handle, "Go.")
            see(await host.resume(Answer(request, True)), "done")
        host.close(handle)

    return measured


async def rounds_of_the_run(size: int) -> Measured:
    """A client's run with so many rounds of a tool before it halts; its transcript goes through JSON."""
    toolkit = Toolkit([FunctionTool("look", look), relay_tool("approve")])

    async def measured() -> None:
        halted = await Client(looks(size)).run("Go.", toolkit)
        if halted.pending is None:
            raise SystemExit(f"it did not halt: {halted.status}")
        written = json.dumps([message.to_json() for message in halted.messages])
        history = [*map(Message.from_json, json.loads(written))]
        answer = answer_output(halted.pending.id, "granted")
        done = await Client(looks(size)).run_with_answer(toolkit, history, halted.pending, answer)
        if done.status != "done":
            raise SystemExit(f"it did not end well: {done.status}")

    return measured


KINDS: Sequence[tuple[str, str, Callable[[int], Awaitable[Measured]], Sequence[int]]] = (
    ("handles side by side", "handle", handles, (125, 250, 500, 1000, 2000)),
    ("handles in a tree", "handle", tree, (125, 250, 500, 1000, 2000)),
    ("levels of delegation", "level", chain, (12, 25, 50, 100)),
    ("rounds before the suspension, runtime", "round", rounds_of_the_turn, (125, 250, 500, 1000, 2000)),
    ("rounds before the suspension, client", "round", rounds_of_the_run, (125, 250, 500, 1000, 2000)),
    ("suspended turns of one handle", "turn", turns_of_the_handle, (125, 250, 500, 1000)),
)


async def best(kind: Callable[[int], Awaitable[Measured]], sizes: Sequence[int]) -> list[tuple[float, float]]:
    """For each size the least processor time and the least wall time, the sizes taking turns."""
    times = [(float("inf"), float("inf"))] * len(sizes)
    for _ in range(ROUNDS):
        for place, size in enumerate(sizes):
            measured = await kind(size)
            processor, wall = time.process_time(), time.perf_counter()
            await measured()
            took = time.process_time() - processor, time.perf_counter() - wall
            times[place] = min(times[place][0], took[0]), min(times[place][1], took[1])
    return times


def main() -> None:
    """Measure and print."""
    for what, unit, kind, sizes in KINDS:
        print(what)
        times = asyncio.run(best(kind, sizes))
        least = times[0][0] / sizes[0]
        for size, (processor, wall) in zip(sizes, times, strict=True):
            each = processor / size
            print(
                f"  {size:6,} {processor * 1e3:9.2f} ms processor {wall * 1e3:9.2f} ms wall"
                f"  {each * 1e6:8.1f} us a {unit:8}{each / least:6.2f}"
            )


if __name__ == "__main__":
    main()
