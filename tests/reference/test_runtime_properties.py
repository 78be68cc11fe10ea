"""Whatever agents and their host do: handles take only the table's steps, and every token is counted once."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from reference import (
    AgentError,
    Answer,
    Def,
    Handle,
    ModelReply,
    ModelRequest,
    Options,
    Runtime,
    State,
    Usage,
)
from reference.handle import TRANSITIONS
from tests.reference.fakes import run
from tests.reference.sub_agents import Asks, Trace, call, defined, does, task

DRAWN = {
    (State.IDLE, State.RUNNING),
    (State.RUNNING, State.IDLE),
    (State.RUNNING, State.SUSPENDED),
    (State.RUNNING, State.CLOSED),
    (State.SUSPENDED, State.RUNNING),
}
"""The steps that the document names."""
BY_CLOSE = {(State.IDLE, State.CLOSED), (State.SUSPENDED, State.CLOSED)}

REPLIES = {
    "final": ModelReply("done", usage=Usage(1, 0)),
    "look": ModelReply("", (call("look"),), Usage(1, 0)),
    "ask": ModelReply("", (call("ask"),), Usage(1, 0)),
    "task": ModelReply("", (task("w"),), Usage(1, 0)),
    "both": ModelReply("", (task("w", "one", "t1"), call("ask", "c2"), task("w", "two", "t3")), Usage(1, 0)),
}


class Host:
    """Does what it is told with a runtime, and minds no refusal."""

    def __init__(self, replies: list[str]) -> None:
        self._replies = iter(replies)
        self.taken = 0
        self.trace = Trace()
        asks = Asks("ask")
        worker = Def("w", tools=(asks.tool, does("look")), team=("w",))
        self.rt = Runtime(Options(defined(worker), self._generate, on_transition=self.trace))
        self.handles: list[Handle] = [self.rt.root()]

    async def _generate(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(0)
        self.taken += 1
        return REPLIES[next(self._replies, "final")]

    async def does(self, verb: str, which: int) -> None:
        handle = self.handles[which % len(self.handles)]
        try:
            if verb == "spawn":
                self.handles.append(self.rt.spawn(handle, "w"))
            elif verb == "wake":
                self.rt.wake(handle, "go")
            elif verb == "post":
                self.rt.post(handle, "a note")
            elif verb == "interrupt":
                self.rt.interrupt(handle)
            elif verb in ("close", "force"):
                if handle != self.rt.root():
                    self.rt.close(handle, force=verb == "force")
            elif verb == "wait":
                await self.rt.wait(handle)
            elif verb == "resume":
                result = await self.rt.wait(handle)
                await self.rt.resume(Answer(result.pending.id if result.pending else "none", which % 2 == 0))
            else:
                await asyncio.sleep(0)
        except AgentError:
            pass


VERBS = ("spawn", "wake", "post", "interrupt", "close", "force", "wait", "resume", "resume", "yield", "yield")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(REPLIES)), max_size=25),
    st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 5)), max_size=25),
)
def test_only_the_tables_steps_are_taken_and_every_token_is_counted_once_at_each_level(
    replies: list[str], script: list[tuple[str, int]]
) -> None:
    async def play() -> None:
        host = Host(replies)
        for verb, which in [("spawn", 0), ("wake", 1), *script]:
            await host.does(verb, which)
            assert host.rt.usage_tokens(host.rt.root()) == host.taken
            for view in host.rt.list():
                assert bool(view.pending_kind) == (view.state == State.SUSPENDED)
        for handle in host.handles[1:]:
            if host.rt.state_of(handle) == State.RUNNING:
                await host.rt.wait(handle)
        keeps_to_the_table(host.trace)

    run(play())


def keeps_to_the_table(trace: Trace) -> None:
    at: dict[str, State] = {}
    for handle_id, before, after in trace.steps:
        assert before == at.get(handle_id, State.IDLE)
        assert (before, after) in DRAWN | BY_CLOSE
        at[handle_id] = after


def test_the_table_has_the_documents_steps_and_beside_them_only_what_close_does() -> None:
    assert {(before, after) for (before, _), after in TRANSITIONS.items()} == DRAWN | BY_CLOSE
    resumed = (State.SUSPENDED, State.RUNNING)
    assert [cause.name for (before, cause), after in TRANSITIONS.items() if (before, after) == resumed] == [
        "ANSWER"
    ]


@settings(max_examples=50, deadline=None)
@given(st.recursive(st.integers(0, 9), lambda inner: st.lists(inner, max_size=3), max_leaves=12))
def test_a_tree_of_tasks_costs_each_level_what_it_and_all_below_it_took(tree: object) -> None:
    """A number is an agent that takes so many tokens; a list one that delegates to each, for no tokens."""

    async def generate(request: ModelRequest) -> ModelReply:
        plan = plans[request.messages[0].content]
        if isinstance(plan, int):
            return ModelReply("done", usage=Usage(plan, 0))
        if len(request.messages) > 1:
            return ModelReply("done")
        return ModelReply("", tuple(task("w", name_of(each), f"t{n}") for n, each in enumerate(plan)))

    def name_of(plan: object) -> str:
        plans[repr(plan)] = plan  # type: ignore[assignment]
        return repr(plan)

    def total(plan: object) -> int:
        return plan if isinstance(plan, int) else sum(map(total, plan))  # type: ignore[call-overload]

    plans: dict[str, int | list[object]] = {}

    async def play() -> None:
        rt = Runtime(Options(defined(Def("w", team=("w",))), generate))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, name_of(tree))
        result = await rt.wait(handle)
        own = tree if isinstance(tree, int) else 0
        assert (result.total_tokens, result.own_tokens) == (total(tree), own)

    run(play())
