"""Faults that show only where a handle has done something out of the ordinary: said nothing, failed before,
been interrupted, been the eleventh."""

from __future__ import annotations

from tests.mutants import Mutant

HANDLE_DONE = "runtime.handle.done"
SUSPENDED = "runtime.handle.suspended"
ID = "runtime.handle.id"
ID_LAYOUT = "runtime.handle.id-layout"
OWN_TOKENS = "runtime.result.own-tokens"
WAIT_LAST = "runtime.result.wait-last"
POST = "runtime.inbox.post"

IS_ERROR = '        is_error = status == "error"\n'
NODE_ID = '        node_id = f"{parent.id}/{name}.{parent.spawned}"\n'
FILLED_IN = "        return request.filled_in(request_id, data)\n"
SETTLED = "        self.result = result\n"
ITEMS = "        self._items = tuple(node.inbox)\n"

MUTANTS: list[Mutant] = [
    Mutant(
        "a turn without a last text is an error",
        "node",
        IS_ERROR,
        '        is_error = status == "error" or (status == "done" and not text)\n',
        {"runtime/handle/done-without-text": HANDLE_DONE},
    ),
    Mutant(
        "a handle that had an error is an error from then on",
        "node",
        IS_ERROR,
        '        is_error = status == "error" or (self.result is not None and self.result.is_error)\n',
        {"runtime/handle/done-after-an-error": HANDLE_DONE},
    ),
    Mutant(
        "a request's prompt is its first line",
        "turn",
        FILLED_IN,
        """\
        first = request.prompt.split("\\n")[0]
        return Request(request.kind, first, request_id, request.url, data, request.expires_at)
""",
        {"runtime/handle/suspended-in-other-words": SUSPENDED},
    ),
    Mutant(
        "a handle's number has one digit",
        "tree",
        NODE_ID,
        NODE_ID.replace("parent.spawned", "parent.spawned % 10"),
        {"runtime/handle/id-of-the-eleventh": ID},
    ),
    Mutant(
        "an id has the definition's name up to the first hyphen",
        "tree",
        NODE_ID,
        NODE_ID.replace("{name}", "{name.split('-')[0]}"),
        {"runtime/handle/id-layout-with-a-hyphen": ID_LAYOUT},
    ),
    Mutant(
        "an interrupted turn is told to have taken nothing itself",
        "node",
        IS_ERROR,
        f"{IS_ERROR}        if status == 'interrupted':\n            self.own_tokens = 0\n",
        {"runtime/result/own-tokens-when-interrupted": OWN_TOKENS},
    ),
    Mutant(
        "an interrupted turn's result is told to those only who wait when it comes",
        "node",
        SETTLED,
        f"        if self.result is None or result.status != 'interrupted':\n    {SETTLED}",
        {"runtime/result/wait-last-when-interrupted": WAIT_LAST},
    ),
    Mutant(
        "a turn takes three items and loses the others",
        "turn",
        ITEMS,
        ITEMS.replace("node.inbox)", "node.inbox)[:3]"),
        {"runtime/inbox/post-many": POST},
    ),
    Mutant(
        "what is posted while a second turn runs is lost",
        "runtime",
        "        node.inbox.append(Item(",
        """\
        if node.state is State.RUNNING and node.result is not None:
            return
        node.inbox.append(Item(""",
        {"runtime/inbox/post-many": POST},
    ),
]
