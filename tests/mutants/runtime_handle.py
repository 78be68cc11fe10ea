"""Faults in handles: their ids, their states, and their views."""

from __future__ import annotations

from tests.mutants import Mutant

SPAWN = """\
        node_id = f"{parent.id}/{name}.{parent.spawned}"
"""
VIEW = (
    "        return HandleView(self.id, self.state, self.total_tokens, self.turns, len(self.inbox), kind)\n"
)
KIND = '        kind = waits_for.kind if waits_for is not None and self.state is State.SUSPENDED else ""\n'
LIST = "        return [node.view() for node in self._tree.walk(self._tree.root)]\n"
STATE_OF = '{"state": at.state_of(handle).value}'
REFUSED = """\
        refuse_if_closed(node)
        if node.state is not State.IDLE or node.parent is None:
"""
OBSERVED = "            self._on_transition(self.id, before, self.state)\n"
SUSPEND = """\
        node.settle(result)
        node.move(Cause.SUSPENSION)
"""
COUNT = """\
        self._rounds += 1
        self.node.turns += 1
"""
WAIT = """\
            if node.result is None:
                raise NothingToDo(f"{node.id} has never been woken")
            return node.result
"""
CLOSE = """\
        for each in reversed(subtree):
            if each.turn is not None and (force or each.state is State.SUSPENDED):
                each.turn.abort("closed")
            self.finish_closing(each)
"""
RESUMED = '        return (await runtime.resume(Answer.from_json(params["answer"]))).to_json()\n'

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="Ids do not stand under the parent's",
        module="tree",
        old=SPAWN,
        new=SPAWN.replace("{parent.id}/", "{self.root.id}/"),
        caught_by={"runtime/handle/id": "runtime.handle.id"},
        not_local="whoever delegates has children, whose ids the scenarios look for",
    ),
    Mutant(
        breaks="Ids differ from one runtime to the next",
        module="tree",
        old=SPAWN,
        new='        node_id = f"{parent.id}/{name}.{parent.spawned + id(self) % 9973}"\n',
        caught_by={"runtime/handle/id": "runtime.handle.id"},
    ),
    Mutant(
        breaks="Ids have a dash before their number",
        module="tree",
        old=SPAWN,
        new=SPAWN.replace("{name}.", "{name}-"),
        caught_by={"runtime/handle/id-layout": "runtime.handle.id-layout"},
        not_local="a check that is always on sees it in every scenario that is no must",
    ),
    Mutant(
        breaks="A state is spelled with a capital",
        module="driver_runtime",
        old=STATE_OF,
        new=STATE_OF.replace(".value", ".value.title()"),
        caught_by={"runtime/handle/state-names": "runtime.handle.state-names"},
        not_local="states are looked at everywhere",
    ),
    Mutant(
        breaks="A turn that ends is told to have gone through suspended",
        module="node",
        old=OBSERVED,
        new="""\
            if (before, self.state) == (State.RUNNING, State.IDLE):
                self._on_transition(self.id, before, State.SUSPENDED)
                before = State.SUSPENDED
"""
        + OBSERVED,
        caught_by={"runtime/handle/transitions": "runtime.handle.transitions"},
        not_local="it is told of every turn, and always looked at",
    ),
    Mutant(
        breaks="A handle is told to be suspended without having run",
        module="node",
        old=OBSERVED,
        new="""\
            if self.state is State.SUSPENDED:
                before = State.IDLE
"""
        + OBSERVED,
        caught_by={"runtime/handle/transitions-suspended": "runtime.handle.transitions"},
        not_local="it is told of every suspension, and always looked at",
    ),
    Mutant(
        breaks="A new handle counts as having had a turn",
        module="node",
        old="        self.turns = 0\n",
        new="        self.turns = 1\n",
        caught_by={"runtime/handle/idle-after-spawn": "runtime.handle.idle-after-spawn"},
        not_local="turns are counted in many results",
    ),
    Mutant(
        breaks="A running handle is shown as idle",
        module="driver_runtime",
        old=STATE_OF,
        new='{"state": at.state_of(handle).value.replace("running", "idle")}',
        caught_by={"runtime/handle/running": "runtime.handle.running"},
    ),
    Mutant(
        breaks="A finished turn has no text",
        module="turn",
        old="            self._end(self.node.task_result(ending.status, ending.text, limit=ending.limit))\n",
        new="            self._end(self.node.task_result(ending.status, limit=ending.limit))\n",
        caught_by={
            "runtime/handle/done": "runtime.handle.done",
            "runtime/handle/done-with-a-tool": "runtime.handle.done",
        },
        not_local="texts are looked at in many results",
    ),
    Mutant(
        breaks="Only the first round trip of a turn counts",
        module="turn",
        old=COUNT,
        new="""\
        self.node.turns += self._rounds == 0
        self._rounds += 1
""",
        caught_by={
            "runtime/handle/done-with-a-tool": "runtime.handle.done",
            "runtime/handle/turns-count": "runtime.handle.turns-count",
        },
    ),
    Mutant(
        breaks="The round trips of a suspended turn do not count",
        module="turn",
        old=SUSPEND,
        new="        node.turns -= self._rounds\n" + SUSPEND,
        caught_by={
            "runtime/handle/turns-count": "runtime.handle.turns-count",
        },
    ),
    Mutant(
        breaks="The view of a suspended handle names no kind",
        module="node",
        old=KIND,
        new='        kind = ""\n',
        caught_by={
            "runtime/handle/suspended": "runtime.handle.suspended",
            "runtime/handle/inspect-suspended": "runtime.handle.inspect",
            "runtime/handle/list-views": "runtime.handle.list-views",
        },
    ),
    Mutant(
        breaks="A wake runs a suspended handle's turn again",
        module="tree",
        old=REFUSED,
        new="""\
        if node.state is State.SUSPENDED and node.turn is not None:
            node.turn.attempt(Cause.ANSWER)
            return
"""
        + REFUSED,
        caught_by={"runtime/handle/only-answer": "runtime.handle.only-answer"},
    ),
    Mutant(
        breaks="Waiting for a suspended handle gives it up",
        module="runtime",
        old=WAIT,
        new="""\
            if node.state is State.SUSPENDED and timeout is not None and node.turn is not None:
                node.turn.awaits = None
                node.turn.attempt(Cause.ANSWER)
"""
        + WAIT,
        caught_by={"runtime/handle/only-answer-wait": "runtime.handle.only-answer"},
    ),
    Mutant(
        breaks="A wake reopens a closed handle",
        module="tree",
        old=REFUSED,
        new="""\
        if node.state is State.CLOSED:
            node.state, node.is_closing = State.IDLE, False
"""
        + REFUSED,
        caught_by={"runtime/handle/closed-final": "runtime.handle.closed-final"},
    ),
    Mutant(
        breaks="An Answer opens handles that are closed",
        module="driver_runtime",
        old=RESUMED,
        new="""\
        for handle in self._held[str(params["runtime"])].handles.values():
            if handle._node.state == "closed":
                handle._node.state = type(handle._node.state)("idle")
"""
        + RESUMED,
        caught_by={"runtime/handle/closed-final-when-suspended": "runtime.handle.closed-final"},
    ),
    Mutant(
        breaks="A parent is closed and its children are left",
        module="tree",
        old="        subtree = [node, *self.walk(node)]\n",
        new="        subtree = [node]\n        for each in node.children.values():\n"
        "            each.parent = None\n        node.children.clear()\n",
        caught_by={"runtime/handle/close": "runtime.handle.close"},
    ),
    Mutant(
        breaks="A parent is closed before its children",
        module="tree",
        old=CLOSE,
        new=CLOSE.replace("reversed(subtree)", "subtree").replace(
            "            self.finish_closing(each)\n",
            """\
            kept, each.children = each.children, {}
            self.finish_closing(each)
            each.children = kept
""",
        ),
        caught_by={"runtime/handle/close": "runtime.handle.close"},
    ),
    Mutant(
        breaks="list() has no handles that are nested",
        module="runtime",
        old=LIST,
        new="        return [node.view() for node in self._tree.root.children.values()]\n",
        caught_by={"runtime/handle/list": "runtime.handle.list"},
    ),
    Mutant(
        breaks="list() has only the handles that are idle",
        module="runtime",
        old=LIST,
        new=LIST.replace("(self._tree.root)]", '(self._tree.root) if node.state == "idle"]'),
        caught_by={"runtime/handle/list-views": "runtime.handle.list-views"},
    ),
    Mutant(
        breaks="The list has the state of a handle without its pending kind",
        module="driver_runtime",
        old="[view.to_json() for view in runtime.list()]",
        new='[{**view.to_json(), "pending_kind": ""} for view in runtime.list()]',
        caught_by={"runtime/handle/list-views": "runtime.handle.list-views"},
    ),
    Mutant(
        breaks="The view has the depth of the inbox in place of the turns",
        module="node",
        old=VIEW,
        new=VIEW.replace("self.turns, len(self.inbox)", "len(self.inbox), self.turns"),
        caught_by={"runtime/handle/inspect": "runtime.handle.inspect"},
    ),
    Mutant(
        breaks="The tokens of a view are only the handle's own",
        module="node",
        old=VIEW,
        new=VIEW.replace("self.total_tokens", "self.own_tokens"),
        caught_by={"runtime/handle/inspect-usage": "runtime.handle.inspect-usage"},
    ),
    Mutant(
        breaks="A handle keeps its pending kind after its Answer",
        module="node",
        old=KIND,
        new='        kind = waits_for.kind if waits_for is not None else ""\n',
        caught_by={"runtime/handle/pending-kind-cleared": "runtime.handle.pending-kind-cleared"},
    ),
    Mutant(
        breaks="The error about an unknown definition does not name it",
        module="tree",
        old='f"there is no definition of {name!r} among {[*self.options.registry]}"',
        new='"there is no such definition"',
        caught_by={"runtime/handle/unknown-def": "runtime.handle.unknown-def"},
    ),
]
