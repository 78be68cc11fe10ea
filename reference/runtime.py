"""The runtime: what a host does with sub-agents.

`spawn`, `post`, `wake`, `wait`, `interrupt` and `close` drive them, `resume` brings the Answer to one that is
suspended, and the views say how they stand. What happens in a turn is in `turn`.

Plain asyncio: everything but waiting is done at once, so what a view says holds until the host awaits.
"""

from __future__ import annotations

from reference.answer import Answer
from reference.budget import TIMEOUT, Budget
from reference.definition import Options
from reference.errors import ForeignHandle, InboxFull, NothingToDo, StaleAnswer
from reference.handle import Cause, Handle, State
from reference.node import Item, Node
from reference.result import HandleView, TaskResult
from reference.tree import Tree, refuse_if_closed


class Runtime:
    """A root, and the sub-agents below it.

    Every verb that takes a handle raises ForeignHandle for one that this runtime has not made. A verb that
    raises has changed nothing.
    """

    __slots__ = ("_root", "_tree")

    def __init__(self, options: Options) -> None:
        self._tree = Tree(options)
        self._root = Handle(self._tree.root)

    def root(self) -> Handle:
        """The handle under which the host spawns. It runs nothing itself."""
        return self._root

    # Driving.

    def spawn(self, parent: Handle, name: str, budget: Budget | None = None) -> Handle:
        """A new sub-agent, idle.

        Args:
            parent: under which it is to be.
            name: of its definition.
            budget: narrows that of the definition. Of tokens and tool calls it has what its parent has left
                at most.

        Raises:
            UnknownDefinition: the registry has no such name.
            LimitReached: past the parent's `max_children`, a `max_depth` above, or a spent token budget.
            HandleClosed: the parent is closed, or about to be.
        """
        return Handle(self._tree.spawn(self._node(parent), name, budget))

    def post(self, handle: Handle, item: str, sender: Handle | None = None) -> None:
        """Put something into a handle's inbox; its next turn from idle begins with it. Nothing is set going.

        Args:
            sender: the handle that it comes from; None for the host's own. The model is told, and also if the
                sender is none of those above it.

        Raises:
            InboxFull: it holds as much as it may.
            HandleClosed: the handle is closed, or about to be.
        """
        node = self._node(handle)
        refuse_if_closed(node)
        if len(node.inbox) >= self._tree.options.inbox_cap:
            raise InboxFull(f"the inbox of {node.id} holds {len(node.inbox)} items, which is its cap")
        node.inbox.append(Item(item, "" if sender is None else self._node(sender).id))

    def wake(self, handle: Handle, prompt: str = "") -> None:
        """Begin a turn, with what the inbox holds and then the prompt. `wait` gives its result.

        Where as many siblings run as the parent's `max_concurrent` allows, nothing runs, and that is the
        result.

        Raises:
            NotIdle: the handle is running, or suspended: only its Answer moves it.
            EmptyPrompt: no prompt, and an empty inbox.
            HandleClosed: the handle is closed, or about to be.
        """
        self._tree.wake(self._node(handle), prompt)

    async def wait(self, handle: Handle, timeout: float | None = None) -> TaskResult:
        """The result of the turn that runs, else the last one.

        Args:
            timeout: after how many seconds, by the runtime's clock, to answer `timeout` instead. The turn
                goes on, and a later `wait` has its result.

        Raises:
            NothingToDo: the handle is idle and has never been woken.
        """
        node = self._node(handle)
        if node.state is not State.RUNNING:
            if node.result is None:
                raise NothingToDo(f"{node.id} has never been woken")
            return node.result
        result = node.next_result()
        if timeout is None:
            return await result

        def give_up() -> None:
            if not result.done():
                result.set_result(node.task_result("timeout", limit=TIMEOUT))

        timer = self._tree.options.clock.call_later(timeout, give_up)
        try:
            return await result
        finally:
            timer.cancel()

    def interrupt(self, handle: Handle) -> None:
        """End the turn that runs, with the status `interrupted`, as if it had not been: the transcript
        is what it was, and the inbox has again what the turn had taken. Without one this does nothing."""
        node = self._node(handle)
        if node.state is State.RUNNING and node.turn is not None:
            node.turn.abort("interrupted")

    def close(self, handle: Handle, *, force: bool = False) -> None:
        """Close a handle and all below it, which come first. Nothing new begins there from now on.

        What is suspended is given up. A turn that runs is ended at once with `force`, with the status
        `closed`; otherwise its handle closes when it ends. Whatever was the last result remains so.
        """
        self._tree.close(self._node(handle), force=force)

    # Answering.

    async def resume(self, answer: Answer) -> TaskResult:
        """Bring the Answer to the handle that waits for it, the deepest.

        Its turn is run again from before it began, with the Answer for the call that asked. Then, level by
        level, each parent that was suspended because of it runs its own again; its repeated task call finds
        the child that is there.

        Returns:
            The result of the topmost handle that was run again. It may be `pending`, with another request.

        Raises:
            StaleAnswer: nobody waits for an Answer with that id.
        """
        node = self._tree.awaiting(answer.id)
        if node is None or node.turn is None:
            raise StaleAnswer(f"no suspended handle waits for an answer to the request {answer.id!r}")
        self._tree.forget_answer(answer.id, node)
        node.turn.take(answer)
        result = await self._tree.settled(node)
        while (above := node.turn_above) is not None:
            node = above.node
            if node.turn is above and node.state is State.RUNNING:  # it has yet to see that the child waited
                await self._tree.settled(node)
            if node.turn is not above or node.state is not State.SUSPENDED:
                break
            if above.awaits is not None:  # and it first waits for an Answer of its own
                break
            above.attempt(Cause.ANSWER)
            result = await self._tree.settled(node)
        return result

    # Looking.

    def list(self) -> list[HandleView]:
        """Every handle below the root that is not closed, each before its children."""
        return [node.view() for node in self._tree.walk(self._tree.root)]

    def inspect(self, handle: Handle) -> HandleView:
        """How a handle stands."""
        return self._node(handle).view()

    def state_of(self, handle: Handle) -> State:
        """In which state it is."""
        return self._node(handle).state

    def inbox_len(self, handle: Handle) -> int:
        """How many items its inbox holds."""
        return len(self._node(handle).inbox)

    def pool_tokens(self, handle: Handle) -> int | None:
        """How many tokens it may still take, by its own budget and those above. None: no limit."""
        return self._node(handle).tokens_left()

    def usage_tokens(self, handle: Handle) -> int:
        """How many tokens it and all below it have taken."""
        return self._node(handle).total_tokens

    def _node(self, handle: Handle) -> Node:
        node = handle._node
        if node.root is not self._tree.root:
            raise ForeignHandle(f"{handle!r} belongs to another runtime")
        return node
