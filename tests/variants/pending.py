"""Other ways with pending calls: when a run pauses for them, and what is said of them."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant

WHICH = "whether a run pauses for calls that are pending from before, and which calls Paused lists"
PAUSING = """\
                if config.pause_on_pending and self._leaves_pending(message):
                    self.emit(Paused(conversation.pending_calls()))
                    return
"""
OF_THE_TURN = "any(self._conversation.pending_call(call.id) is not None for call in message.tool_calls)"
GO_ON = "what becomes of an item that waits when a run pauses"

VARIANTS: list[Variant] = [
    Variant(
        "a turn with calls pauses the run also if only older calls are pending",
        WHICH,
        (Edit("run", OF_THE_TURN, "bool(self._conversation.pending_calls())"),),
    ),
    Variant(
        "Paused lists the calls of its turn only",
        WHICH,
        (
            Edit(
                "run",
                "self.emit(Paused(conversation.pending_calls()))",
                "self.emit(Paused(tuple(c for c in message.tool_calls if conversation.pending_call(c.id))))",
            ),
        ),
    ),
    Variant(
        "a final answer, too, is followed by Paused if a call is pending",
        "a final answer where a run pauses and an older call is pending",
        (
            Edit(
                "run",
                "            if inbox:\n                self._read_inbox()\n",
                """\
            if inbox:
                self._read_inbox()
            elif config.pause_on_pending and not message.tool_calls and conversation.pending_calls():
                self.emit(Paused(conversation.pending_calls()))
""",
            ),
        ),
    ),
    Variant(
        "a resume that has read some of the results only pauses again",
        "a resume that has read some of the results only",
        (
            Edit(
                "run",
                "        rounds = 0\n",
                """\
        rounds = 0
        has_read = any(message.role == "tool_result" for message in self._added)
        if config.pause_on_pending and conversation.pending_calls() and has_read:
            if conversation.view[-1].role == "tool_result":
                self.emit(Paused(conversation.pending_calls()))
                return
""",
            ),
        ),
    ),
    Variant(
        "a result that lands in the turn that pauses is read, and the run goes on if nothing is pending then",
        GO_ON,
        (
            Edit(
                "run",
                PAUSING,
                """\
                if inbox and config.pause_on_pending:
                    self._read_inbox()
"""
                + PAUSING,
            ),
        ),
    ),
    Variant(
        "whatever lands in the turn that would pause is read, and the run goes on",
        GO_ON,
        (Edit("run", PAUSING, PAUSING.replace("if config", "if not inbox and config")),),
    ),
    Variant(
        "needs_reply() is never true",
        "when a reply is due",
        (Edit("agent", "        return self._parts.conversation.needs_reply()\n", "        return False\n"),),
    ),
]
