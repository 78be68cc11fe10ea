"""Faults in what becomes of messages and late results when an agent reads its inbox."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import (
    AT_BEGIN,
    BETWEEN,
    CALL,
    DROPPED,
    FIRES,
    HEADED,
    HEARD,
    IN_MID_RUN,
    ITEMS,
    RECORDED,
    WHAT,
)

PUSH_USER_TURN = "agent.inbox.push-user-turn"
RESOLVE = "agent.inbox.resolve-second-result"
LIKE_RESOLVE = "agent.inbox.reject-like-resolve"
HEADING = "agent.inbox.headed"
NAMES_CALL = "agent.inbox.headed-names-call"
EVENT = "agent.inbox.tool-resolved-event"
NO_EVENT = "agent.inbox.dropped-no-event"
UNKNOWN = "agent.inbox.unknown-dropped"
COMPLETED = "agent.inbox.completed-dropped"

MESSAGES = [
    Mutant(
        breaks="a pushed message that opens a run is recorded as a system message",
        module="run",
        old=HEARD,
        new="""\
                role = "user" if self._added else "system"
                self._add(Message(self._conversation.next_id(), role, item.text, self._now()))
                continue
""",
        caught_by={"agent/inbox/push-user-turn": PUSH_USER_TURN},
        not_local="many resumes begin with what was pushed",
    ),
    Mutant(
        breaks="a pushed text that the conversation has already is left out",
        module="run",
        old=HEARD,
        new="""\
                if all(message.content != item.text for message in self._conversation.view):
                    self._hear(item.text)
                continue
""",
        caught_by={"agent/inbox/push-same-text-again": PUSH_USER_TURN},
    ),
    Mutant(
        breaks="a pushed message loses the white space around it",
        module="run",
        old=HEARD,
        new="""\
                self._hear(item.text.strip())
                continue
""",
        caught_by={"agent/inbox/push-exact": "agent.inbox.push-exact"},
    ),
]

RESULTS = [
    Mutant(
        breaks="every late result is marked as an error",
        module="run",
        old=RECORDED,
        new="        self._add(self._result_message(call, ToolOutput(headed, is_error=True)))\n",
        caught_by={"agent/inbox/resolve-second-result": RESOLVE},
    ),
    Mutant(
        breaks="a late result goes to the first pending call of its tool",
        module="run",
        old=CALL,
        new=CALL
        + """\
            if call is not None:
                call = next(each for each in self._conversation.pending_calls() if each.name == call.name)
""",
        caught_by={"agent/inbox/resolve-the-right-call": RESOLVE},
    ),
    Mutant(
        breaks="a rejection is recorded without its error mark",
        module="run",
        old=RECORDED,
        new="        self._add(self._result_message(call, ToolOutput(headed)))\n",
        caught_by={"agent/inbox/reject-error-result": "agent.inbox.reject-error-result"},
    ),
]

REJECTIONS = [
    Mutant(
        breaks="a rejection fires no ToolResolved",
        module="run",
        old=FIRES,
        new="        if not item.is_error:\n    " + FIRES,
        caught_by={"agent/inbox/reject-like-resolve": LIKE_RESOLVE},
    ),
    Mutant(
        breaks="a rejection is not headed",
        module="run",
        old=HEADED,
        new=HEADED + "        headed = item.content if item.is_error else headed\n",
        caught_by={"agent/inbox/reject-headed": LIKE_RESOLVE},
    ),
    Mutant(
        breaks="a resolution overtakes the rejection that came before it",
        module="run",
        old=ITEMS,
        new="""\
        items = list(self._parts.inbox.take_all())
        for item in sorted(items, key=lambda item: isinstance(item, Settled) and item.is_error):
""",
        caught_by={"agent/inbox/reject-then-resolve": LIKE_RESOLVE},
    ),
    Mutant(
        breaks="a rejection overtakes the resolution that came before it",
        module="run",
        old=ITEMS,
        new="""\
        items = list(self._parts.inbox.take_all())
        for item in sorted(items, key=lambda item: isinstance(item, Settled) and not item.is_error):
""",
        caught_by={"agent/inbox/resolve-then-reject": LIKE_RESOLVE},
    ),
    Mutant(
        breaks="a call that was rejected stays pending and takes another result",
        module="conversation",
        old="        if not result.pending:\n            self._pending.pop",
        new="        if not result.pending and not result.is_error:\n            self._pending.pop",
        caught_by={
            "agent/inbox/reject-twice": "agent.inbox.reject-like-resolve",
            "agent/inbox/resolve-after-rejection": "agent.inbox.reject-like-resolve",
            "agent/pending/listed-until-rejected": "agent.pending.listed",
            "agent/pending/second-dropped-later-after-reject": "agent.pending.second-dropped-later",
        },
    ),
    Mutant(
        breaks="a rejection is taken whether its call is pending or not",
        module="run",
        old=CALL,
        new=CALL
        + """\
            if item.is_error and call is None:
                calls = (call for message in self._conversation.view for call in message.tool_calls)
                call = next((each for each in calls if each.id == item.call_id), None)
""",
        caught_by={
            "agent/inbox/reject-after-resolution": LIKE_RESOLVE,
            "agent/inbox/completed-rejection-dropped": COMPLETED,
        },
    ),
]

HEADINGS = [
    Mutant(
        breaks="a late result that a run begins with is not headed",
        module="run",
        old=HEADED,
        new=f"{HEADED}        headed = headed if {IN_MID_RUN} else item.content\n",
        caught_by={"agent/inbox/headed": HEADING},
    ),
    Mutant(
        breaks="a late result that comes in the middle of a run is not headed",
        module="run",
        old=HEADED,
        new=f"{HEADED}        headed = item.content if {IN_MID_RUN} else headed\n",
        caught_by={"agent/inbox/headed-during-a-run": HEADING},
    ),
    Mutant(
        breaks="the heading of a late result names no call",
        module="run",
        old=HEADED,
        new='        headed = f"{what} of an earlier call:\\n{item.content}"\n',
        caught_by={"agent/inbox/headed-names-call": NAMES_CALL},
    ),
    Mutant(
        breaks="the heading of a late result names the call that has been pending for longest",
        module="run",
        old=HEADED,
        new="        oldest = self._conversation.pending_calls()[0]\n"
        '        headed = f"{what} of the earlier call {oldest.id} of {oldest.name}:\\n{item.content}"\n',
        caught_by={"agent/inbox/headed-names-each-call": NAMES_CALL},
    ),
]

EVENTS = [
    Mutant(
        breaks="ToolResolved fires behind the message of a result that comes in the middle of a run",
        module="run",
        old=FIRES + WHAT + HEADED + RECORDED,
        new=f"""\
        is_first = not {IN_MID_RUN}
        if is_first:
    {FIRES}{WHAT}{HEADED}{RECORDED}\
        if not is_first:
    {FIRES}""",
        caught_by={
            "agent/inbox/tool-resolved-event": EVENT,
            "agent/inbox/tool-resolved-at-final": EVENT,
        },
    ),
    Mutant(
        breaks="a late result that prolongs a run fires no ToolResolved",
        module="run",
        old=FIRES,
        new=f"""\
        if not self._added or self._conversation.view[-1].role != "assistant":
    {FIRES}""",
        caught_by={"agent/inbox/tool-resolved-at-final": EVENT},
    ),
    Mutant(
        breaks="a prompt reads the inbox without an event",
        module="run",
        old=AT_BEGIN,
        new="""\
        sink = self.emit
        if text:
            self.emit = lambda event: None
        self._read_inbox()
        self.emit = sink
        if text:
            self._hear(text)
""",
        caught_by={"agent/inbox/tool-resolved-at-prompt": EVENT},
    ),
    Mutant(
        breaks="ToolResolved names the call that has been pending for longest",
        module="run",
        old=FIRES,
        new=f"""\
        call, own = self._conversation.pending_calls()[0], call
{FIRES}        call = own
""",
        caught_by={"agent/inbox/tool-resolved-names-its-call": EVENT},
    ),
]

KNOWN = """\
            calls = [call for message in self._conversation.view for call in message.tool_calls]
            known = next((each for each in calls if each.id == item.call_id), None)
"""

DROPS = [
    Mutant(
        breaks="a result that is dropped fires ToolResolved all the same",
        module="run",
        old=DROPPED,
        new=f"""\
                self.emit(ToolResolved(item.call_id, "", ToolOutput(item.content)))
{DROPPED}""",
        caught_by={
            "agent/inbox/dropped-no-event": NO_EVENT,
            "agent/inbox/dropped-no-event-unknown": NO_EVENT,
        },
    ),
    Mutant(
        breaks="a second result is recorded, with a Warning",
        module="run",
        old=DROPPED,
        new=f"""\
{DROPPED}{KNOWN}\
            if call is None and known is not None:
                self._add(self._result_message(known, ToolOutput(item.content)))
""",
        caught_by={"agent/inbox/dropped-no-event": NO_EVENT},
    ),
    Mutant(
        breaks="a result for a call that does not exist is recorded, with a Warning",
        module="run",
        old=DROPPED,
        new=f"""\
{DROPPED}{KNOWN}\
            if known is None:
                self._add(self._result_message(ToolCall(item.call_id, "", {{}}), ToolOutput(item.content)))
""",
        caught_by={"agent/inbox/dropped-no-event-unknown": NO_EVENT},
    ),
    Mutant(
        breaks="a result for a call that does not exist is dropped without a Warning",
        module="run",
        old=f"            else:\n{DROPPED}",
        new=f"{KNOWN}            if known is not None and call is None:\n{DROPPED}",
        caught_by={
            "agent/inbox/unknown-dropped": UNKNOWN,
            "agent/inbox/unknown-rejection-dropped": UNKNOWN,
        },
    ),
    Mutant(
        breaks="a rejection is dropped without a Warning",
        module="run",
        old=f"            else:\n{DROPPED}",
        new=f"            elif not item.is_error:\n{DROPPED}",
        caught_by={
            "agent/inbox/unknown-rejection-dropped": UNKNOWN,
            "agent/inbox/completed-rejection-dropped": COMPLETED,
        },
    ),
    Mutant(
        breaks="a call that has completed takes another result",
        module="run",
        old=CALL,
        new=f"""\
{KNOWN}            results = [message.tool_result for message in self._conversation.view]
            given = [result for result in results if result and result.tool_call_id == item.call_id]
            call = known if len(given) == 1 else None
""",
        caught_by={"agent/inbox/completed-dropped": COMPLETED},
    ),
    Mutant(
        breaks="a call that completes takes the result that came while it was executed as a second one",
        module="run",
        old=CALL,
        new=f"""\
{CALL}            for result in [message.tool_result for message in self._results if message.tool_result]:
                if result.tool_call_id == item.call_id:
                    call = ToolCall(result.tool_call_id, result.tool_name, {{}})
""",
        caught_by={"agent/inbox/completed-dropped-early": COMPLETED},
    ),
    Mutant(
        breaks="the model is asked again after a result that was dropped",
        module="run",
        old=BETWEEN,
        new=BETWEEN
        + """\
                if not conversation.needs_reply():
                    await self._take_turn()
""",
        caught_by={
            "agent/inbox/dropped-does-not-prolong": "agent.inbox.dropped-does-not-prolong",
        },
    ),
]

MUTANTS = [*MESSAGES, *RESULTS, *REJECTIONS, *HEADINGS, *EVENTS, *DROPS]
