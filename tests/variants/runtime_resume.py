"""Other ways to suspend, to go on by an Answer, and to have one given inline."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant

REPLAY = "what a turn is that is run again, and which of its calls are made before it halts"
DECLINED = "how a declined Answer reaches the model"
ASKS_AGAIN = "whether a tool that is run again comes to its suspension once more"
IDS = "the ids of requests"
STALE = "what resume answers where nobody waits for the Answer"
MEANWHILE = "how a handle stands while its interpreter is asked"
FAILING = "what becomes of a turn whose interpreter fails"

ANSWERS = "        answer = self._answers.get(occurrence)\n        if answer is None:\n"
FAILED = (
    '                return ToolOutput(f"It could not be answered: {_text_of(failure)}", is_error=True)\n'
)
NEAREST = """\
    @property
    def wait_for(self) -> WaitFor | None:
"""
SHOWN_SUSPENDED = """\
    @property
    def wait_for(self) -> WaitFor | None:
        interpreter = self.nearest
        if interpreter is None:
            return None

        async def answering(request: Request) -> Answer:
            self.node.move(Cause.SUSPENSION)
            try:
                return await interpreter(request)
            finally:
                if self.node.state is State.SUSPENDED:
                    self.node.move(Cause.ANSWER)

        return answering

"""
COMPLETE = "        request_id = request.id or self._tree.options.new_id()\n"
MAKE_ALL = """\
            limit = limit or self._owner.limit_of_calls()
            result = _CUT_OFF if limit else await self._make(call)
"""
MAKE_ALL_BACKWARDS = """\
        made = {}
        for place, call in reversed([*enumerate(calls)]):
            limit = limit or self._owner.limit_of_calls()
            made[place] = _CUT_OFF if limit else await self._make(call)
        for place, call in enumerate(calls):
            result = made[place]
"""


def _of_runtime(takes: str, point: str, *edits: Edit, client: bool = False) -> Variant:
    return Variant(takes, point, edits, profiles=("runtime", "client") if client else ("runtime",))


VARIANTS: list[Variant] = [
    _of_runtime(
        "a tool that is run again is first executed without its Answer, and then with it",
        ASKS_AGAIN,
        Edit(
            "rounds",
            ANSWERS,
            """\
        answer = self._answers.get(occurrence)
        if answer is not None:
            outcome = await _execute(tool, call, None)
            if not isinstance(outcome, Suspension):
                return outcome
        if answer is None:
""",
        ),
    ),
    _of_runtime(
        "a tool whose request was declined is executed again, with the Answer",
        DECLINED,
        Edit("rounds", "    if not answer.ok:\n        return declined(answer)\n", ""),
        client=True,
    ),
    _of_runtime(
        "of a turn that has halted only the last round is run again",
        REPLAY,
        Edit(
            "turn",
            "        node, first = self.node, ending.halted[0]\n",
            """\
        node, first = self.node, ending.halted[0]
        added = [*self._conversation.view][len(node.conversation.view):]
        last = max(place for place, message in enumerate(added) if message.tool_calls)
        for message in added[:last]:
            node.conversation.append(message)
        self._prompt, self._items = "", ()
""",
        ),
    ),
    _of_runtime(
        "a call that suspends keeps the later calls of its turn from being made",
        REPLAY,
        Edit(
            "rounds",
            MAKE_ALL,
            MAKE_ALL.replace(
                "await self._make(call)", 'await self._make(call) if not halted else ToolOutput("", True)'
            ),
        ),
    ),
    _of_runtime(
        "the calls of a turn are made from the last to the first",
        REPLAY,
        Edit("rounds", "        for call in calls:\n" + MAKE_ALL, MAKE_ALL_BACKWARDS),
    ),
    _of_runtime(
        "every request gets an id of the runtime's own",
        IDS,
        Edit("turn", COMPLETE, COMPLETE.replace("request.id or ", "")),
    ),
    _of_runtime(
        "all requests that were made without an id have the same",
        IDS,
        Edit("turn", COMPLETE, COMPLETE.replace("self._tree.options.new_id()", '"request"')),
    ),
    _of_runtime(
        "data.path is one text",
        "the form of data.path",
        Edit("turn", '"path": [*node.id.split("/")]', '"path": node.id'),
    ),
    _of_runtime(
        "an Answer for which nobody waits is answered with a result that is an error",
        STALE,
        Edit(
            "runtime",
            """\
            raise StaleAnswer(f"no suspended handle waits for an answer to the request {answer.id!r}")
""",
            '            return self._tree.root.task_result("error", "nobody waits for this")\n',
        ),
    ),
    _of_runtime(
        "an Answer is looked at only when what the one before set going has come to its end",
        STALE,
        Edit("runtime", '("_root", "_tree")', '("_lock", "_root", "_tree")'),
        Edit(
            "runtime",
            "        self._tree = Tree(options)\n",
            "        self._lock = __import__('asyncio').Lock()\n        self._tree = Tree(options)\n",
        ),
        Edit(
            "runtime",
            "    async def resume(self, answer: Answer) -> TaskResult:\n",
            """\
    async def resume(self, answer: Answer) -> TaskResult:
        async with self._lock:
            return await self._resume(answer)

    async def _resume(self, answer: Answer) -> TaskResult:
""",
        ),
    ),
    _of_runtime(
        "a resumed handle passes through idle",
        "the states on the way from suspended to running",
        Edit(
            "node",
            "        if self._on_transition is not None:\n",
            """\
        if self._on_transition is not None and cause is Cause.ANSWER:
            self._on_transition(self.id, before, State.IDLE)
            before = State.IDLE
        if self._on_transition is not None:
""",
        ),
    ),
    _of_runtime(
        "a handle is suspended as long as its interpreter is asked",
        MEANWHILE,
        Edit("turn", NEAREST, SHOWN_SUSPENDED + NEAREST.replace("wait_for", "nearest")),
    ),
    _of_runtime(
        "an interpreter that fails is the failure of the run",
        FAILING,
        Edit("rounds", FAILED, "                raise ModelFailed(_text_of(failure)) from failure\n"),
    ),
    _of_runtime(
        "a request whose interpreter fails waits for its Answer as if there were none",
        FAILING,
        Edit(
            "rounds", FAILED, "                return Halted(call, request, occurrence, is_passed_on=False)\n"
        ),
    ),
    _of_runtime(
        "only the suspended agent's own interpreter and the runtime's are asked",
        "whose interpreters are asked",
        Edit("turn", "        for node in self.node.chain():\n", "        for node in (self.node,):\n"),
    ),
    _of_runtime(
        "a child whose result was taken stays idle until the turn of its parent ends",
        "the state of a child whose result was taken",
        Edit("task_tool", "        tree.close(child, force=True)\n", ""),
    ),
    _of_runtime(
        "list() has the root, too",
        "whether list() has the root",
        Edit(
            "runtime", "        return [node.view()", "        return [self._tree.root.view()] + [node.view()"
        ),
    ),
]
