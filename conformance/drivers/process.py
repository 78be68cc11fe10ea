"""A subprocess that speaks in lines: started in a session of its own, listened to, and ended with its family.

What it may do to us is bounded here: lines are no longer than `MAX_LINE`, of stderr only the end is kept, and
nobody waits for a pipe that somebody else holds open. Knows nothing of what the lines say.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from conformance.drivers.base import Crashed, DriverFailure, ProtocolError
from conformance.drivers.family import kill_family, with_mark
from conformance.drivers.jsonlines import quoted

MAX_LINE = 16 * 1024 * 1024
"""Bytes in a line, at most."""
STDERR_KEPT = 16 * 1024
"""Bytes of the end of stderr that are kept."""
STDERR_LINES = 20
"""Lines of the end of stderr that are shown."""

_CLOSING = 1.0
"""Seconds within which a process that has closed its stdout has to end, to count as one that ended."""
_DRAINED = 64
"""So many pieces are still read from a pipe when its process is gone."""
_PIECE = 64 * 1024
"""Bytes that are read at once: what a pipe holds. More is slower, since memory is asked for each time."""

Fail = Callable[[DriverFailure], None]


class Died(Crashed):
    """The process is gone, and we have not ended it."""


class _ReadingEnd:
    """The reading end of a pipe."""

    def __init__(self, take: Callable[[bytes], None], closed: Callable[[], None]) -> None:
        self._take = take
        self._closed = closed
        self._pipe: IO[bytes] | None = None

    def open(self, pipe: IO[bytes] | None) -> None:
        """Listen to `pipe` from now on."""
        if pipe is not None:
            self._pipe = pipe
            os.set_blocking(pipe.fileno(), False)
            asyncio.get_running_loop().add_reader(pipe.fileno(), self._read)

    def _read(self) -> bool:
        """Take what is there, and whether anything was."""
        if self._pipe is None:
            return False
        try:
            data = os.read(self._pipe.fileno(), _PIECE)
        except BlockingIOError:
            return False
        if data:
            self._take(data)
            return True
        self.close()
        self._closed()
        return False

    def drain(self) -> None:
        """Take what is in the pipe now, but not for ever."""
        for _ in range(_DRAINED):
            if not self._read():
                return

    def close(self) -> None:
        if self._pipe is not None:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
            self._pipe.close()
            self._pipe = None


class _WritingEnd(asyncio.BaseProtocol):
    """The writing end of a pipe; what cannot be written any more is dropped."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close it without writing what is left to be written."""
        transport = self._transport
        if transport is not None and (not transport.is_closing() or transport.get_write_buffer_size()):
            transport.abort()


class _Lines:
    """Puts together the lines that come in pieces."""

    def __init__(self, receive: Callable[[bytes], None], too_long: Callable[[bytes], None]) -> None:
        self._receive = receive
        self._too_long = too_long
        self._begun: list[bytes] = []
        self._length = 0

    @property
    def begun(self) -> bytes:
        """A line of which the end has not come."""
        return b"".join(self._begun)

    def take(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = end
            if self._begun:
                line = b"".join((*self._begun, end))
                self._begun.clear()
                self._length = 0
            if len(line) > MAX_LINE:
                self._too_long(line)
            else:
                self._receive(line)
        if rest:
            self._begun.append(rest)
            self._length += len(rest)
            if self._length > MAX_LINE:
                self._too_long(self._begun[0])


class Process:
    """A subprocess that is running, or has been.

    `receive` is called for each line of its stdout, `fail` when it is gone (Died) or writes what is no line
    (ProtocolError). Neither is called after `kill`.
    """

    def __init__(self, receive: Callable[[bytes], None], fail: Fail) -> None:
        self.status: int | None = None
        """The exit status once it has ended, as in `subprocess`: -9 is signal 9."""
        self._receive = receive
        self._fail = fail
        self._mark = uuid.uuid4().hex
        self._pid = 0
        self._killed = False
        self._ended = asyncio.Event()
        self._in = _WritingEnd()
        self._lines = _Lines(self._line, self._line_too_long)
        self._stderr = b""
        self._out = _ReadingEnd(self._lines.take, self._stdout_closed)
        self._err = _ReadingEnd(self._keep, lambda: None)

    async def start(self, command: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> None:
        """Start `command`. Raises OSError where it cannot be executed."""
        popen = subprocess.Popen(  # noqa: ASYNC220 - it is over when the command has been executed
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=with_mark(env, self._mark),
            cwd=cwd,
            start_new_session=True,
        )
        self._pid = popen.pid
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._watch, args=(popen, loop), daemon=True).start()
        try:
            self._err.open(popen.stderr)
            self._out.open(popen.stdout)
            await loop.connect_write_pipe(lambda: self._in, popen.stdin)
        except BaseException:
            self.kill()
            for pipe in (popen.stdin, popen.stdout, popen.stderr):
                if pipe is not None:
                    pipe.close()
            raise
        if self._killed:
            self._close_pipes()

    def _watch(self, popen: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop) -> None:
        status = popen.wait()
        try:
            loop.call_soon_threadsafe(self._has_ended, status)
        except RuntimeError:  # the loop has been closed: nobody wants to know any more
            self.status = status

    # What comes from it

    def _line(self, line: bytes) -> None:
        if not self._killed:
            self._receive(line)

    def _line_too_long(self, begin: bytes) -> None:
        self._lose(ProtocolError(f"a line of more than {MAX_LINE:,} bytes: {quoted(begin)}"))

    def _keep(self, data: bytes) -> None:
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]

    def stderr(self) -> str:
        """The end of what it has written to stderr since `forget_stderr`."""
        if self.status is None and not self._killed:
            self._err.drain()
        lines = self._stderr.decode("utf-8", "backslashreplace").splitlines()
        return "\n".join(lines[-STDERR_LINES:])

    def forget_stderr(self) -> None:
        """What has been written so far is of no interest any more."""
        self._err.drain()
        self._stderr = b""

    @property
    def half_line(self) -> bytes:
        """What has come of a line whose end has not."""
        return self._lines.begun

    # Its end

    def _stdout_closed(self) -> None:
        if self.status is None and not self._killed:
            asyncio.get_running_loop().call_later(_CLOSING, self._lives_on)

    def _lives_on(self) -> None:
        if self.status is None:
            self._lose(Died("it closed its stdout and lives on"))

    def _has_ended(self, status: int) -> None:
        if not self._killed:
            self._out.drain()
            self._err.drain()
        self.status = status
        self._lose(Died(f"it {ending(status)}"))
        self._ended.set()

    def _lose(self, failure: DriverFailure) -> None:
        if not self._killed:
            self.kill()
            self._fail(failure)

    def write(self, data: bytes) -> None:
        """Send it something. Whether it reads that, or can, is not found out here."""
        self._in.write(data)

    def close_stdin(self) -> None:
        """Nothing more will be sent."""
        self._in.close()

    def kill(self) -> None:
        """End it and all that it has started, at once."""
        if self._killed:
            return
        self._killed = True
        if self._pid:
            kill_family(self._pid, self._mark)
        self._close_pipes()

    def _close_pipes(self) -> None:
        self._out.close()
        self._err.close()
        self._in.abort()

    async def ended(self) -> None:
        """Wait until it has ended. One that was started does so soon after `kill`."""
        if self._pid:
            await self._ended.wait()


def ending(status: int) -> str:
    """How a process ended, as the second half of a sentence."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"was ended by signal {-status}"
