"""Faults in how a client halts, goes on with an Answer, and keeps conversations."""

from __future__ import annotations

from tests.mutants import Mutant

GATHERED = "        data = relay_request([each.call for each in halted if each.request.kind == KIND]).data\n"
WIRE = """\
            "id": each.id,
            "name": each.name,
            "input": {**each.arguments},
            "arguments": json.dumps(each.arguments),
"""
ECHO = "    if answer.id != request.id:\n"
CARRIES = """\
    if answer.ok and not _has_output(answer) and not isinstance(_data(answer).get("results"), list):
"""
HAS_OUTPUT = '    return isinstance(_data(answer).get("output"), str)\n'
GIVEN = "    outputs = [given.get(each.id, _NONE_GIVEN) for each in calls]\n"
OUTPUT = """\
        outputs[0] = ToolOutput(str(data["output"]), is_error=data.get("isError") is True)
"""
ANSWERED = """\
    outputs = results_of(answer, waiting) if answer.ok else [declined(answer)] * len(waiting)
"""
ASK = "    async def ask(self, prompt: str"
PLAY = (
    "        return await _Passage(self._generate, self._options, toolkit, Conversation(messages)).play()\n"
)
HISTORY = """\
        check_answer(pending, answer)
        messages = _answered(tuple(history), answer, self._now)
"""
STORED = """\
            result = await self.run_with_answer(toolkit, history, pending, answer)
            return self._kept(conversation_id, result)
"""
PUT = """\
        self._connection.execute(
            "INSERT OR REPLACE INTO conversations VALUES (?, ?)", (conversation_id, written)
"""
KEPT = """\
        self._store.put(conversation_id, result.messages)
        return result
"""

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="A run that halts has no request in its result",
        module="client",
        old="        request = self._request_for(ending.halted) if ending.halted else None\n",
        new="        request = None\n",
        caught_by={
            "client/halt/pending": "client.halt.pending",
            "client/halt/pending-relayed": "client.halt.pending",
        },
        not_local="nothing can go on without the request",
    ),
    Mutant(
        breaks="The request of several relayed calls has only the first",
        module="client",
        old=GATHERED,
        new=GATHERED.replace("for each in halted if", "for each in halted[:1] if"),
        caught_by={"client/halt/relay-request": "client.halt.relay-request"},
    ),
    Mutant(
        breaks="The input of a relayed call is JSON text",
        module="relay",
        old=WIRE,
        new=WIRE.replace("{**each.arguments}", "json.dumps(each.arguments)"),
        caught_by={
            "client/halt/relay-request": "client.halt.relay-request",
            "client/halt/relay-request-one": "client.halt.relay-request",
        },
    ),
    Mutant(
        breaks="A relay tool is executed by the client before it asks the host",
        module="driver_client",
        old='[*own, *map(relay_tool, texts(params["relays"]))]',
        new='[*own, *(self._asking.tool(agent, name) for name in texts(params["relays"]))]',
        caught_by={"client/halt/relay-never-runs": "client.halt.relay-never-runs"},
        not_local="what is executed never halts",
    ),
    Mutant(
        breaks="A client does not ask its interpreter",
        module="client",
        old="        return self._options.wait_for\n",
        new="        return None\n",
        caught_by={"client/halt/wait-for": "client.halt.wait-for"},
    ),
    Mutant(
        breaks="A run that goes on does not ask the model",
        module="client",
        old=PLAY,
        new='        return RunResult("", tuple(messages), "done", None, "", 0, Usage(0, 0, 0))\n',
        caught_by={
            "client/answer/done": "client.answer.done",
            "client/answer/done-without-relays": "client.answer.done",
        },
        not_local="every scenario that goes on asks the model",
    ),
    Mutant(
        breaks="The host's output is stripped of the space around it",
        module="relay",
        old=OUTPUT,
        new=OUTPUT.replace('str(data["output"])', 'str(data["output"]).strip()'),
        caught_by={"client/answer/exact-output": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="An empty output is replaced by a text",
        module="relay",
        old=OUTPUT,
        new=OUTPUT.replace('str(data["output"])', 'str(data["output"]) or "(no output)"'),
        caught_by={"client/answer/exact-output-empty": "client.answer.exact-output"},
    ),
    Mutant(
        breaks="A result is added and the placeholder stays",
        module="client",
        old="""\
    return [*history[:place], *(_without_placeholder(message, given, now) for message in history[place:])]
""",
        new="""\
    return [*history, *(_without_placeholder(message, given, now) for message in history[place + 1 :])]
""",
        caught_by={"client/answer/one-result-each": "client.answer.one-result-each"},
        not_local="every scenario that goes on has a placeholder to replace",
    ),
    Mutant(
        breaks="The output is given to the first call of the turn, whether or not that waits",
        module="client",
        old="    place, waiting = waiting_at[-1]\n",
        new="    place, waiting = waiting_at[-1][0], [*history[waiting_at[-1][0]].tool_calls]\n",
        caught_by={"client/answer/one-result-each-beside-a-completed-call": "client.answer.one-result-each"},
    ),
    Mutant(
        breaks="The Answer is announced to the model in a user message",
        module="client",
        old=HISTORY,
        new=HISTORY
        + '        messages.append(Message("u", "user", "The request was answered.", self._now()))\n',
        caught_by={"client/answer/no-user-turn": "client.answer.no-user-turn"},
        not_local="the message is in every transcript that has gone on",
    ),
    Mutant(
        breaks="The id of an Answer is not compared with the request's",
        module="relay",
        old=ECHO,
        new="    if not answer.id:\n",
        caught_by={
            "client/answer/must-echo": "client.answer.must-echo",
            "client/answer/right-after-rejected": "client.answer.right-after-rejected",
            "client/store/rejected-leaves-alone": "client.store.rejected-leaves-alone",
            "field/answer-to-an-earlier-request": "client.answer.must-echo",
        },
    ),
    Mutant(
        breaks="The id of a declined Answer is not compared with the request's",
        module="relay",
        old=ECHO,
        new="    if answer.ok and answer.id != request.id:\n",
        caught_by={"client/answer/must-echo-declined": "client.answer.must-echo"},
    ),
    Mutant(
        breaks="The error about another id says only that the Answer is wrong",
        module="relay",
        old="""f"the answer's id {answer.id!r} does not echo the request's, {request.id!r}\"""",
        new='"this is a wrong answer"',
        caught_by={"client/answer/error-text": "client.answer.error-text"},
    ),
    Mutant(
        breaks="A wrong Answer uses the request up",
        module="client",
        old=HISTORY,
        new="""\
        if pending.id in self._asked:
            raise NothingToDo("no call of the transcript waits for an answer")
        self._asked.add(pending.id)
        check_answer(pending, answer)
        messages = _answered(tuple(history), answer, self._now)
""",
        caught_by={"client/answer/right-after-rejected": "client.answer.right-after-rejected"},
    ),
    Mutant(
        breaks="An ok Answer without data is taken for an empty output",
        module="relay",
        old=CARRIES,
        new="    if False:\n",
        caught_by={
            "client/answer/must-carry": "client.answer.must-carry",
            "client/answer/must-carry-text": "client.answer.must-carry",
        },
    ),
    Mutant(
        breaks="An output of any type will do",
        module="relay",
        old=HAS_OUTPUT,
        new='    return "output" in _data(answer)\n',
        caught_by={"client/answer/must-carry-text": "client.answer.must-carry"},
    ),
    Mutant(
        breaks="A declined Answer has to have data as well",
        module="relay",
        old=CARRIES,
        new=CARRIES.replace("answer.ok and not", "not"),
        caught_by={"client/answer/decline-needs-no-data": "client.answer.decline-needs-no-data"},
    ),
    Mutant(
        breaks="What the model is told of a declined Answer is marked as no error",
        module="client",
        old=ANSWERED,
        new=ANSWERED.replace("[declined(answer)]", '[ToolOutput("declined")]'),
        caught_by={
            "client/answer/declined": "client.answer.declined",
            "client/answer/declined-several": "client.answer.declined",
        },
    ),
    Mutant(
        breaks="Only the client that has halted can go on",
        module="client",
        old=ASK,
        new="""\
    _begin, _go_on = run, run_with_answer

    async def run(self, prompt, toolkit, history=()):
        self._asked.add("an id of a conversation that nobody has")
        return await self._begin(prompt, toolkit, history)

    async def run_with_answer(self, toolkit, history, pending, answer):
        if not self._asked:
            raise NothingToDo("this client has not halted")
        return await self._go_on(toolkit, history, pending, answer)

"""
        + ASK,
        caught_by={
            "client/answer/fresh-client": "client.answer.fresh-client",
            "client/answer/fresh-client-after-a-crash": "client.answer.fresh-client",
        },
    ),
    Mutant(
        breaks="Results are given to the calls in their order, whatever their ids",
        module="relay",
        old=GIVEN,
        new="""\
    found = list(given.values())
    outputs = [found[place] if place < len(found) else _NONE_GIVEN for place, _ in enumerate(calls)]
""",
        caught_by={"client/answer/several": "client.answer.several"},
    ),
    Mutant(
        breaks="A call for which the host gave nothing has an empty result",
        module="relay",
        old='_NONE_GIVEN = ToolOutput("The host gave no result for this call.", is_error=True)\n',
        new='_NONE_GIVEN = ToolOutput("")\n',
        caught_by={"client/answer/missing-is-error": "client.answer.missing-is-error"},
    ),
    Mutant(
        breaks="A run that has gone on makes no further request",
        module="client",
        old=PLAY,
        new="""\
        result = await _Passage(self._generate, self._options, toolkit, Conversation(messages)).play()
        return RunResult(result.text, result.messages, "done", None, "", result.turns, result.usage)
""",
        caught_by={"client/answer/halts-again": "client.answer.halts-again"},
    ),
    Mutant(
        breaks="A run that halts is not put into the store",
        module="client",
        old=KEPT,
        new="""\
        if result.status != "pending":
            self._store.put(conversation_id, result.messages)
        return result
""",
        caught_by={"client/store/halted-saved": "client.store.halted-saved"},
        not_local="nothing that has halted can go on from the store",
    ),
    Mutant(
        breaks="What has gone on is not put into the store",
        module="client",
        old=STORED,
        new="            return await self.run_with_answer(toolkit, history, pending, answer)\n",
        caught_by={
            "client/store/round-trip": "client.store.round-trip",
            "client/store/round-trip-goes-on": "client.store.round-trip",
        },
    ),
    Mutant(
        breaks="A store has one conversation, whatever its id",
        module="store",
        old="        self._conversations[conversation_id] = tuple(messages)\n",
        new="""\
        ids = [*self._conversations, conversation_id]
        self._conversations = dict.fromkeys(ids, tuple(messages))
""",
        caught_by={"client/store/round-trip-goes-on": "client.store.round-trip"},
    ),
    Mutant(
        breaks="A conversation is taken out of the store until its Answer has been dealt with",
        module="client",
        old=STORED,
        new="""\
            self._store.put(conversation_id, ())
"""
        + STORED,
        caught_by={
            "client/store/rejected-leaves-alone": "client.store.rejected-leaves-alone",
            "client/store/durable-crash-while-answering": "client.store.durable",
            "field/answer-to-an-earlier-request": "client.store.rejected-leaves-alone",
        },
    ),
    Mutant(
        breaks="A store on disk is written when it is closed",
        module="store",
        old=PUT,
        new="""\
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN")
"""
        + PUT,
        caught_by={"client/store/durable": "client.store.durable"},
    ),
    Mutant(
        breaks="A call for which the host gave nothing has no result",
        module="client",
        old="    given = {call.id: (call, output) for call, output in zip(waiting, outputs, strict=True)}\n",
        new="""\
    given = {
        call.id: (call, output)
        for call, output in zip(waiting, outputs, strict=True)
        if not output.content.startswith("The host gave")
    }
""",
        caught_by={"field/relayed-calls-answered-in-part": "client.answer.one-result-each"},
    ),
]
