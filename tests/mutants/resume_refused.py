"""Faults in when a resume is refused, in what that leaves behind, and in whether a reply is due."""

from __future__ import annotations

from tests.mutants import Mutant

REFUSED = '            raise NothingToDo("the inbox is empty and no reply is due")\n'
REFUSES = "        if not self._parts.inbox and not self.needs_reply():\n"
NEEDS_REPLY = "        return self._parts.conversation.needs_reply()\n"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="a resume that has nothing to do runs all the same, and calls nobody",
        module="agent",
        old="""\
        if not self._parts.inbox and not self.needs_reply():
            raise NothingToDo("the inbox is empty and no reply is due")
""",
        new="",
        caught_by={
            "agent/resume/nothing-to-do": "agent.resume.nothing-to-do",
            "agent/resume/nothing-to-do-after-a-restart": "agent.resume.nothing-to-do",
        },
    ),
    Mutant(
        breaks="a resume that has nothing to do says that it starts before it is refused",
        module="agent",
        old=REFUSED,
        new="""\
            from reference.events import AgentStart
            sink(AgentStart())
            raise NothingToDo("the inbox is empty and no reply is due")
""",
        caught_by={"agent/resume/nothing-to-do": "agent.resume.nothing-to-do"},
    ),
    Mutant(
        breaks="a pending call is reason enough for a resume",
        module="agent",
        old=REFUSES,
        new="""\
        if not self._parts.inbox and not self.needs_reply() and not self.pending_calls():
""",
        caught_by={"agent/resume/nothing-to-do-while-pending": "agent.resume.nothing-to-do"},
    ),
    Mutant(
        breaks="a call that has been resolved is reason enough for any number of resumes",
        module="agent",
        old=REFUSES,
        new="""\
        results = [m.tool_result.tool_call_id for m in self.messages if m.tool_result]
        once_pending = len(results) > len(set(results))
        if not self._parts.inbox and not self.needs_reply() and not once_pending:
""",
        caught_by={"agent/resume/nothing-to-do-a-second-time": "agent.resume.nothing-to-do"},
    ),
    Mutant(
        breaks="a resume that is refused gives up the calls that are waited for",
        module="agent",
        old=REFUSED,
        new="""\
            self._parts.conversation._pending.clear()
            raise NothingToDo("the inbox is empty and no reply is due")
""",
        caught_by={"agent/resume/error-changes-nothing": "agent.resume.error-changes-nothing"},
    ),
    Mutant(
        breaks="a paused run is not taken up, whatever is in the inbox",
        module="agent",
        old=REFUSES,
        new="""\
        if self._parts.config.pause_on_pending and self.pending_calls():
            raise NothingToDo("the run is paused")
        if not self._parts.inbox and not self.needs_reply():
""",
        caught_by={"agent/resume/after-pause": "agent.resume.after-pause"},
        not_local="every scenario that takes up a paused run begins so",
    ),
    Mutant(
        breaks="a paused run is not taken up if all that has come is a failure",
        module="agent",
        old=REFUSES,
        new="""\
        items = self._parts.inbox._items
        if items and self.needs_reply() and all(getattr(item, "is_error", False) for item in items):
            raise NothingToDo("the call has failed")
        if not self._parts.inbox and not self.needs_reply():
""",
        caught_by={"agent/resume/after-pause-with-a-failure": "agent.resume.after-pause"},
    ),
    Mutant(
        breaks="a paused run is taken up only if something has come",
        module="agent",
        old=REFUSES,
        new="""\
        if not self._parts.inbox:
""",
        caught_by={"agent/resume/after-pause-empty": "agent.resume.after-pause-empty"},
    ),
    Mutant(
        breaks="a resume is refused if only messages wait in the inbox",
        module="agent",
        old=REFUSES,
        new="""\
        results = [item for item in self._parts.inbox._items if hasattr(item, "call_id")]
        if not results and not self.needs_reply():
""",
        caught_by={"agent/resume/pushed-message": "agent.resume.pushed-message"},
    ),
    Mutant(
        breaks="a resume is refused if the conversation is empty",
        module="agent",
        old=REFUSES,
        new="""\
        if not self.messages or (not self._parts.inbox and not self.needs_reply()):
""",
        caught_by={"agent/resume/pushed-message-to-a-new-agent": "agent.resume.pushed-message"},
    ),
    Mutant(
        breaks="a resume is refused if a call is pending and no result has come",
        module="agent",
        old=REFUSES,
        new="""\
        results = [item for item in self._parts.inbox._items if hasattr(item, "call_id")]
        waits = bool(self.pending_calls()) and not results
        if waits or (not self._parts.inbox and not self.needs_reply()):
""",
        caught_by={"agent/resume/pushed-message-while-pending": "agent.resume.pushed-message"},
    ),
    Mutant(
        breaks="a reply is said to be due as soon as there is a conversation",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        return bool(self.messages)
""",
        caught_by={"agent/resume/needs-reply-false": "agent.resume.needs-reply-false"},
    ),
    Mutant(
        breaks="a reply is said to be due as long as a call is pending",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        return self._parts.conversation.needs_reply() or bool(self.pending_calls())
""",
        caught_by={"agent/resume/needs-reply-false-while-pending": "agent.resume.needs-reply-false"},
    ),
    Mutant(
        breaks="a reply is said to be due to a late result that has had one",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        results = [m.tool_result.tool_call_id for m in self.messages if m.tool_result]
        return self._parts.conversation.needs_reply() or len(results) > len(set(results))
""",
        caught_by={"agent/resume/needs-reply-false-after-resume": "agent.resume.needs-reply-false"},
    ),
    Mutant(
        breaks="no reply is said to be due after a pause",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        return self._parts.conversation.needs_reply() and not self.pending_calls()
""",
        caught_by={"agent/resume/needs-reply-true": "agent.resume.needs-reply-true"},
    ),
    Mutant(
        breaks="no reply is said to be due to a user message",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        return self._parts.conversation.needs_reply() and self.messages[-1].role != "user"
""",
        caught_by={"agent/resume/needs-reply-true-after-a-user-message": "agent.resume.needs-reply-true"},
    ),
    Mutant(
        breaks="no reply is said to be due to calls without results",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        return self._parts.conversation.needs_reply() and self.messages[-1].role != "assistant"
""",
        caught_by={
            "agent/resume/needs-reply-true-after-calls-without-results": "agent.resume.needs-reply-true"
        },
    ),
    Mutant(
        breaks="a reply is said to be due in an empty conversation",
        module="agent",
        old=NEEDS_REPLY,
        new="""\
        return self._parts.conversation.needs_reply() or not self.messages
""",
        caught_by={
            "agent/resume/needs-reply-false-for-an-empty-conversation": "agent.resume.needs-reply-true"
        },
    ),
]
