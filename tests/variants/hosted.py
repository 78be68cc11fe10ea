"""Other ways to show handles, to list them, and to deal with those that are suspended."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant
from tests.variants._wire import Translation
from tests.variants.saying import with_more

NUMBERS = "how handles are numbered"
LISTED = "whether list() has closed handles"
TAKEN = "the state of a child whose result was taken"
WOKEN = "what a wake of a suspended handle is answered"
POSTED = "what a post to a suspended handle is answered"
WAITED = "what waiting once more for a suspended handle gives"
CLOSED = "what becomes of a suspended handle that is closed"

SPAWN = """\
        node_id = f"{parent.id}/{name}.{parent.spawned}"
"""
WAKE = "        if node.state is not State.IDLE or node.parent is None:\n"
PUT_OFF = """\
        if node.state is State.SUSPENDED:
            self._awaiting.setdefault(f"to be woken: {node.id}", []).append(prompt)
            return
"""
ENDED = "        self._tree.finish_closing(node)\n"
CAUGHT_UP = """\
        for prompt in self._tree._awaiting.pop(f"to be woken: {node.id}", ()):
            if node.state is State.IDLE:
                self._tree.wake(node, prompt)
"""
WAIT = "        if node.state is not State.RUNNING:\n            if node.result is None:\n"
POST = "        refuse_if_closed(node)\n        if len(node.inbox) >= self._tree.options.inbox_cap:\n"
CLOSE = "        self._tree.close(self._node(handle), force=force)\n"
ABORTED = "            if each.turn is not None and (force or each.state is State.SUSPENDED):\n"
SUSPEND = """\
        node.settle(result)
        node.move(Cause.SUSPENSION)
"""
OVER = """\
            for child in children:
                self._tree.close(child, force=True)
"""
NUMBER = ("        self._number += 1\n", "        self._number = max(self._number, 99) + 1\n")
OBSERVED = "        if self._on_transition is not None:\n"


def of_runtime(takes: str, point: str, *edits: Edit, says: Translation | None = None) -> Variant:
    """A variant that shows in runtimes."""
    return Variant(takes, point, edits, says, profiles=("runtime",))


VARIANTS: list[Variant] = [
    of_runtime(
        "the root is called otherwise, with a slash in it",
        "what the root is called",
        Edit("tree", 'Node("root", Def("root")', 'Node("runtime/top", Def("root")'),
    ),
    of_runtime(
        "handles are numbered for each definition",
        NUMBERS,
        Edit(
            "tree",
            SPAWN,
            """\
        alike = self._awaiting.setdefault(f"{parent.id} {name}", [])
        alike.append(parent)
        node_id = f"{parent.id}/{name}.{len(alike)}"
""",
        ),
    ),
    of_runtime(
        "numbers begin with 000",
        NUMBERS,
        Edit("tree", SPAWN, SPAWN.replace("{parent.spawned}", "{parent.spawned - 1:03}")),
    ),
    of_runtime(
        "the last segment is a number and no more, and there is one before it",
        NUMBERS,
        Edit("tree", SPAWN, SPAWN.replace("{name}.{parent.spawned}", "children/{parent.spawned}")),
    ),
    of_runtime(
        "there are more fields in views, results and requests",
        "which fields there are beside the documents'",
        says=Translation(message=with_more, told=lambda method, result: with_more(result)),
    ),
    of_runtime(
        "messages are numbered from 100",
        "how messages are numbered",
        Edit("conversation", *NUMBER),
    ),
    of_runtime(
        "list() has closed handles, too",
        LISTED,
        Edit(
            "tree",
            "            del node.parent.children[node.id]\n",
            """\
            del node.parent.children[node.id]
            self._awaiting.setdefault("closed nodes", []).append(node)
""",
        ),
        Edit(
            "runtime",
            "        return [node.view() for node in self._tree.walk(self._tree.root)]\n",
            """\
        closed = self._tree._awaiting.get("closed nodes", [])
        return [node.view() for node in [*closed, *self._tree.walk(self._tree.root)]]
""",
        ),
    ),
    of_runtime(
        "a child whose result was taken stays idle for good",
        TAKEN,
        Edit("task_tool", "        tree.close(child, force=True)\n", ""),
        Edit(
            "turn", OVER, OVER.replace("in children:\n", "in children:\n                if child.turn:\n    ")
        ),
    ),
    of_runtime(
        "a wake of a handle that is at work is passed over",
        WOKEN,
        Edit("tree", WAKE, "        if node.turn is not None:\n            return\n" + WAKE),
    ),
    of_runtime(
        "a wake of a suspended handle comes to its turn when the one that is suspended is over",
        WOKEN,
        Edit("tree", WAKE, PUT_OFF + WAKE),
        Edit("turn", ENDED, ENDED + CAUGHT_UP),
    ),
    of_runtime(
        "a post to a suspended handle is refused",
        POSTED,
        Edit(
            "runtime",
            POST,
            POST.replace(
                "        if len",
                """\
        if node.state is State.SUSPENDED:
            raise InboxFull(f"{node.id} is suspended")
        if len""",
            ),
        ),
    ),
    of_runtime(
        "waiting once more for a suspended handle is an error",
        WAITED,
        Edit(
            "runtime",
            WAIT,
            """\
        if node.state is State.SUSPENDED and timeout is not None:
            raise NothingToDo(f"{node.id} waits for an Answer")
"""
            + WAIT,
        ),
    ),
    of_runtime(
        "waiting once more for a suspended handle waits until it is answered",
        WAITED,
        Edit("runtime", WAIT, WAIT.replace("RUNNING:", "RUNNING and timeout is None:")),
    ),
    of_runtime(
        "a suspended handle cannot be closed",
        CLOSED,
        Edit(
            "runtime",
            CLOSE,
            """\
        if self._node(handle).state is State.SUSPENDED:
            raise NothingToDo("it waits for an Answer")
"""
            + CLOSE,
        ),
    ),
    of_runtime(
        "a suspended handle is closed once it has been answered",
        CLOSED,
        Edit(
            "tree",
            ABORTED,
            ABORTED.replace(
                "(force or each.state is State.SUSPENDED)", "force and each.state is not State.SUSPENDED"
            ),
        ),
    ),
    of_runtime(
        "a suspended handle that is closed passes through idle",
        CLOSED,
        Edit(
            "node",
            OBSERVED,
            """\
        if self._on_transition is not None and cause is Cause.CLOSE and before is State.SUSPENDED:
            self._on_transition(self.id, before, State.IDLE)
            before = State.IDLE
"""
            + OBSERVED,
        ),
    ),
    of_runtime(
        "the input of a turn that is suspended is in the inbox meanwhile",
        "what the inbox of a suspended handle holds",
        Edit(
            "turn",
            SUSPEND,
            "        node.inbox.extendleft(reversed((*self._items, Item(self._prompt, ''))))\n" + SUSPEND,
        ),
        Edit(
            "turn",
            "        self._taken.clear()\n",
            """\
        self._taken.clear()
        for _ in (*self._items, self._prompt) if node.state is State.SUSPENDED else ():
            node.inbox.popleft()
""",
        ),
    ),
]
