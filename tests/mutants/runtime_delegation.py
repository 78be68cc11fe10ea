"""Faults in how sub-agents delegate, and in what they may use up."""

from __future__ import annotations

from tests.mutants import Mutant

TEAM = """\
        if not isinstance(agent, str) or agent not in team:
            return _failed(f"{agent!r} is not in the team, which is: {', '.join(team)}")
"""
CLOSED = "        tree.close(child, force=True)\n        return _reported(result)\n"
TURN_LIMIT = (
    "        return MAX_TURNS if own is not None and self._rounds >= own else self.node.limit_of_tokens()\n"
)
KEY = "        key = (agent, prompt)\n"
WOKEN = "            self._tree.wake(child, prompt)\n"
BUDGET = "        own = definition.budget if budget is None else definition.budget.narrowed(budget)\n"
CHILDREN = "    if children is not None and parent.spawned >= children:\n"
DEPTH = "    if parent.bottom is not None and parent.depth >= parent.bottom:\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="Each tool message of a child is in its parent's transcript too",
        module="task_tool",
        old=CLOSED,
        new="""\
        for message in child.conversation.view:
            if message.tool_result is not None:
                turn.node.conversation.append(message)
"""
        + CLOSED,
        caught_by={
            "runtime/delegation/one-message": "runtime.delegation.one-message",
            "runtime/delegation/one-message-after-a-suspension": "runtime.delegation.one-message",
        },
    ),
    Mutant(
        breaks="A task can be given to anybody in the registry",
        module="task_tool",
        old=TEAM,
        new="",
        caught_by={"runtime/delegation/team-only": "runtime.delegation.team-only"},
    ),
    Mutant(
        breaks="The error about somebody outside the team does not list the team",
        module="task_tool",
        old=TEAM,
        new=TEAM.replace(""", which is: {', '.join(team)}""", ""),
        caught_by={"runtime/delegation/team-only": "runtime.delegation.team-only"},
    ),
    Mutant(
        breaks="An agent without a team can delegate to everybody",
        module="turn",
        old="""\
        if not definition.team:
            return Toolkit(definition.tools)
        return Toolkit((*definition.tools, task_tool(self._tree, self, definition.team)))
""",
        new="""\
        team = definition.team or tuple(self._tree.options.registry)
        return Toolkit((*definition.tools, task_tool(self._tree, self, team)))
""",
        caught_by={"runtime/delegation/no-team-no-task": "runtime.delegation.team-only"},
    ),
    Mutant(
        breaks="A child begins with its parent's transcript",
        module="turn",
        old=WOKEN,
        new="""\
            for message in self.node.conversation.view:
                if message.role == "user":
                    child.conversation.append(message)
"""
        + WOKEN,
        caught_by={"runtime/delegation/fresh-transcript": "runtime.delegation.fresh-transcript"},
    ),
    Mutant(
        breaks="What a child takes counts in its parent's tokens, and no further",
        module="node",
        old="            each.total_tokens += tokens\n",
        new="            each.total_tokens += tokens if each in (self, self.parent) else 0\n",
        caught_by={"runtime/delegation/usage-rolls-up": "runtime.delegation.usage-rolls-up"},
    ),
    Mutant(
        breaks="What a spawned child takes does not count in its parent's tokens",
        module="node",
        old="            each.total_tokens += tokens\n",
        new="            each.total_tokens += tokens if each is self or self.turn_above else 0\n",
        caught_by={
            "runtime/delegation/usage-rolls-up-from-a-spawned-child": "runtime.delegation.usage-rolls-up"
        },
    ),
    Mutant(
        breaks="All tasks of a turn are given to the first child",
        module="turn",
        old=KEY,
        new="        key = next(iter(self._children), (agent, prompt))\n        self._taken.clear()\n",
        caught_by={"runtime/delegation/parallel": "runtime.delegation.parallel"},
    ),
    Mutant(
        breaks="A run that reaches maxTurns is an error",
        module="turn",
        old="            self._end(self.node.task_result(ending.status, ending.text, limit=ending.limit))\n",
        new="""\
            status = "error" if ending.limit == MAX_TURNS else ending.status
            self._end(self.node.task_result(status, ending.text, limit=ending.limit))
""",
        caught_by={"runtime/limits/max-turns": "runtime.limits.max-turns"},
    ),
    Mutant(
        breaks="A run that reaches maxTurns is forgotten",
        module="turn",
        old="            self._keep()\n            self._end(self.node.task_result(ending",
        new="""\
            if ending.limit != MAX_TURNS:
                self._keep()
            self._end(self.node.task_result(ending""",
        caught_by={"runtime/limits/max-turns": "runtime.limits.max-turns"},
    ),
    Mutant(
        breaks="maxTurns stops a run one turn early",
        module="turn",
        old=TURN_LIMIT,
        new=TURN_LIMIT.replace("self._rounds >= own", "self._rounds + 1 >= own"),
        caught_by={"runtime/limits/max-turns-not-reached": "runtime.limits.max-turns"},
    ),
    Mutant(
        breaks="Spent tokens do not stop a run",
        module="turn",
        old=TURN_LIMIT,
        new=TURN_LIMIT.replace("else self.node.limit_of_tokens()", 'else ""'),
        caught_by={
            "runtime/limits/tokens": "runtime.limits.tokens",
            "runtime/limits/tokens-of-an-ancestor": "runtime.limits.tokens",
            "runtime/limits/tokens-of-the-runtime": "runtime.limits.tokens",
        },
    ),
    Mutant(
        breaks="Only a handle's own tokens count for it, not its ancestors'",
        module="node",
        old="            self.limited = (self, *self.limited)\n",
        new="            self.limited = (self,)\n",
        caught_by={"runtime/limits/carve": "runtime.limits.carve"},
    ),
    Mutant(
        breaks="The budget of the runtime is not heeded",
        module="tree",
        old='        self.root = Node("root", Def("root"), None, options.budget, options.on_transition)\n',
        new='        self.root = Node("root", Def("root"), None, Budget(), options.on_transition)\n',
        caught_by={"runtime/limits/tokens-of-the-runtime": "runtime.limits.tokens"},
    ),
    Mutant(
        breaks="The budget given to spawn is passed over",
        module="tree",
        old=BUDGET,
        new="        own = definition.budget\n",
        caught_by={"runtime/limits/carve": "runtime.limits.carve"},
    ),
    Mutant(
        breaks="The budget given to spawn takes the place of the definition's",
        module="tree",
        old=BUDGET,
        new="        own = definition.budget if budget is None else budget\n",
        caught_by={"runtime/limits/tool-calls-narrowed": "runtime.limits.tool-calls"},
    ),
    Mutant(
        breaks="One child more than maxChildren may be spawned",
        module="tree",
        old=CHILDREN,
        new=CHILDREN.replace(">=", ">"),
        caught_by={
            "runtime/limits/children": "runtime.limits.children",
            "runtime/limits/children-by-task": "runtime.limits.children",
        },
    ),
    Mutant(
        breaks="maxDepth is not heeded",
        module="tree",
        old=DEPTH,
        new="    if False:\n",
        caught_by={"runtime/limits/depth": "runtime.limits.children"},
    ),
]
