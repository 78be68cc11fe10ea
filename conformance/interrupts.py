"""Coming to an end, whatever happens: a signal never ends us in the middle, and an implementation in this
process neither ends us without a word nor leaves us somewhere else.

What is cancelled by a signal ends what it has started (`drivers.stdio` kills its process), and the command
then ends with the status that a shell gives to a command that died of that signal.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import traceback
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, TypeVar

from conformance.drivers.base import DriverFailure, NotStarted

T = TypeVar("T")


class Told(Exception):
    """A signal has told us to end, and what was running has been cancelled."""

    def __init__(self, number: int) -> None:
        super().__init__(
            "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        )
        self.status = 128 + number


class LoopEnded(NotStarted):
    """The implementation has ended the loop in which everything runs, or has cancelled everything in it."""


def run_until_told(main: Coroutine[None, None, T]) -> T:
    """`finish`, which also SIGTERM and SIGHUP end as Ctrl-C does: by cancelling `main`.

    Raises SystemExit with 128 and the signal's number where one of them did.
    """
    try:
        return finish(main, DEADLY)
    except Told as told:
        raise SystemExit(told.status) from None


DEADLY = (signal.SIGTERM, signal.SIGHUP)
"""What else may tell a command to end."""


def finish(main: Coroutine[None, None, T], signals: Iterable[int] = ()) -> T:
    """`asyncio.run`. Afterwards the working folder is again what it was before.

    Raises:
        Told: Ctrl-C was pressed, or one of `signals` came; `main` has been cancelled.
        LoopEnded: the implementation raised SystemExit or KeyboardInterrupt in a task of its own, or stopped
            the loop, or cancelled `main`.
    """
    told: list[int] = []
    result: list[T] = []
    raised: list[BaseException] = []

    async def listening() -> None:
        with _listening(told, signals):
            try:
                result.append(
                    await main
                )  # not the task's own: `signal.getsignal` writes out what a task gave
            except Exception as error:
                raised.append(error)
                raise

    with _same_folder():
        try:
            asyncio.run(listening())
            return result[0]
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError, DriverFailure, RuntimeError) as end:
            if told and not isinstance(end, RuntimeError):
                raise Told(told[0]) from None
            if end in raised:
                raise
            _blame(end)


@contextmanager
def _listening(told: list[int], signals: Iterable[int]) -> Iterator[None]:
    """While this task runs, note the signals that come, which cancel it. asyncio sees to Ctrl-C itself: the
    first cancels, and a second one breaks into whatever blocks the loop."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    of_asyncio = signal.getsignal(signal.SIGINT)

    def tell(number: int) -> None:
        told.append(number)
        if task is not None:
            task.cancel()

    def tell_asyncio(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if callable(of_asyncio):
            of_asyncio(number, frame)

    for number in signals:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, tell, number)
    if callable(of_asyncio):
        signal.signal(signal.SIGINT, tell_asyncio)
    try:
        yield
    finally:
        if callable(of_asyncio):
            signal.signal(signal.SIGINT, of_asyncio)


@contextmanager
def _same_folder() -> Iterator[None]:
    here = None
    with suppress(OSError):  # it may have been deleted
        here = os.getcwd()
    try:
        yield
    finally:
        if here is not None:
            with suppress(OSError):
                os.chdir(here)


def _blame(end: BaseException) -> NoReturn:
    said = f"{type(end).__name__}: {end}".removesuffix(": ")
    if isinstance(end, asyncio.CancelledError):
        did = "it cancelled everything in this process"
    elif isinstance(end, RuntimeError):  # asyncio's own
        did = "it stopped the loop in which everything in this process runs"
    else:
        did = f"it raised {said} in a task of its own and so ended everything in this process"
    raise LoopEnded(did, "".join(traceback.format_exception(end))) from end
