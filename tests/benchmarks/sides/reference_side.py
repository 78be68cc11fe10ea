"""Ours: the reference's runtime, and its client with a store on disk."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from reference import (
    Answer,
    CallContext,
    Client,
    Def,
    FunctionTool,
    Json,
    ModelReply,
    ModelRequest,
    Options,
    Request,
    Runtime,
    SqliteStore,
    Suspension,
    ToolCall,
    Toolkit,
    ToolOutput,
    answer_output,
    pending,
    relay_tool,
)
from tests.benchmarks.sides.measuring import Case, serve


async def model(request: ModelRequest) -> ModelReply:
    if request.messages[-1].role == "tool_result":
        return ModelReply("approved and done")
    return ModelReply(tool_calls=(ToolCall("c1", "check_secret", {}),))


async def check_secret(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
    if ctx.answer is not None:
        return ToolOutput("secret-token")
    return pending(Request("approval", "approve secret access?"))


async def runtime(count: int) -> None:
    """Spawn, wake, wait: pending; resume: done; close."""
    asker = Def("asker", tools=(FunctionTool("check_secret", check_secret),))
    host = Runtime(Options({"asker": asker}, model))
    for _ in range(count):
        handle = host.spawn(host.root(), "asker")
        host.wake(handle, "get the secret")
        halted = await host.wait(handle)
        if halted.pending is None:
            raise SystemExit(f"it did not suspend: {halted}")
        done = await host.resume(Answer(halted.pending.id, True))
        if done.text != "approved and done":
            raise SystemExit(f"it did not end well: {done}")
        host.close(handle)


class OnDisk:
    """ask, halted, ask_with_answer, each time in a new conversation."""

    def __init__(self, store: SqliteStore) -> None:
        self._client = Client(model, store=store)
        self._toolkit = Toolkit([relay_tool("check_secret")])
        self._number = 0

    async def __call__(self, count: int) -> None:
        for _ in range(count):
            self._number += 1
            conversation = f"conversation-{self._number}"
            halted = await self._client.ask("get the secret", self._toolkit, conversation)
            if halted.pending is None:
                raise SystemExit(f"it did not suspend: {halted}")
            answer = answer_output(halted.pending.id, "secret-token")
            done = await self._client.ask_with_answer(self._toolkit, conversation, halted.pending, answer)
            if done.text != "approved and done":
                raise SystemExit(f"it did not end well: {done}")


def commits(store: SqliteStore) -> Case:
    """Nothing but the two transactions in which OnDisk keeps a conversation: the part that is SQLite's and
    the disk's."""

    async def case(count: int) -> None:
        for number in range(count):
            for size in (400, 600):
                store._connection.execute(
                    "INSERT OR REPLACE INTO conversations VALUES (?, ?)", (f"plain-{number}", "x" * size)
                )

    return case


def settings(store: SqliteStore) -> str:
    """How the store's file is written; SQLite tells that only to the connection itself."""
    found = (
        f"{pragma}={store._connection.execute(f'PRAGMA {pragma}').fetchone()[0]}"
        for pragma in ("journal_mode", "synchronous")
    )
    return " ".join(found)


def main(folder: Path) -> None:
    store = SqliteStore(folder / "reference.db")
    cases = {"memory": runtime, "on-disk": OnDisk(store), "commits": commits(store)}
    asyncio.run(serve(cases, f"reference, on disk {settings(store)}"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
