"""How a run is stopped, from any thread, wherever it stands.

The flag is what counts: a run looks at it before each model call, each tool call and each chunk. So that a
run that is waiting need not wait any longer, setting the flag also cancels the task in which the run's turns
are taken. That task is the run's own; the host's task is never cancelled from here, and a cancellation that
the flag did not cause is the host's, and is passed on. Knows nothing of what a run does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress


class StopFlag:
    """Whether one run has been told to stop, or the run above it, in one of whose calls it takes place."""

    __slots__ = ("_above", "_is_set", "_task")

    def __init__(self, above: StopFlag | None = None) -> None:
        self._above = above
        self._is_set = False
        self._task: asyncio.Task[None] | None = None

    def is_set(self) -> bool:
        """Whether this flag is set, or one above it."""
        return self._is_set or (self._above is not None and self._above.is_set())

    def set(self) -> None:
        """Set the flag, for good: every run has its own. Safe from any thread."""
        self._is_set = True
        if self._task is not None:
            with suppress(RuntimeError):  # the loop is closed, and so the run is over
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def is_cancelled(self) -> bool:
        """Whether the run's turns have been cancelled, by this flag or by the host, as against something that
        they were waiting for."""
        return self._task is not None and self._task.cancelling() > 0

    async def guard(self, turns: Coroutine[None, None, None]) -> bool:
        """Take the turns in a task of their own, until they end or the flag ends them.

        Returns:
            Whether the host has cancelled the run as well, be it that the flag was set too or that the turns
            have swallowed the cancellation. The run is then to end as cancelled, once it is wound up.

        Raises:
            asyncio.CancelledError: the host cancelled the run, and the flag is not set. The turns have ended.
        """
        host = asyncio.current_task()
        before = host.cancelling() if host else 0
        self._task = asyncio.create_task(turns)
        if self.is_set():  # by what the run did before there was a task to cancel
            self._task.cancel()
        try:
            await self._task
        except asyncio.CancelledError:
            if not self.is_set():
                raise
        finally:
            if not self._task.done():  # the host has thrown its coroutine away in the middle
                self.set()
        is_the_hosts = self._above is None or not self._above.is_set()
        return is_the_hosts and host is not None and host.cancelling() > before
