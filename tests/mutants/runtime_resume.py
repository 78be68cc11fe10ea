"""Faults in how an Answer is brought to a suspended handle, and its turn run again."""

from __future__ import annotations

from tests.mutants import Mutant

DONE = "runtime.resume.done"
IN_CONTEXT = "runtime.resume.answer-in-context"
CHECKPOINT = "runtime.resume.checkpoint"
GROWS = "runtime.resume.grows"
DECLINED = "runtime.resume.declined"
AGAIN = "runtime.resume.again"
NOTHING = "runtime.resume.nothing-suspended"
STALE = "runtime.resume.stale-answer"
STALE_ERROR = "runtime.resume.stale-answer-error"

ATTEMPT = "        self._rounds = 0\n        self._taken.clear()\n"
TAKE = "        if self.awaits is not None:\n            self._answers[self.awaits.occurrence] = answer\n"
FOUND = "        node = self._tree.awaiting(answer.id)\n"
CASCADE = "        while (above := node.turn_above) is not None:\n"
REFUSED = """\
            raise StaleAnswer(f"no suspended handle waits for an answer to the request {answer.id!r}")
"""
ANSWERS = "        answer = self._answers.get(occurrence)\n        if answer is None:\n"
HALT = "        node, first = self.node, ending.halted[0]\n"

MUTANTS: list[Mutant] = [
    Mutant(
        "the deepest of all suspended handles takes an Answer, whatever request it answers",
        "runtime",
        FOUND,
        """\
        waiting = [each for each in self._tree.walk(self._tree.root) if each.turn and each.turn.awaits]
        node = max(waiting, key=lambda each: each.depth, default=None)
        if node is not None:
            answer = Answer(node.turn.awaits.request.id, answer.ok, answer.data, answer.reason)
""",
        {
            "runtime/resume/done-in-another-branch": DONE,
            "runtime/resume/stale-answer": STALE,
            "runtime/resume/stale-answer-declined": STALE,
            "runtime/resume/stale-answer-in-a-chain": STALE,
        },
    ),
    Mutant(
        "no parent runs again after a child that was resumed",
        "runtime",
        CASCADE,
        "        while False and (above := node.turn_above) is not None:\n",
        {"runtime/resume/done-in-another-branch": DONE},
        not_local="every chain that is resumed has a parent",
    ),
    Mutant(
        "a resumed turn that has come to its end leaves its handle suspended",
        "turn",
        '        if node.state is State.RUNNING and result.status != "closed":\n',
        "        if self._answers and node.state is State.RUNNING:\n            node.move(Cause.SUSPENSION)\n"
        '        elif node.state is State.RUNNING and result.status != "closed":\n',
        {"runtime/resume/done": DONE},
        not_local="the end of a resumed turn is looked at again and again",
    ),
    Mutant(
        "an Answer with a hyphen in its id finds no request",
        "runtime",
        FOUND,
        FOUND.replace("answer.id", "answer.id.replace('-', '')"),
        {"runtime/resume/done-with-the-tools-id": DONE},
    ),
    Mutant(
        "a tool finds the Answer without its data",
        "rounds",
        "    outcome = await _execute(tool, call, answer)\n",
        "    outcome = await _execute(tool, call, Answer(answer.id, answer.ok))\n",
        {"runtime/resume/answer-in-context": IN_CONTEXT},
    ),
    Mutant(
        "an Answer is at hand in the handle's next turns, too",
        "turn",
        "        self._answers: dict[Occurrence, Answer] = {}\n",
        "        self._answers = Turn.take.__dict__.setdefault(node, {})\n",
        {"runtime/resume/answer-in-context-of-one-turn": IN_CONTEXT},
    ),
    Mutant(
        "a turn that halts leaves what it did in the transcript",
        "turn",
        HALT,
        f"{HALT}        self._keep()\n",
        {
            "runtime/resume/checkpoint": CHECKPOINT,
            "runtime/resume/checkpoint-after-an-earlier-turn": CHECKPOINT,
            "runtime/resume/checkpoint-of-each-level": CHECKPOINT,
        },
    ),
    Mutant(
        "a turn that halts is undone with all that was there before",
        "turn",
        HALT,
        f"{HALT}        node.conversation = type(node.conversation)()\n",
        {"runtime/resume/checkpoint-after-an-earlier-turn": CHECKPOINT},
    ),
    Mutant(
        "a parent whose child is suspended keeps the call that waits for it",
        "turn",
        HALT,
        f"{HALT}        if first.is_passed_on:\n            self._keep()\n",
        {"runtime/resume/checkpoint-of-each-level": CHECKPOINT},
    ),
    Mutant(
        "a turn that is run again does not make those of its calls again that had a result",
        "rounds",
        """\
        answer = self._answers.get(occurrence)
        if answer is None:
            outcome = await _execute(tool, call, None)
            if not isinstance(outcome, Suspension):
                return outcome
""",
        """\
        answer = self._answers.get(occurrence)
        if isinstance(answer, ToolOutput):
            return answer
        if answer is None:
            outcome = await _execute(tool, call, None)
            if not isinstance(outcome, Suspension):
                if self._answers is not _NO_ANSWERS:
                    self._answers[occurrence] = outcome
                return outcome
""",
        {"runtime/resume/checkpoint-own-tools": CHECKPOINT},
    ),
    Mutant(
        "a resumed turn counts the handle's turns anew",
        "turn",
        ATTEMPT,
        f"{ATTEMPT}        if cause is Cause.ANSWER:\n            node.turns = 0\n",
        {"runtime/resume/grows": GROWS, "runtime/resume/grows-at-each-level": GROWS},
    ),
    Mutant(
        "a resumed turn counts the handle's tokens anew",
        "turn",
        ATTEMPT,
        f"{ATTEMPT}        if cause is Cause.ANSWER:\n            node.total_tokens = node.own_tokens = 0\n",
        {"runtime/resume/grows": GROWS, "runtime/resume/grows-at-each-level": GROWS},
    ),
    Mutant(
        "what a resumed child takes is not counted above it",
        "turn",
        "            self.node.spend(usage.total)\n",
        """\
            for each in [self.node] if self._answers else self.node.chain():
                each.total_tokens += usage.total
            self.node.own_tokens += usage.total
""",
        {"runtime/resume/grows-at-each-level": GROWS},
    ),
    Mutant(
        "a declined Answer is the failure of the run",
        "rounds",
        "        return declined(answer)\n",
        "        raise ModelFailed(declined(answer).content)\n",
        {
            "runtime/resume/declined": DECLINED,
            "runtime/resume/declined-without-a-reason": DECLINED,
            "runtime/resume/declined-leaf": DECLINED,
        },
    ),
    Mutant(
        "resume answers a declined Answer with an error",
        "runtime",
        FOUND,
        f"        if not answer.ok:\n            raise StaleAnswer('declined')\n{FOUND}",
        {"runtime/resume/declined": DECLINED},
    ),
    Mutant(
        "an Answer without a reason is taken for an ok one",
        "turn",
        TAKE,
        f"        answer = Answer(answer.id, answer.ok or not answer.reason, answer.data)\n{TAKE}",
        {"runtime/resume/declined-without-a-reason": DECLINED},
    ),
    Mutant(
        "the parents of a handle whose request was declined stay suspended",
        "runtime",
        CASCADE,
        CASCADE.replace("while ", "while answer.ok and "),
        {"runtime/resume/declined-leaf": DECLINED},
    ),
    Mutant(
        "an Answer for which nobody waits is answered with done",
        "runtime",
        REFUSED,
        '            return self._tree.root.task_result("done")\n',
        {"runtime/resume/nothing-suspended": NOTHING, "runtime/resume/nothing-suspended-any-more": NOTHING},
    ),
    Mutant(
        "an Answer for which nobody waits is answered with the result of the turn before",
        "runtime",
        REFUSED,
        """\
            latest = [each.result for each in self._tree.walk(self._tree.root) if each.result is not None]
            return latest[-1] if latest else self._tree.root.task_result("error")
""",
        {"runtime/resume/nothing-suspended-any-more": NOTHING},
    ),
    Mutant(
        "an Answer for which nobody waits is passed over in silence",
        "runtime",
        REFUSED,
        '            return self._tree.root.task_result("interrupted")\n',
        {
            "runtime/resume/stale-answer-error": STALE_ERROR,
            "runtime/resume/stale-answer-error-when-answered-before": STALE_ERROR,
        },
    ),
    Mutant(
        "an Answer that comes a second time is passed over in silence",
        "runtime",
        FOUND,
        f"""\
        known = self.resume.__func__.__dict__.setdefault(self._tree, set())
        if answer.id in known:
            return self._tree.root.task_result("interrupted")
        known.add(answer.id)
{FOUND}""",
        {
            "runtime/resume/stale-answer-error-when-answered-before": STALE_ERROR,
            "field/first-answer-told-that-it-is-late": STALE_ERROR,
        },
    ),
    Mutant(
        "an Answer that has no request ends the waiting of all if it is a declined one",
        "runtime",
        REFUSED,
        f"""\
            for each in [*self._tree.walk(self._tree.root)] if not answer.ok else ():
                if each.turn is not None and each.turn.awaits is not None:
                    each.turn.abort("interrupted")
{REFUSED}""",
        {"runtime/resume/stale-answer-declined": STALE},
    ),
    Mutant(
        "an Answer that has no request makes the parents look whether there is one",
        "runtime",
        REFUSED,
        f"""\
            for each in self._tree.walk(self._tree.root):
                if each.turn is not None and each.state is State.SUSPENDED and each.turn.awaits is None:
                    each.turn.attempt(Cause.ANSWER)
{REFUSED}""",
        {"runtime/resume/stale-answer-in-a-chain": STALE},
    ),
    Mutant(
        "the Answer of a resume is given to all that asks in that attempt",
        "rounds",
        ANSWERS,
        """\
        answer = self._answers.get(occurrence)
        if answer is None and self._answers and call.name != "task":
            answer = [*self._answers.values()][-1]
        if answer is None:
""",
        {
            "runtime/resume/again": AGAIN,
            "runtime/resume/again-beside-the-first": AGAIN,
            "runtime/resume/again-after-a-decline": AGAIN,
            "runtime/resume/again-in-a-chain": AGAIN,
        },
    ),
    Mutant(
        "a turn that suspends a second time has lost its first Answer",
        "turn",
        TAKE,
        "        if self.awaits is not None:\n            self._answers = {self.awaits.occurrence: answer}\n",
        {"runtime/resume/again": AGAIN, "runtime/resume/again-beside-the-first": AGAIN},
    ),
    Mutant(
        "a declined Answer is forgotten once the model has been told",
        "rounds",
        "        return declined(answer)\n",
        """\
        frame = __import__("sys")._getframe(1).f_locals
        frame["self"]._answers.pop(frame["occurrence"], None)
        return declined(answer)
""",
        {"runtime/resume/again-after-a-decline": AGAIN},
    ),
    Mutant(
        "a chain whose child suspends again is pending with the first request",
        "task_tool",
        "        if result.pending is not None:\n",
        """\
        if result.pending is not None:
            first = task_tool.__dict__.setdefault((turn.node, agent, prompt), result.pending)
            return Suspension(first, is_passed_on=True)
        if result.pending is not None:
""",
        {"runtime/resume/again-in-a-chain": AGAIN},
    ),
]
