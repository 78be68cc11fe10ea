"""Faults in how turns end before they are done, and in what a turn finds again when it is run again."""

from __future__ import annotations

from tests.mutants import Mutant

MUTANTS = [
    Mutant(
        breaks="A turn may take a thousand times as long as it may",
        module="turn",
        old="node.budget.max_wall_ms / 1000",
        new="node.budget.max_wall_ms",
        caught_by={"runtime/limits/wall-time": "runtime.limits.wall-time"},
    ),
    Mutant(
        breaks="The time that a turn may take goes on while it is suspended",
        module="turn",
        old="        node, first = self.node, ending.halted[0]\n        self._stop_timer()\n",
        new="        node, first = self.node, ending.halted[0]\n",
        caught_by={"runtime/limits/wall-time-not-while-suspended": "runtime.limits.wall-time"},
    ),
    Mutant(
        breaks="A call past maxToolCalls is made",
        module="rounds",
        old="            result = _CUT_OFF if limit else await self._make(call)\n",
        new="            result = await self._make(call)\n",
        caught_by={"runtime/limits/tool-calls": "runtime.limits.tool-calls"},
    ),
    Mutant(
        breaks="The result of a failed run does not say what the model's failure was",
        module="rounds",
        old="            raise ModelFailed(_text_of(failure)) from failure\n",
        new='            raise ModelFailed("the model failed") from failure\n',
        caught_by={"runtime/result/error-text": "runtime.result.error-text"},
    ),
    Mutant(
        breaks="A run that has come to the end of its turns says nothing",
        module="rounds",
        old='                return Ending("incomplete", self._text, limit=limit)\n',
        new='                return Ending("incomplete", "", limit=limit)\n',
        caught_by={"runtime/result/last-text-incomplete": "runtime.result.last-text"},
    ),
    Mutant(
        breaks="A run that has come to the end of its tool calls says nothing",
        module="rounds",
        old='                return Ending("incomplete", reply.content, limit=limit)\n',
        new='                return Ending("incomplete", "", limit=limit)\n',
        caught_by={"runtime/result/last-text-tool-calls": "runtime.result.last-text"},
    ),
    Mutant(
        breaks="A handle whose call waits says nothing",
        module="turn",
        old='node.task_result("pending", ending.text, pending=first.request)',
        new='node.task_result("pending", pending=first.request)',
        caught_by={"runtime/result/last-text-pending": "runtime.result.last-text"},
    ),
    Mutant(
        breaks="A handle that a close breaks off is idle for a moment",
        module="turn",
        old='        if node.state is State.RUNNING and result.status != "closed":\n',
        new="        if node.state is State.RUNNING:\n",
        caught_by={"runtime/handle/close-force": "runtime.handle.close-force"},
    ),
    Mutant(
        breaks="A handle that is about to close waits for its Answer first",
        module="turn",
        old='if ending.status == "pending" and self.node.is_closing:',
        new="if False:",
        caught_by={"runtime/handle/close-force-suspended": "runtime.handle.close-force"},
    ),
    Mutant(
        breaks="The children of a turn that is interrupted finish their tasks",
        module="turn",
        old="                self._tree.close(child, force=True)\n",
        new="                self._tree.close(child, force=False)\n",
        caught_by={"runtime/delegation/interrupted": "runtime.delegation.interrupted"},
    ),
    Mutant(
        breaks="Of equal tasks all but the first are the second child's",
        module="turn",
        old="        self._taken[key] += 1\n",
        new="        self._taken[key] = 1\n",
        caught_by={"runtime/delegation/equal-tasks": "runtime.delegation.equal-tasks"},
    ),
    Mutant(
        breaks="An Answer is for whatever call of the tool is made first",
        module="rounds",
        old="        return (call.name, arguments, before)\n",
        new='        return (call.name, "", before)\n',
        caught_by={"runtime/resume/other-calls": "runtime.resume.other-calls"},
    ),
    Mutant(
        breaks="The second of equal calls is taken for the third, too",
        module="rounds",
        old="        self._seen[call.name, arguments] = before + 1\n",
        new="        self._seen[call.name, arguments] = 1\n",
        caught_by={"runtime/resume/other-calls-equal": "runtime.resume.other-calls"},
    ),
    Mutant(
        breaks="The children of a turn are found again in the order in which they were spawned",
        module="turn",
        old="        key = (agent, prompt)\n",
        new='        key = ("", "")\n',
        caught_by={"runtime/resume/other-calls-of-children": "runtime.resume.other-calls"},
    ),
    Mutant(
        breaks="A turn that is interrupted after its Answer has lost its items",
        module="turn",
        old="            node.inbox.extendleft(reversed(self._items))\n",
        new="            node.inbox.extendleft(() if self._answers else reversed(self._items))\n",
        caught_by={"runtime/inbox/restored-after-an-answer": "runtime.inbox.restored"},
    ),
    Mutant(
        breaks="What a handle above posts is called untrusted, too",
        module="turn",
        old="{'' if is_from_above else ', untrusted'}",
        new="{', untrusted'}",
        caught_by={"runtime/inbox/trusted": "runtime.inbox.trusted"},
    ),
]
