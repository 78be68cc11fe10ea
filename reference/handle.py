"""The handle, and the states that it goes through.

    spawn
      |         wake               its turn ends
      v    ------------->         --------------->
    idle                 running                    idle
           <-------------         --------------->
            its turn ends          a tool suspends  suspended
                         <---------------
                            the Answer

    idle, running, suspended  --------------->  closed, for good
                                   close

The table says the same, and there is no other way from state to state. Knows nothing of what happens in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference.node import Node


class State(StrEnum):
    """Where a handle stands."""

    IDLE = "idle"
    RUNNING = "running"
    SUSPENDED = "suspended"
    CLOSED = "closed"


class Cause(Enum):
    """What moves a handle from one state to another."""

    WAKE = auto()
    END_OF_TURN = auto()
    SUSPENSION = auto()
    ANSWER = auto()
    CLOSE = auto()


TRANSITIONS: Mapping[tuple[State, Cause], State] = MappingProxyType({
    (State.IDLE,      Cause.WAKE):        State.RUNNING,
    (State.RUNNING,   Cause.END_OF_TURN): State.IDLE,
    (State.RUNNING,   Cause.SUSPENSION):  State.SUSPENDED,
    (State.SUSPENDED, Cause.ANSWER):      State.RUNNING,
    (State.IDLE,      Cause.CLOSE):       State.CLOSED,
    (State.RUNNING,   Cause.CLOSE):       State.CLOSED,
    (State.SUSPENDED, Cause.CLOSE):       State.CLOSED,
})  # fmt: skip
"""What follows on what. An ancestor of a resumed handle goes on by the same Answer."""


class Handle:
    """A running sub-agent: whoever holds it may reach it, and it has nothing but its `id`.

    Only `spawn` makes one, and only the runtime that made it takes it.
    """

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def id(self) -> str:
        """The parent's id, a slash, the definition's name, a dot, and the how manieth child it is."""
        return self._node.id

    def __repr__(self) -> str:
        return f"Handle({self.id!r})"
