"""The runtime of the package toolnexus, with a model in its process."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from toolnexus import Answer, Tool, ToolResult, pending
from toolnexus.agents import AgentDef, AgentRuntime

from tests.benchmarks.sides.measuring import serve

ROUNDS_OF_A_RUNTIME = 10
"""Closed handles stay with a runtime, which looks through them at each resume; so it gets a new one often
enough for that not to be felt."""


def model(request: dict[str, Any]) -> dict[str, Any]:
    if request["messages"][-1]["role"] == "tool":
        return {"content": "approved and done"}
    return {"tool_calls": [{"id": "c1", "name": "check_secret", "arguments": {}}]}


async def check_secret(args: object = None, ctx: Any = None) -> ToolResult:
    if ctx is not None and ctx.answer is not None:
        return ToolResult("secret-token", False)
    return pending(kind="approval", prompt="approve secret access?")


async def runtime(count: int) -> None:
    """Spawn, wake, wait: pending; resume: done; close."""
    schema = {"type": "object", "properties": {}}
    tool = Tool("check_secret", "needs approval", schema, "custom", check_secret)
    registry = {"asker": AgentDef("asker", "needs approvals", "", "m-asker", tools=[tool])}
    for number in range(count):
        if number % ROUNDS_OF_A_RUNTIME == 0:
            host = AgentRuntime(registry=registry, in_process=model)
        handle = host.spawn(host.root, "asker")
        host.wake(handle, "get the secret")
        halted = await host.wait(handle)
        done = await host.resume(Answer(halted.pending.id, True))
        if done.text != "approved and done":
            raise SystemExit(f"it did not end well: {done}")
        await host.close(handle)


if __name__ == "__main__":
    asyncio.run(serve({"memory": runtime}, f"toolnexus {version('toolnexus')}"))
