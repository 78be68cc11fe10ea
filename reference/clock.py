"""Time, as it is handed to a runtime or client: what it is now, and something to be done later.

`WallClock` is the world's; `ManualClock` stands still until it is told to go on, for tests. Knows nothing of
what time is used for.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that is to be done later."""

    def cancel(self) -> None:
        """Do not do it; without effect where it has been done."""


class Clock(Protocol):
    """A source of time."""

    def now(self) -> float:
        """Unix seconds."""

    def call_later(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Do something when so many seconds have gone by."""


def milliseconds(clock: Clock) -> int:
    """Unix milliseconds: when a message is made."""
    return int(clock.now() * 1000)


class WallClock:
    """The world's time. Things to be done are done by the event loop that is running."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time()

    def call_later(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Do something when so many seconds have gone by."""
        return asyncio.get_running_loop().call_later(seconds, action)


class ManualClock:
    """Time that goes on only by `advance`."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now
        self._order = itertools.count()
        self._due: list[tuple[float, int, _Entry]] = []

    def now(self) -> float:
        """The seconds that it was started with, and those that it was advanced by."""
        return self._now

    def call_later(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Do something when it has been advanced that far."""
        entry = _Entry(action)
        heapq.heappush(self._due, (self._now + seconds, next(self._order), entry))
        return entry

    def advance(self, seconds: float) -> None:
        """Go on, and do what has become due, the earliest first."""
        until = self._now + seconds
        while self._due and self._due[0][0] <= until:
            self._now, _, entry = heapq.heappop(self._due)
            if not entry.is_cancelled:
                entry.action()
        self._now = until


class _Entry:
    __slots__ = ("action", "is_cancelled")

    def __init__(self, action: Callable[[], object]) -> None:
        self.action = action
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
