"""Faults around a client's Answer that no scenario saw for long: in the place of results, in the ids of
requests, and in what is in the store.
"""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants.client import GIVEN, STORED

REPLACED = """\
    return [*history[:place], *(_without_placeholder(message, given, now) for message in history[place:])]
"""
CLIENT_ID = "        new_id = self._options.new_id()\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="Of several results all but the first stand before the message with the calls",
        module="client",
        old=REPLACED,
        new="""\
    told = [_without_placeholder(message, given, now) for message in history[place:]]
    later = [message for message in told if message not in history][1:]
    return [*history[:place], *later, *(message for message in told if message not in later)]
""",
        caught_by={"client/answer/one-result-each-behind-the-calls": "client.answer.one-result-each"},
    ),
    Mutant(
        breaks="A run that goes on has nothing of the turns before the one that halted",
        module="client",
        old=REPLACED,
        new="""\
    first = max(number for number, message in enumerate(history) if message.role == "user")
    return [*history[first:place], *(_without_placeholder(each, given, now) for each in history[place:])]
""",
        caught_by={"client/store/round-trip-of-a-later-turn": "client.store.round-trip"},
    ),
    Mutant(
        breaks="Fewer results than calls are given to the first of these, whatever their ids",
        module="relay",
        old=GIVEN,
        new="""\
    found = [*given.values(), *(_NONE_GIVEN for _ in calls)]
    outputs = found[: len(calls)] if len(given) < len(calls) else [given[each.id] for each in calls]
""",
        caught_by={"client/answer/missing-is-error-of-the-first": "client.answer.missing-is-error"},
    ),
    Mutant(
        breaks="All requests of clients have one id",
        module="client",
        old=CLIENT_ID,
        new='        new_id = "request-1"\n',
        caught_by={"client/answer/halts-again": "client.answer.halts-again"},
    ),
    Mutant(
        breaks="A model that fails while a run goes on takes the conversation out of the store",
        module="client",
        old=STORED,
        new="""\
            check_answer(pending, answer)
            try:
                result = await self.run_with_answer(toolkit, history, pending, answer)
            except Exception:
                self._store.put(conversation_id, ())
                raise
            return self._kept(conversation_id, result)
""",
        caught_by={"client/store/durable-model-fails-while-answering": "client.store.durable"},
    ),
    Mutant(
        breaks="A failure that the host reports among several results is no failure for the model",
        module="relay",
        old="ToolOutput(each.output, is_error=each.is_error)",
        new="ToolOutput(each.output)",
        caught_by={"client/answer/error-kept": "client.answer.error-kept"},
    ),
    Mutant(
        breaks="A failure that the host reports as the one result is no failure for the model",
        module="relay",
        old='ToolOutput(str(data["output"]), is_error=data.get("isError") is True)',
        new='ToolOutput(str(data["output"]))',
        caught_by={"client/answer/error-kept-of-one": "client.answer.error-kept"},
    ),
    Mutant(
        breaks="A request that gets its id from the client loses where and until when it can be answered",
        module="client",
        old="request.filled_in(new_id, request.data)",
        new="Request(request.kind, request.prompt, new_id, data=request.data)",
        caught_by={"client/halt/request-kept": "client.halt.request-kept"},
    ),
]
