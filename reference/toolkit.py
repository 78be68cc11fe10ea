"""What the tools of sub-agents and clients are, and what they are given.

A tool answers, or suspends with `pending`; once there is an Answer it is executed again and finds it in its
context. Whatever it raises becomes the call's result. Knows nothing of who makes the call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from reference._record import Json
from reference.answer import Answer, Suspension
from reference.messages import ToolOutput


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool is given beside its arguments.

    Args:
        call_id: the id of the call, as the model gave it.
        answer: the Answer to what the tool asked for when it suspended; None at its first execution.
    """

    call_id: str
    answer: Answer | None = None


Outcome: TypeAlias = ToolOutput | Suspension
Execute: TypeAlias = Callable[[Mapping[str, Json], CallContext], Awaitable[Outcome]]


def object_schema(**properties: Json) -> dict[str, Json]:
    """The schema of a tool that needs these arguments, or none."""
    return {"type": "object", "properties": properties, "required": [*properties]}


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A tool, as data: what the model is told of it and what it does.

    Args:
        name: by which the model calls it.
        execute: does the work; its arguments are as the model gave them, and are not to be changed.
        description: for the model.
        input_schema: the JSON Schema of the arguments.
    """

    name: str
    execute: Execute
    description: str = ""
    input_schema: Mapping[str, Json] = field(default_factory=object_schema)


class Toolkit:
    """The tools that a model may call.

    Raises:
        ValueError: two tools have one name.
    """

    __slots__ = ("_by_name", "tools")

    def __init__(self, tools: Iterable[FunctionTool] = ()) -> None:
        self.tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in self.tools}
        if len(self._by_name) < len(self.tools):
            raise ValueError(f"two tools have one name: {', '.join(tool.name for tool in self.tools)}")

    def find(self, name: str) -> FunctionTool | None:
        """The tool of that name, if there is one."""
        return self._by_name.get(name)
