"""How a judge reads messages and events, whose form it may not trust.

Everything here takes whatever came over the boundary and answers with a value of the shape that was asked
for, or with nothing. Whether the form is right is for the schemas to say. Knows nothing of runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.scenario import Json

EVENT_TYPES: frozenset[str] = frozenset(
    {
        "AgentStart",
        "AgentEnd",
        "TurnStart",
        "TurnEnd",
        "ContextBudget",
        "MessageStart",
        "MessageDelta",
        "MessageEnd",
        "GenerationStats",
        "ToolExecStart",
        "ToolExecUpdate",
        "ToolExecEnd",
        "ToolDenied",
        "ToolResolved",
        "Paused",
        "Nested",
        "Warning",
        "Error",
    }
)
"""The event types that have a meaning here. The set is open: others may come, and are ignored."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call in an assistant message, as far as it could be read."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool-result message, as far as it could be read. `content` is the result's, or else the message's."""

    call_id: str
    content: str
    pending: bool


TIMES = frozenset({"timestamp", "tokens_per_sec", "time_to_first_token_ms", "generation_time_ms"})
"""Fields that hold a time or a rate: they differ from run to run, and no report shows them."""


def without_times(value: Json) -> Json:
    """The value without what measures time, at every depth."""
    if isinstance(value, list):
        return [without_times(item) for item in value]
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return value


def text_at(holder: Json, key: str) -> str:
    """The string in that field, or an empty one."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""


def mapping_at(holder: Json, key: str) -> dict[str, Json]:
    """The mapping in that field, or an empty one."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def list_at(holder: Json, key: str) -> list[Json]:
    """The list in that field, or an empty one."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, list) else []


def tool_calls(message: Json) -> list[ToolCall]:
    """The calls that an assistant message makes; those without an id are left out."""
    made = list_at(message, "tool_calls")
    if not made:
        return []
    calls = (ToolCall(text_at(call, "id"), text_at(call, "name")) for call in made)
    return [call for call in calls if call.id]


def tool_result(message: Json) -> ToolResult | None:
    """The result that a message carries, or None where it is no tool result or names no call."""
    if text_at(message, "role") != "tool_result":
        return None
    result = mapping_at(message, "tool_result")
    call_id = text_at(result, "tool_call_id")
    if not call_id:
        return None
    content = result.get("content")
    shown = content if isinstance(content, str) else text_at(message, "content")
    return ToolResult(call_id, shown, result.get("pending") is True)


def calls_of(messages: Iterable[Json]) -> list[ToolCall]:
    """All calls that a conversation's messages make, in order."""
    return [call for message in messages for call in tool_calls(message)]


def results_of(messages: Iterable[Json]) -> dict[str, list[ToolResult]]:
    """All results in a conversation, by the id of their call."""
    by_call: dict[str, list[ToolResult]] = {}
    for message in messages:
        result = tool_result(message)
        if result is not None:
            by_call.setdefault(result.call_id, []).append(result)
    return by_call
