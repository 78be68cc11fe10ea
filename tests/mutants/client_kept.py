"""Faults that spare what is short, plain or alone: in ids that are alike, in outputs, in how much is kept."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants.client import ANSWERED, ECHO, GATHERED, KEPT, OUTPUT, PUT, STORED, WIRE

RESULTS = (
    "    given = {each.id: ToolOutput(each.output, is_error=each.is_error) for each in _results(answer)}\n"
)
PLACED = "    given = {call.id: (call, output) for call, output in zip(waiting, outputs, strict=True)}\n"
ANSWER = "        messages = _answered(tuple(history), answer, self._now)\n"
NO_LIST = 'not isinstance(_data(answer).get("results"), list)'
FOUND = "            yield self._store.get(conversation_id) or ()\n"
INTERPRETER = "        return self._options.wait_for\n"
WRITTEN = "        written = json.dumps([each.to_json() for each in messages])\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="The id of an Answer may be the beginning of the request's",
        module="relay",
        old=ECHO,
        new="    if not request.id.startswith(answer.id):\n",
        caught_by={"client/answer/must-echo-nearly": "client.answer.must-echo"},
    ),
    Mutant(
        breaks="The id of an Answer may differ from the request's in its capitals",
        module="relay",
        old=ECHO,
        new="    if answer.id.lower() != request.id.lower():\n",
        caught_by={"client/answer/must-echo-nearly": "client.answer.must-echo"},
    ),
    Mutant(
        breaks="The id of an Answer may differ from the request's in the space around it",
        module="relay",
        old=ECHO,
        new="    if answer.id.strip() != request.id.strip():\n",
        caught_by={"client/answer/must-echo-nearly": "client.answer.must-echo"},
    ),
    Mutant(
        breaks="The id of a declined Answer is compared for runs and not for conversations",
        module="client",
        old=STORED,
        new="""\
            answer = answer if answer.ok else Answer(pending.id, False)
"""
        + STORED,
        caught_by={"client/store/rejected-leaves-alone": "client.store.rejected-leaves-alone"},
    ),
    Mutant(
        breaks="Results that are null are taken for no results",
        module="relay",
        old=NO_LIST,
        new='"results" not in _data(answer)',
        caught_by={"client/answer/must-carry-text": "client.answer.must-carry"},
    ),
    Mutant(
        breaks="An output has line feeds only",
        module="relay",
        old=OUTPUT,
        new=OUTPUT.replace('str(data["output"])', 'str(data["output"]).replace("\\r", "")'),
        caught_by={"client/answer/exact-output-with-line-ends": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="An output ends at its first NUL",
        module="relay",
        old=OUTPUT,
        new=OUTPUT.replace('str(data["output"])', 'str(data["output"]).partition("\\0")[0]'),
        caught_by={"client/answer/exact-output-with-line-ends": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="An output that is JSON is written anew",
        module="relay",
        old=OUTPUT,
        new="""\
        text = str(data["output"])
        if text.startswith("{"):
            text = json.dumps(json.loads(text))
        outputs[0] = ToolOutput(text, is_error=data.get("isError") is True)
""",
        caught_by={"client/answer/exact-output-of-json": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="Each of several outputs is stripped of the space around it",
        module="relay",
        old=RESULTS,
        new=RESULTS.replace("each.output,", "each.output.strip(),"),
        caught_by={"client/answer/exact-output-of-several": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="Of several outputs the empty ones are none",
        module="relay",
        old=RESULTS,
        new=RESULTS.replace("_results(answer)}", "_results(answer) if each.output}"),
        caught_by={"client/answer/exact-output-of-several": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="A result for a call that nobody made is added to the others",
        module="client",
        old=PLACED,
        new=PLACED
        + """\
    told = (answer.data or {}).get("results")
    for each in told if isinstance(told, list) else []:
        if each["id"] not in given:
            unasked = result_message(
                f"for-{each['id']}", ToolCall(each["id"], "unknown", {}), ToolOutput(each["output"]), now()
            )
            replaced = (_without_placeholder(message, given, now) for message in history[place:])
            return [*history[:place], *replaced, unasked]
""",
        caught_by={"client/answer/one-result-each-and-no-other": "client.answer.one-result-each"},
    ),
    Mutant(
        breaks="An output counts even if the Answer declines",
        module="client",
        old=ANSWERED,
        new=ANSWERED.replace("if answer.ok", 'if answer.ok or (answer.data or {}).get("output")'),
        caught_by={"client/answer/declined-with-output": "client.answer.declined"},
    ),
    Mutant(
        breaks="A conversation that halts again is not stored",
        module="client",
        old=STORED,
        new=STORED.replace(
            "            return self._kept(conversation_id, result)\n",
            '            return self._kept(conversation_id, result) if result.status == "done" else result\n',
        ),
        caught_by={"client/answer/halts-again-stored": "client.answer.halts-again"},
    ),
    Mutant(
        breaks="A conversation that has gone on once is not stored when it halts",
        module="client",
        old=KEPT,
        new="""\
        results = [message.tool_result for message in result.messages if message.tool_result is not None]
        if result.status != "pending" or all(each.pending for each in results):
            self._store.put(conversation_id, result.messages)
        return result
""",
        caught_by={"client/store/round-trip-of-a-long-conversation": "client.store.halted-saved"},
    ),
    Mutant(
        breaks="A run that goes on has the last eight messages before its calls",
        module="client",
        old="    return [*history[:place], *(_",
        new="    return [*history[max(0, place - 8) : place], *(_",
        caught_by={"client/store/round-trip-of-a-long-conversation": "client.store.round-trip"},
    ),
    Mutant(
        breaks="The ids of conversations are compared without their capitals",
        module="client",
        old=FOUND,
        new=FOUND.replace("or ()", "or self._store.get(conversation_id.lower()) or ()"),
        caught_by={"client/store/round-trip-of-ids-alike": "client.store.round-trip"},
    ),
    Mutant(
        breaks="A conversation is stored below the last part of its id as well",
        module="client",
        old=KEPT,
        new='        self._store.put(conversation_id.split("/")[-1], result.messages)\n' + KEPT,
        caught_by={"client/store/round-trip-of-ids-alike": "client.store.round-trip"},
    ),
    Mutant(
        breaks="A store on disk has one conversation",
        module="store",
        old=PUT,
        new='        self._connection.execute("DELETE FROM conversations")\n' + PUT,
        caught_by={"client/store/durable-kept-whole": "client.store.durable"},
    ),
    Mutant(
        breaks="A store on disk does not know which results are errors",
        module="store",
        old=WRITTEN,
        new=WRITTEN + """        written = written.replace('"is_error": true', '"is_error": false')\n""",
        caught_by={"client/store/durable-kept-whole": "client.store.durable"},
    ),
    Mutant(
        breaks="A store on disk has question marks for what is not ASCII",
        module="store",
        old=WRITTEN,
        new=WRITTEN.replace("for each in messages])", "for each in messages], ensure_ascii=False)")
        + '        written = written.encode("ascii", "replace").decode()\n',
        caught_by={"client/store/durable-kept-whole": "client.store.durable"},
    ),
    Mutant(
        breaks="The request has the calls that are the same once",
        module="client",
        old=GATHERED,
        new="""\
        relayed = {f"{each.call.arguments}": each.call for each in halted if each.request.kind == KIND}
        data = relay_request([*relayed.values()]).data
""",
        caught_by={"client/halt/relay-request-of-many": "client.halt.relay-request"},
    ),
    Mutant(
        breaks="Lists and mappings in the input of a relayed call are text",
        module="relay",
        old=WIRE,
        new=WIRE.replace(
            "{**each.arguments}",
            "{k: str(v) if isinstance(v, dict | list) else v for k, v in each.arguments.items()}",
        ),
        caught_by={"client/halt/relay-request-of-many": "client.halt.relay-request"},
    ),
    Mutant(
        breaks="A client asks its interpreter in the first turn of a run only",
        module="client",
        old=INTERPRETER,
        new="        return self._options.wait_for if self._turns < 2 else None\n",
        caught_by={"client/halt/wait-for-each-time": "client.halt.wait-for"},
    ),
]
