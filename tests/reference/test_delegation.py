"""Delegating by the tool `task`, what an agent may use up, and what is posted to it."""

from __future__ import annotations

import asyncio

import pytest

from reference import (
    Budget,
    Def,
    InboxFull,
    LimitReached,
    ManualClock,
    ModelReply,
    Options,
    Runtime,
    TaskResult,
)
from tests.reference.fakes import run
from tests.reference.sub_agents import (
    Gate,
    Replies,
    Reply,
    call,
    defined,
    does,
    task,
    tokens,
    woken,
)


def team(of_top: list[Reply], of_low: list[Reply], /, **budgets: Budget) -> tuple[Runtime, Replies]:
    """An agent `top` that may delegate to `low`."""
    model = Replies(top=of_top, low=of_low)
    registry = defined(
        Def("top", model="top", team=("low",), budget=budgets.get("top", Budget())),
        Def("low", "reads files", model="low", tools=(does("look"),), budget=budgets.get("low", Budget())),
    )
    return Runtime(Options(registry, model, budget=budgets.get("root", Budget()))), model


# Delegating.


def test_a_task_adds_one_tool_message_and_its_child_starts_from_an_empty_transcript() -> None:
    async def play() -> None:
        rt, model = team([task("low", "read it"), "ok"], [call("look"), "it says hello"])
        handle, result = await woken(rt, "top", "what does it say?")
        assert result.text == "ok"
        assert [each.content for each in model.saw["low"][0]] == ["read it"]
        added = model.saw["top"][1][2:]
        assert [(each.role, each.content) for each in added] == [("tool_result", "it says hello")]
        assert rt.list() == [rt.inspect(handle)]

    run(play())


def test_only_an_agent_with_a_team_has_the_tool_and_a_stranger_is_refused_with_the_team() -> None:
    async def play() -> None:
        rt, model = team([task("stranger"), task("low"), "ok"], ["low done"])
        await woken(rt, "top")
        assert model.offered == {"top": ("task",), "low": ("look",)}
        refused = model.saw["top"][1][-1].tool_result
        assert refused is not None
        assert refused.is_error
        assert "low" in refused.content

    run(play())


@pytest.mark.parametrize("prompt", [None, "", 7])
def test_a_task_without_a_prompt_gives_an_error_result(prompt: str | int | None) -> None:
    async def play() -> None:
        rt, model = team([call("task", agent="low", prompt=prompt), "ok"], [])
        await woken(rt, "top")
        assert "prompt" in model.saw["top"][1][-1].content
        assert model.asked("low") == 0

    run(play())


def test_equal_tasks_of_one_turn_each_have_their_own_child_and_their_own_result() -> None:
    async def play() -> None:
        rt, model = team([[task("low", call_id="t1"), task("low", call_id="t2")], "ok"], ["first", "second"])
        await woken(rt, "top")
        assert [each.content for each in model.saw["top"][1][-2:]] == ["first", "second"]

    run(play())


def test_a_childs_tokens_count_in_every_ancestors_and_its_turns_in_none() -> None:
    async def play() -> None:
        rt, _ = team(
            [tokens(1, "", task("low")), tokens(2, "ok")], [tokens(4, "", call("look")), tokens(8, "ok")]
        )
        handle, result = await woken(rt, "top")
        assert (result.total_tokens, result.own_tokens, result.turns) == (15, 3, 2)
        assert rt.usage_tokens(handle) == rt.usage_tokens(rt.root()) == 15

    run(play())


def test_a_child_that_fails_gives_its_parent_an_error_result() -> None:
    async def play() -> None:
        rt, model = team([task("low"), "pity"], [OSError("no line")])
        _, result = await woken(rt, "top")
        assert (result.status, result.is_error) == ("done", False)
        failed = model.saw["top"][1][-1].tool_result
        assert failed is not None
        assert failed.is_error
        assert "no line" in failed.content

    run(play())


def test_interrupting_a_parent_closes_the_child_that_works_for_it() -> None:
    async def play() -> None:
        rt, model = team([task("low"), "never"], ["never"])
        gate = model.gates["low"] = Gate()
        handle = rt.spawn(rt.root(), "top")
        rt.wake(handle, "go")
        await gate.reached()
        rt.interrupt(handle)
        assert (await rt.wait(handle)).status == "interrupted"
        assert rt.list() == [rt.inspect(handle)]

    run(play())


# Budgets.


def test_max_turns_stops_a_turn_as_incomplete_and_keeps_its_work() -> None:
    async def play() -> None:
        rt, model = team([], [tokens(1, "looking", call("look")), "done"], low=Budget(max_turns=1))
        handle, result = await woken(rt, "low")
        stopped = (result.status, result.limit, result.text, result.is_error)
        assert stopped == ("incomplete", "maxTurns", "looking", False)
        rt.wake(handle, "go on")
        assert (await rt.wait(handle)).text == "done"
        assert [each.role for each in model.saw["low"][1]] == ["user", "assistant", "tool_result", "user"]

    run(play())


@pytest.mark.parametrize("whose", ["low", "top", "root"])
def test_a_spent_token_budget_of_its_own_or_of_one_above_stops_a_turn(whose: str) -> None:
    async def play() -> None:
        spent = Budget(max_tokens=5)
        rt, _ = team([], [tokens(5, "", call("look")), tokens(1, "never")], **{whose: spent})
        top = rt.spawn(rt.root(), "top")
        low = rt.spawn(top, "low")
        assert rt.pool_tokens(low) == 5
        rt.wake(low, "go")
        result = await rt.wait(low)
        assert (result.status, result.limit, result.total_tokens) == ("incomplete", "maxTokens", 5)
        assert rt.pool_tokens(low) == 0

    run(play())


def test_a_budget_is_carved_from_what_the_parent_has_left_and_a_sibling_can_spend_it() -> None:
    async def play() -> None:
        rt, _ = team([], [tokens(6, "a"), tokens(9, "", call("look")), "never"], top=Budget(max_tokens=20))
        top = rt.spawn(rt.root(), "top")
        assert rt.pool_tokens(rt.root()) is None
        first = rt.spawn(top, "low", Budget(max_tokens=15))
        rt.wake(first, "go")
        await rt.wait(first)
        second = rt.spawn(top, "low", Budget(max_tokens=15))
        small = rt.spawn(top, "low", Budget(max_tokens=3))
        assert [rt.pool_tokens(each) for each in (top, first, second, small)] == [14, 9, 14, 3]
        rt.wake(first, "go on")
        assert (await rt.wait(first)).limit == "maxTokens"
        assert [rt.pool_tokens(each) for each in (top, second, small)] == [5, 5, 3]

    run(play())


def test_tool_calls_past_their_limit_are_not_made_and_each_call_has_a_result() -> None:
    async def play() -> None:
        looks = [call("look", "c1"), call("look", "c2"), call("look", "c3")]
        rt, model = team([], [looks, "more"], low=Budget(max_tool_calls=2))
        handle, result = await woken(rt, "low")
        assert (result.status, result.limit) == ("incomplete", "maxToolCalls")
        rt.wake(handle, "and now?")
        await rt.wait(handle)
        results = [each.tool_result for each in model.saw["low"][1] if each.tool_result]
        assert [each.is_error for each in results] == [False, False, True]

    run(play())


def test_a_turn_past_its_time_is_stopped_where_it_stands_with_its_transcript_well_formed() -> None:
    async def play() -> None:
        clock, gate = ManualClock(), Gate()
        model = Replies(w=[call("dig"), "later"])
        definition = Def("w", model="w", tools=(does("dig", gate.wait),), budget=Budget(max_wall_ms=1500))
        rt = Runtime(Options(defined(definition), model, clock=clock))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "go")
        await gate.reached()
        clock.advance(1.4)
        assert rt.state_of(handle) == "running"
        clock.advance(0.1)
        result = await rt.wait(handle)
        assert (result.status, result.limit) == ("incomplete", "maxWallMs")
        rt.wake(handle, "go on")
        assert (await rt.wait(handle)).text == "later"
        assert [each.role for each in model.saw["w"][1]] == ["user", "assistant", "tool_result", "user"]

    run(play())


def test_spawn_past_max_children_or_max_depth_is_refused_and_names_the_limit() -> None:
    rt, _ = team([], [], top=Budget(max_children=1), root=Budget(max_depth=2))
    top = rt.spawn(rt.root(), "top")
    low = rt.spawn(top, "low")
    for parent, limit in ((top, "maxChildren"), (low, "maxDepth")):
        with pytest.raises(LimitReached, match=limit) as refused:
            rt.spawn(parent, "low")
        assert refused.value.limit == limit
    assert len(rt.list()) == 2


def test_a_task_past_max_children_gives_an_error_result_that_names_the_limit() -> None:
    async def play() -> None:
        rt, model = team([task("low"), task("low"), "ok"], ["done"], top=Budget(max_children=1))
        await woken(rt, "top")
        assert "maxChildren" in model.saw["top"][2][-1].content

    run(play())


def test_past_max_concurrent_nothing_runs_and_the_result_names_the_limit() -> None:
    async def play() -> None:
        rt, model = team([], ["one", "two"], root=Budget(max_concurrent=1))
        gate = model.gates["low"] = Gate()
        first, second = rt.spawn(rt.root(), "low"), rt.spawn(rt.root(), "low")
        rt.wake(first, "go")
        rt.wake(second, "go")
        result = await rt.wait(second)
        assert (result.status, result.limit, result.turns) == ("incomplete", "maxConcurrent", 0)
        gate.open()
        await rt.wait(first)
        rt.wake(second, "go")
        assert (await rt.wait(second)).text == "two"

    run(play())


# The inbox.


def test_post_moves_nothing_and_the_next_turn_from_idle_begins_with_what_is_there() -> None:
    async def play() -> None:
        rt, model = team([], ["one", "two"])
        gate = model.gates["low"] = Gate()
        handle = rt.spawn(rt.root(), "low")
        rt.post(handle, "first")
        rt.post(handle, "second")
        assert rt.inbox_len(handle) == rt.inspect(handle).inbox == 2
        assert rt.state_of(handle) == "idle"
        rt.wake(handle)
        await gate.reached()
        rt.post(handle, "third")
        gate.open()
        await rt.wait(handle)
        assert [each.content for each in model.saw["low"][0]] == ["first", "second"]
        assert rt.inbox_len(handle) == 1
        rt.wake(handle, "and a prompt")
        await rt.wait(handle)
        assert [each.content for each in model.saw["low"][1][3:]] == ["third", "and a prompt"]
        assert rt.inbox_len(handle) == 0

    run(play())


def test_a_full_inbox_refuses_at_once_and_keeps_what_it_has() -> None:
    rt, _ = team([], [])
    handle = rt.spawn(rt.root(), "low")
    for n in range(8):
        rt.post(handle, str(n))
    with pytest.raises(InboxFull, match="8"):
        rt.post(handle, "one too many")
    assert rt.inbox_len(handle) == 8


def test_an_interrupted_turn_puts_back_what_it_had_taken_ahead_of_what_came_since() -> None:
    async def play() -> None:
        rt, model = team([], ["never", "heard"])
        gate = model.gates["low"] = Gate()
        handle = rt.spawn(rt.root(), "low")
        rt.post(handle, "first")
        rt.post(handle, "second")
        rt.wake(handle)
        await gate.reached()
        rt.post(handle, "third")
        rt.interrupt(handle)
        assert rt.inbox_len(handle) == 3
        gate.open()
        rt.wake(handle)
        await rt.wait(handle)
        assert [each.content for each in model.saw["low"][1]] == ["first", "second", "third"]

    run(play())


def test_items_are_shown_with_their_sender_and_a_strangers_as_untrusted() -> None:
    async def play() -> None:
        rt, model = team([], ["ok"])
        top, stranger = rt.spawn(rt.root(), "top"), rt.spawn(rt.root(), "low")
        handle = rt.spawn(top, "low")
        for sender in (None, top, stranger):
            rt.post(handle, "stop", sender)
        rt.wake(handle)
        await rt.wait(handle)
        assert [each.content for each in model.saw["low"][0]] == [
            "stop", "[from root/top.1]\nstop", "[from root/low.2, untrusted]\nstop",
        ]  # fmt: skip

    run(play())


def test_handles_that_are_woken_side_by_side_do_not_wait_for_each_other() -> None:
    async def play() -> tuple[TaskResult, TaskResult]:
        rt, model = team(["top done"], [ModelReply("low done")])
        gate = model.gates["top"] = Gate()
        top, low = rt.spawn(rt.root(), "top"), rt.spawn(rt.root(), "low")
        rt.wake(top, "go")
        rt.wake(low, "go")
        await rt.wait(low)
        gate.open()
        return await asyncio.gather(rt.wait(top), rt.wait(low))

    assert [each.text for each in run(play())] == ["top done", "low done"]
