"""The agent: what a host has in its hands.

`prompt` and `resume` run it, `inbox` reaches it from outside its run, `stop` ends its run, and
`pending_calls`, `needs_reply` and `messages` say how it stands. What happens in a run is in `run`; here is
only how one begins, how it is stopped, and that there is one at a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reference.conversation import Conversation
from reference.errors import Aborted, Busy, EmptyPrompt, NothingToDo
from reference.events import Sink
from reference.inbox import Inbox, Queue
from reference.messages import Message, ToolCall
from reference.model import Model
from reference.run import Parts, Run
from reference.stopping import StopFlag
from reference.tools import Approve, Tool


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """How an agent behaves.

    Args:
        system_prompt: handed to the model beside the messages; it is no message of the conversation.
        pause_on_pending: a run ends with the first turn of which calls are pending. Otherwise the model is
            asked again and sees the placeholders.
        max_tool_rounds: after how many turns with tool calls a run ends, with a Warning.
        max_context_tokens: what ContextBudget says of the model's context; nothing is pruned.
    """

    system_prompt: str = ""
    pause_on_pending: bool = False
    max_tool_rounds: int = 8
    max_context_tokens: int = 128_000

    def __post_init__(self) -> None:
        if self.max_tool_rounds < 1:
            raise ValueError(f"max_tool_rounds must be at least 1, not {self.max_tool_rounds}")


class Agent:
    """An agent, which keeps its conversation from run to run.

    Args:
        config: how it behaves; as an `AgentConfig()` if there is none.
        tools: what it can call.
        approve: asked before each call of a tool that exists; may refuse it.
        clock: Unix seconds, for the messages' timestamps.
        timer: seconds that never go back, for how fast the model writes.

    Raises:
        ValueError: two tools have one name.
    """

    def __init__(
        self,
        config: AgentConfig | None = None,
        tools: Iterable[Tool] = (),
        *,
        approve: Approve | None = None,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        tools = tuple(tools)
        by_name = {tool.name: tool for tool in tools}
        if len(by_name) < len(tools):
            raise ValueError(f"two tools have one name: {[tool.name for tool in tools]}")
        config = config or AgentConfig()
        self._parts = Parts(config, tools, by_name, approve, clock, timer, Queue(), Conversation())
        self._run: Run | None = None

    # Running.

    async def prompt(self, text: str, model: Model, sink: Sink) -> Message | None:
        """Run with new user text, until the model gives its final answer.

        The agent is busy until the run ends. An empty text adds no user message; there must be something in
        the inbox then.

        Returns:
            The final answer. None where the run ended without one: it paused, was stopped, reached its limit
            or the model failed, which its events tell.

        Raises:
            EmptyPrompt: no text, and an empty inbox. Nothing has been emitted or changed.
            Busy: a run is going on.
            asyncio.CancelledError: the host cancelled it. The conversation stays as it was at that moment, as
                if the process had died; what was left undone is marked when the next run starts.
        """
        return await self._complete(self._new_prompt(text, model, sink), text)

    async def resume(self, model: Model, sink: Sink) -> Message | None:
        """Go on where the conversation ends, or with what has come into the inbox.

        Returns:
            As `prompt`; None also where all that there was to do was to drop results.

        Raises:
            NothingToDo: the inbox is empty and no reply is due. Nothing has been emitted or changed.
            Busy, asyncio.CancelledError: as `prompt`.
        """
        self._refuse_if_busy()
        if not self._parts.inbox and not self.needs_reply():
            raise NothingToDo("the inbox is empty and no reply is due")
        return await self._complete(Run(self._parts, model, sink, StopFlag()))

    def stop(self) -> None:
        """Stop the run in progress, and the runs of children inside it; without one this does nothing.

        May be called from any thread, and from inside the run. The run ends soon after, with AgentEnd: what
        the model was writing is dropped, no call is left without a result, and the inbox is not read.
        """
        run = self._run
        if run is not None:
            run.stop_flag.set()

    # From outside the run.

    def inbox(self) -> Inbox:
        """A handle for the inbox. All handles of an agent share it."""
        return Inbox(self._parts.inbox)

    def pending_calls(self) -> tuple[ToolCall, ...]:
        """The calls whose real result the agent has not read yet, the earliest call first."""
        return self._parts.conversation.pending_calls()

    def needs_reply(self) -> bool:
        """Whether it is the model's turn to speak."""
        return self._parts.conversation.needs_reply()

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation, to look at; it is not copied, and grows as the agent runs."""
        return self._parts.conversation.view

    def replace_messages(self, messages: Iterable[Message]) -> None:
        """Put another conversation in place of the present one, as after a restart.

        No message is changed; calls left without a result are marked when the next run starts. The inbox
        stays as it is. New ids do not collide with those of either conversation.

        Raises:
            Busy: a run is going on.
        """
        self._refuse_if_busy()
        self._parts.conversation = Conversation(messages, number=self._parts.conversation.number)

    # How a run begins and ends.

    async def _prompt_below(self, above: StopFlag, text: str, model: Model, sink: Sink) -> Message | None:
        """`prompt`, answering to the stop flag of another run as well: for `ToolContext.run_child`.

        Raises:
            Aborted: the run was stopped, or the one above.
        """
        run = self._new_prompt(text, model, sink, above)
        reply = await self._complete(run, text)
        if run.stop_flag.is_set():
            raise Aborted("the run was stopped")
        return reply

    def _new_prompt(self, text: str, model: Model, sink: Sink, above: StopFlag | None = None) -> Run:
        self._refuse_if_busy()
        if not text and not self._parts.inbox:
            raise EmptyPrompt("there is neither a prompt nor anything in the inbox")
        return Run(self._parts, model, sink, StopFlag(above))

    async def _complete(self, run: Run, text: str = "") -> Message | None:
        self._run = run
        try:
            run.begin(text)
            is_cancelled = await run.stop_flag.guard(run.turns())
            reply = run.end()
            if is_cancelled:
                raise asyncio.CancelledError
            return reply
        finally:
            self._run = run.executing = None

    def _refuse_if_busy(self) -> None:
        if self._run is not None:
            raise Busy("the agent has a run in progress")
