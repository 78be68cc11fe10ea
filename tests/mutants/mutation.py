"""Faults that no scenario saw when a tool had put them in wherever one can be."""

from __future__ import annotations

from tests.mutants import Mutant

MUTANTS = [
    Mutant(
        "an agent that is given another conversation counts its ids anew",
        "agent",
        "Conversation(messages, number=self._parts.conversation.number)",
        "Conversation(messages)",
        {"agent/events/ids-unique-replaced": "agent.events.ids-unique"},
    ),
    Mutant(
        "a relayed call asks again although an interpreter has answered it",
        "relay",
        "return pending(relay_request([call])) if ctx.answer is None else results_of(ctx.answer, [call])[0]",
        "return pending(relay_request([call]))",
        {"client/halt/wait-for-relayed": "client.halt.wait-for"},
    ),
    Mutant(
        "a request that gets its id from the client loses what the tool handed over",
        "client",
        "request.filled_in(new_id, request.data)",
        "request.filled_in(new_id, None)",
        {"client/halt/pending-with-data": "client.halt.pending"},
    ),
    Mutant(
        "a repeated call is found again by the text of its arguments",
        "rounds",
        "json.JSONEncoder(sort_keys=True)",
        "json.JSONEncoder()",
        {"runtime/resume/answer-in-context-reordered": "runtime.resume.answer-in-context"},
    ),
    Mutant(
        "how often a call has been made is counted up to two",
        "rounds",
        "        self._seen[call.name, arguments] = before + 1\n",
        "        self._seen[call.name, arguments] = {0: 1, 1: 2}[before]\n",
        {"runtime/handle/done-with-equal-calls": "runtime.handle.done"},
    ),
    Mutant(
        "a task is reported as not done if it was done, and the other way round",
        "task_tool",
        'if result.status == "done":',
        'if result.status != "done":',
        {"runtime/delegation/parallel-one-fails": "runtime.delegation.parallel"},
    ),
]
