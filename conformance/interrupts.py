"""Running until the end or until told to stop, and then cleaning up: a signal never ends us in the middle.

What is cancelled by a signal ends what it has started (`drivers.stdio` kills its process), and the command
then ends with the status that a shell gives to a command that died of that signal.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


def run_until_told(main: Coroutine[None, None, T]) -> T:
    """`asyncio.run`, which also SIGTERM and SIGHUP end as Ctrl-C does: by cancelling `main`.

    Raises SystemExit with 128 and the signal's number where one of them did.
    """
    told: list[int] = []

    async def guarded() -> T:
        task = asyncio.current_task()

        def tell(number: int) -> None:
            told.append(number)
            if task is not None:
                task.cancel()

        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    loop.add_signal_handler(number, tell, number)
        return await main

    try:
        return asyncio.run(guarded())
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    except asyncio.CancelledError:
        if not told:
            raise
        raise SystemExit(128 + told[0]) from None
