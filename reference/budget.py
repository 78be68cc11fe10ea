"""What a sub-agent may use up, and what its limits are called.

Knows nothing of handles: what has been used is counted by `node`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

MAX_TURNS = "maxTurns"
MAX_TOKENS = "maxTokens"
MAX_TOOL_CALLS = "maxToolCalls"
MAX_WALL_MS = "maxWallMs"
MAX_CHILDREN = "maxChildren"
MAX_CONCURRENT = "maxConcurrent"
MAX_DEPTH = "maxDepth"
TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; None is none. Those of tokens and tool calls hold for a handle and all below it together: what
    one has is carved from what its parent has left, and its siblings may still spend that.

    Args:
        max_turns: model calls of one turn, that is of one wake.
        max_tokens: tokens, over the handle's whole life.
        max_tool_calls: calls of tools, over the handle's whole life.
        max_wall_ms: how long one turn may take, by the runtime's clock.
        max_children: how many children may ever be spawned.
        max_concurrent: how many children may run at once.
        max_depth: how many levels there may be below.
    """

    max_turns: int | None = None
    max_tokens: int | None = None
    max_tool_calls: int | None = None
    max_wall_ms: int | None = None
    max_children: int | None = None
    max_concurrent: int | None = None
    max_depth: int | None = None

    def narrowed(self, other: Budget) -> Budget:
        """The smaller of each two limits."""
        return Budget(
            *(_smaller(getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        )


def _smaller(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)
