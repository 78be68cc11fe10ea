"""A turn of a sub-agent: what a wake sets going, with all the times that it is run again.

    wake          the inbox is emptied; what it held and the prompt are the turn's input
    an attempt    the input is heard, and rounds are played, until one of these:
                      done, incomplete, error    the handle is idle
                      pending                    the handle is suspended; the transcript is as it was before
                                                 the turn, which keeps its input, Answers and children
    an Answer     the next attempt, from the beginning, in which the call that asked has its Answer
    interrupt     as if the turn had not been: the transcript is as before, and so is the inbox

An attempt has a task of its own, and a branch of the transcript, which the handle has only once the turn is
over. One that was aborted is left alone: whatever its tools still do, it adds to a branch that nobody keeps.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from reference._record import Json
from reference.answer import Answer, Request, WaitFor
from reference.budget import MAX_TURNS, MAX_WALL_MS
from reference.clock import Timer, milliseconds
from reference.conversation import Branch
from reference.handle import Cause, State
from reference.messages import ToolOutput
from reference.model import Usage
from reference.node import Item, Node
from reference.result import TaskResult, TaskStatus
from reference.rounds import Ending, Halted, Mind, Occurrence, Rounds, result_message
from reference.task_tool import task_tool
from reference.toolkit import Toolkit

if TYPE_CHECKING:
    from reference.tree import Tree

_HALTED = ToolOutput("The turn ended before this call had a result.", is_error=True)


class Turn:
    """One turn. It is under way as long as it is its node's; `awaits` is the call to which the next Answer
    goes, unless that is a child's."""

    __slots__ = (
        "_answers",
        "_children",
        "_conversation",
        "_items",
        "_prompt",
        "_rounds",
        "_taken",
        "_task",
        "_timer",
        "_tree",
        "awaits",
        "node",
    )

    def __init__(self, tree: Tree, node: Node, prompt: str) -> None:
        self._tree = tree
        self.node = node
        self._prompt = prompt
        self._items = tuple(node.inbox)
        self._conversation: Branch
        self._answers: dict[Occurrence, Answer] = {}
        self._children: defaultdict[tuple[str, str], list[Node]] = defaultdict(list)
        self._taken: Counter[tuple[str, str]] = Counter()
        self._rounds: int
        self._task: asyncio.Task[None] | None = None
        self._timer: Timer | None = None
        self.awaits: Halted | None = None
        node.inbox.clear()

    # Attempts.

    def attempt(self, cause: Cause) -> None:
        """Run the turn, from its beginning. The cause is a wake, or an Answer to it or below it."""
        node = self.node
        self._rounds = 0
        self._taken.clear()
        self._conversation = Branch(node.conversation)
        node.move(cause)
        if node.budget.max_wall_ms is not None:
            self._timer = self._tree.options.clock.call_later(node.budget.max_wall_ms / 1000, self._overrun)
        self._task = asyncio.create_task(self._play())

    def take(self, answer: Answer) -> None:
        """The Answer to what this turn itself asked for."""
        if self.awaits is not None:
            self._answers[self.awaits.occurrence] = answer
            self.awaits = None
        self.attempt(Cause.ANSWER)

    async def _play(self) -> None:
        node, definition = self.node, self.node.definition
        mind = Mind(self._tree.options.generate, definition.model, definition.system_prompt)
        try:
            rounds = Rounds(mind, self._toolkit(), self._conversation, self, self._answers)
            for text in self._input():
                rounds.hear(text)
            ending = await rounds.play()
        except asyncio.CancelledError:
            if node.turn is self:  # not by `abort`: the loop is shutting down
                self.abort("interrupted")
            raise
        except Exception as failure:  # noqa: BLE001  # a result, and never an exception, leaves a handle
            if node.turn is self:
                self._keep()
                self._end(node.task_result("error", str(failure) or type(failure).__name__))
        else:
            if node.turn is self:
                self._take_ending(ending)

    def _toolkit(self) -> Toolkit:
        definition = self.node.definition
        if not definition.team:
            return Toolkit(definition.tools)
        return Toolkit((*definition.tools, task_tool(self._tree, self, definition.team)))

    def _input(self) -> Iterable[str]:
        """What the model hears first: the items, and then the prompt."""
        yield from (self._shown(item) for item in self._items)
        if self._prompt:
            yield self._prompt

    def _shown(self, item: Item) -> str:
        """An item as the model sees it. Only the host and those above have a right to give it orders."""
        if not item.sender:
            return item.text
        is_from_above = any(each.id == item.sender for each in self.node.chain())
        return f"[from {item.sender}{'' if is_from_above else ', untrusted'}]\n{item.text}"

    # The end, or a halt.

    def _take_ending(self, ending: Ending) -> None:
        if ending.status == "pending" and self.node.is_closing:  # nobody could answer any more
            self.abort("closed")
        elif ending.status == "pending":
            self._suspend(ending)
        else:
            self._keep()
            self._end(self.node.task_result(ending.status, ending.text, limit=ending.limit))

    def _suspend(self, ending: Ending) -> None:
        """The first call that waits is the one that is asked for: its own tool's, or a child's."""
        node, first = self.node, ending.halted[0]
        self._stop_timer()
        if not first.is_passed_on:
            self.awaits = first
            self._tree.await_answer(first.request.id, node)
        result = node.task_result("pending", ending.text, pending=first.request)
        node.settle(result)
        node.move(Cause.SUSPENSION)

    def _end(self, result: TaskResult) -> None:
        """The turn is over, and with it all that was delegated in it."""
        node = self.node
        self._stop_timer()
        node.settle(result)
        for children in self._children.values():
            for child in children:
                self._tree.close(child, force=True)
        node.turn = None
        if node.state is State.RUNNING and result.status != "closed":
            node.move(Cause.END_OF_TURN)
        self._tree.finish_closing(node)

    def abort(self, status: TaskStatus, limit: str = "") -> None:
        """End the turn where it stands. What it did is kept if a limit ended it, and undone otherwise."""
        node = self.node
        if self._task is not None:
            self._task.cancel()
        if self.awaits is not None:
            self._tree.forget_answer(self.awaits.request.id, node)
        if limit:
            self._keep()
        else:
            node.inbox.extendleft(reversed(self._items))
        self._end(node.task_result(status, limit=limit))

    def _overrun(self) -> None:
        if self.node.turn is self:
            self.abort("incomplete", MAX_WALL_MS)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _keep(self) -> None:
        """What the attempt has added is the handle's from now on. Calls that will never have a result get
        one, so that the transcript can be gone on with."""
        added = self._conversation
        for call in added.dangling_calls():
            added.append_to_round(call, result_message(added.next_id(), call, _HALTED, self.now()))
        added.join()

    # Delegation.

    def child(self, agent: str, prompt: str) -> Node:
        """The child that does this task: the one that did it in an earlier attempt, or a new one.

        Raises:
            AgentError: a new one cannot be had, for a reason that the message tells.
        """
        key = (agent, prompt)
        known, place = self._children[key], self._taken[key]
        self._taken[key] += 1
        if place == len(known):
            child = self._tree.spawn(self.node, agent)
            child.turn_above = self
            known.append(child)
            self._tree.wake(child, prompt)
        return known[place]

    # What the rounds ask of their owner.

    @property
    def wait_for(self) -> WaitFor | None:
        """The nearest interpreter: the agent's own, those above, the runtime's."""
        for node in self.node.chain():
            if node.definition.wait_for is not None:
                return node.definition.wait_for
        return self._tree.options.wait_for

    def limit_of_turns(self) -> str:
        """The limit that forbids another model call, its own or one of those above."""
        self._let_nothing_follow()
        own = self.node.budget.max_turns
        return MAX_TURNS if own is not None and self._rounds >= own else self.node.limit_of_tokens()

    def limit_of_calls(self) -> str:
        """The limit that forbids another call of a tool."""
        self._let_nothing_follow()
        return self.node.take_tool_call()

    def count(self, usage: Usage | None) -> None:
        """Count a round trip, also of an attempt that has been aborted: it has been paid for."""
        self._rounds += 1
        self.node.turns += 1
        if usage is not None:
            self.node.spend(usage.total)

    def complete(self, request: Request) -> Request:
        """Say which handle it is that waits, and see that there is an id to answer to."""
        node = self.node
        data: dict[str, Json] = {**(request.data or {}), "path": [*node.id.split("/")]}
        request_id = request.id or self._tree.options.new_id()
        return request.filled_in(request_id, data)

    def now(self) -> int:
        """Unix milliseconds."""
        return milliseconds(self._tree.options.clock)

    def _let_nothing_follow(self) -> None:
        """An aborted attempt whose tool would not be cancelled goes no further."""
        if self.node.turn is not self:
            raise asyncio.CancelledError
