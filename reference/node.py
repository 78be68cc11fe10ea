"""What the runtime knows of one handle: its state, its transcript, its inbox, and what it has used up.

All that is counted here is counted once, when it happens, for the handle and for all above it. Knows nothing
of turns but that there may be one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference.budget import MAX_TOKENS, MAX_TOOL_CALLS, Budget
from reference.conversation import Conversation
from reference.definition import Def, OnTransition
from reference.handle import TRANSITIONS, Cause, State
from reference.result import HandleView, TaskResult, TaskStatus

if TYPE_CHECKING:
    from reference.answer import Request
    from reference.turn import Turn


@dataclass(frozen=True, slots=True)
class Item:
    """Something posted. `sender` is the id of the handle that it comes from; empty: the host's own."""

    text: str
    sender: str


class Node:
    """A handle's inside.

    `children` are those that are not closed; `spawned` counts all that ever were. `limited` are the nodes
    from here to the root whose budgets of tokens or tool calls are to be heeded. `bottom` is the lowest level
    at which there may be a node below. `turn` is the turn that is under way, running or suspended, and
    `turn_above` the one in which this handle was spawned by a task call.
    """

    __slots__ = (
        "_on_transition",
        "_waiters",
        "bottom",
        "budget",
        "children",
        "conversation",
        "definition",
        "depth",
        "id",
        "inbox",
        "is_closing",
        "limited",
        "own_tokens",
        "parent",
        "result",
        "root",
        "running_children",
        "spawned",
        "state",
        "tool_calls",
        "total_tokens",
        "turn",
        "turn_above",
        "turns",
    )

    def __init__(
        self, node_id: str, definition: Def, parent: Node | None, budget: Budget, on: OnTransition | None
    ) -> None:
        self.id = node_id
        self.definition = definition
        self.parent = parent
        self.root: Node = self if parent is None else parent.root
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.budget = budget
        self.bottom: int | None = None if parent is None else parent.bottom
        if budget.max_depth is not None:
            own = self.depth + budget.max_depth
            self.bottom = own if self.bottom is None else min(own, self.bottom)
        self.limited: tuple[Node, ...] = () if parent is None else parent.limited
        if budget.max_tokens is not None or budget.max_tool_calls is not None:
            self.limited = (self, *self.limited)
        self.state = State.IDLE
        self.conversation = Conversation()
        self.inbox: deque[Item] = deque()
        self.children: dict[str, Node] = {}
        self.spawned = 0
        self.running_children = 0
        self.turns = 0
        self.own_tokens = 0
        self.total_tokens = 0
        self.tool_calls = 0
        self.result: TaskResult | None = None
        self.turn: Turn | None = None
        self.turn_above: Turn | None = None
        self.is_closing = False
        self._waiters: dict[asyncio.Future[TaskResult], None] = {}
        self._on_transition = on

    # The state.

    def move(self, cause: Cause) -> None:
        """Go where the table says. That there is such a step is the caller's to know."""
        before = self.state
        self.state = TRANSITIONS[before, cause]
        if self.parent is not None:
            self.parent.running_children += (self.state is State.RUNNING) - (before is State.RUNNING)
        if self._on_transition is not None:
            self._on_transition(self.id, before, self.state)

    def settle(self, result: TaskResult) -> None:
        """A turn has come to an end, or to a halt: everybody who waits for it is told."""
        self.result = result
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(result)

    def next_result(self) -> asyncio.Future[TaskResult]:
        """What `settle` will be called with next."""
        waiter: asyncio.Future[TaskResult] = asyncio.get_running_loop().create_future()
        self._waiters[waiter] = None
        waiter.add_done_callback(self._waiters.pop)
        return waiter

    # What it has used up, and what is left.

    def chain(self) -> Iterator[Node]:
        """The handle, its parent, and so on to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def spend(self, tokens: int) -> None:
        """Tokens were taken, for which all above answer too."""
        self.own_tokens += tokens
        for each in self.chain():
            each.total_tokens += tokens

    def limit_of_tokens(self) -> str:
        """MAX_TOKENS, where the handle or one above it has no token left."""
        left = self.tokens_left()
        return MAX_TOKENS if left is not None and left <= 0 else ""

    def take_tool_call(self) -> str:
        """Count a call of a tool, or say that there is none left."""
        left = self.tool_calls_left()
        if left is not None and left <= 0:
            return MAX_TOOL_CALLS
        for each in self.limited:
            each.tool_calls += 1
        return ""

    def tokens_left(self) -> int | None:
        """How many tokens may still be taken, here and by all above. None: no limit."""
        limits = [
            each.budget.max_tokens - each.total_tokens
            for each in self.limited
            if each.budget.max_tokens is not None
        ]
        return min(limits, default=None)

    def tool_calls_left(self) -> int | None:
        """How many calls of tools may still be made, here and by all above. None: no limit."""
        limits = [
            each.budget.max_tool_calls - each.tool_calls
            for each in self.limited
            if each.budget.max_tool_calls is not None
        ]
        return min(limits, default=None)

    # How it looks from outside.

    def task_result(
        self, status: TaskStatus, text: str = "", *, pending: Request | None = None, limit: str = ""
    ) -> TaskResult:
        """A result, as things stand now."""
        is_error = status == "error"
        return TaskResult(
            text, is_error, status, pending, self.turns, self.total_tokens, self.own_tokens, limit
        )

    def view(self) -> HandleView:
        """How it stands."""
        waits_for = self.result.pending if self.result is not None else None
        kind = waits_for.kind if waits_for is not None and self.state is State.SUSPENDED else ""
        return HandleView(self.id, self.state, self.total_tokens, self.turns, len(self.inbox), kind)
