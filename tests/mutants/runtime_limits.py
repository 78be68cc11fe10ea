"""Faults in what sub-agents may use up, in how they are closed, and where their documents leave much open."""

from __future__ import annotations

from tests.mutants import Mutant

TOOL_CALLS = "runtime.limits.tool-calls"
WALL_TIME = "runtime.limits.wall-time"

ROOT = '        self.root = Node("root", Def("root"), None, options.budget, options.on_transition)\n'
CALLS_LEFT = """\
            each.budget.max_tool_calls - each.tool_calls
            for each in self.limited
"""
DELEGATED = """\
        for children in self._children.values():
            for child in children:
                self._tree.close(child, force=True)
"""
SPENT = """\
    if limit := parent.limit_of_tokens():
        raise LimitReached(limit, f"{parent.id} has no tokens left")
"""
NEVER_WOKEN = """\
            if node.result is None:
                node.settle(node.task_result("closed"))
"""

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="No call of a tool is one too many",
        module="turn",
        old="        return self.node.take_tool_call()\n",
        new='        return ""\n',
        caught_by={"runtime/limits/tool-calls-of-all-turns": TOOL_CALLS},
    ),
    Mutant(
        breaks="The calls that an ancestor has left are not heeded by who has a budget of its own",
        module="node",
        old=CALLS_LEFT,
        new=CALLS_LEFT.replace("self.limited", "self.limited[:1]"),
        caught_by={"runtime/limits/tool-calls-of-an-ancestor": TOOL_CALLS},
    ),
    Mutant(
        breaks="Of the budget of the runtime only the tokens are heeded",
        module="tree",
        old=ROOT,
        new=ROOT.replace("options.budget,", "Budget(max_tokens=options.budget.max_tokens),"),
        caught_by={
            "runtime/limits/tool-calls-of-the-runtime": TOOL_CALLS,
            "runtime/limits/concurrent-of-the-runtime": "runtime.limits.concurrent",
        },
    ),
    Mutant(
        breaks="The larger of two budgets holds",
        module="budget",
        old="    return min(one, other)\n",
        new="    return max(one, other)\n",
        caught_by={"runtime/limits/tool-calls-narrowed": TOOL_CALLS},
    ),
    Mutant(
        breaks="A turn has twice the time that it is given",
        module="turn",
        old="node.budget.max_wall_ms / 1000",
        new="node.budget.max_wall_ms / 500",
        caught_by={"runtime/limits/wall-time-of-each-turn": WALL_TIME},
    ),
    Mutant(
        breaks="What a turn has delegated goes on without it",
        module="turn",
        old=DELEGATED,
        new="",
        caught_by={"runtime/limits/wall-time-of-a-parent": WALL_TIME},
    ),
    Mutant(
        breaks="One child more than maxConcurrent allows is at work",
        module="tree",
        old="node.parent.running_children >= at_once:",
        new="node.parent.running_children > at_once:",
        caught_by={"runtime/limits/concurrent": "runtime.limits.concurrent"},
    ),
    Mutant(
        breaks="A handle without tokens is given children",
        module="tree",
        old=SPENT,
        new="",
        caught_by={"runtime/limits/spawn-without-tokens": "runtime.limits.spawn-tokens"},
    ),
    Mutant(
        breaks="The first child of a handle has the number zero",
        module="tree",
        old="{name}.{parent.spawned}",
        new="{name}.{parent.spawned - 1}",
        caught_by={"runtime/handle/id-numbers": "runtime.handle.id-numbers"},
    ),
    Mutant(
        breaks="A close breaks off whatever runs",
        module="tree",
        old="if each.turn is not None and (force or each.state is State.SUSPENDED):",
        new="if each.turn is not None:",
        caught_by={"runtime/handle/close-force-with-children": "runtime.handle.close-force"},
    ),
    Mutant(
        breaks="A turn that a close has broken off is called interrupted",
        module="tree",
        old='                each.turn.abort("closed")\n',
        new='                each.turn.abort("interrupted")\n',
        caught_by={"runtime/result/closed": "runtime.result.closed"},
    ),
    Mutant(
        breaks="A handle that was closed before it was woken has no result",
        module="tree",
        old=NEVER_WOKEN,
        new="",
        caught_by={"runtime/result/closed-without-a-turn": "runtime.result.closed"},
    ),
    Mutant(
        breaks="A wake without a prompt is refused, whatever waits in the inbox",
        module="tree",
        old="        if not prompt and not node.inbox:\n",
        new="        if not prompt:\n",
        caught_by={"runtime/inbox/wake-without-prompt": "runtime.inbox.wake-without-prompt"},
    ),
    Mutant(
        breaks="Of several handles that wait for one id the one nearest to the root has its Answer",
        module="tree",
        old="key=lambda node: node.depth, default=None)",
        new="key=lambda node: -node.depth, default=None)",
        caught_by={"runtime/resume/one-id": "runtime.resume.one-id"},
    ),
    Mutant(
        breaks="A child that has been closed does not count any more",
        module="tree",
        old="    if children is not None and parent.spawned >= children:\n",
        new="    if children is not None and len(parent.children) >= children:\n",
        caught_by={"runtime/limits/children-ever": "runtime.limits.children-counted"},
    ),
    Mutant(
        breaks="maxDepth counts the handle that has it as a level",
        module="node",
        old="            own = self.depth + budget.max_depth\n",
        new="            own = self.depth + budget.max_depth - 1\n",
        caught_by={"runtime/limits/depth-levels": "runtime.limits.depth-counted"},
    ),
    Mutant(
        breaks="An interrupt gives up what is suspended",
        module="runtime",
        old="        if node.state is State.RUNNING and node.turn is not None:\n",
        new="        if node.turn is not None:\n",
        caught_by={"runtime/handle/interrupt-idle": "runtime.handle.interrupt-running-only"},
    ),
    Mutant(
        breaks="A parent with a request of its own is run again by the Answer to its child's",
        module="runtime",
        old="            if above.awaits is not None:  # and it first waits for an Answer of its own\n",
        new="            if False:\n",
        caught_by={"runtime/resume/one-id-in-a-chain": "runtime.resume.one-id"},
    ),
]
