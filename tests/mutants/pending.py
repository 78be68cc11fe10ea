"""Faults in what is recorded and listed where a tool answers with a placeholder."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._pending import RECORDED, TAKEN

LATER = "agent.pending.second-dropped-later"
PENDING_CALLS = "        return self._parts.conversation.pending_calls()\n"
IN_ORDER = "        return tuple(self._pending.values())\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="the placeholder is recorded without its text",
        module="run",
        old="""\
        content = output.content
""",
        new="""\
        content = "" if output.is_pending else output.content
""",
        caught_by={
            "agent/pending/recorded": "agent.pending.recorded",
            "agent/pending/recorded-in-pause": "agent.pending.recorded",
        },
    ),
    Mutant(
        breaks="ToolExecEnd shows a placeholder as if it were the real result",
        module="run",
        old="""\
        emit(ToolExecEnd(call.id, call.name, output))
""",
        new="""\
        emit(ToolExecEnd(call.id, call.name, ToolOutput(output.content, is_error=output.is_error)))
""",
        caught_by={"agent/pending/exec-end": "agent.pending.exec-end"},
    ),
    Mutant(
        breaks="the placeholder loses its mark when the real result comes",
        module="conversation",
        old=TAKEN,
        new="""\
            self._pending.pop(result.tool_call_id, None)
            for place, older in enumerate(self._messages):
                kept = older.tool_result
                if kept is not None and kept.pending and kept.tool_call_id == result.tool_call_id:
                    unmarked = kept._replace(pending=False)
                    self._messages[place] = older._replace(tool_result=unmarked)
""",
        caught_by={"agent/pending/placeholder-kept": "agent.pending.placeholder-kept"},
        not_local="a check that is always on sees it in every run that reads a real result",
    ),
    Mutant(
        breaks="a real result that comes right behind its placeholder takes its place",
        module="conversation",
        old="""\
        self._messages.append(message)
""",
        new="""\
        last = self._messages[-1].tool_result if self._messages else None
        late = message.tool_result
        if last is not None and late is not None and last.tool_call_id == late.tool_call_id:
            self._messages.pop()
        self._messages.append(message)
""",
        caught_by={"agent/pending/placeholder-kept-after-pause": "agent.pending.placeholder-kept"},
        not_local="a check that is always on sees it in every run that takes up a paused one",
    ),
    Mutant(
        breaks="a failure is written over the placeholder as well",
        module="conversation",
        old=TAKEN,
        new="""\
            self._pending.pop(result.tool_call_id, None)
            for place, older in enumerate(self._messages if result.is_error else ()):
                kept = older.tool_result
                if kept is not None and kept.pending and kept.tool_call_id == result.tool_call_id:
                    self._messages[place] = older._replace(tool_result=result)
""",
        caught_by={"agent/pending/placeholder-kept-after-reject": "agent.pending.placeholder-kept"},
    ),
    Mutant(
        breaks="a tool is told another id than its call has",
        module="tools",
        old="""\
        return self._call.id
""",
        new="""\
        return f"{self._call.name}-{self._call.id}"
""",
        caught_by={"agent/pending/call-id": "agent.pending.call-id"},
        not_local="a check that is always on sees it wherever a tool is executed",
    ),
    Mutant(
        breaks="a call is listed no more once the model has answered around it",
        module="agent",
        old=PENDING_CALLS,
        new="""\
        return self._parts.conversation.pending_calls() if self.needs_reply() else ()
""",
        caught_by={"agent/pending/listed": "agent.pending.listed"},
    ),
    Mutant(
        breaks="a call that paused the run is not listed",
        module="agent",
        old=PENDING_CALLS,
        new="""\
        return () if self.needs_reply() else self._parts.conversation.pending_calls()
""",
        caught_by={"agent/pending/listed-after-pause": "agent.pending.listed"},
    ),
    Mutant(
        breaks="a call whose result comes in the run that made it is still waited for",
        module="run",
        old=RECORDED,
        new="""\
        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))
        if any(call in message.tool_calls for message in self._added):
            self._conversation._pending[call.id] = call
""",
        caught_by={
            "agent/pending/listed-until-read-in-the-same-run": "agent.pending.listed",
            "agent/pending/second-dropped-later-in-the-same-run": LATER,
        },
    ),
    Mutant(
        breaks="a result is taken for all pending calls of its tool",
        module="conversation",
        old=TAKEN,
        new="""\
            for other in [call for call in self._pending.values() if call.name == result.tool_name]:
                del self._pending[other.id]
""",
        caught_by={"agent/pending/listed-by-call": "agent.pending.listed"},
    ),
    Mutant(
        breaks="a call is listed no more once it has been resolved, though the result is unread",
        module="agent",
        old=PENDING_CALLS,
        new="""\
        items = self._parts.inbox._items
        settled = [item.call_id for item in items if getattr(item, "is_error", None) is False]
        calls = self._parts.conversation.pending_calls()
        return tuple(call for call in calls if call.id not in settled)
""",
        caught_by={"agent/pending/until-read": "agent.pending.until-read"},
    ),
    Mutant(
        breaks="a call is listed no more once it has been rejected, though the failure is unread",
        module="agent",
        old=PENDING_CALLS,
        new="""\
        failed = [item.call_id for item in self._parts.inbox._items if getattr(item, "is_error", False)]
        calls = self._parts.conversation.pending_calls()
        return tuple(call for call in calls if call.id not in failed)
""",
        caught_by={"agent/pending/until-read-after-reject": "agent.pending.until-read"},
    ),
    Mutant(
        breaks="a result that overtakes its placeholder is dropped, as if its call were not pending",
        module="run",
        old="""\
        self._results.append(message)
""",
        new="""\
        self._results.append(message)
        if output.is_pending:
            self._read_inbox()
""",
        caught_by={
            "agent/pending/resolved-before-placeholder": "agent.pending.resolved-before-placeholder",
            "agent/pending/rejected-before-placeholder": "agent.pending.resolved-before-placeholder",
            "agent/pending/resolved-before-placeholder-in-pause": "agent.pending.resolved-before-placeholder",
        },
    ),
    Mutant(
        breaks="waiting calls are listed by the names of their tools",
        module="conversation",
        old=IN_ORDER,
        new="""\
        return tuple(sorted(self._pending.values(), key=lambda call: call.name))
""",
        caught_by={"agent/pending/order": "agent.pending.order"},
    ),
    Mutant(
        breaks="the latest of the waiting calls is listed first",
        module="conversation",
        old=IN_ORDER,
        new="""\
        return tuple(reversed(self._pending.values()))
""",
        caught_by={"agent/pending/order-across-runs": "agent.pending.order"},
    ),
    Mutant(
        breaks="waiting calls are listed by their ids, as texts",
        module="conversation",
        old=IN_ORDER,
        new="""\
        return tuple(sorted(self._pending.values(), key=lambda call: call.id))
""",
        caught_by={"agent/pending/order-of-many": "agent.pending.order"},
    ),
    Mutant(
        breaks="a placeholder is marked as an error",
        module="messages",
        old="""\
        return cls(content, is_pending=True)
""",
        new="""\
        return cls(content, is_pending=True, is_error=True)
""",
        caught_by={"agent/pending/not-error": "agent.pending.not-error"},
    ),
]
