"""Other ways to halt, to go on with an Answer, and to keep conversations."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant
from tests.variants._wire import Object, Translation
from tests.variants.saying import with_more

PLACEHOLDERS = "how many placeholders a halted transcript has"
ORDER = "in which order the calls of a turn are made, and their results stand"
COMPLETED = "what becomes of a completed call beside a halt"
BOTH = "what counts in an Answer with an output and results"
DECLINED = "how a run ends whose request was declined"
BESIDES = "which fields there are beside those that the documents name"

HALTED = """\
                halted.append(result)
                result = ToolOutput.pending(result.request.prompt)
"""
REST = "                if len(halted) > 1:\n                    continue\n"
ADDED = """\
            self._add(result_message(self._conversation.next_id(), call, result, self._owner.now()))
        return halted, limit
"""
MADE = """\
        for call in calls:
            limit = limit or self._owner.limit_of_calls()
            result = _CUT_OFF if limit else await self._make(call)
"""
HISTORY = "        messages = _answered(tuple(history), answer, self._now)\n"
PLAY = (
    "        return await _Passage(self._generate, self._options, toolkit, Conversation(messages)).play()\n"
)
KEPT = "        self._store.put(conversation_id, result.messages)\n"
GIVEN = "    outputs = [given.get(each.id, _NONE_GIVEN) for each in calls]\n"
NEW_ID = "        new_id = self._options.new_id()\n"

WITHOUT_PLACEHOLDERS = (
    Edit(
        "client",
        "    unanswered = {call.id for call in pending_calls(history)}\n",
        """\
    results = [message.tool_result for message in history if message.tool_result is not None]
    had = {result.tool_call_id for result in results if not result.pending}
    unanswered = {call.id for message in history for call in message.tool_calls} - had
""",
    ),
    Edit(
        "client",
        """\
    return [*history[:place], *(_without_placeholder(message, given, now) for message in history[place:])]
""",
        """\
    kept = [each for each in history[place:] if each.tool_result is None or not each.tool_result.pending]
    added = [result_message(f"given-{call.id}", call, output, now()) for call, output in given.values()]
    return [*history[:place], *kept, *added]
""",
    ),
)
"""An Answer finds the calls that wait although they have no placeholder, and adds their results."""


def _of_client(takes: str, point: str, *edits: Edit, says: Translation | None = None) -> Variant:
    return Variant(takes, point, edits, says, profiles=("client",))


def _of_both(takes: str, point: str, *edits: Edit) -> Variant:
    return Variant(takes, point, edits, profiles=("runtime", "client"))


def _with_system(messages: list[Object]) -> list[Object]:
    others = [message for message in messages if message["role"] != "system"]
    return [{"id": "system", "role": "system", "content": "Be brief.", "timestamp": 0}, *others]


def _with_little(method: str, result: Object) -> Object:
    return {key: value for key, value in result.items() if key not in ("limit", "turns", "usage")}


def _without_calls(method: str, result: Object) -> Object:
    request = result.get("pending")
    if not isinstance(request, dict) or request["kind"] != "tool_call":
        return result
    return {**result, "pending": {"id": request["id"], "kind": "relay", "prompt": "Do it.", "data": None}}


VARIANTS: list[Variant] = [
    _of_client(
        "a halted transcript has a placeholder for the first of the calls that wait",
        PLACEHOLDERS,
        Edit("rounds", HALTED, HALTED.replace("                result =", REST + "                result =")),
        *WITHOUT_PLACEHOLDERS,
    ),
    _of_client(
        "a halted transcript has no placeholder",
        PLACEHOLDERS,
        Edit("rounds", HALTED, "                halted.append(result)\n                continue\n"),
        *WITHOUT_PLACEHOLDERS,
    ),
    _of_client(
        "the store has no placeholders, although the result has",
        PLACEHOLDERS,
        Edit(
            "client",
            KEPT,
            """\
        results = {each.id: each.tool_result for each in result.messages}
        waiting = {id for id, each in results.items() if each is not None and each.pending}
        self._store.put(conversation_id, [each for each in result.messages if each.id not in waiting])
""",
        ),
        *WITHOUT_PLACEHOLDERS,
    ),
    _of_client(
        "a placeholder is empty",
        "the text of a placeholder",
        Edit("rounds", HALTED, HALTED.replace("(result.request.prompt)", '("")')),
    ),
    _of_both(
        "the calls of a turn are made at the same time",
        ORDER,
        Edit(
            "rounds",
            MADE,
            """\
        for call, result in zip(calls, await asyncio.gather(*map(self._make, calls)), strict=True):
""",
        ),
    ),
    _of_both(
        "the results of a turn stand from the last to the first",
        ORDER,
        Edit(
            "rounds",
            "        halted: list[Halted] = []\n",
            "        halted: list[Halted] = []\n        results = []\n",
        ),
        Edit(
            "rounds",
            ADDED,
            """\
            results.append((call, result))
        for call, result in reversed(results):
            self._add(result_message(self._conversation.next_id(), call, result, self._owner.now()))
        return halted, limit
""",
        ),
    ),
    _of_both(
        "the model is told of a declined request in other words",
        "the text of a declined request",
        Edit("rounds", """f"The request was not granted: {answer.reason or 'declined'}\"""", '"No."'),
    ),
    _of_client(
        "a completed call beside a halt is made again",
        COMPLETED,
        Edit(
            "client",
            HISTORY,
            HISTORY
            + """\
        calls = {call.id: call for message in messages for call in message.tool_calls}
        for message in history:
            result = message.tool_result
            if result is not None and not result.pending:
                tool, call = toolkit.find(result.tool_name), calls[result.tool_call_id]
                await _execute(tool, call, None)
""",
        ),
        Edit(
            "client",
            "from reference.toolkit import Toolkit\n",
            "from reference.rounds import _execute\nfrom reference.toolkit import Toolkit\n",
        ),
    ),
    _of_client(
        "in an Answer with both the output counts",
        BOTH,
        Edit(
            "relay",
            GIVEN,
            GIVEN + "    if _has_output(answer):\n        outputs[0] = _NONE_GIVEN\n",
        ),
    ),
    _of_client(
        "a declined request ends the run, without a word of the model's",
        DECLINED,
        Edit(
            "client",
            PLAY,
            """\
        if not answer.ok:
            return RunResult("", tuple(messages), "incomplete", None, "declined", 0, Usage(0, 0, 0))
"""
            + PLAY,
        ),
    ),
    _of_client(
        "the result of a run that has gone on still has its request",
        "whether a run that has come to its end has a request",
        Edit(
            "client",
            PLAY,
            """\
        passage = _Passage(self._generate, self._options, toolkit, Conversation(messages))
        it = await passage.play()
        still = it.pending or pending
        return RunResult(it.text, it.messages, it.status, still, it.limit, it.turns, it.usage)
""",
        ),
    ),
    _of_client(
        "the request does not list the calls, and has a kind of its own",
        "what the request of a relayed call has",
        says=Translation(told=_without_calls),
    ),
    _of_client(
        "all requests that were made without an id have the same",
        "the ids of requests",
        Edit("client", NEW_ID, '        new_id = "request"\n'),
    ),
    _of_client(
        "requests are numbered by the messages before them",
        "the ids of requests",
        Edit("client", NEW_ID, '        new_id = f"request-{len(self._conversation.view)}"\n'),
    ),
    _of_client(
        "errors say only that there is one",
        "the texts of errors",
        says=Translation(refusal=lambda text: "refused"),
    ),
    _of_client(
        "the system prompt is a message of the transcript",
        "whether the system prompt is a message",
        says=Translation(conversation=_with_system),
    ),
    _of_client(
        "there are more fields in messages, results and requests",
        BESIDES,
        says=Translation(message=with_more, told=lambda method, result: with_more(result)),
    ),
    _of_client(
        "a result has nothing but text, messages, status and request",
        BESIDES,
        says=Translation(told=_with_little),
    ),
]
