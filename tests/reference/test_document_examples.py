"""Every example of the documents on handles and on resuming, in Python: it prints what it should."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

import pytest

from reference import (
    Answer,
    AnswerRejected,
    CallContext,
    Client,
    Def,
    FunctionTool,
    Generate,
    Json,
    Message,
    ModelReply,
    ModelRequest,
    Options,
    Request,
    Runtime,
    State,
    Suspension,
    ToolCall,
    Toolkit,
    ToolOutput,
    Usage,
    answer_output,
    pending,
    relay_tool,
)


async def check_secret(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
    """Needs human approval the first time; once the answer in its context is ok, it succeeds."""
    if ctx.answer is not None and ctx.answer.ok:
        return ToolOutput("secret-token")
    return pending(Request(kind="approval", prompt="approve secret access?"))


async def tells_outcome(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
    if ctx.answer is not None:
        return ToolOutput(f"outcome ok={ctx.answer.ok}")
    return pending(Request(kind="approval", prompt="approve secret access?"))


def model(tool: str, final: str) -> Generate:
    """Calls the tool, and once it has seen a tool message says the final text with its content filled in."""

    async def generate(request: ModelRequest) -> ModelReply:
        seen = [message.content for message in request.messages if message.role == "tool_result"]
        if seen:
            return ModelReply(final.format(seen[-1]))
        return ModelReply(tool_calls=(ToolCall("c1", tool, {}),))

    return generate


def asker(execute: FunctionTool, final: str) -> Runtime:
    """No interpreter on the definition, and none higher in the chain: the suspension becomes durable."""
    registry = {"asker": Def("asker", does="needs approvals", model="m-asker", tools=(execute,))}
    return Runtime(Options(registry, model("check_secret", final)))


def lookup() -> Toolkit:
    return Toolkit([relay_tool("lookup", "look something up")])


# Runtime.resume.


def test_resume_example_1_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        rt = asker(FunctionTool("check_secret", check_secret, "needs approval"), "approved and done")
        h = rt.spawn(rt.root(), "asker")
        rt.wake(h, "get the secret")
        r = await rt.wait(h)
        assert r.status == "pending"
        assert rt.state_of(h) == State.SUSPENDED
        v = rt.inspect(h)
        assert v.pending_kind == "approval"
        assert r.pending is not None
        done = await rt.resume(Answer(r.pending.id, ok=True))
        assert done.status == "done"
        assert rt.state_of(h) == State.IDLE
        print(f"ok: suspended ({v.pending_kind}) -> resumed -> {rt.state_of(h)}")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: suspended (approval) -> resumed -> idle\n"


def test_resume_example_2_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        rt = asker(FunctionTool("check_secret", tells_outcome), "understood — access was declined")
        h = rt.spawn(rt.root(), "asker")
        rt.wake(h, "get the secret")
        r = await rt.wait(h)
        assert r.status == "pending"
        assert r.pending is not None
        fin = await rt.resume(Answer(r.pending.id, ok=False, reason="declined"))
        assert fin.status == "done"
        assert "declined" in fin.text
        assert rt.state_of(h) == State.IDLE
        print(f"ok: {fin.text}")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: understood — access was declined\n"


def test_resume_example_3_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        rt = asker(FunctionTool("check_secret", check_secret), "approved and done")
        h = rt.spawn(rt.root(), "asker")
        rt.wake(h, "get the secret")
        parked = await rt.wait(h)
        view = rt.inspect(h)
        assert view.state == State.SUSPENDED
        assert view.pending_kind == "approval"
        assert any(v.id == h.id and v.state == State.SUSPENDED for v in rt.list())
        assert parked.pending is not None
        settled = await rt.resume(Answer(parked.pending.id, ok=True))
        assert settled.status == "done"
        print(f"ok: {view.state} -> {settled.status}")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: suspended -> done\n"


# The plain client's run_with_answer and ask_with_answer.


def test_client_example_1_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        tk = lookup()
        client = Client(model("lookup", "weather: {}"))
        halted = await client.run("weather?", tk)
        assert halted.status == "pending"
        req = halted.pending
        assert req is not None
        resumed = await client.run_with_answer(tk, halted.messages, req, answer_output(req.id, "sunny"))
        assert resumed.status == "done"
        assert resumed.text == "weather: sunny"
        print(f"ok: resumed to {resumed.status}")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: resumed to done\n"


def test_client_example_2_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        tk = lookup()
        # Process 1: run until the halt, then keep the transcript and the request as JSON.
        first = Client(model("lookup", "got {}"))
        halted = await first.run("look it up", tk)
        assert halted.pending is not None
        saved = json.dumps(
            {"messages": [m.to_json() for m in halted.messages], "pending": halted.pending.to_json()}
        )

        # Process 2: a brand-new client restores both and resumes.
        restored = json.loads(saved)
        messages = [Message.from_json(m) for m in restored["messages"]]
        req = Request.from_json(restored["pending"])
        second = Client(model("lookup", "got {}"))
        mismatched = answer_output("not-the-right-id", "x")
        with pytest.raises(AnswerRejected, match="does not echo"):
            print(await second.run_with_answer(tk, messages, req, mismatched))
        resumed = await second.run_with_answer(tk, messages, req, answer_output(req.id, "cross-process"))
        assert resumed.text == "got cross-process"
        print("ok: resumed on a fresh client after a rejected mismatched answer")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: resumed on a fresh client after a rejected mismatched answer\n"


def test_client_example_3_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        tk = lookup()
        client = Client(model("lookup", "got {}"))
        halted = await client.ask("look it up", tk, "conv-1")
        assert halted.status == "pending"
        req = halted.pending
        assert req is not None
        resumed = await client.ask_with_answer(tk, "conv-1", req, answer_output(req.id, "stored answer"))
        assert resumed.text == "got stored answer"
        saved = client.conversation_store.get("conv-1") or ()
        assert len(saved) == len(resumed.messages)
        print(f"ok: ask_with_answer resumed and saved conv-1, {len(saved)} messages")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: ask_with_answer resumed and saved conv-1, 4 messages\n"


# Handle.


def test_handle_example_1_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    rt = Runtime(Options({"peer": Def("peer", does="a worker", model="m-peer")}))  # no wake, so no model
    h = rt.spawn(rt.root(), "peer")
    assert rt.state_of(h) == State.IDLE
    v = rt.inspect(h)
    assert v.state == State.IDLE
    assert v.turns == 0
    assert v.pending_kind == ""
    print(f"ok: {h.id} is {v.state}")
    assert capsys.readouterr().out == "ok: root/peer.1 is idle\n"


def test_handle_example_2_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        asked, gate = asyncio.Event(), asyncio.Event()

        async def generate(request: ModelRequest) -> ModelReply:
            asked.set()
            await gate.wait()
            return ModelReply("finished", usage=Usage(3, 3, 6))

        registry = {"worker": Def("worker", does="a worker", model="m-worker")}
        rt = Runtime(Options(registry, generate))
        h = rt.spawn(rt.root(), "worker")
        states = [rt.state_of(h)]
        rt.wake(h, "go")
        await asked.wait()
        states.append(rt.state_of(h))
        gate.set()  # let the turn finish
        r = await rt.wait(h)
        assert r.status == "done"
        states.append(rt.state_of(h))
        v = rt.inspect(h)
        print(f"ok: {' -> '.join(states)}, turns = {v.turns} tokens = {v.tokens}")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: idle -> running -> idle, turns = 1 tokens = 6\n"


def test_handle_example_3_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        rt = asker(FunctionTool("check_secret", check_secret), "approved and done")
        h = rt.spawn(rt.root(), "asker")
        rt.wake(h, "get the secret")
        r = await rt.wait(h)
        assert r.status == "pending"
        assert rt.state_of(h) == State.SUSPENDED
        v = rt.inspect(h)
        assert v.pending_kind == "approval"
        assert r.pending is not None
        done = await rt.resume(Answer(r.pending.id, ok=True))
        assert done.status == "done"
        assert rt.state_of(h) == State.IDLE
        print(f"ok: suspended ({v.pending_kind}) -> resumed -> {rt.state_of(h)}")

    asyncio.run(main())
    assert capsys.readouterr().out == "ok: suspended (approval) -> resumed -> idle\n"
