"""The loop that a sub-agent's turn and a client's run have in common: ask the model, make its calls, ask on.

    while no limit forbids it: a round
        the model answers                     without calls: done
        its calls, one after the other        a result each; or
            the tool suspends                 the interpreter answers, and the tool is executed once more; or
                                              there is none: a placeholder, and the round will be the last
        a call was left suspended             pending
    a limit forbids it                        incomplete

Where an Answer comes later, the same rounds may be played again with the `answers` at hand. An Answer belongs
to one occurrence of a call: to the tool, the arguments, and how often the two have occurred together before.
So whoever approved one thing has not approved another.

Knows of its owner only what `Owner` says.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from reference.answer import Answer, Request, Suspension, WaitFor
from reference.conversation import Conversation
from reference.errors import ModelFailed
from reference.generating import Generate, ModelReply, ModelRequest
from reference.messages import Message, ToolCall, ToolOutput, ToolResult
from reference.model import Usage
from reference.toolkit import CallContext, FunctionTool, Outcome, Toolkit

Occurrence: TypeAlias = tuple[str, str, int]
"""A call as a replay finds it again: the tool, its arguments as JSON, how many such calls came before."""

_in_one_order = json.JSONEncoder(sort_keys=True).encode
_NO_ANSWERS: Mapping[Occurrence, Answer] = {}
_CUT_OFF = ToolOutput("This call was not made: a limit had been reached.", is_error=True)


@dataclass(frozen=True, slots=True)
class Halted:
    """A call that waits for an Answer."""

    call: ToolCall
    request: Request
    occurrence: Occurrence
    is_passed_on: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """How the rounds ended. `text` is the model's last; `halted` are the calls that wait, in call order."""

    status: Literal["done", "pending", "incomplete"]
    text: str
    halted: tuple[Halted, ...] = ()
    limit: str = ""


class Owner(Protocol):
    """Whoever plays the rounds."""

    @property
    def wait_for(self) -> WaitFor | None:
        """The interpreter that is nearest."""

    def limit_of_turns(self) -> str:
        """The limit that forbids another model call, or an empty text."""

    def limit_of_calls(self) -> str:
        """The limit that forbids another call of a tool, or an empty text. Otherwise the call is counted."""

    def count(self, usage: Usage | None) -> None:
        """A model call has been answered."""

    def complete(self, request: Request) -> Request:
        """Fill in what the tool cannot know."""

    def now(self) -> int:
        """Unix milliseconds."""


@dataclass(frozen=True, slots=True)
class Mind:
    """Whom to ask, and how."""

    generate: Generate | None
    model: str
    system_prompt: str


class Rounds:
    """One passage of the loop over a conversation, which it adds to."""

    __slots__ = ("_answers", "_conversation", "_mind", "_owner", "_seen", "_text", "_toolkit")

    def __init__(
        self,
        mind: Mind,
        toolkit: Toolkit,
        conversation: Conversation,
        owner: Owner,
        answers: Mapping[Occurrence, Answer] = _NO_ANSWERS,
    ) -> None:
        self._mind = mind
        self._toolkit = toolkit
        self._conversation = conversation
        self._owner = owner
        self._answers = answers
        self._seen: Counter[tuple[str, str]] = Counter()
        self._text = ""

    def hear(self, text: str) -> None:
        """Add a user message."""
        self._add(Message(self._conversation.next_id(), "user", text, self._owner.now()))

    async def play(self) -> Ending:
        """Round after round.

        Raises:
            ModelFailed: the model raised, or there is none.
        """
        while True:
            if limit := self._owner.limit_of_turns():
                return Ending("incomplete", self._text, limit=limit)
            reply = await self._ask()
            self._owner.count(reply.usage)
            self._say(reply)
            if not reply.tool_calls:
                return Ending("done", reply.content)
            halted, limit = await self._make_all(reply.tool_calls)
            if halted:
                return Ending("pending", reply.content, tuple(halted))
            if limit:
                return Ending("incomplete", reply.content, limit=limit)

    async def _ask(self) -> ModelReply:
        mind = self._mind
        if mind.generate is None:
            raise ModelFailed("there is no model to ask")
        request = ModelRequest(mind.model, self._conversation.view, self._toolkit.tools, mind.system_prompt)
        try:
            return await mind.generate(request)
        except (Exception, asyncio.CancelledError) as failure:  # whatever a model raises is its failure
            if _is_cancelled(failure):
                raise
            raise ModelFailed(_text_of(failure)) from failure

    def _say(self, reply: ModelReply) -> None:
        self._text = reply.content
        count = None if reply.usage is None else reply.usage.completion_tokens
        message_id, now = self._conversation.next_id(), self._owner.now()
        self._add(Message(message_id, "assistant", reply.content, now, reply.tool_calls, None, count))

    async def _make_all(self, calls: tuple[ToolCall, ...]) -> tuple[list[Halted], str]:
        """Make the calls of one message, so that each has just one result, be it a placeholder. A call that
        waits keeps no later one from being made."""
        halted: list[Halted] = []
        limit = ""
        for call in calls:
            limit = limit or self._owner.limit_of_calls()
            result = _CUT_OFF if limit else await self._make(call)
            if isinstance(result, Halted):
                halted.append(result)
                result = ToolOutput.pending(result.request.prompt)
            self._add(result_message(self._conversation.next_id(), call, result, self._owner.now()))
        return halted, limit

    async def _make(self, call: ToolCall) -> ToolOutput | Halted:
        occurrence = self._occurrence(call)
        tool = self._toolkit.find(call.name)
        if tool is None:
            return ToolOutput(f"There is no tool called {call.name}.", is_error=True)
        answer = self._answers.get(occurrence)
        if answer is None:
            outcome = await _execute(tool, call, None)
            if not isinstance(outcome, Suspension):
                return outcome
            if outcome.is_passed_on:
                return Halted(call, outcome.request, occurrence, is_passed_on=True)
            request = self._owner.complete(outcome.request)
            interpreter = self._owner.wait_for
            if interpreter is None:
                return Halted(call, request, occurrence, is_passed_on=False)
            try:
                answer = await interpreter(request)
            except (Exception, asyncio.CancelledError) as failure:  # whatever it raises is the call's result
                if _is_cancelled(failure):
                    raise
                return ToolOutput(f"It could not be answered: {_text_of(failure)}", is_error=True)
        return await _execute_with_answer(tool, call, answer)

    def _occurrence(self, call: ToolCall) -> Occurrence:
        arguments = _in_one_order(call.arguments)
        before = self._seen[call.name, arguments]
        self._seen[call.name, arguments] = before + 1
        return (call.name, arguments, before)

    def _add(self, message: Message) -> None:
        self._conversation.append(message)


def result_message(message_id: str, call: ToolCall, output: ToolOutput, timestamp: int) -> Message:
    """The message that holds a call's result."""
    result = ToolResult(call.id, call.name, output.content, output.is_error, output.is_pending)
    return Message(message_id, "tool_result", output.content, timestamp, (), result)


def declined(answer: Answer) -> ToolOutput:
    """What the model is told of an Answer that is not ok."""
    return ToolOutput(f"The request was not granted: {answer.reason or 'declined'}", is_error=True)


async def _execute(tool: FunctionTool, call: ToolCall, answer: Answer | None) -> Outcome:
    try:
        return await tool.execute(call.arguments, CallContext(call.id, answer))
    except (Exception, asyncio.CancelledError) as failure:  # whatever a tool raises is its result
        if _is_cancelled(failure):
            raise
        return ToolOutput(_text_of(failure), is_error=True)


async def _execute_with_answer(tool: FunctionTool, call: ToolCall, answer: Answer) -> ToolOutput:
    """Execute once more, and only once: a tool that then still asks would ask for ever."""
    if not answer.ok:
        return declined(answer)
    outcome = await _execute(tool, call, answer)
    if isinstance(outcome, Suspension):
        return ToolOutput(f"{call.name} suspended again although it had its answer.", is_error=True)
    return outcome


def _is_cancelled(failure: BaseException) -> bool:
    """Whether it is the task that plays which was cancelled, and not something that it was waiting for."""
    task = asyncio.current_task()
    return isinstance(failure, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _text_of(failure: BaseException) -> str:
    return str(failure) or type(failure).__name__
