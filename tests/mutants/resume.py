"""Faults in what a resume does."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._pending import RECORDED, TAKEN

RUN = "        return await self._complete(Run(self._parts, model, sink, StopFlag()))\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="a resume with one result after an answer asks the model in the user's name to continue",
        module="agent",
        old=RUN,
        new="""\
        results = [item for item in self._parts.inbox._items if hasattr(item, "call_id")]
        text = "Continue." if len(results) == 1 and not self.needs_reply() else ""
        return await self._complete(Run(self._parts, model, sink, StopFlag()), text)
""",
        caught_by={"agent/resume/no-user-text": "agent.resume.no-user-text"},
    ),
    Mutant(
        breaks="a resume after a pause asks the model in the user's name to continue",
        module="agent",
        old=RUN,
        new="""\
        text = "Continue." if self.pending_calls() and self.needs_reply() else ""
        return await self._complete(Run(self._parts, model, sink, StopFlag()), text)
""",
        caught_by={"agent/resume/no-user-text-after-pause": "agent.resume.no-user-text"},
    ),
    Mutant(
        breaks="a resume with a pushed message adds a user message of its own",
        module="agent",
        old=RUN,
        new="""\
        text = "Continue." if any(hasattr(item, "text") for item in self._parts.inbox._items) else ""
        return await self._complete(Run(self._parts, model, sink, StopFlag()), text)
""",
        caught_by={"agent/resume/no-user-text-beside-a-pushed-message": "agent.resume.no-user-text"},
    ),
    Mutant(
        breaks="a resumed run ends after one round of calls",
        module="agent",
        old=RUN,
        new="""\
        from dataclasses import replace
        parts = replace(self._parts, config=replace(self._parts.config, max_tool_rounds=1))
        return await self._complete(Run(parts, model, sink, StopFlag()))
""",
        caught_by={"agent/resume/same-loop": "agent.resume.same-loop"},
    ),
    Mutant(
        breaks="a resumed run never pauses",
        module="agent",
        old=RUN,
        new="""\
        from dataclasses import replace
        parts = replace(self._parts, config=replace(self._parts.config, pause_on_pending=False))
        return await self._complete(Run(parts, model, sink, StopFlag()))
""",
        caught_by={"agent/resume/same-loop-pauses": "agent.resume.same-loop"},
    ),
    Mutant(
        breaks="a resumed run always pauses at a pending call",
        module="agent",
        old=RUN,
        new="""\
        from dataclasses import replace
        parts = replace(self._parts, config=replace(self._parts.config, pause_on_pending=True))
        return await self._complete(Run(parts, model, sink, StopFlag()))
""",
        caught_by={"agent/resume/same-loop-goes-on-around-pending": "agent.resume.same-loop"},
    ),
    Mutant(
        breaks="a resumed run reads the inbox at its start only",
        module="agent",
        old=RUN,
        new="""\
        from dataclasses import replace
        parts = replace(self._parts, inbox=Queue())
        for item in self._parts.inbox.take_all():
            parts.inbox.put(item)
        return await self._complete(Run(parts, model, sink, StopFlag()))
""",
        caught_by={
            "agent/resume/same-loop-reads-between-calls": "agent.resume.same-loop",
            "agent/resume/same-loop-reads-at-final": "agent.resume.same-loop",
        },
    ),
    Mutant(
        breaks="AgentEnd leaves out the late results",
        module="run",
        old=RECORDED,
        new="""\
        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))
        self._added.pop()
""",
        caught_by={
            "agent/events/late-result": "agent.events.late-result",
            "agent/events/late-result-after-answer": "agent.events.late-result",
            "agent/events/agent-end-complete-late": "agent.events.agent-end-complete",
            "agent/resume/agent-end-messages": "agent.resume.agent-end-messages",
        },
    ),
    Mutant(
        breaks="AgentEnd leaves out the failures that came late",
        module="run",
        old=RECORDED,
        new="""\
        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))
        if item.is_error:
            self._added.pop()
""",
        caught_by={"agent/resume/agent-end-messages-after-reject": "agent.resume.agent-end-messages"},
    ),
    Mutant(
        breaks="of several results in a row only the first has its ToolResolved",
        module="run",
        old="""\
        self.emit(ToolResolved(call.id, call.name, ToolOutput(item.content, is_error=item.is_error)))
""",
        new="""\
        before = self._added[-1].tool_result if self._added else None
        if before is None or before.pending:
            output = ToolOutput(item.content, is_error=item.is_error)
            self.emit(ToolResolved(call.id, call.name, output))
""",
        caught_by={"agent/resume/several": "agent.resume.several"},
    ),
    Mutant(
        breaks="a read takes one result at a time, and the model is called for each",
        module="inbox",
        old="""\
            yield self._items.popleft()
""",
        new="""\
            item = self._items.popleft()
            yield item
            if isinstance(item, Settled):
                return
""",
        caught_by={
            "agent/resume/several": "agent.resume.several",
            "agent/resume/several-after-an-answer": "agent.resume.several",
        },
    ),
    Mutant(
        breaks="a resume that has read a result takes all calls off the list that are waited for",
        module="run",
        old="""\
            self._hear(text)
""",
        new="""\
            self._hear(text)
        elif self._added:
            self._conversation._pending.clear()
""",
        caught_by={
            "agent/resume/partial": "agent.resume.partial",
            "agent/resume/partial-after-pause": "agent.resume.partial",
        },
    ),
    Mutant(
        breaks="a run that begins with a late result makes the calls again that still have none",
        module="run",
        old="""\
        while conversation.needs_reply() and not is_stopped():
""",
        new="""\
        if conversation.view[-1].tool_result and not conversation.view[-1].tool_result.pending:
            for call in conversation.pending_calls():
                self._record(call, await self._answer(call))
        while conversation.needs_reply() and not is_stopped():
""",
        caught_by={
            "agent/resume/partial": "agent.resume.partial",
            "agent/resume/partial-after-pause": "agent.resume.partial",
        },
    ),
    Mutant(
        breaks="a result takes all pending calls of its tool and its turn off the list",
        module="conversation",
        old=TAKEN,
        new="""\
            calls = next((each.tool_calls for each in self._messages
                          if any(call.id == result.tool_call_id for call in each.tool_calls)), ())
            for call in calls:
                if call.name == result.tool_name:
                    self._pending.pop(call.id, None)
""",
        caught_by={"agent/resume/partial-of-one-tool": "agent.resume.partial"},
    ),
    Mutant(
        breaks="a failure takes all calls off the list that are waited for",
        module="conversation",
        old=TAKEN,
        new="""\
            self._pending.pop(result.tool_call_id, None)
            if result.is_error:
                self._pending.clear()
""",
        caught_by={"agent/resume/partial-rejected": "agent.resume.partial"},
    ),
]
