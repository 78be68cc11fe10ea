"""How fast the reference takes tool rounds, and how its cost grows with the conversation.

Run it with `python -m tests.benchmarks.reference_rounds`; it is no test and asserts nothing. It prints the
rounds per second of one prompt with 100 tool rounds, the same for a plain loop that does the same work with
dicts and no features, and the time and the peak memory of 1,000 and of 4,000 rounds.
"""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import TypeAlias

from reference import (
    Agent,
    AgentConfig,
    CallRequest,
    Chunk,
    Event,
    Json,
    Message,
    Tool,
    ToolContext,
    ToolOutput,
)

Rounds: TypeAlias = Callable[[int], Coroutine[None, None, int]]


class Script:
    """A model that calls the tool `rounds` times and then answers."""

    def __init__(self, rounds: int) -> None:
        self._left = rounds

    async def generate(
        self, messages: Sequence[Message], tools: Sequence[Tool], system_prompt: str
    ) -> AsyncIterator[Chunk]:
        if self._left:
            self._left -= 1
            yield CallRequest("look", {"path": "README.md"})
        else:
            yield "Done."


class Look:
    """A tool that answers at once."""

    name = "look"

    async def execute(self, args: Mapping[str, Json], ctx: ToolContext) -> ToolOutput:
        return ToolOutput("seen")


async def by_reference(rounds: int) -> int:
    """Take the rounds with the reference; returns how many events there were."""
    events: list[Event] = []
    agent = Agent(AgentConfig(max_tool_rounds=rounds + 1), [Look()])
    await agent.prompt("Look around.", Script(rounds), events.append)
    return len(events)


PlainMessage: TypeAlias = dict[str, object]


async def _plain_model(left: int) -> AsyncIterator[str | dict[str, object]]:
    if left:
        yield {"name": "look", "arguments": {"path": "README.md"}}
    else:
        yield "Done."


async def _plain_tool(args: object) -> str:
    return "seen"


async def by_plain_loop(rounds: int) -> int:
    """The same work and the same events, written as one would for this case alone; no inbox, no stopping, no
    pending calls, no failures."""
    events: list[dict[str, object]] = []
    emit = events.append
    messages: list[PlainMessage] = [_plain_message(1, "user", "Look around.")]
    emit({"type": "AgentStart"})
    emit({"type": "MessageStart", "message": messages[0]})
    emit({"type": "MessageEnd", "message": messages[0]})
    left, number, used = rounds, 1, 4
    while True:
        emit({"type": "TurnStart"})
        emit({
            "type": "ContextBudget", "used_tokens": used, "max_tokens": 128_000,
            "messages_in_context": len(messages), "messages_pruned": 0,
        })  # fmt: skip
        number += 1
        message_id = f"msg-{number}"
        text, pieces = "", 0
        calls: list[dict[str, object]] = []
        began = time.perf_counter()
        first = None
        async for chunk in _plain_model(left):
            if first is None:
                first = time.perf_counter()
            if isinstance(chunk, str):
                text += chunk
                pieces += 1
                speed = pieces / (time.perf_counter() - began)
                emit(
                    {
                        "type": "MessageDelta",
                        "delta": chunk,
                        "tokens_generated": pieces,
                        "tokens_per_sec": speed,
                    }
                )
            else:
                calls.append({"id": f"{message_id}-call-{len(calls) + 1}", **chunk})
        took = time.perf_counter() - began
        emit({
            "type": "GenerationStats", "tokens_generated": pieces, "prompt_tokens": used,
            "tokens_per_sec": pieces / took, "time_to_first_token_ms": ((first or began) - began) * 1000,
            "generation_time_ms": took * 1000,
        })  # fmt: skip
        message = _plain_message(number, "assistant", text)
        if calls:
            message["tool_calls"] = calls
        messages.append(message)
        used += len(text) // 4 + 1
        emit({"type": "MessageEnd", "message": message})
        results = []
        for call in calls:
            emit({
                "type": "ToolExecStart", "tool_call_id": call["id"], "tool_name": call["name"],
                "args": call["arguments"],
            })  # fmt: skip
            content = await _plain_tool(call["arguments"])
            emit({
                "type": "ToolExecEnd", "tool_call_id": call["id"], "tool_name": call["name"],
                "result": {"content": content},
            })  # fmt: skip
            number += 1
            result = _plain_message(number, "tool_result", content)
            result["tool_result"] = {
                "tool_call_id": call["id"], "tool_name": call["name"], "content": content,
            }  # fmt: skip
            emit({"type": "MessageStart", "message": result})
            messages.append(result)
            used += len(content) // 4 + 1
            emit({"type": "MessageEnd", "message": result})
            results.append(result)
        emit({"type": "TurnEnd", "message": message, "tool_results": results})
        if not calls:
            break
        left -= 1
    emit({"type": "AgentEnd", "messages": messages[1:]})
    return len(events)


def _plain_message(number: int, role: str, content: str) -> PlainMessage:
    return {"id": f"msg-{number}", "role": role, "content": content, "timestamp": int(time.time() * 1000)}


def seconds(*what: tuple[Rounds, int], runs: int) -> list[float]:
    """For each way and number of rounds the best of several runs, which take turns.

    Processor time, since nothing here waits, and since that is disturbed less by what else the machine does.
    """

    async def best() -> list[float]:
        times = [float("inf")] * len(what)
        for _ in range(runs):
            for place, (way, rounds) in enumerate(what):
                began = time.process_time()
                await way(rounds)
                times[place] = min(times[place], time.process_time() - began)
        return times

    return asyncio.run(best())


def peak_memory(way: Rounds, rounds: int) -> int:
    """The most that was allocated at one time, in bytes."""

    async def peak() -> int:
        tracemalloc.start()
        await way(rounds)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    return asyncio.run(peak())


def main() -> None:
    """Measure and print."""
    events = asyncio.run(by_reference(100)), asyncio.run(by_plain_loop(100))
    reference, plain = seconds((by_reference, 100), (by_plain_loop, 100), runs=200)
    print(f"100 rounds, events: reference {events[0]}, plain loop {events[1]}")
    print(f"100 rounds: reference  {100 / reference:9,.0f} rounds/s")
    print(f"            plain loop {100 / plain:9,.0f} rounds/s")
    print(f"            the reference takes {reference / plain:.2f} times as long")
    short, long = seconds((by_reference, 1000), (by_reference, 4000), runs=20)
    print(f"1,000 rounds {short * 1000:.1f} ms, 4,000 rounds {long * 1000:.1f} ms: {long / short:.2f} times")
    small, large = peak_memory(by_reference, 1000), peak_memory(by_reference, 4000)
    print(f"1,000 rounds {small / 1e6:.2f} MB, 4,000 rounds {large / 1e6:.2f} MB: {large / small:.2f} times")


if __name__ == "__main__":
    main()
