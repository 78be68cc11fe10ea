"""The inbox: how an agent is reached from outside its run.

A handle may be copied, moved to whatever finishes the job, and used from any thread. What is put in stays
until the agent reads it; only the agent's run takes it out. Knows nothing of what the items will become.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Pushed:
    """A message of the user's."""

    text: str


@dataclass(frozen=True, slots=True)
class Settled:
    """The result of a pending call, or its failure (`is_error`)."""

    call_id: str
    content: str
    is_error: bool


Item: TypeAlias = Pushed | Settled


class Queue:
    """What the handles of one inbox share. First in, first out.

    A deque needs no lock: its append and popleft are safe from any thread, and nobody but the one run in
    progress takes anything out.
    """

    __slots__ = ("_items",)

    def __init__(self) -> None:
        self._items: deque[Item] = deque()

    def __bool__(self) -> bool:
        return bool(self._items)

    def put(self, item: Item) -> None:
        """Put an item in, behind all others."""
        self._items.append(item)

    def take_all(self) -> Iterator[Item]:
        """Take all that is there now, one by one: what is not asked for stays, what comes meanwhile too."""
        for _ in range(len(self._items)):
            yield self._items.popleft()


class Inbox:
    """A handle for an agent's inbox. Copies of it, and other handles of the same agent, share one inbox."""

    __slots__ = ("_queue",)

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def push(self, text: str) -> None:
        """Put in a user message."""
        self._queue.put(Pushed(text))

    def resolve(self, call_id: str, content: str) -> None:
        """Put in the result of a pending call. Whether the call is pending is seen when it is read."""
        self._queue.put(Settled(call_id, content, is_error=False))

    def reject(self, call_id: str, reason: str) -> None:
        """Put in the failure of a pending call."""
        self._queue.put(Settled(call_id, reason, is_error=True))

    def clone(self) -> Inbox:
        """Another handle for the same inbox."""
        return Inbox(self._queue)

    __copy__ = clone

    def __deepcopy__(self, memo: object) -> Inbox:
        return self.clone()
