"""One run of an agent: what `prompt` and `resume` have in common, which is all but their beginning.

The order in which a run does things and says so is written here and nowhere else:

    AgentStart
    calls left without a result are marked failed      Warning, MessageStart, MessageEnd for each
    the inbox is read                                  ToolResolved, MessageStart, MessageEnd, or Warning
    the prompt's own text                              MessageStart, MessageEnd
    while a reply is due: a turn                       TurnStart
        the model answers                              ContextBudget, MessageDelta ..., GenerationStats
                                                       MessageEnd
        its calls, one after the other                 ToolExecStart, ToolExecUpdate ..., ToolExecEnd
                                                       MessageStart, MessageEnd
                                                       TurnEnd
        calls are pending, and the agent pauses        Paused, and out
        the inbox is read                              as above
    AgentEnd

Everything but the model, the tools and the hook is done without awaiting, so a run can be halted only there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from reference.conversation import Conversation
from reference.draft import Draft
from reference.events import (
    AgentEnd,
    AgentStart,
    ContextBudget,
    Error,
    MessageEnd,
    MessageStart,
    Paused,
    Sink,
    ToolDenied,
    ToolExecEnd,
    ToolExecStart,
    ToolResolved,
    TurnEnd,
    TurnStart,
    Warning,
)
from reference.inbox import Pushed, Queue, Settled
from reference.messages import Message, ToolCall, ToolOutput, ToolResult
from reference.model import Chunk, Model
from reference.stopping import StopFlag
from reference.tools import Approve, Tool, ToolContext

if TYPE_CHECKING:
    from reference.agent import AgentConfig

_TURN_START = TurnStart()
_STOPPED = ToolOutput("The run was stopped before this call had a result.", is_error=True)
_DIED = "This call was cut off and never had a result. Whether it had an effect is not known."


@dataclass(slots=True)
class Parts:
    """What an agent consists of. The conversation is all of it that changes, and the inbox."""

    config: AgentConfig
    tools: Sequence[Tool]
    tools_by_name: Mapping[str, Tool]
    approve: Approve | None
    clock: Callable[[], float]
    timer: Callable[[], float]
    inbox: Queue
    conversation: Conversation


class Run:
    """One run: `begin`, then `turns` until it returns or is cancelled, then `end`.

    `emit` is the host's sink. `executing` is the call that a tool is executing now. `_turn` is the message of
    the turn that is open, and `_results` are its results so far; `_added` is what AgentEnd will list.
    """

    __slots__ = (
        "_added",
        "_clock",
        "_conversation",
        "_model",
        "_parts",
        "_results",
        "_turn",
        "emit",
        "executing",
        "stop_flag",
    )

    def __init__(self, parts: Parts, model: Model, sink: Sink, stop_flag: StopFlag) -> None:
        self._parts = parts
        self._conversation = parts.conversation
        self._clock = parts.clock
        self._model = model
        self._added: list[Message] = []
        self._results: list[Message] = []
        self._turn: Message | None = None
        self.emit = sink
        self.executing: ToolCall | None = None
        self.stop_flag = stop_flag

    # The beginning and the end.

    def begin(self, text: str) -> None:
        """Everything before the first turn."""
        self.emit(AgentStart())
        self._fail_dangling_calls()
        self._read_inbox()
        if text:
            self._hear(text)

    async def turns(self) -> None:
        """Turn after turn, as long as a reply is due."""
        config, inbox, conversation = self._parts.config, self._parts.inbox, self._conversation
        is_stopped = self.stop_flag.is_set
        rounds = 0
        while conversation.needs_reply() and not is_stopped():
            message = await self._take_turn()
            if message is None or is_stopped():
                return
            if message.tool_calls:
                rounds += 1
                if config.pause_on_pending and self._leaves_pending(message):
                    self.emit(Paused(conversation.pending_calls()))
                    return
                if rounds == config.max_tool_rounds:
                    self.emit(
                        Warning(f"The run ends after {rounds} rounds of tool calls, which is its limit.")
                    )
                    return
            if inbox:
                self._read_inbox()

    def end(self) -> Message | None:
        """The last of the run, however it came to its end: a turn that was halted is completed first, so
        that every call has a result. Returns the final answer, if there is one."""
        if self._turn is not None:
            if self.executing is not None:
                self.emit(ToolExecEnd(self.executing.id, self.executing.name, _STOPPED))
            for call in self._conversation.dangling_calls():
                self._record(call, _STOPPED)
            self._end_turn(self._turn)
        self.emit(AgentEnd(tuple(self._added)))
        if self._added and self._added[-1].role == "assistant" and not self._conversation.needs_reply():
            return self._added[-1]
        return None

    # A turn.

    async def _take_turn(self) -> Message | None:
        """Ask the model once and make the calls of its answer.

        Returns its message, or None where the model failed or the run is to stop; a turn that is halted
        between two calls is left open for `end`.
        """
        self.emit(_TURN_START)
        draft = await self._generate()
        if draft is None:
            return None
        message = draft.message(self._now())
        self._turn, self._results = message, []
        self._added.append(message)
        self._conversation.append(message)
        self.emit(MessageEnd(message))
        for call in message.tool_calls:
            if self.stop_flag.is_set():
                return None
            self._record(call, await self._answer(call))
        self._end_turn(message)
        return message

    async def _generate(self) -> Draft | None:
        """One model call. None: the model failed, or the run is to stop; what it has written is dropped."""
        parts, conversation, emit = self._parts, self._conversation, self.emit
        used = conversation.used_tokens
        emit(ContextBudget(used, parts.config.max_context_tokens, len(conversation), 0))
        draft = Draft(conversation.next_id(), parts.timer)
        stream: AsyncIterator[Chunk] | None = None
        while True:
            try:
                if stream is None:
                    stream = self._model.generate(conversation.view, parts.tools, parts.config.system_prompt)
                chunk = await anext(stream)
            except StopAsyncIteration:
                if self.stop_flag.is_set():
                    return None
                emit(draft.stats(used))
                return draft
            except (Exception, asyncio.CancelledError) as failure:  # whatever a model raises is its failure
                if self._is_cancelled(failure):
                    raise
                if not self.stop_flag.is_set():
                    emit(Error(_text_of(failure)))
                return None
            if self.stop_flag.is_set():
                if isinstance(stream, AsyncGenerator):
                    await stream.aclose()
                return None
            delta = draft.take(chunk)
            if delta is not None:
                emit(delta)

    async def _answer(self, call: ToolCall) -> ToolOutput:
        """Make one call. Whatever goes wrong with it is its result, and the run goes on."""
        parts, emit = self._parts, self.emit
        tool = parts.tools_by_name.get(call.name)
        if tool is not None and parts.approve is not None:
            refusal = await self._refusal(parts.approve, call)
            if self.stop_flag.is_set():
                return _STOPPED
            if refusal is not None:
                emit(ToolDenied(call.id, call.name, refusal))
                return ToolOutput(f"The call was refused: {refusal}", is_error=True)
        self.executing = call
        emit(ToolExecStart(call.id, call.name, call.arguments))
        if tool is None:
            output = ToolOutput(f"There is no tool called {call.name}.", is_error=True)
        else:
            try:
                output = await tool.execute(call.arguments, ToolContext(self, call))
            except (Exception, asyncio.CancelledError) as failure:  # whatever a tool raises is its result
                if self._is_cancelled(failure):
                    raise
                output = ToolOutput(_text_of(failure), is_error=True)
        self.executing = None
        emit(ToolExecEnd(call.id, call.name, output))
        return output

    async def _refusal(self, approve: Approve, call: ToolCall) -> str | None:
        """Why the hook refuses the call, if it does. A hook that fails has not approved."""
        try:
            return await approve(call)
        except (Exception, asyncio.CancelledError) as failure:
            if self._is_cancelled(failure):
                raise
            return f"it could not be approved: {_text_of(failure)}"

    def _record(self, call: ToolCall, output: ToolOutput) -> None:
        """A call of this turn has its result, which may be a placeholder."""
        message = self._result_message(call, output)
        self._results.append(message)
        self._add(message)

    def _end_turn(self, message: Message) -> None:
        self.emit(TurnEnd(message, tuple(self._results)))
        self._turn = None

    def _leaves_pending(self, message: Message) -> bool:
        return any(self._conversation.pending_call(call.id) is not None for call in message.tool_calls)

    # The inbox.

    def _read_inbox(self) -> None:
        """Take all that the inbox holds, in the order in which it was put in."""
        for item in self._parts.inbox.take_all():
            if isinstance(item, Pushed):
                self._hear(item.text)
                continue
            call = self._conversation.pending_call(item.call_id)
            if call is not None:
                self._resolve(call, item)
            else:
                self.emit(Warning(f"A result for {item.call_id} was dropped: no such call is pending."))

    def _hear(self, text: str) -> None:
        """A user message: the prompt's own text, or a pushed one."""
        self._add(Message(self._conversation.next_id(), "user", text, self._now()))

    def _resolve(self, call: ToolCall, item: Settled) -> None:
        """A pending call's real result becomes its second one, under a heading that names the call."""
        self.emit(ToolResolved(call.id, call.name, ToolOutput(item.content, is_error=item.is_error)))
        what = "Failure" if item.is_error else "Result"
        headed = f"{what} of the earlier call {call.id} of {call.name}:\n{item.content}"
        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))

    # After a restart.

    def _fail_dangling_calls(self) -> None:
        """Give the calls that were cut off a failed result each, rather than make them a second time: nobody
        knows how far they got."""
        for call in self._conversation.dangling_calls():
            self.emit(Warning(f"The call {call.id} of {call.name} never got a result; it is marked failed."))
            message = self._result_message(call, ToolOutput(_DIED, is_error=True))
            self._add(message, partial(self._conversation.append_to_round, call))

    # Messages.

    def _result_message(self, call: ToolCall, output: ToolOutput) -> Message:
        content = output.content
        result = ToolResult(call.id, call.name, content, output.is_error, output.is_pending)
        message = Message(self._conversation.next_id(), "tool_result", content, self._now(), (), result)
        self._added.append(message)
        return message

    def _add(self, message: Message, append: Callable[[Message], None] | None = None) -> None:
        """Add a message to the conversation and say so: at every event's end the conversation holds just the
        messages whose MessageEnd has been emitted."""
        self.emit(MessageStart(message))
        (append or self._conversation.append)(message)
        self.emit(MessageEnd(message))

    def _now(self) -> int:
        return int(self._clock() * 1000)

    def _is_cancelled(self, failure: BaseException) -> bool:
        return isinstance(failure, asyncio.CancelledError) and self.stop_flag.is_cancelled()


def _text_of(failure: BaseException) -> str:
    return str(failure) or type(failure).__name__
