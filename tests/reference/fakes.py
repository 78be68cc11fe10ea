"""The least that an agent needs: a model that answers from a list, and tools that do one thing."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from reference import (
    Agent,
    CallRequest,
    Chunk,
    Event,
    Json,
    Message,
    Tool,
    ToolContext,
    ToolOutput,
)

T = TypeVar("T")
Step: TypeAlias = "Chunk | Callable[[], object] | Gate"
Execute: TypeAlias = Callable[[ToolContext], ToolOutput | Awaitable[ToolOutput]]


def run(work: Coroutine[object, object, T]) -> T:
    """Run to the end, in a loop of its own."""
    return asyncio.run(work)


def call(tool: str, **arguments: Json) -> CallRequest:
    """A call, as a model makes it."""
    return CallRequest(tool, arguments)


class Gate:
    """A place at which a run waits for the host, who may wait for the run to get there."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()

    def open(self) -> None:
        """Let the run go on."""
        self._opened.set()

    async def wait(self) -> None:
        """The run's side."""
        self._reached.set()
        await self._opened.wait()

    async def reached_by(self, work: Coroutine[object, object, T]) -> asyncio.Task[T]:
        """The host's side: begin the work, and go on when it waits here."""
        task = asyncio.create_task(work)
        await self.reached()
        return task

    async def reached(self) -> None:
        """The host's side, where the work has been begun otherwise."""
        await self._reached.wait()


class Script:
    """A model that gives one answer for each time it is asked, and keeps what it `saw` each time.

    An answer is an exception, or a list of chunks. A function in the list is called at that point, while the
    model writes; at a gate the model waits.
    """

    def __init__(self, *answers: Sequence[Step] | BaseException) -> None:
        self.answers = list(answers)
        self.saw: list[tuple[Message, ...]] = []
        self.system_prompts: list[str] = []
        self.closed = 0

    async def generate(
        self, messages: Sequence[Message], tools: Sequence[Tool], system_prompt: str
    ) -> AsyncIterator[Chunk]:
        self.saw.append(tuple(messages))
        self.system_prompts.append(system_prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        try:
            for step in answer:
                if isinstance(step, Gate):
                    await step.wait()
                elif callable(step):
                    step()
                else:
                    yield step
        finally:
            self.closed += 1


class Does:
    """A tool that does what it is told, and keeps the ids of the calls that it has `executed`."""

    def __init__(self, name: str, execute: Execute) -> None:
        self.name = name
        self.executed: list[str] = []
        self._execute = execute

    async def execute(self, args: Mapping[str, Json], ctx: ToolContext) -> ToolOutput:
        self.executed.append(ctx.call_id)
        output = self._execute(ctx)
        return output if isinstance(output, ToolOutput) else await output


def answers(name: str, text: str) -> Does:
    """A tool that answers at once."""
    return Does(name, lambda ctx: ToolOutput(text))


def starts(name: str, text: str = "Started.") -> Does:
    """A tool that answers with a placeholder."""
    return Does(name, lambda ctx: ToolOutput.pending(text))


def waits(name: str, gate: Gate) -> Does:
    """A tool that waits at the gate before it answers."""

    async def wait(ctx: ToolContext) -> ToolOutput:
        await gate.wait()
        return ToolOutput("Waited.")

    return Does(name, wait)


def names(events: Iterable[Event]) -> list[str]:
    """What kinds of events those are."""
    return [type(event).__name__ for event in events]


def ignore(event: Event) -> None:
    """A sink for a run whose events do not matter."""


def restarted(agent: Agent, tools: Iterable[Tool] = ()) -> Agent:
    """A fresh agent that has been given the saved messages, which have been JSON in the meantime."""
    fresh = Agent(tools=tools)
    fresh.replace_messages([Message.from_json(copy.deepcopy(each.to_json())) for each in agent.messages])
    return fresh


def is_well_formed(agent: Agent) -> bool:
    """Whether every call has just one result, in call order."""
    made = [each.id for message in agent.messages for each in message.tool_calls]
    answered = [message.tool_result.tool_call_id for message in agent.messages if message.tool_result]
    return made == answered
