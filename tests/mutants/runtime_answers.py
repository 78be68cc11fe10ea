"""Faults that show only in a later Answer, at a deeper level, or where a child's result is an unusual one."""

from __future__ import annotations

from tests.mutants import Mutant

STALE = "runtime.resume.stale-answer"
DEEPEST = "runtime.resume.deepest"
TOPMOST = "runtime.resume.topmost-result"
REATTACH = "runtime.resume.reattach"
DECLINED = "runtime.resume.declined"
AGAIN = "runtime.resume.again"
LIST = "runtime.handle.list"
ROLLS_UP = "runtime.delegation.usage-rolls-up"
GROWS = "runtime.resume.grows"
CHECKPOINT = "runtime.resume.checkpoint"
INLINE = "runtime.resume.interpreter-inline"
NEAREST = "runtime.resume.nearest"
IN_CONTEXT = "runtime.resume.answer-in-context"
PARALLEL = "runtime.delegation.parallel"

BEGUN = """\
        self._tree.forget_answer(answer.id, node)
        node.turn.take(answer)
        result = await self._tree.settled(node)
"""
CASCADE = "        while (above := node.turn_above) is not None:\n"
FROM_FIRST = """\
        first = node.depth
        while (above := node.turn_above) is not None and THIS:
"""
FOUND = "        node = self._tree.awaiting(answer.id)\n"
PLACE = "        if place == len(known):\n"
BELOW = "            waiting.extend(reversed(node.children.values()))\n"
SPENT = "        for each in self.chain():\n            each.total_tokens += tokens\n"

ATTEMPT = "        self._rounds = 0\n"
HALT = "        node, first = self.node, ending.halted[0]\n"
TAKEN = "            self._answers[self.awaits.occurrence] = answer\n"
INTERPRETERS = "        for node in self.node.chain():\n"
EXECUTED = "    outcome = await _execute(tool, call, answer)\n"

ALIKE = {"runtime/resume/stale-answer-alike": STALE}
ANY_RESULT = {"runtime/resume/topmost-result-whatever-the-child": TOPMOST}


def _alike(known_is_like: str) -> str:
    return f"""\
        like = (known for known in self._tree._awaiting if {known_is_like})
        answer = Answer(next(like, answer.id), answer.ok, answer.data, answer.reason)
{FOUND}"""


def _spawned_again(which: str) -> str:
    return f"""\
        result = known[place].result if place < len(known) else None
        if result is not None and {which}:
            del known[place:]
{PLACE}"""


MUTANTS: list[Mutant] = [
    Mutant(
        "an Answer can be given until the turn that it brought on is over",
        "runtime",
        BEGUN,
        """\
        if node.state is State.RUNNING:
            node.move(Cause.SUSPENSION)
        node.turn.take(answer)
        result = await self._tree.settled(node)
        if self._tree.awaiting(answer.id) is not None:
            self._tree.forget_answer(answer.id, node)
""",
        {"runtime/resume/stale-answer-while-it-runs": STALE},
    ),
    Mutant(
        "the beginning of a request's id is enough",
        "runtime",
        FOUND,
        _alike("known.startswith(answer.id)"),
        ALIKE,
    ),
    Mutant(
        "nothing but the beginning of an Answer's id is looked at",
        "runtime",
        FOUND,
        _alike("answer.id.startswith(known)"),
        ALIKE,
    ),
    Mutant(
        "capitals make no difference in a request's id",
        "runtime",
        FOUND,
        _alike("known.lower() == answer.id.lower()"),
        ALIKE,
    ),
    Mutant(
        "space around an Answer's id makes no difference",
        "runtime",
        FOUND,
        _alike("known.strip() == answer.id.strip()"),
        ALIKE,
    ),
    Mutant(
        "the parent of a resumed child that has failed stays suspended",
        "runtime",
        CASCADE,
        CASCADE.replace("is not None", 'is not None and result.status != "error"'),
        ANY_RESULT,
    ),
    Mutant(
        "the parent of a resumed child that has come to a limit stays suspended",
        "runtime",
        CASCADE,
        CASCADE.replace("is not None", "is not None and not result.limit"),
        ANY_RESULT,
    ),
    Mutant(
        "the parent of a resumed child that said nothing stays suspended",
        "runtime",
        CASCADE,
        CASCADE.replace("is not None", 'is not None and (result.text or result.status != "done")'),
        ANY_RESULT,
    ),
    Mutant(
        "a child that said nothing begins anew",
        "turn",
        PLACE,
        _spawned_again('result.status == "done" and not result.text'),
        {"runtime/resume/reattach-whatever-the-result": REATTACH, **ANY_RESULT},
    ),
    Mutant(
        "a child that came to a limit begins anew",
        "turn",
        PLACE,
        _spawned_again("result.limit"),
        {"runtime/resume/reattach-whatever-the-result": REATTACH, **ANY_RESULT},
    ),
    Mutant(
        "a child that failed begins anew",
        "turn",
        PLACE,
        _spawned_again("result.is_error"),
        {"runtime/delegation/parallel-one-fails-before-another-suspends": PARALLEL, **ANY_RESULT},
    ),
    Mutant(
        "the second level above a request that was declined stays suspended",
        "runtime",
        CASCADE,
        FROM_FIRST.replace("THIS", "(answer.ok or above.node.depth == first - 1)"),
        {"runtime/resume/declined-two-levels-below": DECLINED},
    ),
    Mutant(
        "the second level above a handle that suspends again is not told",
        "runtime",
        CASCADE,
        FROM_FIRST.replace("THIS", "(result.pending is None or above.node.depth == first - 1)"),
        {"runtime/resume/again-two-levels-below": AGAIN},
    ),
    Mutant(
        "the cascade goes up three levels and no further",
        "runtime",
        CASCADE,
        FROM_FIRST.replace("THIS", "above.node.depth >= first - 3"),
        {"runtime/resume/deepest-of-five": DEEPEST},
    ),
    Mutant(
        "list() goes four levels down and no further",
        "tree",
        BELOW,
        f"            if node.depth < 4:\n    {BELOW}",
        {"runtime/handle/list-of-five-levels": LIST},
    ),
    Mutant(
        "what is taken counts at four levels, its own being one of them",
        "node",
        SPENT,
        """\
        for level, each in enumerate(self.chain()):
            each.total_tokens += tokens if level < 4 else 0
""",
        {"runtime/delegation/usage-rolls-up-from-the-fifth-level": ROLLS_UP},
    ),
    Mutant(
        "the third Answer of a turn displaces the first two",
        "turn",
        TAKEN,
        f"            if len(self._answers) > 1:\n                self._answers.clear()\n{TAKEN}",
        {"runtime/resume/again-three-times": AGAIN},
    ),
    Mutant(
        "the third halt of a turn leaves what was done in the transcript",
        "turn",
        HALT,
        f"{HALT}        if len(self._answers) > 1:\n            self._keep()\n",
        {"runtime/resume/again-three-times": CHECKPOINT},
    ),
    Mutant(
        "with its second Answer a turn counts the handle's turns anew",
        "turn",
        ATTEMPT,
        f"{ATTEMPT}        if len(self._answers) == 2:\n            node.turns = 0\n",
        {"runtime/resume/again-three-times": GROWS},
    ),
    Mutant(
        "a handle's later turn counts its turns anew when it is resumed",
        "turn",
        ATTEMPT,
        f"""\
{ATTEMPT}\
        if cause is Cause.ANSWER and len(node.conversation.view) > 2:
            node.turns = 0
""",
        {"runtime/resume/grows-in-a-later-turn": GROWS},
    ),
    Mutant(
        "a handle's third turn has forgotten the two before it when it is resumed",
        "turn",
        ATTEMPT,
        f"""\
{ATTEMPT}\
        if cause is Cause.ANSWER and len(node.conversation.view) > 2:
            node.conversation = type(node.conversation)()
""",
        {"runtime/resume/checkpoint-after-an-earlier-turn": CHECKPOINT},
    ),
    Mutant(
        "the second Answer of a turn is ok because the first was",
        "turn",
        TAKEN,
        f"            answer = Answer(answer.id, answer.ok or bool(self._answers), answer.data)\n{TAKEN}",
        {"runtime/resume/declined-after-an-ok": DECLINED},
    ),
    Mutant(
        "an interpreter is asked in the first turn of a handle only",
        "turn",
        INTERPRETERS,
        f"        if self.node.result is not None:\n            return None\n{INTERPRETERS}",
        {"runtime/resume/interpreter-in-a-later-turn": INLINE},
    ),
    Mutant(
        "the interpreter of one above is asked in the child's first round only",
        "turn",
        INTERPRETERS,
        f"""\
{INTERPRETERS}\
            if node is not self.node and self._rounds > 1:
                return None
""",
        {"runtime/resume/nearest-each-time": NEAREST},
    ),
    Mutant(
        "a tool finds the Answer without what is empty or false",
        "rounds",
        EXECUTED,
        f"""\
    data = {{key: value for key, value in (answer.data or {{}}).items() if value}}
    answer = Answer(answer.id, answer.ok, data, answer.reason)
{EXECUTED}""",
        {"runtime/resume/answer-in-context-whole": IN_CONTEXT},
    ),
    Mutant(
        "a tool finds an ok Answer without its reason",
        "rounds",
        EXECUTED,
        f"    answer = Answer(answer.id, answer.ok, answer.data)\n{EXECUTED}",
        {"runtime/resume/answer-in-context-whole": IN_CONTEXT},
    ),
]
