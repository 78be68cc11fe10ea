"""Faults that show after a restart: in what a restored conversation says is owed, cut short or settled."""

from __future__ import annotations

from tests.mutants import Mutant

RESTORED = "self._parts.conversation = Conversation(messages, number=self._parts.conversation.number)"
COUNT = "        self._number = max((number, *_numbers(self._messages)))\n"
MARKS = "for call in self._conversation.dangling_calls():\n            self.emit(Warning("


def when_restored(code: str) -> str:
    """A replacement for `RESTORED` that does something to the conversation which is then called `made`."""
    return f"""made = self._parts.conversation = Conversation(
            messages, number=self._parts.conversation.number
        )
        {code}"""


def marking(calls: str) -> str:
    """A replacement for `MARKS` that marks other calls; `missing` are the ids of those without a result."""
    return f"""missing = {{call.id for call in self._conversation.dangling_calls()}}
        messages = tuple(self._conversation.view)
        for call in {calls}:
            self.emit(Warning("""


ALL_CALLS = "{call.id: call for message in made.view for call in message.tool_calls}"
RESULTS = "results_by_call(made.view)"

MUTANTS = [
    # What is pending.
    Mutant(
        "the pending calls of a restored conversation are forgotten",
        "agent",
        RESTORED,
        when_restored("made._pending.clear()"),
        {"agent/restart/pending-from-messages": "agent.restart.pending-from-messages"},
    ),
    Mutant(
        "of the pending calls of a restored conversation only the last is known",
        "agent",
        RESTORED,
        when_restored("made._pending = dict(list(made._pending.items())[-1:])"),
        {"agent/restart/pending-of-several-runs": "agent.restart.pending-from-messages"},
    ),
    Mutant(
        "placeholders that the model has not answered around are forgotten with a restart",
        "agent",
        RESTORED,
        when_restored("made._pending = {} if made.needs_reply() else made._pending"),
        {"agent/restart/pending-after-crash": "agent.restart.pending-from-messages"},
    ),
    Mutant(
        "what was pending before replace_messages stays pending after it",
        "agent",
        RESTORED,
        "old = self._parts.conversation._pending\n        " + when_restored("made._pending.update(old)"),
        {
            "agent/restart/pending-of-another-conversation": "agent.restart.pending-from-messages",
            "agent/restart/cleared": "agent.restart.cleared",
        },
    ),
    Mutant(
        "replace_messages without messages does nothing",
        "agent",
        "self._refuse_if_busy()\n        self._parts.conversation",
        "messages = list(messages) or self._parts.conversation.view\n        self._parts.conversation",
        {"agent/restart/cleared": "agent.restart.cleared"},
    ),
    # What survives.
    Mutant(
        "the marks of errors do not survive the JSON form",
        "_record",
        "return cls(**{field.name: field.read(cls, found) for field in cls._layout})",
        "return cls(**{f.name: f.read(cls, found) for f in cls._layout if f.name != 'is_error'})",
        {"agent/restart/json-round-trip": "agent.restart.json-round-trip"},
    ),
    Mutant(
        "the marks of placeholders do not survive the JSON form",
        "_record",
        "return cls(**{field.name: field.read(cls, found) for field in cls._layout})",
        "return cls(**{f.name: f.read(cls, found) for f in cls._layout if f.name != 'pending'})",
        {
            "agent/restart/json-round-trip": "agent.restart.json-round-trip",
            "agent/restart/pending-from-messages": "agent.restart.pending-from-messages",
        },
    ),
    Mutant(
        "numbers and constants in the arguments of a call become text in the JSON form",
        "_record",
        "    return _plain(origin or hint)\n",
        """    if origin is Mapping:
        return lambda value: {key: str(item) for key, item in value.items()}
    return _plain(origin or hint)
""",
        {"agent/restart/json-round-trip": "agent.restart.json-round-trip"},
    ),
    # What was settled.
    Mutant(
        "a restored call that has a placeholder counts as pending whatever other result it has",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if any(result.pending for result in results):
                made._pending.setdefault(call.id, call)"""),
        {
            "agent/restart/resolved-stays-resolved": "agent.restart.resolved-stays-resolved",
            "agent/restart/resolved-again-after-restart": "agent.restart.resolved-stays-resolved",
        },
    ),
    Mutant(
        "a restored call that was rejected counts as pending",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if results and all(result.pending or result.is_error for result in results):
                made._pending.setdefault(call.id, call)"""),
        {"agent/restart/rejected-stays-rejected": "agent.restart.resolved-stays-resolved"},
    ),
    Mutant(
        "one late result settles all calls of its turn when the conversation is restored",
        "agent",
        RESTORED,
        when_restored("""for message in made.view:
            if not all(call.id in made._pending for call in message.tool_calls):
                for call in message.tool_calls:
                    made._pending.pop(call.id, None)"""),
        {"agent/restart/resolved-beside-pending": "agent.restart.resolved-stays-resolved"},
    ),
    Mutant(
        "a late result that the model has not answered is left out of a restored conversation",
        "agent",
        RESTORED,
        "messages = list(messages)\n"
        "        if messages and messages[-1].tool_result and messages[-2].role == 'assistant':\n"
        "            if not messages[-2].tool_calls:\n"
        "                del messages[-1]\n"
        f"        {RESTORED}",
        {"agent/restart/resolved-before-crash": "agent.restart.resolved-stays-resolved"},
    ),
    Mutant(
        "replace_messages takes a new inbox, which the handles that were there before do not reach",
        "agent",
        RESTORED,
        when_restored("self._parts.inbox = Queue()"),
        {
            "agent/restart/resolve-after": "agent.restart.resolve-after",
            "agent/restart/resolve-after-pause": "agent.restart.resolve-after",
            "agent/restart/reject-after": "agent.restart.resolve-after",
        },
    ),
    # What was cut short.
    Mutant(
        "calls that were cut short are marked failed without a Warning",
        "run",
        'self.emit(Warning(f"The call {call.id} of {call.name} never got a result; it is marked failed."))',
        "pass",
        {
            "agent/restart/dangling-failed": "agent.restart.dangling-failed",
            "agent/restart/dangling-failed-each": "agent.restart.dangling-failed",
            "agent/restart/dangling-at-resume": "agent.restart.dangling-at-resume",
        },
    ),
    Mutant(
        "calls that were cut short get a result that is not marked as an error",
        "run",
        "ToolOutput(_DIED, is_error=True)",
        "ToolOutput(_DIED)",
        {
            "agent/restart/dangling-failed": "agent.restart.dangling-failed",
            "agent/restart/marked-at-run-start": "agent.restart.marked-at-run-start",
        },
    ),
    Mutant(
        "of the calls that were cut short only the first is marked failed",
        "run",
        MARKS,
        MARKS.replace("dangling_calls()", "dangling_calls()[:1]"),
        {"agent/restart/dangling-failed-each": "agent.restart.dangling-failed"},
    ),
    Mutant(
        "calls that were cut short are marked failed by replace_messages",
        "agent",
        RESTORED,
        when_restored("Run(self._parts, None, lambda event: None, StopFlag())._fail_dangling_calls()"),
        {"agent/restart/marked-at-run-start": "agent.restart.marked-at-run-start"},
    ),
    Mutant(
        "when a round was cut short, all of its calls are marked failed",
        "run",
        MARKS,
        marking(
            "[call for each in messages if any(call.id in missing for call in each.tool_calls)"
            " for call in each.tool_calls]"
        ),
        {
            "agent/restart/dangling-only-missing": "agent.restart.dangling-only-missing",
            "agent/restart/placeholder-beside-dangling": "agent.restart.placeholder-not-dangling",
            "field/killed-in-the-third-of-three": "agent.restart.dangling-only-missing",
            "field/killed-beside-a-failure": "agent.restart.dangling-only-missing",
        },
    ),
    Mutant(
        "when a round was cut short, as many of its last calls are marked failed as results are missing",
        "run",
        MARKS,
        marking(
            "[call for each in messages if any(call.id in missing for call in each.tool_calls)"
            " for call in each.tool_calls[-len(missing) :]]"
        ),
        {"agent/restart/dangling-before-answered": "agent.restart.dangling-only-missing"},
    ),
    Mutant(
        "when a round was cut short, the calls of all rounds are marked failed",
        "run",
        MARKS,
        marking("[call for each in messages if missing for call in each.tool_calls]"),
        {"agent/restart/dangling-only-last-round": "agent.restart.dangling-only-missing"},
    ),
    Mutant(
        "in a restored conversation that lacks nothing, all calls are marked failed",
        "agent",
        RESTORED,
        when_restored(f"""if not made._dangling and not made._pending:
            made._dangling.update({ALL_CALLS})"""),
        {"agent/restart/complete-not-touched": "agent.restart.dangling-only-missing"},
    ),
    Mutant(
        "a restored call that has only its placeholder is marked failed",
        "agent",
        RESTORED,
        when_restored("made._dangling.update(made._pending)"),
        {
            "agent/restart/placeholder-not-dangling": "agent.restart.placeholder-not-dangling",
            "field/killed-beside-a-pending-call": "agent.restart.dangling-only-missing",
        },
    ),
    Mutant(
        "calls that were cut short are executed again at the start of a prompt",
        "agent",
        "return await self._complete(self._new_prompt(text, model, sink), text)",
        """run = self._new_prompt(text, model, sink)
        for call in self._parts.conversation.dangling_calls():
            run._record(call, await run._answer(call))
        return await self._complete(run, text)""",
        {"agent/restart/never-rerun": "agent.restart.never-rerun"},
    ),
    Mutant(
        "calls that were cut short are executed again at the start of a resume",
        "agent",
        "return await self._complete(Run(self._parts, model, sink, StopFlag()))",
        """run = Run(self._parts, model, sink, StopFlag())
        for call in self._parts.conversation.dangling_calls():
            run._record(call, await run._answer(call))
        return await self._complete(run, "")""",
        {"agent/restart/never-rerun-at-resume": "agent.restart.never-rerun"},
    ),
    Mutant(
        "calls that were cut short are marked failed by a prompt only",
        "run",
        "        self._fail_dangling_calls()\n",
        "        if text:\n            self._fail_dangling_calls()\n",
        {"agent/restart/dangling-at-resume": "agent.restart.dangling-at-resume"},
    ),
    Mutant(
        "calls that were cut short are marked failed only by a run that has something new from the user",
        "run",
        "        self._fail_dangling_calls()\n",
        """        if text or any(isinstance(item, Pushed) for item in self._parts.inbox._items):
            self._fail_dangling_calls()
""",
        {"agent/restart/dangling-at-resume-with-result": "agent.restart.dangling-at-resume"},
    ),
    Mutant(
        "calls that were cut short are marked failed by every run",
        "conversation",
        "self._messages.insert(self._end_of_round(call), message)\n        self._take_note(message)",
        "self._messages.insert(self._end_of_round(call), message)",
        {
            "agent/restart/dangling-once": "agent.restart.dangling-once",
            "field/repaired-once": "agent.restart.dangling-once",
        },
    ),
    Mutant(
        "a restored call whose only result is a failure counts as cut short",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if results and all(result.is_error for result in results):
                made._dangling[call.id] = call"""),
        {"agent/restart/dangling-once-restarted": "agent.restart.dangling-once"},
    ),
    Mutant(
        "a call that was marked failed counts as pending",
        "run",
        "self._add(message, partial(self._conversation.append_to_round, call))",
        """self._add(message, partial(self._conversation.append_to_round, call))
            self._conversation._pending[call.id] = call""",
        {"agent/restart/failed-call-late-result": "agent.restart.failed-call-late-result"},
    ),
    Mutant(
        "a restored call whose only result is a failure counts as pending",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if results and all(result.is_error for result in results):
                made._pending[call.id] = call"""),
        {"agent/restart/failed-call-late-failure": "agent.restart.failed-call-late-result"},
    ),
    Mutant(
        "calls that were cut short are listed as pending",
        "agent",
        "return self._parts.conversation.pending_calls()",
        "return self._parts.conversation.pending_calls() + self._parts.conversation.dangling_calls()",
        {"agent/restart/dangling-not-pending": "agent.restart.dangling-not-pending"},
    ),
    # Ids.
    Mutant(
        "ids are counted from the beginning again after a restart",
        "conversation",
        COUNT,
        "        self._number = number\n",
        {
            "agent/restart/ids-fresh": "agent.restart.ids-fresh",
            "agent/restart/ids-fresh-calls": "agent.restart.ids-fresh",
            "field/ids-after-msg-9": "agent.restart.ids-fresh",
            "field/ids-after-a-new-conversation": "agent.restart.ids-fresh",
        },
    ),
    Mutant(
        "after a restart ids are counted on from the number of messages",
        "conversation",
        COUNT,
        "        self._number = number + len(self._messages)\n",
        {"agent/restart/ids-fresh": "agent.restart.ids-fresh"},
    ),
]
