"""Faults in chains of handles, of which the one at the end is suspended: what each level says, and how the
Answer comes to it and its result goes up."""

from __future__ import annotations

from tests.mutants import Mutant

PATH = "runtime.resume.path"
CHAIN_PENDING = "runtime.resume.chain-pending"
REQUEST_ID = "runtime.resume.request-id"
DEEPEST = "runtime.resume.deepest"
REATTACH = "runtime.resume.reattach"
TOPMOST = "runtime.resume.topmost-result"

SEGMENTS = '"path": [*node.id.split("/")]'
ID = "        request_id = request.id or self._tree.options.new_id()\n"
PASSED_ON = "            return Suspension(result.pending, is_passed_on=True)\n"
PENDING = '        result = node.task_result("pending", ending.text, pending=first.request)\n'
FOUND = "        node = self._tree.awaiting(answer.id)\n"
BEGUN = "        node.turn.take(answer)\n        result = await self._tree.settled(node)\n"
ABOVE = "            above.attempt(Cause.ANSWER)\n            result = await self._tree.settled(node)\n"
RETURN = "            result = await self._tree.settled(node)\n        return result\n"
TAKEN = "        self._taken.clear()\n"
KNOWN = "        known, place = self._children[key], self._taken[key]\n"
FIRST = "        node, first = self.node, ending.halted[0]\n"

MUTANTS: list[Mutant] = [
    Mutant(
        "the path in a request leaves out the root",
        "turn",
        SEGMENTS,
        '"path": [*node.id.split("/")][1:]',
        {"runtime/resume/path": PATH, "runtime/resume/path-of-a-child": PATH},
    ),
    Mutant(
        "the path in a request ends with the first level",
        "turn",
        SEGMENTS,
        '"path": [*node.id.split("/")][:2]',
        {
            "runtime/resume/path-of-a-child": PATH,
            "runtime/resume/chain-pending": CHAIN_PENDING,
            "runtime/resume/chain-pending-of-three": CHAIN_PENDING,
        },
    ),
    Mutant(
        "each level puts its own path into the request of the one below",
        "turn",
        PENDING,
        f"""\
        if first.is_passed_on:
            request = self.complete(first.request)
            first = Halted(first.call, request, first.occurrence, first.is_passed_on)
{PENDING}""",
        {
            "runtime/resume/chain-pending": CHAIN_PENDING,
            "runtime/resume/chain-pending-of-three": CHAIN_PENDING,
        },
    ),
    Mutant(
        "a parent whose child is suspended is pending with a request of its own making",
        "turn",
        PENDING,
        f"""\
        if first.is_passed_on:
            request = Request("task", "a task waits", first.request.id, None, first.request.data)
            first = Halted(first.call, request, first.occurrence, first.is_passed_on)
{PENDING}""",
        {
            "runtime/resume/chain-pending": CHAIN_PENDING,
            "runtime/resume/chain-pending-of-three": CHAIN_PENDING,
        },
    ),
    Mutant(
        "a request from two levels below is taken for one of the parent's own",
        "task_tool",
        PASSED_ON,
        PASSED_ON.replace("=True", "=child.turn is None or child.turn.awaits is not None"),
        {"runtime/resume/chain-pending-of-three": CHAIN_PENDING},
    ),
    Mutant(
        "a request is passed on as it was made",
        "turn",
        ID,
        "        request_id = request.id\n",
        {"runtime/resume/request-id": REQUEST_ID, "runtime/resume/request-id-of-a-child": REQUEST_ID},
        not_local="whoever is to answer has no id to repeat",
    ),
    Mutant(
        "the request of one that is not at the top is passed on as it was made",
        "turn",
        ID,
        '        request_id = request.id or ("" if node.depth > 1 else self._tree.options.new_id())\n',
        {"runtime/resume/request-id-of-a-child": REQUEST_ID},
    ),
    Mutant(
        "the parents of a resumed handle run beside it",
        "runtime",
        BEGUN,
        """\
        above = node.turn_above
        node.turn.take(answer)
        while above is not None and above.node.state is State.SUSPENDED and above.awaits is None:
            above.attempt(Cause.ANSWER)
            node, above = above.node, above.node.turn_above
        result = await self._tree.settled(node)
""",
        {"runtime/resume/deepest": DEEPEST},
    ),
    Mutant(
        "the parent of a resumed handle runs again, whether it is suspended or not",
        "runtime",
        FOUND,
        f"""\
{FOUND}\
        if node is not None and node.depth > 1 and node.parent.state is State.IDLE:
            self._tree.wake(node.parent, "Go on.")
""",
        {"runtime/resume/deepest-below-an-idle-parent": DEEPEST},
    ),
    Mutant(
        "a parent that runs again spawns its children again",
        "turn",
        TAKEN,
        f"{TAKEN}        self._children.clear()\n",
        {
            "runtime/resume/reattach": REATTACH,
            "runtime/resume/reattach-at-each-level": REATTACH,
            "runtime/resume/reattach-to-a-settled-child": REATTACH,
            "runtime/resume/reattach-beside-an-own-request": REATTACH,
            "field/side-effect-before-a-childs-suspension": REATTACH,
        },
        not_local="in every chain that is resumed there is a child to go on with",
    ),
    Mutant(
        "a parent that is a child itself spawns its children again",
        "turn",
        TAKEN,
        f"{TAKEN}        if self.node.depth > 1:\n            self._children.clear()\n",
        {"runtime/resume/reattach-at-each-level": REATTACH},
    ),
    Mutant(
        "a child whose result has been taken is not found again",
        "turn",
        KNOWN,
        f"""\
{KNOWN}\
        known[:] = [each for each in known if each.state is not State.CLOSED]
        place = min(place, len(known))
""",
        {
            "runtime/resume/reattach-to-a-settled-child": REATTACH,
            "runtime/resume/reattach-beside-an-own-request": REATTACH,
        },
    ),
    Mutant(
        "a turn whose own tool suspends forgets its children",
        "turn",
        FIRST,
        f"{FIRST}        if not first.is_passed_on:\n            self._children.clear()\n",
        {"runtime/resume/reattach-beside-an-own-request": REATTACH},
    ),
    Mutant(
        "resume returns the result of the handle that had the Answer",
        "runtime",
        ABOVE,
        ABOVE.replace("result = ", ""),
        {
            "runtime/resume/topmost-result": TOPMOST,
            "runtime/resume/topmost-result-below-an-idle-parent": TOPMOST,
        },
    ),
    Mutant(
        "resume returns the result of whoever is below the root, run again or not",
        "runtime",
        RETURN,
        """\
            result = await self._tree.settled(node)
        while node.depth > 1 and node.parent.result is not None:
            node = node.parent
        return node.result
""",
        {"runtime/resume/topmost-result-below-an-idle-parent": TOPMOST},
    ),
]
