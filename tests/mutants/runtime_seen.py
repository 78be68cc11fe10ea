"""Faults that show only where two things meet: a suspension and what is counted, posted, listed or spent
beside it; two calls of one tool; two runtimes in one process."""

from __future__ import annotations

from tests.mutants import Mutant

OWN = "runtime.result.own-tokens"
RAISES = "runtime.result.never-raises"
AGAIN = "runtime.resume.again"
NOTHING = "runtime.resume.nothing-suspended"
DONE = "runtime.resume.done"
CHECKPOINT = "runtime.resume.checkpoint"
CHAIN_PENDING = "runtime.resume.chain-pending"
WHOLE = "runtime.resume.request-whole"
SUSPENDED = "runtime.handle.suspended"
LIST = "runtime.handle.list"
POST = "runtime.inbox.post"
ROLLS_UP = "runtime.delegation.usage-rolls-up"
TOKENS = "runtime.limits.tokens"

TAKEN = "            self._answers[self.awaits.occurrence] = answer\n"
ATTEMPT = "        self._taken.clear()\n"
ANSWER = "        answer = self._answers.get(occurrence)\n"
TABLE = "        self._awaiting: dict[str, list[Node]] = {}\n"
INPUT = "        yield from (self._shown(item) for item in self._items)\n"
OVER = "        node.turn = None\n"
HALT = "        node.move(Cause.SUSPENSION)\n"
VIEWS = "[node.view() for node in self._tree.walk(self._tree.root)]"
DATA = "{**(request.data or {}), "
PASSED_ON = "            return Suspension(result.pending, is_passed_on=True)\n"
FILLED_IN = "request_id, self.url, data, self.expires_at)\n"
END = "        for children in self._children.values():\n"
IS_ERROR = '        is_error = status == "error"\n'
RESUMED = "        node.turn.take(answer)\n        result = await self._tree.settled(node)\n"
WAIT = "        node = self._node(handle)\n        if node.state is not State.RUNNING:\n"

TAKEN_BACK = """\
        if result.status == "error":
            for each in [*node.chain()][1:]:
                each.total_tokens -= node.own_tokens
"""
GIVEN_BACK = """\
        if result.status == "error":
            for each in node.limited:
                if each.budget.max_tokens is not None:
                    each.budget = type(each.budget)(max_tokens=each.budget.max_tokens + node.own_tokens)
"""


def _of_interrupted(fault: str) -> str:
    return fault.replace('"error"', '"interrupted"')


MUTANTS: list[Mutant] = [
    Mutant(
        "what a turn took before it suspended counts twice in own_tokens once it is resumed",
        "turn",
        TAKEN,
        f"{TAKEN}            self.node.own_tokens += self.node.own_tokens\n",
        {"runtime/result/own-tokens-after-a-resume": OWN},
    ),
    Mutant(
        "what a parent took before its child suspended counts twice in own_tokens once it runs again",
        "turn",
        ATTEMPT,
        f"""\
{ATTEMPT}\
        if cause is Cause.ANSWER and self._children:
            node.own_tokens += node.own_tokens
""",
        {"runtime/result/own-tokens-of-a-resumed-parent": OWN},
    ),
    Mutant(
        "own_tokens begins anew with each attempt",
        "turn",
        ATTEMPT,
        f"{ATTEMPT}        if cause is Cause.ANSWER:\n            node.own_tokens = 0\n",
        {
            "runtime/result/own-tokens-after-a-resume": OWN,
            "runtime/result/own-tokens-of-a-resumed-parent": OWN,
        },
    ),
    Mutant(
        "an Answer is given to every call of the tool that asked",
        "rounds",
        ANSWER,
        "        answer = next((it for of, it in self._answers.items() if of[0] == call.name), None)\n",
        {
            "runtime/resume/again-by-the-same-tool": AGAIN,
            "runtime/resume/again-by-the-same-tool-of-one-message": AGAIN,
        },
    ),
    Mutant(
        "all runtimes have one table of who waits for which Answer",
        "tree",
        TABLE,
        '        self._awaiting = Tree.await_answer.__dict__.setdefault("all", {})\n',
        {
            "runtime/resume/nothing-suspended-in-this-runtime": NOTHING,
            "runtime/resume/done-in-this-runtime": DONE,
        },
    ),
    Mutant(
        "a turn that is run again has lost what it had taken from the inbox",
        "turn",
        INPUT,
        f"        if not self._answers:\n    {INPUT}",
        {"runtime/resume/checkpoint-with-what-was-posted": CHECKPOINT},
    ),
    Mutant(
        "what a turn took from the inbox is put back once it has been run again",
        "turn",
        OVER,
        f"{OVER}        if self._answers:\n            node.inbox.extendleft(reversed(self._items))\n",
        {"runtime/inbox/post-before-a-suspension": POST},
    ),
    Mutant(
        "an Answer empties the inbox",
        "turn",
        ATTEMPT,
        f"{ATTEMPT}        if cause is Cause.ANSWER:\n            node.inbox.clear()\n",
        {"runtime/inbox/post-before-it-suspends": POST},
    ),
    Mutant(
        "a suspension empties the inbox",
        "turn",
        HALT,
        f"{HALT}        node.inbox.clear()\n",
        {"runtime/inbox/post-before-it-suspends": POST},
    ),
    Mutant(
        "list() has no child of a task that is suspended",
        "runtime",
        VIEWS,
        VIEWS.replace("]", " if not (node.turn_above and node.state is State.SUSPENDED)]"),
        {"runtime/handle/list-suspended": LIST},
    ),
    Mutant(
        "a request has no data but the path",
        "turn",
        DATA,
        "{",
        {
            "runtime/handle/suspended-with-data": SUSPENDED,
            "runtime/resume/chain-pending-with-data": CHAIN_PENDING,
        },
    ),
    Mutant(
        "a request that is passed on to a parent has no data but the path",
        "task_tool",
        PASSED_ON,
        """\
            request, path = result.pending, (result.pending.data or {})["path"]
            return Suspension(request.filled_in(request.id, {"path": path}), is_passed_on=True)
""",
        {"runtime/resume/chain-pending-with-data": CHAIN_PENDING},
    ),
    Mutant(
        "a request does not say where to go to answer it",
        "answer",
        FILLED_IN,
        FILLED_IN.replace("self.url", "None"),
        {"runtime/resume/request-whole": WHOLE, "runtime/resume/request-whole-of-a-child": WHOLE},
    ),
    Mutant(
        "a request does not say when it expires",
        "answer",
        FILLED_IN,
        FILLED_IN.replace(", self.expires_at", ""),
        {"runtime/resume/request-whole": WHOLE, "runtime/resume/request-whole-of-a-child": WHOLE},
    ),
    Mutant(
        "a request that is passed on to a parent says neither where to go nor when it expires",
        "task_tool",
        PASSED_ON,
        """\
            request = result.pending
            passed_on = type(request)(request.kind, request.prompt, request.id, None, request.data)
            return Suspension(passed_on, is_passed_on=True)
""",
        {"runtime/resume/request-whole-of-a-child": WHOLE},
    ),
    Mutant(
        "the tokens of a child that fails are taken back from those above",
        "turn",
        END,
        TAKEN_BACK + END,
        {"runtime/delegation/usage-rolls-up-from-a-failed-child": ROLLS_UP},
    ),
    Mutant(
        "the tokens of a child that is interrupted are taken back from those above",
        "turn",
        END,
        _of_interrupted(TAKEN_BACK) + END,
        {"runtime/delegation/usage-rolls-up-from-an-interrupted-child": ROLLS_UP},
    ),
    Mutant(
        "what a turn spent is given back to the pools when it fails",
        "turn",
        END,
        GIVEN_BACK + END,
        {"runtime/limits/tokens-of-a-failed-turn": TOKENS},
    ),
    Mutant(
        "what a turn spent is given back to the pools when it is interrupted",
        "turn",
        END,
        _of_interrupted(GIVEN_BACK) + END,
        {"runtime/limits/tokens-of-an-interrupted-turn": TOKENS},
    ),
    Mutant(
        "what a turn spent is given back to the pools when it suspends",
        "turn",
        HALT,
        GIVEN_BACK.replace('"error"', '"pending"') + HALT,
        {"runtime/limits/tokens-of-a-suspended-turn": TOKENS},
    ),
    Mutant(
        "the failure of a resumed run is not marked as an error",
        "node",
        IS_ERROR,
        IS_ERROR.replace("\n", " and not (self.turn and self.turn._answers)\n"),
        {"runtime/result/never-raises-at-a-resume": RAISES},
    ),
    Mutant(
        "resume raises the failure of the run that it resumed",
        "runtime",
        RESUMED,
        f"{RESUMED}        if result.is_error:\n            raise NothingToDo(result.text)\n",
        {"runtime/result/never-raises-at-a-resume": RAISES},
    ),
    Mutant(
        "a tool's failure is raised where its run is waited for",
        "runtime",
        WAIT,
        """\
        node = self._node(handle)
        if timeout is None and node.definition.tools:
            await self._tree.settled(node)
            for message in node.conversation.view:
                if message.tool_result is not None and message.tool_result.is_error:
                    raise NothingToDo(message.content)
        if node.state is not State.RUNNING:
""",
        {"runtime/result/never-raises-in-a-tool": RAISES},
    ),
]
