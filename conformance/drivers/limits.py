"""How much an implementation may say in one step, so that one that floods is cut off and not recorded.

Knows nothing of what is said.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.drivers.base import ProtocolError

NEW_STEP = frozenset(
    {
        "agent/prompt",
        "agent/resume",
        "runtime/wake",
        "runtime/wait",
        "runtime/resume",
        "client/run",
        "client/ask",
        "client/run_with_answer",
        "client/ask_with_answer",
        "reset",
    }
)
"""Where one of these is asked, what may come is counted anew."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may come in one step: from one request of `NEW_STEP` to the next."""

    events: int = 100_000
    requests: int = 1_000
    bytes: int = 256 * 1024 * 1024


class Meter:
    """Counts what comes in a step. Each method raises ProtocolError where it is too much."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.reset()

    def reset(self) -> None:
        """Another step begins."""
        self._events = self._requests = self._bytes = 0

    def line(self, length: int) -> None:
        """A line of so many bytes has come."""
        self._bytes += length
        if self._bytes > self._limits.bytes:
            raise ProtocolError(f"more than {self._limits.bytes:,} bytes in one step, the last of them")

    def event(self) -> None:
        """An event has come."""
        self._events += 1
        if self._events > self._limits.events:
            raise ProtocolError(f"more than {self._limits.events:,} events in one step, the last of them")

    def request(self) -> None:
        """A request has come."""
        self._requests += 1
        if self._requests > self._limits.requests:
            raise ProtocolError(f"more than {self._limits.requests:,} requests in one step, the last of them")
