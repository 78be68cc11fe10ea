"""Other ways to show handles and their results, to drive them, and to keep to a budget."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant
from tests.variants._wire import Object, Translation
from tests.variants.saying import with_more

NUMBERS = "how handles are numbered"
LISTED = "whether list() has closed handles"
TAKEN = "the state of a child whose result was taken"
WOKEN = "what a wake of a suspended handle is answered"
POSTED = "what a post to a suspended handle is answered"
WAITED = "what waiting once more for a suspended handle gives"
CLOSED = "what becomes of a suspended handle that is closed"
MARKED = "which results are marked as errors, and what text they have"
LIMITS = "which limits there are"
LIMIT = "how limits are named"
NEXT = "what a turn has of the one before"
SHOWN = "how items and tasks are shown to the model"

SPAWN = """\
        node_id = f"{parent.id}/{name}.{parent.spawned}"
"""
WAKE = "        if node.state is not State.IDLE or node.parent is None:\n"
WAIT = "        if node.state is not State.RUNNING:\n            if node.result is None:\n"
POST = "        refuse_if_closed(node)\n        if len(node.inbox) >= self._tree.options.inbox_cap:\n"
CLOSE = "        self._tree.close(self._node(handle), force=force)\n"
ABORTED = "            if each.turn is not None and (force or each.state is State.SUSPENDED):\n"
TURN = "        node.turn = Turn(self, node, prompt)\n"
TASK = "            self._tree.wake(child, prompt)\n"
INPUT = """\
        yield from (self._shown(item) for item in self._items)
        if self._prompt:
            yield self._prompt
"""
SUSPEND = """\
        node.settle(result)
        node.move(Cause.SUSPENSION)
"""
OVER = """\
            for child in children:
                self._tree.close(child, force=True)
"""
RESULT = '        is_error = status == "error"\n'
LIMITED = "self.turns, self.total_tokens, self.own_tokens, limit\n"
NUMBER = ("        self._number += 1\n", "        self._number = max(self._number, 99) + 1\n")
OBSERVED = "        if self._on_transition is not None:\n"


def _of_runtime(takes: str, point: str, *edits: Edit, says: Translation | None = None) -> Variant:
    return Variant(takes, point, edits, says, profiles=("runtime",))


def _without_marks(message: Object) -> Object:
    result = message.get("tool_result")
    if not isinstance(result, dict):
        return message
    told = {key: value for key, value in result.items() if key not in ("is_error", "pending")}
    return {**message, "tool_result": told}


def _other_words(method: str, result: Object) -> Object:
    if method not in ("runtime/wait", "runtime/resume"):
        return result
    words = {"error": "failed", "interrupted": "cancelled"}
    limits = {"maxTurns": "max_turns", "maxTokens": "tokens", "": "none"}
    status, limit = str(result["status"]), str(result["limit"])
    return {**result, "status": words.get(status, status), "limit": limits.get(limit, limit)}


VARIANTS: list[Variant] = [
    _of_runtime(
        "the root is called otherwise, with a slash in it",
        "what the root is called",
        Edit("tree", 'Node("root", Def("root")', 'Node("runtime/top", Def("root")'),
    ),
    _of_runtime(
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
    _of_runtime(
        "numbers begin with 000",
        NUMBERS,
        Edit("tree", SPAWN, SPAWN.replace("{parent.spawned}", "{parent.spawned - 1:03}")),
    ),
    _of_runtime(
        "the last segment is a number and no more, and there is one before it",
        NUMBERS,
        Edit("tree", SPAWN, SPAWN.replace("{name}.{parent.spawned}", "children/{parent.spawned}")),
    ),
    _of_runtime(
        "there are more fields in views, results and requests",
        "which fields there are beside the documents'",
        says=Translation(message=with_more, told=lambda method, result: with_more(result)),
    ),
    _of_runtime(
        "messages are numbered from 100",
        "how messages are numbered",
        Edit("conversation", *NUMBER),
    ),
    _of_runtime(
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
    _of_runtime(
        "a child whose result was taken stays idle for good",
        TAKEN,
        Edit("task_tool", "        tree.close(child, force=True)\n", ""),
        Edit(
            "turn", OVER, OVER.replace("in children:\n", "in children:\n                if child.turn:\n    ")
        ),
    ),
    _of_runtime(
        "a wake of a handle that is at work is passed over",
        WOKEN,
        Edit("tree", WAKE, "        if node.turn is not None:\n            return\n" + WAKE),
    ),
    _of_runtime(
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
    _of_runtime(
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
    _of_runtime(
        "waiting once more for a suspended handle waits until it is answered",
        WAITED,
        Edit("runtime", WAIT, WAIT.replace("RUNNING:", "RUNNING and timeout is None:")),
    ),
    _of_runtime(
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
    _of_runtime(
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
    _of_runtime(
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
    _of_runtime(
        "the input of a turn that is suspended is in the inbox meanwhile",
        "what the inbox of a suspended handle holds",
        Edit(
            "turn",
            SUSPEND,
            "        node.inbox.extendleft(reversed((*self._items, Item(self._prompt))))\n" + SUSPEND,
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
    _of_runtime(
        "all results but done are marked as errors",
        MARKED,
        Edit("node", RESULT, '        is_error = status != "done"\n'),
    ),
    _of_runtime(
        "a pending result has the prompt of its request for a text",
        MARKED,
        Edit("node", RESULT, RESULT + "        text = pending.prompt if pending is not None else text\n"),
    ),
    _of_runtime(
        "statuses and limits have other words, and there is one for no limit",
        LIMIT,
        says=Translation(told=_other_words),
    ),
    _of_runtime(
        "errors say only that there is one",
        "the texts of errors",
        says=Translation(refusal=lambda text: "refused"),
    ),
    _of_runtime(
        "no budget is heeded",
        LIMITS,
        Edit("turn", "        own = self.node.budget.max_turns\n", '        return ""\n'),
        Edit("turn", "        return self.node.take_tool_call()\n", '        return ""\n'),
        Edit("tree", "    children = parent.budget.max_children\n", "    return\n"),
    ),
    _of_runtime(
        "there are limits where none is set",
        LIMITS,
        Edit("budget", "    max_turns: int | None = None\n", "    max_turns: int | None = 6\n"),
        Edit("budget", "    max_depth: int | None = None\n", "    max_depth: int | None = 3\n"),
        Edit("budget", "    max_children: int | None = None\n", "    max_children: int | None = 8\n"),
    ),
    _of_runtime(
        "a model call that failed counts as a round trip",
        "whether a model call that failed counts",
        Edit(
            "rounds",
            "            raise ModelFailed(_text_of(failure)) from failure\n",
            """\
            self._owner.count(None)
            raise ModelFailed(_text_of(failure)) from failure
""",
        ),
    ),
    _of_runtime(
        "a turn has nothing of the one before",
        NEXT,
        Edit("tree", TURN, "        node.conversation = Conversation()\n" + TURN),
    ),
    _of_runtime(
        "items and prompt are one message, the prompt first",
        SHOWN,
        Edit(
            "turn",
            INPUT,
            """\
        if self._prompt or self._items:
            yield "\\n".join([self._prompt, *(self._shown(item) for item in self._items)])
""",
        ),
    ),
    _of_runtime(
        "a task is shown to the child with a heading",
        "how a task is shown to the child",
        Edit("turn", TASK, TASK.replace("prompt)", 'f"[from {self.node.id}]\\n{prompt}")')),
    ),
    _of_runtime(
        "what has failed is marked in no message",
        "what messages say beside their text",
        says=Translation(message=_without_marks),
    ),
]
