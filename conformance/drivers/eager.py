"""Beginning a coroutine at once, and making a task only of one that has to wait.

asyncio starts a task in the next round of its loop; most of what an implementation asks can be answered in
this one. Python 3.12 has eager tasks of its own. What is begun so has no current task until it first waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


def begun(coroutine: Coroutine[object, None, T]) -> Coroutine[object, None, T] | None:
    """Take the first step of a coroutine. What is left of it, for a task; None where it has ended.

    What it raises at once is raised here.
    """
    try:
        waits_for = coroutine.send(None)
    except StopIteration:
        return None
    return _Rest(coroutine, waits_for)


def begun_run(coroutine: Coroutine[object, None, T]) -> asyncio.Future[T]:
    """The same of a coroutine that answers with something: the rest of it goes on as a task."""
    loop = asyncio.get_running_loop()
    try:
        waits_for = coroutine.send(None)
    except StopIteration as ended:
        answer: asyncio.Future[T] = loop.create_future()
        answer.set_result(ended.value)
        return answer
    return loop.create_task(_Rest(coroutine, waits_for))


class _Rest(Coroutine[object, None, T]):
    """A coroutine that has been begun: whoever starts it gets what it already waits for."""

    def __init__(self, coroutine: Coroutine[object, None, T], waits_for: object) -> None:
        self._coroutine = coroutine
        self._waits_for: object = waits_for
        self._is_started = False

    def send(self, value: None) -> object:
        if self._is_started:
            return self._coroutine.send(value)
        self._is_started = True
        return self._waits_for

    def throw(
        self,
        typ: type[BaseException] | BaseException,
        val: BaseException | object = None,
        tb: TracebackType | None = None,
    ) -> object:
        self._is_started = True
        failure = typ if isinstance(typ, BaseException) else val if isinstance(val, BaseException) else typ()
        return self._coroutine.throw(failure)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Generator[object, None, T]:
        raise TypeError("this is for a task, not for awaiting")
