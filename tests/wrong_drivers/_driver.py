"""A driver with a tiny agent inside, all by hand: one run is one call of the model, and there are no tools.

The scripts beside this one are wrong in one thing each, when they are prompted with `misbehave`; otherwise
they are right, so that the next scenario passes.
"""

from __future__ import annotations

import json
import sys
from typing import Any

CLAIMS = {
    "protocol_version": 1,
    "name": "wrong",
    "version": "1",
    "language": "python",
    "profiles": ["agent"],
    "capabilities": [],
}


class Driver:
    """Answers one line after the other. `misbehave` is what a wrong driver has of its own."""

    def __init__(self) -> None:
        self.asked = 0
        self.messages: list[dict[str, Any]] = []

    def misbehave(self, request: dict[str, Any]) -> None:
        """Instead of the run that `request` asks for."""
        raise NotImplementedError

    def serve(self) -> None:
        """Until stdin is closed, or shutdown."""
        for line in sys.stdin:
            self.take(json.loads(line))

    def take(self, request: dict[str, Any]) -> None:
        """Serve one request."""
        method, params = request["method"], request["params"]
        if method == "agent/prompt" and params["text"] == "misbehave":
            self.misbehave(request)
        elif method == "agent/prompt":
            self.answer(request, self.run(params["text"]))
        elif method == "agent/messages":
            self.answer(request, {"messages": self.messages})
        elif method == "initialize":
            self.answer(request, CLAIMS)
        elif method == "shutdown":
            self.answer(request, {})
            sys.exit()
        elif method in ("reset", "agent/create"):
            self.messages = []
            self.answer(request, {})
        else:
            error = {"code": -32601, "message": f"there is no method {method}"}
            self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def run(self, text: str) -> dict[str, Any]:
        """One whole run."""
        self.event("AgentStart")
        self.event("MessageStart", message=self.message("user", text))
        self.event("MessageEnd", message=self.messages[-1])
        self.event("TurnStart")
        self.event("ContextBudget", used_tokens=1, max_tokens=9, messages_in_context=1, messages_pruned=0)
        chunks = self.ask("model/generate", messages=self.messages)["chunks"]
        for number, chunk in enumerate(chunks, start=1):
            self.event("MessageDelta", delta=chunk, tokens_generated=number, tokens_per_sec=1.0)
        speed = {"tokens_per_sec": 1.0, "time_to_first_token_ms": 1, "generation_time_ms": 1}
        self.event("GenerationStats", tokens_generated=len(chunks), prompt_tokens=1, **speed)
        reply = self.message("assistant", "".join(chunks))
        self.event("MessageEnd", message=reply)
        self.event("TurnEnd", message=reply, tool_results=[])
        self.event("AgentEnd", messages=[reply])
        return {"message": reply}

    def message(self, role: str, content: str) -> dict[str, Any]:
        """A new message of the conversation."""
        id = f"m{len(self.messages)}"
        self.messages.append({"id": id, "role": role, "content": content, "timestamp": 0})
        return self.messages[-1]

    def event(self, type: str, **fields: Any) -> None:
        """Emit an event."""
        params = {"agent": "main", "event": {"type": type, **fields}}
        self.send({"jsonrpc": "2.0", "method": "event", "params": params})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """What the suite answers; nothing else is served meanwhile."""
        self.asked += 1
        params["agent"] = "main"
        self.send({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        result: dict[str, Any] = json.loads(sys.stdin.readline())["result"]
        return result

    def answer(self, request: dict[str, Any], result: Any) -> None:
        """Answer a request."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def send(self, message: dict[str, Any]) -> None:
        """Write a line."""
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Write anything."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def wait_for_ever() -> None:
    """Until somebody ends this process, whatever happens to its pipes."""
    import os

    read, _ = os.pipe()
    os.read(read, 1)
