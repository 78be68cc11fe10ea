"""Places in the reference that faults about pending calls and about resuming have in common."""

from __future__ import annotations

TAKEN = "            self._pending.pop(result.tool_call_id, None)\n"
RECORDED = "        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))\n"
