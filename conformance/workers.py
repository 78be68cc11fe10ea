"""Conditions in several processes at once, each with a driver of its own.

Whatever becomes of them, none is left behind: a worker is asked to end and then ended with all that it has
started. One that dies ends the run as an implementation does that cannot be kept running. Which scenario
goes to which worker is chance; `schedule` sees to it that this cannot be told from the results.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import socket
import sys
import uuid
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from conformance.drivers.base import Driver, DriverFailure, Implementation, NotStarted
from conformance.drivers.family import MARK, kill_family
from conformance.drivers.process import ending
from conformance.interrupts import LoopEnded
from conformance.judge import ScenarioResult
from conformance.requirements import Register
from conformance.running import Conditions, OnResult
from conformance.schedule import Schedule
from conformance.worker import GRACE, HEADER, Goodbye, Task, length, packed

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]);" + (
    " from conformance.worker import main; main(int(sys.argv[2]))"
)
"""What a worker executes: it finds modules where this process does."""


def processors() -> int:
    """How many workers are worth while here."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Worker:
    """One process, which plays one scenario at a time."""

    def __init__(
        self, process: Process, mark: str, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> None:
        self._process = process
        self._mark = mark
        self._reader, self._writer = streams

    @classmethod
    async def start(cls) -> Worker:
        """A process that waits for its task. Raises NotStarted."""
        mine, its = socket.socketpair()
        mark = uuid.uuid4().hex
        with its:
            try:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-c", _START, json.dumps(sys.path), str(its.fileno())),
                    stdin=DEVNULL,
                    env={**os.environ, MARK: mark},
                    pass_fds=[its.fileno()],
                    start_new_session=True,  # Ctrl-C is for us: we tell it
                )
            except OSError as error:
                mine.close()
                raise NotStarted(f"no worker process can be started: {error}") from error
        return cls(process, mark, await asyncio.open_connection(sock=mine))

    async def ask(self, message: bytes, doing: str) -> object:
        """The answer to a message. Raises NotStarted where the process has died; `doing` says at what."""
        try:
            self._writer.write(message)
            await self._writer.drain()
            answer: object = pickle.loads(await self._reader.readexactly(await self._announced()))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            status = await self._process.wait()
            raise NotStarted(f"a worker process {ending(status)} while it {doing}") from error
        if isinstance(answer, LoopEnded):
            raise NotStarted(f"{answer.message} while it {doing}", answer.detail)
        if isinstance(answer, DriverFailure):
            raise answer
        return answer

    async def _announced(self) -> int:
        return length(await self._reader.readexactly(HEADER))

    async def end(self) -> None:
        """Ask it to end, and end it with its family where it does not."""
        try:
            self._writer.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._process.wait()
        finally:
            if self._process.returncode is None:
                kill_family(self._process.pid, self._mark)
            await self._process.wait()


class _Crew:
    """All workers of a run."""

    def __init__(
        self,
        schedule: Schedule,
        task: bytes,
        on_result: OnResult | None,
        on_start: Callable[[Implementation], None] | None,
    ) -> None:
        self.implementations: dict[int, Implementation] = {}
        self.notes: set[str] = set()
        self._schedule = schedule
        self._task = task
        self._on_result = on_result
        self._on_start = on_start
        self._at_work: set[asyncio.Task[None]] = set()

    async def run(self, jobs: int) -> None:
        """Play everything that counts. Raises NotStarted."""
        try:
            async with asyncio.TaskGroup() as group:
                self._at_work |= {group.create_task(self._work(number)) for number in range(jobs)}
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _work(self, number: int) -> None:
        """One worker's life."""
        starting = asyncio.create_task(Worker.start())
        try:
            worker = await asyncio.shield(starting)
        except asyncio.CancelledError:  # it has been begun, so it has to be ended
            await (await starting).end()
            raise
        try:
            implementation = await worker.ask(self._task, "started the driver")
            if isinstance(implementation, Implementation):
                self.implementations[number] = implementation
                if self._on_start is not None:
                    self._on_start(implementation)
            if await self._play(worker):
                await self._take_leave(worker)
        finally:
            await worker.end()

    async def _play(self, worker: Worker) -> bool:
        """Play what there is to play; whether the worker is still there then."""
        is_there = True
        while is_there and (job := self._schedule.next()) is not None:
            place, scenario = job
            try:
                result = await worker.ask(packed(scenario), f"played {scenario.id}")
            except NotStarted as failure:
                self._schedule.lose(place, failure.message)
                is_there = False
            else:
                if isinstance(result, ScenarioResult):
                    self._take(place, replace(result, scenario=scenario))
            if self._schedule.is_complete:
                self._dismiss_the_others()
        self._at_work -= {task for task in self._at_work if task is asyncio.current_task()}
        return is_there

    def _take(self, place: int, result: ScenarioResult) -> None:
        result = self._schedule.take(place, result)
        if self._on_result is not None:
            self._on_result(result)

    def _dismiss_the_others(self) -> None:
        """What they play does not count; those that take their leave have played what does."""
        for task in self._at_work:
            if task is not asyncio.current_task():
                task.cancel()

    async def _take_leave(self, worker: Worker) -> None:
        try:
            notes = await worker.ask(packed(Goodbye()), "shut the driver down")
        except NotStarted as failure:
            notes = (failure.message,)
        self.notes.update(map(str, notes if isinstance(notes, tuple) else ()))


async def play_in_workers(
    schedule: Schedule,
    factory: Callable[[], Driver],
    register: Register,
    conditions: Conditions,
    jobs: int,
    on_result: OnResult | None = None,
    on_start: Callable[[Implementation], None] | None = None,
) -> tuple[Implementation, tuple[str, ...]]:
    """Play all of `schedule` in `jobs` processes. What the implementation says of itself, and the notes of
    the drivers. `on_result` is called after each, as they come, and `on_start` when one has been started.

    Raises NotStarted, and TypeError for a factory that cannot be handed to another process.
    """
    try:
        task = packed(Task(factory, dict(register), conditions))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"this driver cannot be handed to a worker process ({error}); name it in a text, or give a"
            " function or class that stands at the top of a module"
        ) from error
    crew = _Crew(schedule, task, on_result, on_start)
    await crew.run(jobs)
    return crew.implementations[min(crew.implementations)], tuple(sorted(crew.notes))
