"""The tool `task`, by which an agent delegates to its team.

A task is done by a child of its own, once: where the turn is run again, the repeated call finds the child
that is there. It gives its recorded result if it has settled, its request if it is suspended, and is awaited
if it runs. Knows of the turn only which child that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reference._record import Json
from reference.answer import Suspension
from reference.messages import ToolOutput
from reference.result import TaskResult
from reference.toolkit import CallContext, FunctionTool, Outcome, object_schema

if TYPE_CHECKING:
    from reference.tree import Tree
    from reference.turn import Turn

NAME = "task"


def task_tool(tree: Tree, turn: Turn, team: tuple[str, ...]) -> FunctionTool:
    """The tool, for one turn of an agent with that team."""

    async def execute(args: Mapping[str, Json], ctx: CallContext) -> Outcome:
        agent, prompt = args.get("agent"), args.get("prompt")
        if not isinstance(agent, str) or agent not in team:
            return _failed(f"{agent!r} is not in the team, which is: {', '.join(team)}")
        if not isinstance(prompt, str) or not prompt:
            return _failed(f"a task needs a prompt, which is a text, not {prompt!r}")
        child = turn.child(agent, prompt)
        result = await tree.settled(child)
        if result.pending is not None:
            return Suspension(result.pending, is_passed_on=True)
        tree.close(child, force=True)
        return _reported(result)

    schema = object_schema(agent={"type": "string", "enum": [*team]}, prompt={"type": "string"})
    return FunctionTool(NAME, execute, _description(tree, team), schema)


def _reported(result: TaskResult) -> ToolOutput:
    """A child's result as its parent sees it. Work that was cut short is told, with why it was."""
    if result.status == "done":
        return ToolOutput(result.text)
    why = f"{result.status}, {result.limit}" if result.limit else result.status
    return _failed(f"{why}: {result.text}" if result.text else why)


def _failed(why: str) -> ToolOutput:
    return ToolOutput(f"The task was not done: {why}", is_error=True)


def _description(tree: Tree, team: tuple[str, ...]) -> str:
    known = (tree.options.registry.get(name) for name in team)
    return "\n".join(
        ["Give a task to:", *(f"{each.name}: {each.does}" for each in known if each is not None)]
    )
