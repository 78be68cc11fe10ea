"""What every side has in common: it is asked for a case and a number of times, and answers how long it took.

    stdin    CASE COUNT            a line; the end of the input ends the process
    stdout   {"about", "cases"}    first of all: what the side is, and what may be asked for
             [processor, wall]     seconds, for all the times together

So whoever asks can have the sides take turns, and what else the machine does hits all alike. Needs nothing
but the standard library, since it runs in environments in which nothing of ours is installed.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

Case: TypeAlias = Callable[[int], Awaitable[None]]
"""Does the work so many times over."""


async def serve(cases: Mapping[str, Case], about: str) -> None:
    """Answer until nobody asks any more. A case is run once untimed before it is measured first."""
    _say({"about": about, "cases": [*cases]})
    met = set()
    for line in sys.stdin:
        name, count = line.split()
        if name not in met:
            met.add(name)
            await cases[name](1)
        gc.collect()
        processor, wall = time.process_time(), time.perf_counter()
        await cases[name](int(count))
        _say([time.process_time() - processor, time.perf_counter() - wall])
        await asyncio.sleep(0)  # so that what the library has left to the loop is done, and not timed


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)
