"""Faults in how interpreters are found and asked."""

from __future__ import annotations

from tests.mutants import Mutant

INLINE = "runtime.resume.interpreter-inline"
NEAREST = "runtime.resume.nearest"
NEVER_RAISES = "runtime.result.never-raises"

CHAIN = """\
        for node in self.node.chain():
            if node.definition.wait_for is not None:
                return node.definition.wait_for
        return self._tree.options.wait_for
"""
LOOP = "        for node in self.node.chain():\n            if node.definition"
RUNTIMES = "        return self._tree.options.wait_for\n"
ASKED = "                answer = await interpreter(request)\n"
FAILED = (
    '                return ToolOutput(f"It could not be answered: {_text_of(failure)}", is_error=True)\n'
)

MUTANTS: list[Mutant] = [
    Mutant(
        "an agent's own interpreter is not asked",
        "turn",
        LOOP,
        "        for node in [*self.node.chain()][1:]:\n            if node.definition",
        {
            "runtime/resume/interpreter-own": INLINE,
            "runtime/resume/interpreter-declines": INLINE,
            "runtime/resume/interpreter-answers-with-data": INLINE,
            "runtime/resume/interpreter-is-asked-each-time": INLINE,
            "runtime/resume/nearest-own": NEAREST,
            "runtime/resume/nearest-own-before-the-runtimes": NEAREST,
        },
    ),
    Mutant(
        "the runtime's interpreter is not asked",
        "turn",
        RUNTIMES,
        "        return None\n",
        {
            "runtime/resume/interpreter-of-the-runtime": INLINE,
            "runtime/resume/interpreter-of-the-runtime-for-a-child": INLINE,
        },
    ),
    Mutant(
        "the runtime's interpreter is asked only for those whom the host spawned",
        "turn",
        RUNTIMES,
        "        return self._tree.options.wait_for if self.node.turn_above is None else None\n",
        {"runtime/resume/interpreter-of-the-runtime-for-a-child": INLINE},
    ),
    Mutant(
        "a tool is given an interpreter's Answer without its data",
        "rounds",
        ASKED,
        f"{ASKED}                answer = Answer(answer.id, answer.ok)\n",
        {
            "runtime/resume/interpreter-answers-with-data": INLINE,
            "runtime/resume/interpreter-is-asked-each-time": INLINE,
        },
    ),
    Mutant(
        "an interpreter is asked once in a turn",
        "turn",
        CHAIN,
        f"""\
        asked = Turn.child.__dict__.setdefault(self, [])
        asked.append(None)
        if len(asked) > 1:
            return None
{CHAIN}""",
        {"runtime/resume/interpreter-is-asked-each-time": INLINE},
    ),
    Mutant(
        "a request that the interpreter declines waits for an Answer as if there were none",
        "rounds",
        ASKED,
        f"""\
{ASKED}\
                if not answer.ok:
                    return Halted(call, request, occurrence, is_passed_on=False)
""",
        {"runtime/resume/interpreter-declines": INLINE},
    ),
    Mutant(
        "a turn whose interpreter fails is gone, and whoever waits for it is told with an error",
        "rounds",
        FAILED,
        """\
                node = self._owner.node
                node.turn, node.state = None, type(node.state)("idle")
                for waiter in [*node._waiters]:
                    waiter.set_exception(ModelFailed(_text_of(failure)))
                raise
""",
        {"runtime/resume/interpreter-raises": NEVER_RAISES},
    ),
    Mutant(
        "the interpreter that is farthest up is asked",
        "turn",
        LOOP,
        "        for node in reversed([*self.node.chain()]):\n            if node.definition",
        {"runtime/resume/nearest-own": NEAREST, "runtime/resume/nearest-parent": NEAREST},
    ),
    Mutant(
        "the runtime's interpreter is asked before all others",
        "turn",
        CHAIN,
        f"""\
        if self._tree.options.wait_for is not None:
            return self._tree.options.wait_for
{CHAIN}""",
        {
            "runtime/resume/nearest-own-before-the-runtimes": NEAREST,
            "runtime/resume/nearest-grandparent": NEAREST,
        },
    ),
    Mutant(
        "of those above only the parent's interpreter is asked",
        "turn",
        LOOP,
        "        for node in [*self.node.chain()][:2]:\n            if node.definition",
        {"runtime/resume/nearest-grandparent": NEAREST, "runtime/resume/nearest-alone": NEAREST},
    ),
    Mutant(
        "of those above only whoever delegated has an interpreter to ask",
        "turn",
        LOOP,
        """\
        for node in self.node.chain():
            if node is not self.node and self.node.turn_above is None:
                break
            if node.definition""",
        {"runtime/resume/nearest-of-who-spawned": NEAREST},
    ),
]
