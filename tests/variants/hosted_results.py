"""Other ways to tell results, to limit turns, and to show a model what it is to do."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant
from tests.variants._wire import Object, Translation
from tests.variants.hosted import of_runtime

MARKED = "which results are marked as errors, and what text they have"
LIMITS = "which limits there are"
LIMIT = "how limits are named"
NEXT = "what a turn has of the one before"
SHOWN = "how items and tasks are shown to the model"

TURN = "        node.turn = Turn(self, node, prompt)\n"
TASK = "            self._tree.wake(child, prompt)\n"
INPUT = """\
        yield from (self._shown(item) for item in self._items)
        if self._prompt:
            yield self._prompt
"""
RESULT = '        is_error = status == "error"\n'


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
    of_runtime(
        "all results but done are marked as errors",
        MARKED,
        Edit("node", RESULT, '        is_error = status != "done"\n'),
    ),
    of_runtime(
        "a pending result has the prompt of its request for a text",
        MARKED,
        Edit("node", RESULT, RESULT + "        text = pending.prompt if pending is not None else text\n"),
    ),
    of_runtime(
        "statuses and limits have other words, and there is one for no limit",
        LIMIT,
        says=Translation(told=_other_words),
    ),
    of_runtime(
        "errors say only that there is one",
        "the texts of errors",
        says=Translation(refusal=lambda text: "refused"),
    ),
    of_runtime(
        "no budget is heeded",
        LIMITS,
        Edit("turn", "        own = self.node.budget.max_turns\n", '        return ""\n'),
        Edit("turn", "        return self.node.take_tool_call()\n", '        return ""\n'),
        Edit("tree", "    children = parent.budget.max_children\n", "    return\n"),
    ),
    of_runtime(
        "there are limits where none is set",
        LIMITS,
        Edit("budget", "    max_turns: int | None = None\n", "    max_turns: int | None = 6\n"),
        Edit("budget", "    max_depth: int | None = None\n", "    max_depth: int | None = 3\n"),
        Edit("budget", "    max_children: int | None = None\n", "    max_children: int | None = 8\n"),
    ),
    of_runtime(
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
    of_runtime(
        "a turn has nothing of the one before",
        NEXT,
        Edit("tree", TURN, "        node.conversation = Conversation()\n" + TURN),
    ),
    of_runtime(
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
    of_runtime(
        "a task is shown to the child with a heading",
        "how a task is shown to the child",
        Edit("turn", TASK, TASK.replace("prompt)", 'f"[from {self.node.id}]\\n{prompt}")')),
    ),
    of_runtime(
        "what has failed is marked in no message",
        "what messages say beside their text",
        says=Translation(message=_without_marks),
    ),
]
