"""All handles of a runtime: how one comes to be, is set going, and is closed; and who waits for which Answer.

What a host asks of a handle and what a task call asks of a child is the same, and is done here. Knows nothing
of handles as a host has them.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference.budget import MAX_CHILDREN, MAX_CONCURRENT, MAX_DEPTH, Budget
from reference.conversation import Conversation
from reference.definition import Def, Options
from reference.errors import EmptyPrompt, HandleClosed, LimitReached, NotIdle, UnknownDefinition
from reference.handle import Cause, State
from reference.node import Node
from reference.result import TaskResult
from reference.turn import Turn


class Tree:
    """The handles below one root, which runs nothing itself."""

    __slots__ = ("_awaiting", "options", "root")

    def __init__(self, options: Options) -> None:
        self.options = options
        self.root = Node("root", Def("root"), None, options.budget, options.on_transition)
        self._awaiting: dict[str, list[Node]] = {}

    def walk(self, top: Node) -> Iterator[Node]:
        """All below `top` that are not closed, each before its children, in the order in which they came."""
        waiting = [*reversed(top.children.values())]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children.values()))

    # Beginning.

    def spawn(self, parent: Node, name: str, budget: Budget | None = None) -> Node:
        """A new child, with what its parent has left at most.

        Raises:
            UnknownDefinition, LimitReached, HandleClosed: as `Runtime.spawn`.
        """
        definition = self.options.registry.get(name)
        if definition is None:
            raise UnknownDefinition(f"there is no definition of {name!r} among {[*self.options.registry]}")
        refuse_if_closed(parent)
        _refuse_past_limits(parent)
        parent.spawned += 1
        own = definition.budget if budget is None else definition.budget.narrowed(budget)
        node_id = f"{parent.id}/{name}.{parent.spawned}"
        child = Node(node_id, definition, parent, own, self.options.on_transition)
        parent.children[node_id] = child
        return child

    def wake(self, node: Node, prompt: str) -> None:
        """Begin a turn.

        Raises:
            NotIdle, EmptyPrompt, HandleClosed: as `Runtime.wake`.
        """
        refuse_if_closed(node)
        if node.state is not State.IDLE or node.parent is None:
            raise NotIdle(f"{node.id} is {node.state}; only what was spawned and is idle can be woken")
        if not prompt and not node.inbox:
            raise EmptyPrompt(f"there is neither a prompt for {node.id} nor anything in its inbox")
        at_once = node.parent.budget.max_concurrent
        if at_once is not None and node.parent.running_children >= at_once:
            node.settle(node.task_result("incomplete", limit=MAX_CONCURRENT))
            return
        node.turn = Turn(self, node, prompt)
        node.turn.attempt(Cause.WAKE)

    async def settled(self, node: Node) -> TaskResult:
        """The node's result: that of the turn that runs, else the last one."""
        if node.state is State.RUNNING or node.result is None:
            return await node.next_result()
        return node.result

    # Answers.

    def await_answer(self, request_id: str, node: Node) -> None:
        """From now on that Answer goes to that node."""
        self._awaiting.setdefault(request_id, []).append(node)

    def forget_answer(self, request_id: str, node: Node) -> None:
        """It no longer does."""
        nodes = self._awaiting[request_id]
        nodes.remove(node)
        if not nodes:
            del self._awaiting[request_id]

    def awaiting(self, request_id: str) -> Node | None:
        """Who waits for the Answer to that request; of several whose tools chose one id, the deepest."""
        return max(self._awaiting.get(request_id, ()), key=lambda node: node.depth, default=None)

    # Closing.

    def close(self, node: Node, *, force: bool) -> None:
        """Close a node and all below it: now, or those that run when their turn ends."""
        subtree = [node, *self.walk(node)]
        for each in subtree:
            each.is_closing = True
        for each in reversed(subtree):
            if each.turn is not None and (force or each.state is State.SUSPENDED):
                each.turn.abort("closed")
            self.finish_closing(each)

    def finish_closing(self, node: Node) -> None:
        """Close what is to close and has nothing under way, children first."""
        while node.is_closing and node.turn is None and not node.children and node.state is not State.CLOSED:
            node.move(Cause.CLOSE)
            if node.result is None:
                node.settle(node.task_result("closed"))
            node.conversation = Conversation()
            if node.parent is None:
                return
            del node.parent.children[node.id]
            node = node.parent


def refuse_if_closed(node: Node) -> None:
    """Raises HandleClosed where nothing new may begin."""
    if node.is_closing:
        raise HandleClosed(f"{node.id}, which is {node.state}, was told to close")


def _refuse_past_limits(parent: Node) -> None:
    children = parent.budget.max_children
    if children is not None and parent.spawned >= children:
        raise LimitReached(MAX_CHILDREN, f"{parent.id} may have {children}, and had them")
    if parent.bottom is not None and parent.depth >= parent.bottom:
        raise LimitReached(MAX_DEPTH, f"there may be no level below that of {parent.id}")
    if limit := parent.limit_of_tokens():
        raise LimitReached(limit, f"{parent.id} has no tokens left")
