"""The faults that users reported of restarts, resuming, ids and second results, as they showed there.

Those of the inbox are in `field_inbox`, and those of children in `field_child`.
"""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants.pending_dropped import once_pending
from tests.mutants.restart import ALL_CALLS, MARKS, RESTORED, RESULTS, marking, when_restored

FAILED = "agent.restart.dangling-failed"
ONLY_MISSING = "agent.restart.dangling-only-missing"
ONCE = "agent.restart.dangling-once"
NEVER_RERUN = "agent.restart.never-rerun"
PARTIAL = "agent.resume.partial"
AFTER_PAUSE = "agent.resume.after-pause"
FRESH = "agent.restart.ids-fresh"
QUEUED = "agent.pending.second-dropped-queued"
LATER = "agent.pending.second-dropped-later"

BEGIN = "        self._fail_dangling_calls()\n"
DANGLING = "        return tuple(self._dangling.values())\n"
PROMPT = "return await self._complete(self._new_prompt(text, model, sink), text)"
RESUME = "return await self._complete(Run(self._parts, model, sink, StopFlag()))"
TURNS = "        while conversation.needs_reply() and not is_stopped():\n"
COUNT = "        self._number = max((number, *_numbers(self._messages)))\n"
ITEMS = "        for item in self._parts.inbox.take_all():\n"
CALL = "            call = self._conversation.pending_call(item.call_id)\n"

KILLED = [
    Mutant(
        "a restored call that has no result is left without one",
        "run",
        BEGIN,
        "",
        {
            "field/killed-in-a-tool": FAILED,
            "field/killed-in-a-tool-of-a-later-turn": FAILED,
            "field/killed-in-a-tool-twice": FAILED,
            "field/killed-while-a-child-works": FAILED,
        },
    ),
    Mutant(
        "a restored conversation in which some call has a result is taken for complete",
        "conversation",
        DANGLING,
        f"""\
        if any(message.tool_result for message in self._messages):
            return ()
{DANGLING}""",
        {
            "field/killed-in-a-tool-of-a-later-turn": FAILED,
            "field/killed-in-a-tool-twice": FAILED,
        },
    ),
    Mutant(
        "a restored call without a result is told by the name of its tool",
        "conversation",
        DANGLING,
        """\
        answered = {message.tool_result.tool_name for message in self._messages if message.tool_result}
        return tuple(call for call in self._dangling.values() if call.name not in answered)
""",
        {
            "field/killed-in-a-tool-twice": FAILED,
            "field/killed-in-the-third-of-three": ONLY_MISSING,
        },
    ),
    Mutant(
        "the next run makes a call that was cut off once more",
        "agent",
        PROMPT,
        f"""\
run = self._new_prompt(text, model, sink)
        for call in self._parts.conversation.dangling_calls():
            await run._answer(call)
        {PROMPT}""",
        {
            "field/killed-in-a-tool": NEVER_RERUN,
            "field/killed-in-a-tool-of-a-later-turn": NEVER_RERUN,
            "field/killed-in-a-tool-twice": NEVER_RERUN,
            "field/killed-while-a-child-works": NEVER_RERUN,
        },
    ),
    Mutant(
        "where some calls of a turn have results none is marked failed",
        "run",
        MARKS,
        marking(
            "[call for each in messages if missing.issuperset(call.id for call in each.tool_calls)"
            " for call in each.tool_calls]"
        ),
        {
            "field/killed-in-the-third-of-three": ONLY_MISSING,
            "field/killed-beside-a-failure": ONLY_MISSING,
        },
    ),
    Mutant(
        "a restored result that is an error counts as none",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if any(result.is_error for result in results):
                made._dangling[call.id] = call"""),
        {
            "field/killed-beside-a-failure": ONLY_MISSING,
            "field/repaired-once-for-all-processes": ONCE,
        },
    ),
    Mutant(
        "the calls of a full run are marked failed after a restart",
        "agent",
        RESTORED,
        when_restored(f"""if not made._dangling:
            made._dangling.update({ALL_CALLS})"""),
        {
            "field/nothing-missing-after-a-full-run": ONLY_MISSING,
            "field/a-result-without-text-is-not-missing": ONLY_MISSING,
            "field/a-late-result-is-not-missing": ONLY_MISSING,
        },
    ),
    Mutant(
        "a restored result without text counts as none",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if not any(result.content for result in results):
                made._dangling[call.id] = call"""),
        {"field/a-result-without-text-is-not-missing": ONLY_MISSING},
    ),
    Mutant(
        "the real result of a restored call is looked for right behind its turn only",
        "agent",
        RESTORED,
        when_restored(f"""from reference.conversation import results_by_call
        for call, results in {RESULTS}:
            if results[0:1] and results[0].pending and len(results) > 1:
                made._dangling[call.id] = call"""),
        {"field/a-late-result-is-not-missing": ONLY_MISSING},
    ),
]

RESUMED = [
    Mutant(
        "a resume makes the pending calls again for which no result has come",
        "agent",
        RESUME,
        """\
run = Run(self._parts, model, sink, StopFlag())
        settled = {getattr(item, "call_id", "") for item in self._parts.inbox._items}
        for call in self.pending_calls():
            if call.id not in settled:
                run._record(call, await run._answer(call))
        return await self._complete(run, "")""",
        {
            "field/one-of-two-resolved": PARTIAL,
            "field/one-of-two-resolved-after-a-restart": NEVER_RERUN,
            "field/one-of-two-resolved-after-a-pause": PARTIAL,
        },
    ),
    Mutant(
        "a resume takes all pending calls for settled when one has its result",
        "run",
        "                self._resolve(call, item)\n",
        """\
                self._resolve(call, item)
                self._conversation._pending.clear()
""",
        {
            "field/one-of-two-resolved": PARTIAL,
            "field/one-of-two-resolved-after-a-restart": PARTIAL,
            "field/one-of-two-resolved-after-a-pause": PARTIAL,
        },
    ),
    Mutant(
        "a run is taken for paused as long as its conversation has a placeholder",
        "run",
        TURNS,
        f"""\
        results = [it.tool_result for it in conversation.view if it.tool_result]
        if config.pause_on_pending and any(result.pending for result in results):
            return
{TURNS}""",
        {
            "field/resumed-after-a-pause": AFTER_PAUSE,
            "field/resumed-after-a-pause-and-a-restart": AFTER_PAUSE,
            "field/resumed-after-each-pause": AFTER_PAUSE,
        },
    ),
    Mutant(
        "a run that has paused a second time is never taken up again",
        "run",
        TURNS,
        f"""\
        results = [it.tool_result for it in conversation.view if it.tool_result]
        if config.pause_on_pending and sum(result.pending for result in results) > 1:
            return
{TURNS}""",
        {"field/resumed-after-each-pause": AFTER_PAUSE},
    ),
]

IDS = [
    Mutant(
        "after a restart messages are counted on from the last one",
        "conversation",
        COUNT,
        "        self._number = [number, *_numbers(self._messages)][-1]\n",
        {"field/ids-after-msg-12": FRESH},
    ),
    Mutant(
        "after a restart messages are counted on from the id that is the greatest as text",
        "conversation",
        COUNT,
        "        self._number = int(max(map(str, (number, *_numbers(self._messages)))))\n",
        {"field/ids-after-msg-12": FRESH},
    ),
    Mutant(
        "an agent that has counted messages before does not look at those that it is given",
        "conversation",
        COUNT,
        "        self._number = number or max((0, *_numbers(self._messages)))\n",
        {"field/ids-after-a-new-conversation": FRESH},
    ),
]

SECOND_RESULTS = [
    Mutant(
        "of two results that wait for one call the second takes the place of the first",
        "run",
        ITEMS,
        """\
        found = {getattr(item, "call_id", item): item for item in self._parts.inbox.take_all()}
        for item in found.values():
""",
        {"field/resolved-twice-and-again": QUEUED, "field/resolved-and-rejected": QUEUED},
    ),
    Mutant(
        "whatever result comes for a call that was once pending is one more",
        "run",
        CALL,
        """\
            owed = [it.tool_result for it in self._conversation.view if it.tool_result]
            owed = [it for it in owed if it.pending and it.tool_call_id == item.call_id]
            call = ToolCall(item.call_id, owed[0].tool_name, {}) if owed else None
""",
        {"field/resolved-twice-and-again": QUEUED, "field/resolved-and-rejected": LATER},
    ),
    Mutant(
        "a result for a call whose result an earlier run has read takes the place of that",
        "run",
        CALL,
        f"""{CALL}
            had = [it for it in self._conversation.view if it not in self._added and it.tool_result]
            had = [it for it in had if it.tool_result.tool_call_id == item.call_id]
            had = [it for it in had if not it.tool_result.pending]
            if call is None and had:
                message = self._result_message(
                    ToolCall(item.call_id, had[-1].tool_result.tool_name, {{}}),
                    ToolOutput(item.content, is_error=item.is_error),
                )
                self._conversation._messages[self._conversation._messages.index(had[-1])] = message
                continue
""",
        {"field/resolved-twice-and-again": LATER},
    ),
    Mutant(
        "a result for a call whose result an earlier run has read follows that as one more",
        "run",
        CALL,
        once_pending("True"),
        {"field/resolved-twice-and-again": LATER},
    ),
]

MUTANTS: list[Mutant] = [*KILLED, *RESUMED, *IDS, *SECOND_RESULTS]
