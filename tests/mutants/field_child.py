"""The faults that users reported of children, as they showed there.

Those that `child` has already are there.
"""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants.child import NEST, RUN

STOP = "agent.child.stop"
STOP_GRANDCHILD = "agent.child.stop-grandchild"
LIVE = "agent.child.live"
NESTED = "agent.child.nested"
TWO_CHILDREN = "agent.child.two-children"


def running_on(where: str) -> str:
    """A replacement for `RUN`: where that is so, a child does not answer to its parent's stop, which does not
    cut it off either."""
    return f"""\
        from asyncio import CancelledError, ensure_future, shield

        flag = type(self._run.stop_flag)() if {where} else self._run.stop_flag
        running = ensure_future(agent._prompt_below(flag, prompt, model, self._emit_nested))
        while not running.done():
            try:
                await shield(running)
            except CancelledError:
                if not self._run.stop_flag.is_set():
                    running.cancel()
                    raise
            except Exception:
                break
        reply = running.result()
        if reply is None:
"""


STOPS = [
    Mutant(
        "a child that has been run before runs to its end when its parent is stopped",
        "tools",
        RUN,
        running_on("agent.messages"),
        {"field/stopped-while-a-follow-up-writes": STOP},
    ),
    Mutant(
        "a child runs to its end when a parent is stopped that was resumed",
        "tools",
        RUN,
        running_on('self._run._added[0].role == "tool_result"'),
        {"field/stopped-while-a-child-writes-after-a-resume": STOP},
    ),
    Mutant(
        "a grandchild runs to its end when the topmost agent is stopped",
        "tools",
        RUN,
        running_on("self._run.stop_flag._above is not None"),
        {
            "field/stopped-while-a-grandchild-writes": STOP_GRANDCHILD,
            "field/stopped-three-levels-up": STOP_GRANDCHILD,
        },
    ),
    Mutant(
        "whatever is three levels below runs to its end when the topmost agent is stopped",
        "tools",
        RUN,
        running_on(
            "self._run.stop_flag._above is not None and self._run.stop_flag._above._above is not None"
        ),
        {"field/stopped-three-levels-up": STOP_GRANDCHILD},
    ),
]

EVENTS = [
    Mutant(
        "a child's events do not come at all",
        "tools",
        NEST,
        "        pass\n",
        {"field/child-with-a-tool": LIVE, "field/child-asked-again": LIVE},
        not_local="it changes what every child's run shows",
    ),
    Mutant(
        "of a child's events only those of its first turn come",
        "tools",
        RUN,
        """\
        seen: list[str] = []

        def first_turn(event: Event) -> None:
            if "TurnEnd" not in seen or type(event).__name__ == "AgentEnd":
                self._emit_nested(event)
            seen.append(type(event).__name__)

        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, first_turn)
        if reply is None:
""",
        {"field/child-with-a-tool": NESTED},
    ),
    Mutant(
        "the events of a child that is asked again come when it has ended",
        "tools",
        RUN,
        """\
        kept: list[Event] = []
        emit = kept.append if agent.messages else self._emit_nested
        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, emit)
        for event in kept:
            self._emit_nested(event)
        if reply is None:
""",
        {"field/child-asked-again": LIVE},
    ),
    Mutant(
        "a child's events carry the id of the turn's first call of that tool",
        "tools",
        NEST,
        """\
        calls = [call for call in self._run._turn.tool_calls if call.name == self._call.name]
        self._emit(Nested(calls[0].id, event))
""",
        {"field/two-children-of-one-tool": TWO_CHILDREN},
    ),
]

MUTANTS: list[Mutant] = [*STOPS, *EVENTS]
