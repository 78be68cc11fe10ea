"""Stored conversations: they are as they were put, also by a process that was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference import (
    Client,
    ClientOptions,
    ConversationStore,
    MemoryStore,
    Message,
    Request,
    SqliteStore,
    ToolCall,
    Toolkit,
    answer_output,
    relay_tool,
)
from reference.messages import ToolResult
from tests.reference.fakes import run
from tests.reference.sub_agents import Replies

ROOT = Path(__file__).parents[2]

CONVERSATION = (
    Message("msg-1", "user", "Straße \u2028 \U0001f600 \x00", 5),
    Message("msg-2", "assistant", "", 6, (ToolCall("c1", "look", {"at": [1, None, {"x": True}]}),), None, 12),
    Message(
        "msg-3", "tool_result", "wait", 7, (), ToolResult("c1", "look", "wait", pending=True), None, True
    ),
)


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ConversationStore]:
    if request.param == "memory":
        yield MemoryStore()
    else:
        with SqliteStore(tmp_path / "conversations.db") as opened:
            yield opened


def test_a_conversation_is_as_it_was_put_and_replaced_as_a_whole(store: ConversationStore) -> None:
    assert store.get("conv") is None
    store.put("conv", CONVERSATION)
    store.put("other", ())
    assert store.get("conv") == CONVERSATION
    store.put("conv", CONVERSATION[:1])
    assert store.get("conv") == CONVERSATION[:1]
    assert store.get("other") == ()


def test_two_stores_of_one_file_see_what_the_other_has_put(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    with SqliteStore(path) as one, SqliteStore(path) as other:
        one.put("conv", CONVERSATION)
        assert other.get("conv") == CONVERSATION


def test_a_file_is_written_so_that_what_was_put_outlives_the_machine(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "conversations.db") as opened:
        asked = [opened._connection.execute(f"PRAGMA {each}") for each in ("journal_mode", "synchronous")]
        assert [each.fetchone()[0] for each in asked] == ["wal", 2]


WRITES_UNTIL_KILLED = """
import sys
from reference import Message, SqliteStore
store = SqliteStore(sys.argv[1])
first = int(sys.argv[2])
for n in range(first, first + 1_000_000):
    store.put("conv", [Message(f"msg-{k}", "user", str(n) * 40, n) for k in range(200)])
    print(n, flush=True)
"""


def test_a_process_killed_in_the_middle_of_many_writes_leaves_the_old_conversation_or_the_new_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "conversations.db"
    first = 0
    for writes in (1, 4, 9):
        command = [sys.executable, "-c", WRITES_UNTIL_KILLED, str(path), str(first)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(writes):
                told = int(writer.stdout.readline())
            os.kill(writer.pid, signal.SIGKILL)
            told = max([told, *map(int, writer.stdout.read().split())])
        assert writer.returncode == -signal.SIGKILL
        with SqliteStore(path) as opened:
            found = opened.get("conv")
        assert found is not None
        last = found[0].timestamp
        assert last in (told, told + 1)
        assert found == tuple(Message(f"msg-{k}", "user", str(last) * 40, last) for k in range(200))
        first = last + 1


LEAVES_PENDING = """
import asyncio, json, os, signal, sys
from reference import Client, ModelReply, SqliteStore, ToolCall, Toolkit, relay_tool
async def model(request):
    return ModelReply(tool_calls=(ToolCall("c1", "lookup", {}),))
async def main():
    client = Client(model, store=SqliteStore(sys.argv[1]))
    halted = await client.ask("weather?", Toolkit([relay_tool("lookup")]), "conv")
    print(json.dumps(halted.pending.to_json()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


def test_a_new_process_answers_what_a_killed_one_left_pending(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    command = [sys.executable, "-c", LEAVES_PENDING, str(path)]
    died = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert died.returncode == -signal.SIGKILL
    request = Request.from_json(json.loads(died.stdout))
    model = Replies(m=["It is sunny."])

    async def play() -> None:
        with SqliteStore(path) as opened:
            client = Client(model, ClientOptions("m"), store=opened)
            answer = answer_output(request.id, "sunny")
            done = await client.ask_with_answer(Toolkit([relay_tool("lookup")]), "conv", request, answer)
            assert (done.status, done.text) == ("done", "It is sunny.")
            assert opened.get("conv") == done.messages
        assert [each.content for each in model.saw["m"][0]] == ["weather?", "", "sunny"]

    run(play())
