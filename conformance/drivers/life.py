"""One life of a subprocess that is a driver, from its start to its end: the process and the exchange with it.

Knows what may go wrong with either, and nothing of agents, scenarios, or of what comes after its end.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from conformance import version
from conformance.drivers import jsonlines, wire
from conformance.drivers.base import (
    DriverFailure,
    Host,
    Implementation,
    ImplementationError,
    NotExecutable,
    NotStarted,
    ProtocolError,
    TimedOut,
)
from conformance.drivers.blame import again
from conformance.drivers.connection import Connection
from conformance.drivers.limits import Limits
from conformance.drivers.process import Process, ending
from conformance.drivers.wire import Object

_DYING = 5.0
"""Seconds that are waited for a process that has been killed to be gone."""

Tap = Callable[[Literal["->", "<-"], bytes], None]
"""Is shown every line, without its end: `->` goes to the implementation, `<-` comes from it."""


@dataclass(frozen=True, slots=True)
class StdioOptions:
    """How a process is treated.

    `env` is added to the environment, `cwd` is the folder in which the command is started. Times are in
    seconds: for the answer to initialize, for that to reset, and for that to shutdown and the end after it.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    startup_timeout: float = 30.0
    timeout: float = 10.0
    shutdown_timeout: float = 2.0
    limits: Limits = field(default_factory=Limits)
    tap: Tap | None = None

    def environment(self) -> dict[str, str]:
        """The environment of the command. What is installed beside this Python is found, if nowhere else."""
        env = {**os.environ, **self.env}
        env["PATH"] = os.pathsep.join(filter(None, (env.get("PATH"), str(Path(sys.executable).parent))))
        return env


class Life:
    """A process and the connection with it: they end together."""

    def __init__(self, host: Host, options: StdioOptions) -> None:
        self._options = options
        self.connection = Connection(host, self._connection_ended, options.limits)
        self.connection.send = self._send
        self._process = Process(self._receive, self.connection.end)

    async def start(self, command: Sequence[str]) -> Implementation:
        """Start the process and agree on a version. Raises NotStarted."""
        try:
            await self._process.start(command, self._options.environment(), self._options.cwd)
            return await self._initialize()
        except OSError as error:
            raise NotExecutable(f"cannot execute {command[0]}: {error.strerror}") from error
        except BaseException:
            await self.end()
            raise

    async def _initialize(self) -> Implementation:
        params: Object = {
            "protocol_versions": [*wire.PROTOCOL_VERSIONS],
            "suite": {"name": "outlast", "version": version()},
        }
        seconds = self._options.startup_timeout
        try:
            async with asyncio.timeout(seconds):
                result = wire.mapping(await self.connection.ask("initialize", params))
        except TimeoutError:
            raise NotStarted(f"it did not answer initialize within {seconds:g} s", self._stderr()) from None
        except ImplementationError as error:
            message = f"it answered initialize with an error: {error.message}"
            raise NotStarted(message, self._stderr()) from error
        except DriverFailure as failure:
            raise NotStarted(f"before it answered initialize: {failure.message}", failure.detail) from failure
        spoken, ours = result["protocol_version"], wire.PROTOCOL_VERSIONS
        if spoken not in ours:
            known = ", ".join(map(str, ours))
            raise NotStarted(f"it speaks version {spoken} of the protocol, and this outlast speaks {known}")
        self.connection.is_clean = True
        return wire.implementation_from_json(result)

    async def reset(self) -> None:
        """Have all agents forgotten, if there may be any. Raises DriverFailure.

        It is asked for twice: what has been sent behind the first answer has been read when the second comes,
        so that it is found in the play to which it belongs.
        """
        self._process.forget_stderr()
        if self.connection.is_clean and self.connection.failure is None:
            return
        seconds = self._options.timeout
        try:
            async with asyncio.timeout(seconds):
                await self.connection.ask("reset", {})
                await self.connection.ask("reset", {})
        except TimeoutError:
            raise self._give_up(TimedOut(f"reset was not answered within {seconds:g} s")) from None
        except ImplementationError as error:
            failure = ProtocolError(f"reset was answered with an error: {error.message}")
            raise self._give_up(failure) from error

    async def take_leave(self) -> str:
        """Ask the process to end, and wait for it. Returns what is worth telling of that, if anything is."""
        seconds = self._options.shutdown_timeout
        try:
            async with asyncio.timeout(seconds):
                await self.connection.ask("shutdown", {})
                self._process.close_stdin()
                await self._process.ended()
        except TimeoutError:
            return f"it had not ended {seconds:g} s after shutdown, and was killed"
        except (ImplementationError, DriverFailure) as error:
            return f"shutdown was not answered: {error.message}"
        return f"after shutdown it {ending(self._process.status)}" if self._process.status else ""

    async def end(self) -> None:
        """End whatever has not ended, and wait until nothing is left."""
        self._process.kill()
        await self.connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_DYING):
                await self._process.ended()

    # Lines, and what goes wrong with them

    def _receive(self, line: bytes) -> None:
        if self._options.tap is not None:
            self._options.tap("<-", line)
        self.connection.receive(line)

    def _send(self, line: bytes) -> None:
        if self._options.tap is not None:
            self._options.tap("->", line.rstrip())
        self._process.write(line)

    def _connection_ended(self, failure: DriverFailure) -> None:
        failure.detail = f"{failure.detail.rstrip()}\n\n{self._stderr()}".strip()
        self._process.kill()

    def silence(self, seconds: float) -> DriverFailure:
        """What it was that nothing has been heard for so long; the process is ended."""
        half = self._process.half_line
        if half:
            what = f"half a line, and then nothing for {seconds:g} s: {jsonlines.quoted(half)}"
            return self._give_up(ProtocolError(what))
        waiting = ", ".join(self.connection.waiting_for())
        what = f"neither an answer nor a request for {seconds:g} s"
        return self._give_up(TimedOut(f"{what} (not answered: {waiting})" if waiting else what))

    def _give_up(self, failure: DriverFailure) -> DriverFailure:
        self.connection.fail(failure)
        self.connection.is_known = True
        return again(self.connection.failure or failure)

    def said(self) -> str:
        """The end of what the process has written to stderr since `reset`."""
        return self._process.stderr()

    def _stderr(self) -> str:
        said = self.said()
        return f"stderr:\n{said}" if said else ""
