"""Where a client keeps conversations: in memory, or in a file that outlives the process.

A store has for each id one conversation, which is always put as a whole. Knows nothing of runs.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from os import PathLike
from types import TracebackType
from typing import Protocol, Self

from reference.messages import Message


class ConversationStore(Protocol):
    """Anything that keeps conversations."""

    def get(self, conversation_id: str) -> tuple[Message, ...] | None:
        """The conversation as it was last put, or None."""

    def put(self, conversation_id: str, messages: Iterable[Message]) -> None:
        """Keep that conversation in place of what was there. When this returns, it is kept."""


class MemoryStore:
    """Conversations that end with the process."""

    __slots__ = ("_conversations",)

    def __init__(self) -> None:
        self._conversations: dict[str, tuple[Message, ...]] = {}

    def get(self, conversation_id: str) -> tuple[Message, ...] | None:
        """The conversation as it was last put, or None."""
        return self._conversations.get(conversation_id)

    def put(self, conversation_id: str, messages: Iterable[Message]) -> None:
        """Keep that conversation in place of what was there."""
        self._conversations[conversation_id] = tuple(messages)


class SqliteStore:
    """Conversations in an SQLite file, which several processes may use.

    A conversation is one row, written by one statement, which is a transaction: whenever the process is
    killed, the file has the old conversation or the new one. Before `put` returns the new one is on the disk.
    A store is used by the thread that opened it, and closed by `close` or as a context manager.

    Args:
        path: of the file, which is made where there is none.
        timeout: after how many seconds of waiting for another process to give up, by
            sqlite3.OperationalError.
    """

    __slots__ = ("_connection",)

    def __init__(self, path: str | PathLike[str], *, timeout: float = 30.0) -> None:
        self._connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, messages TEXT NOT NULL)",
        ):
            self._connection.execute(statement)

    def get(self, conversation_id: str) -> tuple[Message, ...] | None:
        """The conversation as it was last put, or None.

        Raises:
            MalformedData, json.JSONDecodeError: somebody else wrote what stands there.
        """
        found = self._connection.execute(
            "SELECT messages FROM conversations WHERE id = ?", (conversation_id,)
        ).fetchone()
        return None if found is None else tuple(map(Message.from_json, json.loads(found[0])))

    def put(self, conversation_id: str, messages: Iterable[Message]) -> None:
        """Keep that conversation in place of what was there. When this returns, it is on the disk."""
        written = json.dumps([each.to_json() for each in messages])
        self._connection.execute(
            "INSERT OR REPLACE INTO conversations VALUES (?, ?)", (conversation_id, written)
        )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
