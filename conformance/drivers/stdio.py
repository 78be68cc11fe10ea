"""Drivers that are subprocesses: `stdio:COMMAND`.

One process serves many scenarios. Whatever goes wrong with it ends it, its family and the scenario in flight;
the next scenario's `reset` starts it afresh. Its life, and what each part of it raises:

- `start`, and whenever it is started afresh: NotStarted, whatever the cause (it says nothing, ends, speaks no
  version of the protocol that the suite speaks, writes rubbish); NotExecutable where there is nothing to
  start.
- `reset`: what has gone wrong since the last answer, if nobody was told; TimedOut where it is not answered;
  NotStarted where the process has died in `MAX_DEATHS` scenarios running. What goes wrong behind a reset and
  before anything is asked is no scenario's: it is in `notes`.
- all others: ImplementationError, Crashed, ProtocolError; asyncio.CancelledError where the suite has crashed
  it. How long to wait is the player's to say, who learns from `silence` what a silence was.
- `shutdown`: nothing; what is worth telling is in `notes`.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from conformance.drivers import shapes, wire
from conformance.drivers.base import (
    AgentOptions,
    DriverFailure,
    DriverNameError,
    Host,
    Implementation,
    InboxItem,
    NotExecutable,
    NotStarted,
    ProtocolError,
)
from conformance.drivers.life import Life, StdioOptions
from conformance.drivers.process import Died
from conformance.drivers.wire import Object

MAX_DEATHS = 5
"""In so many scenarios running it may die before it is given up."""


def load_driver(command: str, options: StdioOptions | None = None) -> Callable[[], StdioDriver]:
    """The factory of drivers that are started by `command`, words as a shell would take them apart.

    Raises DriverNameError where there is no such command.
    """
    name, options = f"--driver stdio:{command}", options or StdioOptions()
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise DriverNameError(f"{name}: {error}") from error
    if not words:
        raise DriverNameError(f"{name}: expected stdio:COMMAND")
    folder = options.cwd or Path()
    if not folder.is_dir():
        raise DriverNameError(f"{name}: --cwd {folder}: there is no such folder")
    if os.path.dirname(words[0]):
        program = folder / words[0]
        if not program.is_file():
            raise DriverNameError(f"{name}: there is no file {program}")
        if not os.access(program, os.X_OK):
            raise DriverNameError(f"{name}: {program} is not executable")
    elif shutil.which(words[0], path=options.environment()["PATH"]) is None:
        raise DriverNameError(f"{name}: there is no command {words[0]}")
    return partial(StdioDriver, tuple(words), options)


class StdioDriver:
    """A `Driver`, and `Accountable`, for an implementation in a process of its own."""

    def __init__(self, command: Sequence[str], options: StdioOptions | None = None) -> None:
        self.notes: list[str] = []
        self._command = tuple(command)
        self._options = options or StdioOptions()
        self._host: Host | None = None
        self._life: Life | None = None
        self._deaths = 0
        self._is_between = False
        """Whether nothing has been asked since a reset: one scenario is over, and the next has not begun."""

    # Its life

    async def start(self, host: Host) -> Implementation:
        """Driver.start."""
        self._host = host
        self._life = Life(host, self._options)
        return await self._life.start(self._command)

    async def _start_afresh(self) -> Life:
        await self._living.end()
        if self._host is None:
            raise ValueError("the driver has not been started")
        try:
            await self.start(self._host)
        except NotExecutable as failure:  # it could be, once
            raise NotStarted(failure.message) from failure
        return self._living

    @property
    def _living(self) -> Life:
        if self._life is None:
            raise ValueError("the driver has not been started")
        return self._life

    async def reset(self) -> None:
        """Driver.reset."""
        life = self._living
        failure = life.connection.failure
        self._note_what_nobody_was_told()
        if failure is not None and life.connection.is_known:
            if lost := self.lost:
                raise NotStarted(lost, failure.detail)
            self._deaths = self._deaths + 1 if isinstance(failure, Died) else 0
            life = await self._start_afresh()
        elif failure is None:
            self._deaths = 0
        await life.reset()
        self._is_between = True

    def _note_what_nobody_was_told(self) -> None:
        """What went wrong between two scenarios, or behind the last, is a fault of neither."""
        connection = self._living.connection
        if self._is_between and connection.failure is not None and not connection.is_known:
            connection.is_known = True
            note = f"behind the end of a scenario: {connection.failure.message}"
            if note not in self.notes:
                self.notes.append(note)

    async def crash(self) -> None:
        """Driver.crash: by SIGKILL, and started afresh."""
        self._is_between = False
        await self._start_afresh()

    async def shutdown(self) -> None:
        """Driver.shutdown."""
        life = self._life
        if life is None:
            return
        self._note_what_nobody_was_told()
        try:
            if life.connection.failure is None:
                note = await life.take_leave()
                if note:
                    self.notes.append(note)
        finally:
            await life.end()

    def silence(self, seconds: float) -> DriverFailure:
        """Accountable.silence."""
        return self._living.silence(seconds)

    @property
    def lost(self) -> str:
        """Accountable.lost."""
        failure = self._life.connection.failure if self._life is not None else None
        if not isinstance(failure, Died) or self._deaths + 1 < MAX_DEATHS:
            return ""
        return f"it died in {self._deaths + 1} scenarios running; in the last one {failure.message}"

    def said(self) -> str:
        """Accountable.said."""
        return self._living.said()

    # What the suite asks

    async def _ask(self, method: str, params: Object, runs: str = "") -> Object:
        self._is_between = False
        return wire.mapping(await self._living.connection.ask(method, params, runs))

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        await self._ask("agent/create", wire.options_to_json(agent, options))

    async def prompt(self, agent: str, text: str) -> Object:
        """Driver.prompt."""
        return await self._ask("agent/prompt", {"agent": agent, "text": text}, runs=agent)

    async def resume(self, agent: str) -> Object:
        """Driver.resume."""
        return await self._ask("agent/resume", {"agent": agent}, runs=agent)

    async def stop(self, agent: str) -> None:
        """Driver.stop."""
        await self._ask("agent/stop", {"agent": agent})

    async def messages(self, agent: str) -> list[Object]:
        """Driver.messages."""
        return wire.objects((await self._ask("agent/messages", {"agent": agent}))["messages"])

    async def replace_messages(self, agent: str, messages: list[Object]) -> None:
        """Driver.replace_messages."""
        params: Object = {"agent": agent, "messages": [*messages]}
        # What is no message here is none that a scenario has, but one that came in an event.
        wrong = shapes.wrong_request(
            "agent/replace_messages", wire.request(0, "agent/replace_messages", params)
        )
        if wrong is not None:
            raise ProtocolError(f"what it announced as messages cannot be given back to it: {wrong}")
        await self._ask("agent/replace_messages", params)

    async def pending_calls(self, agent: str) -> list[Object]:
        """Driver.pending_calls."""
        return wire.objects((await self._ask("agent/pending_calls", {"agent": agent}))["calls"])

    async def needs_reply(self, agent: str) -> bool:
        """Driver.needs_reply."""
        return (await self._ask("agent/needs_reply", {"agent": agent}))["needs_reply"] is True

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        await self._ask(f"inbox/{item.word}", {"agent": agent, **wire.item_to_json(item)})

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads."""
        await self._ask("inbox/threads", {"agent": agent, "threads": wire.threads_to_json(threads)})

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> Object:
        """Driver.run_child."""
        params: Object = {"agent": agent, "call_id": call_id, "child": child, "prompt": prompt}
        return await self._ask("context/run_child", params, runs=child)

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Driver.update."""
        await self._ask("tool/update", {"agent": agent, "call_id": call_id, "partial": partial})

    async def perform(self, method: str, params: Object) -> Object:
        """Driver.perform."""
        shapes.demand_what_can_be_given_back(method, params)
        return await self._ask(method, params)
