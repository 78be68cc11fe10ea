"""Other ways with calls that the process died in."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant

PLACE = "where the failed results stand, and whether they are marked before or after the inbox is read"
BEGIN = """\
        self._fail_dangling_calls()
        self._read_inbox()
        if text:
            self._hear(text)
"""
ADDED = """\
            self._add(message, partial(self._conversation.append_to_round, call))
"""
WARNED = """\
        for call in self._conversation.dangling_calls():
            self.emit(Warning(f"The call {call.id} of {call.name} never got a result; it is marked failed."))
"""

VARIANTS: list[Variant] = [
    Variant(
        "one Warning is for all calls that were cut short",
        "whether each call that was cut short has a Warning",
        (
            Edit(
                "run",
                WARNED,
                """\
        if self._conversation.dangling_calls():
            self.emit(Warning("Something went wrong the last time."))
        for call in self._conversation.dangling_calls():
""",
            ),
        ),
    ),
    Variant(
        "failed results are not announced, and AgentEnd does not have them",
        "whether failed results are announced",
        (
            Edit(
                "run",
                ADDED,
                "            self._added.remove(message)\n"
                "            self._conversation.append_to_round(call, message)\n",
            ),
        ),
    ),
    Variant(
        "calls that were cut short are marked when the inbox has been read and the prompt heard, at the end",
        PLACE,
        (
            Edit(
                "run",
                BEGIN,
                """\
        self._read_inbox()
        if text:
            self._hear(text)
        self._fail_dangling_calls()
""",
            ),
            Edit("run", ADDED, "            self._add(message)\n"),
        ),
    ),
    Variant(
        "calls that were cut short are marked when the inbox has been read, behind their round",
        PLACE,
        (
            Edit(
                "run",
                BEGIN,
                """\
        self._read_inbox()
        self._fail_dangling_calls()
        if text:
            self._hear(text)
""",
            ),
        ),
    ),
    Variant(
        "a result that waits for a call that was cut short is its result",
        PLACE,
        (
            Edit(
                "run",
                BEGIN,
                """\
        for item in [item for item in self._parts.inbox._items if not isinstance(item, Pushed)]:
            for call in self._conversation.dangling_calls():
                if call.id == item.call_id:
                    self._parts.inbox._items.remove(item)
                    output = ToolOutput(item.content, is_error=item.is_error)
                    append = partial(self._conversation.append_to_round, call)
                    self._add(self._result_message(call, output), append)
"""
                + BEGIN,
            ),
        ),
    ),
]
