"""A process that plays scenarios for another one: the far side of `workers`.

It is told once how to play, and then one scenario after the other; it answers each with its result. What is
said is in pickles, over a socket that nobody else has. It ends when it is told so, or when the other side is
gone: then the play in progress is given up and the driver shut down.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from conformance.drivers.base import Driver, DriverFailure, NotStarted
from conformance.interrupts import LoopEnded, finish
from conformance.requirements import Register, Requirement
from conformance.running import Conditions, run_one
from conformance.scenario import Scenario
from conformance.session import Session

GRACE = 5.0
"""Seconds within which a worker has ended when it was told to, or it is killed."""

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker needs to know beforehand."""

    factory: Callable[[], Driver]
    requirements: Mapping[str, Requirement]
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Goodbye:
    """Nothing more is to be played. The answer is the driver's notes."""


def packed(message: object) -> bytes:
    """A message as it is written."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def length(header: bytes) -> int:
    """How many bytes follow a header of `HEADER` bytes."""
    (size,) = _LENGTH.unpack(header)
    return int(size)


HEADER = _LENGTH.size


def main(descriptor: int) -> None:
    """Serve what comes over the socket that has been inherited as `descriptor`."""
    with socket.socket(fileno=descriptor) as connection:
        try:
            finish(_serve(connection))
        except LoopEnded as failure:
            with suppress(OSError):  # the other side may be gone
                connection.sendall(packed(failure))


async def _serve(connection: socket.socket) -> None:
    orders: asyncio.Queue[bytes] = asyncio.Queue()
    current = asyncio.current_task()
    loop = asyncio.get_running_loop()
    ended = threading.Event()
    is_gone = False

    def gone() -> None:
        nonlocal is_gone
        is_gone = True
        if current is not None:
            current.cancel()

    def listen() -> None:
        with suppress(RuntimeError), connection.makefile("rb") as file:  # the loop has been closed
            while (order := _received(file)) is not None:
                loop.call_soon_threadsafe(orders.put_nowait, order)
            if not ended.is_set():
                loop.call_soon_threadsafe(gone)
        if not ended.wait(GRACE):
            os._exit(1)  # the implementation blocks the loop: nothing can be asked of it any more

    threading.Thread(target=listen, daemon=True).start()
    try:
        await _play_all(orders, connection)
    except (BrokenPipeError, ConnectionResetError):
        pass  # nobody is there any more to whom it could be told
    except asyncio.CancelledError:
        if not is_gone:
            raise
    finally:
        ended.set()


async def _play_all(orders: asyncio.Queue[bytes], connection: socket.socket) -> None:
    try:
        task: Task = pickle.loads(await orders.get())
        session = await Session.start(task.factory)
    except DriverFailure as failure:
        connection.sendall(packed(failure))
        return
    except (ImportError, AttributeError) as error:
        connection.sendall(packed(NotStarted(f"a worker process does not find the driver: {error}")))
        return
    register = Register(task.requirements)
    try:
        connection.sendall(packed(session.implementation))
        while isinstance(scenario := pickle.loads(await orders.get()), Scenario):
            try:
                answer: object = await run_one(scenario, session, register, task.conditions)
            except NotStarted as failure:
                answer = failure
            connection.sendall(packed(answer))
    finally:
        notes = await session.close()
    connection.sendall(packed(notes))


def _received(file: BinaryIO) -> bytes | None:
    """The next order; None where there will be none."""
    try:
        header = file.read(HEADER)
        if len(header) < HEADER:
            return None
        size = length(header)
        data = file.read(size)
    except OSError:
        return None
    return data if len(data) == size else None


if __name__ == "__main__":
    main(int(sys.argv[1]))
