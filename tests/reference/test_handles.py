"""The life of a handle: its id, its states, what the views and `wait` say of it, and how it is closed."""

from __future__ import annotations

import asyncio

import pytest

from reference import (
    Def,
    EmptyPrompt,
    ForeignHandle,
    Handle,
    HandleClosed,
    ManualClock,
    NothingToDo,
    NotIdle,
    Options,
    Runtime,
    State,
    UnknownDefinition,
)
from tests.reference.fakes import run
from tests.reference.sub_agents import (
    Asks,
    Gate,
    Replies,
    Trace,
    call,
    defined,
    does,
    ok,
    task,
    tokens,
    woken,
)


def workers(*names: str) -> dict[str, Def]:
    return defined(*(Def(name, model=name) for name in names))


# Spawning.


def test_an_id_is_the_parents_then_the_definitions_name_and_a_number_and_equal_in_equal_runs() -> None:
    def ids() -> list[str]:
        rt = Runtime(Options(workers("planner", "reader")))
        planner = rt.spawn(rt.root(), "planner")
        return [planner.id, rt.spawn(planner, "reader").id, rt.spawn(planner, "reader").id]

    assert ids() == ["root/planner.1", "root/planner.1/reader.1", "root/planner.1/reader.2"]
    assert ids() == ids()


def test_an_id_is_not_used_again_after_its_handle_was_closed() -> None:
    rt = Runtime(Options(workers("w")))
    first = rt.spawn(rt.root(), "w")
    rt.close(first)
    assert rt.spawn(rt.root(), "w").id != first.id


def test_a_new_handle_is_idle_and_nothing_has_happened() -> None:
    rt = Runtime(Options(workers("w")))
    view = rt.inspect(rt.spawn(rt.root(), "w"))
    assert view.to_json() == {
        "id": "root/w.1", "state": "idle", "tokens": 0, "turns": 0, "inbox": 0, "pending_kind": "",
    }  # fmt: skip


def test_a_definition_that_is_not_there_is_refused_by_name() -> None:
    rt = Runtime(Options(workers("w")))
    with pytest.raises(UnknownDefinition, match="stranger"):
        rt.spawn(rt.root(), "stranger")
    assert rt.list() == []


def test_a_handle_has_nothing_but_its_id_and_is_no_use_to_another_runtime() -> None:
    rt, other = Runtime(Options(workers("w"))), Runtime(Options(workers("w")))
    handle, same_id = rt.spawn(rt.root(), "w"), other.spawn(other.root(), "w")
    assert [name for name in dir(handle) if not name.startswith("_")] == ["id"]
    assert handle.id == same_id.id
    assert handle != same_id
    for verb in (rt.inspect, rt.state_of, rt.close, rt.interrupt, rt.usage_tokens):
        with pytest.raises(ForeignHandle, match="another runtime"):
            verb(same_id)


# Turns.


def test_a_handle_is_running_while_its_model_is_asked_and_idle_with_a_result_afterwards() -> None:
    async def play() -> None:
        model, trace = Replies(w=[tokens(6, "finished")]), Trace()
        gate = model.gates["w"] = Gate()
        rt = Runtime(Options(workers("w"), model, on_transition=trace))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "go")
        await gate.reached()
        assert rt.state_of(handle) == rt.inspect(handle).state == "running"
        gate.open()
        result = await rt.wait(handle)
        assert result.to_json() == {
            "text": "finished", "is_error": False, "status": "done", "pending": None, "turns": 1,
            "total_tokens": 6, "own_tokens": 6, "limit": "",
        }  # fmt: skip
        assert trace.of(handle) == ["idle", "running", "idle"]
        assert await rt.wait(handle) == result

    run(play())


def test_turns_and_tokens_grow_over_the_life_of_a_handle_whose_transcript_goes_on() -> None:
    async def play() -> None:
        model = Replies(w=[tokens(3, "", call("look")), tokens(4, "seen"), tokens(5, "again")])
        rt = Runtime(Options(defined(Def("w", model="w", tools=(does("look"),))), model))
        handle, first = await woken(rt, "w")
        rt.wake(handle, "once more")
        second = await rt.wait(handle)
        assert (first.turns, first.total_tokens) == (2, 7)
        assert (second.turns, second.total_tokens) == (3, 12)
        roles = [message.role for message in model.saw["w"][-1]]
        assert roles == ["user", "assistant", "tool_result", "assistant", "user"]

    run(play())


@pytest.mark.parametrize(
    "failure", [OSError("no line"), asyncio.CancelledError("gone")], ids=["raises", "cancelled"]
)
def test_a_model_that_fails_gives_a_result_that_is_an_error_and_the_handle_can_be_woken_again(
    failure: BaseException,
) -> None:
    async def play() -> None:
        rt = Runtime(Options(workers("w"), Replies(w=[failure, "better"])))
        handle, result = await woken(rt, "w")
        assert (result.status, result.is_error, result.text) == ("error", True, str(failure))
        assert rt.state_of(handle) == State.IDLE
        rt.wake(handle, "again")
        assert (await rt.wait(handle)).text == "better"

    run(play())


def test_a_tool_that_fails_or_does_not_exist_gives_an_error_result_and_the_turn_goes_on() -> None:
    def breaks() -> None:
        raise OSError("disk full")

    async def play() -> None:
        model = Replies(w=[[call("save", "c1"), call("sing", "c2")], "well"])
        rt = Runtime(Options(defined(Def("w", model="w", tools=(does("save", breaks),))), model))
        _, result = await woken(rt, "w")
        assert result.status == "done"
        results = [message.tool_result for message in model.saw["w"][1] if message.tool_result]
        assert [(each.is_error, each.tool_call_id) for each in results] == [(True, "c1"), (True, "c2")]
        assert results[0].content == "disk full"

    run(play())


def test_without_a_model_a_turn_is_an_error_and_no_exception() -> None:
    async def play() -> None:
        _, result = await woken(Runtime(Options(workers("w"))), "w")
        assert result.status == "error"

    run(play())


def test_wake_is_refused_while_a_turn_runs_and_without_anything_to_say() -> None:
    async def play() -> None:
        model = Replies(w=["done"])
        gate = model.gates["w"] = Gate()
        rt = Runtime(Options(workers("w"), model))
        handle = rt.spawn(rt.root(), "w")
        with pytest.raises(EmptyPrompt):
            rt.wake(handle)
        with pytest.raises(NothingToDo):
            await rt.wait(handle)
        rt.wake(handle, "go")
        with pytest.raises(NotIdle, match="running"):
            rt.wake(handle, "go")
        with pytest.raises(NotIdle, match="root"):
            rt.wake(rt.root(), "go")
        gate.open()
        assert (await rt.wait(handle)).turns == 1

    run(play())


# Waiting.


def test_wait_past_its_timeout_says_so_and_the_turn_goes_on() -> None:
    async def play() -> None:
        clock, model = ManualClock(), Replies(w=["late"])
        gate = model.gates["w"] = Gate()
        rt = Runtime(Options(workers("w"), model, clock=clock))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "go")
        waiting = asyncio.create_task(rt.wait(handle, timeout=5))
        await gate.reached()
        await asyncio.sleep(0)
        clock.advance(5)
        result = await waiting
        assert (result.status, result.limit, result.is_error) == ("timeout", "timeout", False)
        assert rt.state_of(handle) == State.RUNNING
        gate.open()
        assert (await rt.wait(handle, timeout=5)).text == "late"

    run(play())


def test_wait_goes_by_the_worlds_time_where_no_clock_is_handed_in() -> None:
    async def play() -> None:
        model = Replies(w=["late"])
        gate = model.gates["w"] = Gate()
        rt = Runtime(Options(workers("w"), model))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "go")
        assert (await rt.wait(handle, timeout=0)).status == "timeout"
        gate.open()
        assert (await rt.wait(handle, timeout=60)).text == "late"

    run(play())


def test_a_clock_that_is_advanced_does_what_is_due_in_order_and_nothing_that_was_cancelled() -> None:
    clock, done = ManualClock(100), list[tuple[str, float]]()
    for name, seconds in (("second", 2), ("first", 1), ("never", 1), ("later", 5)):
        timer = clock.call_later(seconds, lambda name=name: done.append((name, clock.now())))  # type: ignore[misc]
        if name == "never":
            timer.cancel()
    clock.advance(3)
    assert done == [("first", 101), ("second", 102)]
    assert clock.now() == 103


# Interrupting and closing.


def test_an_interrupted_turn_leaves_no_trace_in_the_transcript() -> None:
    async def play() -> None:
        model, trace = Replies(w=["first", "never", "third"]), Trace()
        rt = Runtime(Options(workers("w"), model, on_transition=trace))
        handle, _ = await woken(rt, "w", "one")
        gate = model.gates["w"] = Gate()
        rt.wake(handle, "two")
        await gate.reached()
        rt.interrupt(handle)
        assert (await rt.wait(handle)).status == "interrupted"
        del model.gates["w"]
        rt.wake(handle, "three")
        assert (await rt.wait(handle)).turns == 2
        assert [message.content for message in model.saw["w"][-1]] == ["one", "first", "three"]
        assert trace.of(handle) == ["idle", "running"] * 3 + ["idle"]

    run(play())


def test_a_tool_that_would_not_be_cancelled_adds_nothing_to_what_comes_after() -> None:
    stubborn = Gate()

    async def goes_on() -> None:
        try:
            await stubborn.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)

    async def play() -> None:
        model = Replies(w=[call("dig"), "after"])
        rt = Runtime(Options(defined(Def("w", model="w", tools=(does("dig", goes_on),))), model))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "one")
        await stubborn.reached()
        rt.interrupt(handle)
        rt.wake(handle, "two")
        assert (await rt.wait(handle)).text == "after"
        for _ in range(5):
            await asyncio.sleep(0)
        assert model.asked("w") == 2
        assert [message.content for message in model.saw["w"][1]] == ["two"]

    run(play())


def test_close_closes_the_children_first_and_for_good() -> None:
    trace = Trace()
    rt = Runtime(Options(workers("w"), on_transition=trace))
    top = rt.spawn(rt.root(), "w")
    below = rt.spawn(top, "w")
    rt.close(top)
    assert [each for each, _, after in trace.steps if after == "closed"] == [below.id, top.id]
    assert rt.state_of(top) == rt.state_of(below) == "closed"
    assert rt.list() == []
    for verb in (lambda: rt.wake(top, "go"), lambda: rt.post(top, "hi"), lambda: rt.spawn(top, "w")):
        with pytest.raises(HandleClosed, match="closed"):
            verb()
    rt.interrupt(top)
    rt.close(top)
    assert rt.state_of(top) == "closed"
    assert run(rt.wait(top)).status == "closed"


@pytest.mark.parametrize("force, status, text", [(True, "closed", ""), (False, "done", "finished")])
def test_a_running_handle_closes_at_once_by_force_and_otherwise_when_its_turn_ends(
    force: bool, status: str, text: str
) -> None:
    async def play() -> None:
        model = Replies(w=["finished"])
        gate = model.gates["w"] = Gate()
        rt = Runtime(Options(workers("w", "top"), model))
        top = rt.spawn(rt.root(), "top")
        handle = rt.spawn(top, "w")
        rt.wake(handle, "go")
        await gate.reached()
        rt.close(top, force=force)
        assert (rt.state_of(handle) == "closed") == (rt.state_of(top) == "closed") == force
        with pytest.raises(HandleClosed):
            rt.post(handle, "too late")
        waiting = asyncio.create_task(rt.wait(handle))
        await asyncio.sleep(0)
        gate.open()
        result = await waiting
        assert (result.status, result.text) == (status, text)
        assert rt.state_of(handle) == rt.state_of(top) == "closed"

    run(play())


def test_closing_a_suspended_handle_gives_its_request_up() -> None:
    async def play() -> None:
        asks = Asks("ask")
        rt = Runtime(Options(defined(Def("w", model="w", tools=(asks.tool,))), Replies(w=[call("ask")])))
        handle, result = await woken(rt, "w")
        rt.close(handle)
        assert rt.inspect(handle).pending_kind == ""
        assert (await rt.wait(handle)).status == "closed"
        with pytest.raises(Exception, match="no suspended handle"):
            await rt.resume(ok(result))

    run(play())


def test_a_tool_may_close_the_handle_that_executes_it() -> None:
    async def play() -> None:
        model = Replies(w=[call("leave"), "never"])
        leave = does("leave", lambda: rt.close(handle, force=True))
        rt = Runtime(Options(defined(Def("w", model="w", tools=(leave,))), model))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "go")
        assert (await rt.wait(handle)).status == "closed"
        for _ in range(5):
            await asyncio.sleep(0)
        assert model.asked("w") == 1

    run(play())


# Looking.


def test_list_gives_the_open_handles_below_the_root_of_this_runtime_nested_ones_too() -> None:
    rt, other = Runtime(Options(workers("w"))), Runtime(Options(workers("w")))
    other.spawn(other.root(), "w")
    top = rt.spawn(rt.root(), "w")
    handles = [top, rt.spawn(top, "w"), rt.spawn(rt.root(), "w")]
    rt.close(rt.spawn(top, "w"))
    assert rt.list() == [rt.inspect(each) for each in handles]


def test_the_views_agree_with_each_other_while_agents_work() -> None:
    async def play() -> None:
        model = Replies(top=[tokens(2, "", task("low")), tokens(3, "ok")], low=[tokens(5, "low done")])
        registry = defined(Def("top", model="top", team=("low",)), Def("low", model="low"))
        rt = Runtime(Options(registry, model))
        gate = model.gates["low"] = Gate()
        handle = rt.spawn(rt.root(), "top")
        rt.wake(handle, "go")
        await gate.reached()
        assert [each.id for each in rt.list()] == ["root/top.1", "root/top.1/low.1"]
        gate.open()
        await rt.wait(handle)
        agree(rt, handle)
        assert rt.usage_tokens(handle) == 10
        assert [each.id for each in rt.list()] == ["root/top.1"]

    def agree(rt: Runtime, handle: Handle) -> None:
        view = rt.inspect(handle)
        single = (rt.state_of(handle), rt.inbox_len(handle), rt.usage_tokens(handle))
        assert (view.state, view.inbox, view.tokens) == single

    run(play())
