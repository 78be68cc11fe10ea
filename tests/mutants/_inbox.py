"""The places in the reference's run and inbox that the faults of the inbox replace, as they stand there."""

from __future__ import annotations

AT_BEGIN = """\
        self._read_inbox()
        if text:
            self._hear(text)
"""
BETWEEN = """\
            if inbox:
                self._read_inbox()
"""
ITEMS = "        for item in self._parts.inbox.take_all():\n"
HEARD = """\
                self._hear(item.text)
                continue
"""
CALL = "            call = self._conversation.pending_call(item.call_id)\n"
RESOLVED = "                self._resolve(call, item)\n"
DROPPED = """\
                self.emit(Warning(f"A result for {item.call_id} was dropped: no such call is pending."))
"""
FIRES = (
    "        self.emit(ToolResolved(call.id, call.name, ToolOutput(item.content, is_error=item.is_error)))\n"
)
HEADED = '        headed = f"{what} of the earlier call {call.id} of {call.name}:\\n{item.content}"\n'
WHAT = '        what = "Failure" if item.is_error else "Result"\n'
RECORDED = "        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))\n"
ANSWERED = "            self._record(call, await self._answer(call))\n"
GIVEN = "        self.emit(MessageEnd(message))\n        for call in message.tool_calls:\n"
MODEL_FAILED = """\
                if not self.stop_flag.is_set():
                    emit(Error(_text_of(failure)))
"""
LAST = "        self.emit(AgentEnd(tuple(self._added)))\n"
PAUSED = "                    self.emit(Paused(conversation.pending_calls()))\n"
PUT = "        self._items.append(item)\n"
STOPPED = "            run.stop_flag.set()\n"

IN_MID_RUN = 'any(message.role == "assistant" for message in self._added)'
"""In the reference's terms: the model has answered in this run."""
