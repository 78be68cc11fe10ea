"""langgraph: interrupt() and Command(resume=...), with a checkpointer in memory or in SQLite.

There are several straightforward ways to write it; all are measured, and the fastest counts. The loop of
model and tools stands either in one node of a graph or in a function with @entrypoint, both of which begin
again from their beginning when they are resumed, as a turn of the runtime does; or in two nodes, where only
the tool's begins again. Each is called synchronously and asynchronously, and at each durability but the
slowest.
"""

from __future__ import annotations

import asyncio
import operator
import sqlite3
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypedDict

import aiosqlite
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from tests.benchmarks.sides.measuring import Case, serve

Message = dict[str, Any]


class State(TypedDict):
    messages: Annotated[list[Message], operator.add]


def model(messages: list[Message]) -> Message:
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": "approved and done"}
    calls = [{"id": "c1", "name": "check_secret", "arguments": {}}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def check_secret(call: dict[str, Any]) -> Message:
    answer = interrupt({"kind": "approval", "prompt": "approve secret access?"})
    return {"role": "tool", "tool_call_id": call["id"], "content": answer["output"]}


def rounds(messages: list[Message]) -> list[Message]:
    """What is to be added to the messages until the model has no more calls."""
    added: list[Message] = []
    while True:
        reply = model([*messages, *added])
        added.append(reply)
        if not reply.get("tool_calls"):
            return added
        added.extend(map(check_secret, reply["tool_calls"]))


def one_node(saver: Any) -> Any:
    def agent(state: State) -> Any:
        return {"messages": rounds(state["messages"])}

    graph = StateGraph(State)
    graph.add_node("agent", agent)
    graph.add_edge(START, "agent")
    return graph.compile(checkpointer=saver)


def two_nodes(saver: Any) -> Any:
    def ask(state: State) -> Any:
        return {"messages": [model(state["messages"])]}

    def tools(state: State) -> Any:
        return {"messages": [*map(check_secret, state["messages"][-1]["tool_calls"])]}

    def has_calls(state: State) -> str:
        return "tools" if state["messages"][-1].get("tool_calls") else END

    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_node("tools", tools)
    graph.add_edge(START, "ask")
    graph.add_edge("tools", "ask")
    graph.add_conditional_edges("ask", has_calls, ["tools", END])
    return graph.compile(checkpointer=saver)


def function(saver: Any) -> Any:
    @entrypoint(checkpointer=saver)
    def agent(state: State) -> Any:
        return {"messages": [*state["messages"], *rounds(state["messages"])]}

    return agent


WAYS: dict[str, Callable[[Any], Any]] = {"one-node": one_node, "two-nodes": two_nodes, "function": function}
DURABILITIES = ("exit", "async")


class InTurn:
    """Interrupted, resumed: done; each time in a new thread."""

    def __init__(self, agent: Any, durability: str, *, is_async: bool) -> None:
        self._agent = agent
        self._durability = durability
        self._is_async = is_async
        self._number = 0

    async def __call__(self, count: int) -> None:
        for _ in range(count):
            self._number += 1
            config = {"configurable": {"thread_id": f"{id(self)}-{self._number}"}}
            await self._go({"messages": [{"role": "user", "content": "get the secret"}]}, config)
            done = await self._go(Command(resume={"output": "secret-token"}), config)
            if done["messages"][-1]["content"] != "approved and done":
                raise SystemExit(f"it did not end well: {done}")

    async def _go(self, what: Any, config: Any) -> Any:
        if self._is_async:
            return await self._agent.ainvoke(what, config, durability=self._durability)
        return self._agent.invoke(what, config, durability=self._durability)


def cases(name: str, saver: Callable[[], Any], *, is_async: bool) -> dict[str, Case]:
    """All ways of writing it with that checkpointer, called in that way."""
    kind = "ainvoke" if is_async else "invoke"
    return {
        f"{name}/{way}/{kind}/{durability}": InTurn(make(saver()), durability, is_async=is_async)
        for way, make in WAYS.items()
        for durability in DURABILITIES
    }


async def main(folder: Path) -> None:
    connection = sqlite3.connect(folder / "langgraph.db", check_same_thread=False)
    on_disk = SqliteSaver(connection)
    on_disk.setup()
    connection.execute("PRAGMA synchronous = FULL")
    settings = [
        f"{pragma}={connection.execute(f'PRAGMA {pragma}').fetchone()[0]}"
        for pragma in ("journal_mode", "synchronous")
    ]
    async with aiosqlite.connect(folder / "langgraph-async.db") as async_connection:
        async_on_disk = AsyncSqliteSaver(async_connection)
        await async_on_disk.setup()
        await async_connection.execute("PRAGMA synchronous = FULL")
        all_cases = (
            cases("memory", InMemorySaver, is_async=False)
            | cases("memory", InMemorySaver, is_async=True)
            | cases("on-disk", lambda: on_disk, is_async=False)
            | cases("on-disk", lambda: async_on_disk, is_async=True)
        )
        names = ", ".join(f"{each} {version(each)}" for each in ("langgraph", "langgraph-checkpoint-sqlite"))
        await serve(all_cases, f"{names}, on disk {' '.join(settings)}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
