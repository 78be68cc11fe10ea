"""What a tool is, and what it is given when it executes a call.

A tool answers at once, answers with a placeholder, or runs another agent and answers with its reply. Whatever
it raises becomes the call's result. Knows of the run only what a tool may ask of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from reference._record import Json
from reference.errors import Aborted, NoReply
from reference.events import Event, Nested, ToolExecUpdate
from reference.messages import Message, ToolCall, ToolOutput

if TYPE_CHECKING:
    from reference.agent import Agent
    from reference.model import Model
    from reference.run import Run

Approve: TypeAlias = Callable[[ToolCall], Awaitable[str | None]]
"""The hook that may refuse a call before it is executed: None, or the reason."""


class Tool(Protocol):
    """Anything with a name and an `execute`."""

    @property
    def name(self) -> str:
        """The name by which the model calls it."""

    async def execute(self, args: Mapping[str, Json], ctx: ToolContext) -> ToolOutput:
        """Do the work, or start it. `args` are as the model gave them, and are not to be changed."""


class ToolContext:
    """What a tool is given beside its arguments. It is of use until the tool answers; kept for longer, its
    `update` does nothing and its `run_child` raises Aborted."""

    __slots__ = ("_call", "_run")

    def __init__(self, run: Run, call: ToolCall) -> None:
        self._run = run
        self._call = call

    @property
    def call_id(self) -> str:
        """The id of the call: the one in its events, and the one that the inbox takes."""
        return self._call.id

    def update(self, partial: str) -> None:
        """Report progress, as ToolExecUpdate."""
        self._emit(ToolExecUpdate(self._call.id, self._call.name, partial))

    async def run_child(self, agent: Agent, prompt: str, model: Model) -> Message:
        """Run another agent inside this call and answer with its reply.

        Its events come out of this run as they happen, as Nested. As long as it runs here, stopping this run
        stops it too. What it has said and heard stays with it: run it again for a follow-up.

        Raises:
            Aborted: this run was stopped, before or meanwhile, or the child's own was.
            NoReply: the child paused, failed or reached its limit.
            EmptyPrompt, Busy: as `Agent.prompt`.
        """
        if not self._is_open or self._run.stop_flag.is_set():
            raise Aborted("the run was stopped")
        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, self._emit_nested)
        if reply is None:
            raise NoReply("the child's run ended without a reply")
        return reply

    @property
    def _is_open(self) -> bool:
        return self._run.executing is self._call

    def _emit(self, event: Event) -> None:
        if self._is_open:
            self._run.emit(event)

    def _emit_nested(self, event: Event) -> None:
        self._emit(Nested(self._call.id, event))
