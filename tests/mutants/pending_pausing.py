"""Faults in how a run goes on, or pauses, where a turn has left calls pending."""

from __future__ import annotations

from tests.mutants import Mutant

ANSWERED = "            self._record(call, await self._answer(call))\n"
LAST = "        self.emit(AgentEnd(tuple(self._added)))\n"
PAUSED = "                    self.emit(Paused(conversation.pending_calls()))\n"

PAUSES = "                if config.pause_on_pending and self._leaves_pending(message):\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="a pending call that the model is to answer around is the last of its turn that is made",
        module="run",
        old=ANSWERED,
        new="""\
            output = await self._answer(call)
            self._record(call, output)
            if output.is_pending and not self._parts.config.pause_on_pending:
                break
""",
        caught_by={"agent/pending/well-formed": "agent.pending.well-formed"},
    ),
    Mutant(
        breaks="a run pauses as soon as a call is pending, and leaves the turn's other calls alone",
        module="run",
        old=ANSWERED,
        new="""\
            output = await self._answer(call)
            self._record(call, output)
            if output.is_pending and self._parts.config.pause_on_pending:
                break
""",
        caught_by={"agent/pending/well-formed-in-pause": "agent.pending.well-formed"},
    ),
    Mutant(
        breaks="a run ends after a placeholder, although it is not to pause",
        module="run",
        old=PAUSES,
        new="""\
                if not config.pause_on_pending and self._leaves_pending(message):
                    return
                if config.pause_on_pending and self._leaves_pending(message):
""",
        caught_by={
            "agent/pending/default-continues": "agent.pending.default-continues",
            "agent/pending/default-continues-with-other-calls": "agent.pending.default-continues",
        },
        not_local="in most scenarios with a pending call the model answers around it",
    ),
    Mutant(
        breaks="the model is not shown the text of a placeholder",
        module="run",
        old="""\
                    stream = self._model.generate(conversation.view, parts.tools, parts.config.system_prompt)
""",
        new="""\
                    blank = [each._replace(tool_result=each.tool_result._replace(content=""))
                             if each.tool_result and each.tool_result.pending else each
                             for each in conversation.view]
                    stream = self._model.generate(blank, parts.tools, parts.config.system_prompt)
""",
        caught_by={"agent/pending/default-continues": "agent.pending.default-continues"},
    ),
    Mutant(
        breaks="a run ends in the turn after one that left a call pending",
        module="run",
        old="""\
                rounds += 1
""",
        new="""\
                rounds += 1
                if not config.pause_on_pending and rounds == 2 and conversation.pending_calls():
                    return
""",
        caught_by={"agent/pending/default-continues-with-other-calls": "agent.pending.default-continues"},
    ),
    Mutant(
        breaks="a run pauses without saying so",
        module="run",
        old=PAUSED,
        new="",
        caught_by={"agent/pending/pause": "agent.pending.pause"},
    ),
    Mutant(
        breaks="Paused names one call only",
        module="run",
        old=PAUSED,
        new="""\
                    self.emit(Paused(conversation.pending_calls()[:1]))
""",
        caught_by={
            "agent/pending/pause-names-all": "agent.pending.pause",
            "agent/pending/pause-beside-an-older-call": "agent.pending.pause",
        },
    ),
    Mutant(
        breaks="only the first turn of a run can pause it",
        module="run",
        old=PAUSES,
        new="""\
                if config.pause_on_pending and rounds == 1 and self._leaves_pending(message):
""",
        caught_by={"agent/pending/pause-in-a-later-turn": "agent.pending.pause"},
    ),
    Mutant(
        breaks="a turn in which the model wrote something does not pause the run",
        module="run",
        old=PAUSES,
        new="""\
                if config.pause_on_pending and not message.content and self._leaves_pending(message):
""",
        caught_by={"agent/pending/pause-beside-text": "agent.pending.pause"},
    ),
    Mutant(
        breaks="Paused is emitted where a run goes on around a pending call",
        module="run",
        old=PAUSES,
        new="""\
                if not config.pause_on_pending and self._leaves_pending(message):
                    self.emit(Paused(conversation.pending_calls()))
                if config.pause_on_pending and self._leaves_pending(message):
""",
        caught_by={"agent/pending/no-pause-by-default": "agent.pending.no-pause-by-default"},
    ),
    Mutant(
        breaks="a run that calls no tool ends in Paused if an older call is pending",
        module="run",
        old=LAST,
        new="""\
        made = any(message.tool_calls for message in self._added)
        if not made and not self._parts.config.pause_on_pending and self._conversation.pending_calls():
            self.emit(Paused(self._conversation.pending_calls()))
        self.emit(AgentEnd(tuple(self._added)))
""",
        caught_by={"agent/pending/no-pause-by-default-in-a-later-run": "agent.pending.no-pause-by-default"},
    ),
    Mutant(
        breaks="with pause_on_pending every turn with calls ends the run",
        module="run",
        old=PAUSES,
        new="""\
                if config.pause_on_pending:
""",
        caught_by={"agent/pending/pause-only-if-pending": "agent.pending.pause-only-if-pending"},
    ),
    Mutant(
        breaks="a placeholder anywhere in the conversation is a reason to pause",
        module="run",
        old=PAUSES,
        new="""\
                if config.pause_on_pending and any(
                        each.tool_result and each.tool_result.pending for each in conversation.view):
""",
        caught_by={"agent/pending/pause-only-if-pending-any-more": "agent.pending.pause-only-if-pending"},
    ),
    Mutant(
        breaks="a placeholder makes all calls of its turn pending that were made before it",
        module="conversation",
        old="""\
            self._pending[unanswered.id] = unanswered
""",
        new="""\
            turn = next(each for each in reversed(self._messages) if each.tool_calls)
            ids = [call.id for call in turn.tool_calls]
            for before in turn.tool_calls[: ids.index(result.tool_call_id)]:
                self._pending[before.id] = before
            self._pending[unanswered.id] = unanswered
""",
        caught_by={
            "agent/pending/mixed-turn": "agent.pending.mixed-turn",
            "agent/pending/mixed-turn-by-default": "agent.pending.mixed-turn",
        },
    ),
    Mutant(
        breaks="the last call of a turn decides whether it pauses the run",
        module="run",
        old=PAUSES,
        new="""\
                last = conversation.pending_call(message.tool_calls[-1].id)
                if config.pause_on_pending and last is not None:
""",
        caught_by={"agent/pending/mixed-turn-pending-first": "agent.pending.mixed-turn"},
    ),
    Mutant(
        breaks="a prompt is refused while a call is pending and nothing has come for it",
        module="agent",
        old="""\
        if not text and not self._parts.inbox:
""",
        new="""\
        if self.pending_calls() and not self._parts.inbox:
            raise Busy("a call is pending")
        if not text and not self._parts.inbox:
""",
        caught_by={
            "agent/pending/other-work-goes-on": "agent.pending.other-work-goes-on",
            "agent/pending/other-work-goes-on-with-another-pending-call": "agent.pending.other-work-goes-on",
        },
    ),
    Mutant(
        breaks="the next prompt takes the calls off the list that an earlier run left pending",
        module="run",
        old="""\
        if text:
            self._hear(text)
""",
        new="""\
        if text:
            self._hear(text)
            self._conversation._pending.clear()
""",
        caught_by={"agent/pending/other-work-goes-on": "agent.pending.other-work-goes-on"},
    ),
]
