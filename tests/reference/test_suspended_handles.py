"""A sub-agent that needs somebody: it suspends, and goes on by the Answer and by nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from reference import (
    Answer,
    Budget,
    CallContext,
    Def,
    FunctionTool,
    Json,
    ManualClock,
    NotIdle,
    Options,
    Request,
    Runtime,
    StaleAnswer,
    State,
    Suspension,
    ToolOutput,
    pending,
)
from tests.reference.fakes import run
from tests.reference.sub_agents import (
    Asks,
    Gate,
    Replies,
    Reply,
    Trace,
    call,
    chain_of,
    defined,
    does,
    ok,
    request_of,
    task,
    tokens,
    woken,
)


def asker(asks: Asks, *replies: Reply) -> tuple[Runtime, Replies]:
    model = Replies(asker=list(replies))
    return Runtime(Options(defined(Def("asker", model="asker", tools=(asks.tool,))), model)), model


def test_a_suspension_without_an_interpreter_suspends_the_handle_and_names_it_in_the_request() -> None:
    async def play() -> None:
        rt, _ = asker(Asks("ask", "approval"), call("ask"))
        handle, result = await woken(rt, "asker")
        request = request_of(result)
        assert (result.status, result.is_error, result.limit) == ("pending", False, "")
        assert (request.kind, request.prompt) == ("approval", "may I use ask?")
        assert request.id
        assert request.data == {"path": ["root", "asker.1"]}
        assert rt.inspect(handle).pending_kind == "approval"
        assert rt.state_of(handle) == State.SUSPENDED

    run(play())


def test_wake_post_and_wait_do_not_move_a_suspended_handle() -> None:
    async def play() -> None:
        asks = Asks("ask")
        rt, model = asker(asks, call("ask"), call("ask"), "done")
        handle, result = await woken(rt, "asker")
        with pytest.raises(NotIdle, match="suspended"):
            rt.wake(handle, "hurry")
        rt.post(handle, "hurry")
        rt.interrupt(handle)
        assert await rt.wait(handle, timeout=1) == result
        assert rt.state_of(handle) == State.SUSPENDED
        assert model.asked("asker") == 1
        await rt.resume(ok(result))
        assert rt.inbox_len(handle) == 1

    run(play())


def test_an_ok_answer_brings_the_turn_to_its_end_from_its_beginning() -> None:
    async def play() -> None:
        asks, trace = Asks("ask"), Trace()
        model = Replies(
            asker=[tokens(1, "", call("ask")), tokens(2, "", call("ask", "c9")), tokens(4, "done")]
        )
        registry = defined(Def("asker", model="asker", tools=(asks.tool,)))
        rt = Runtime(Options(registry, model, on_transition=trace))
        handle, result = await woken(rt, "asker", "get it")
        answer = Answer(request_of(result).id, True, {"token": 7})
        done = await rt.resume(answer)
        assert (done.status, done.text) == ("done", "done")
        assert asks.found == [None, answer]
        assert [message.content for message in model.saw["asker"][1]] == ["get it"]
        assert [message.content for message in model.saw["asker"][2]][-1] == 'granted {"token": 7}'
        assert (done.turns, done.total_tokens) == (3, 7)
        assert (result.turns, result.total_tokens) == (1, 1)
        assert rt.inspect(handle).pending_kind == ""
        assert await rt.wait(handle) == done
        assert trace.of(handle) == ["idle", "running", "suspended", "running", "idle"]

    run(play())


def test_what_was_said_before_the_suspended_turn_stays_and_what_was_posted_is_heard_again() -> None:
    async def play() -> None:
        asks = Asks("ask")
        rt, model = asker(asks, "hello", call("ask"), call("ask"), "done")
        handle, _ = await woken(rt, "asker", "hi")
        rt.post(handle, "a note")
        rt.wake(handle, "get it")
        await rt.resume(ok(await rt.wait(handle)))
        assert [message.content for message in model.saw["asker"][2]] == ["hi", "hello", "a note", "get it"]

    run(play())


@pytest.mark.parametrize("reason", [None, "declined", "expired"])
def test_a_declined_answer_is_told_to_the_model_and_the_tool_is_not_executed_again(
    reason: str | None,
) -> None:
    async def play() -> None:
        asks = Asks("ask")
        rt, model = asker(asks, call("ask"), call("ask"), "then not")
        handle, result = await woken(rt, "asker")
        done = await rt.resume(Answer(request_of(result).id, False, reason=reason))
        assert (done.status, done.text, done.is_error) == ("done", "then not", False)
        told = model.saw["asker"][2][-1].tool_result
        assert told is not None
        assert told.is_error
        assert (reason or "declined") in told.content
        assert asks.found == [None]
        assert rt.state_of(handle) == State.IDLE

    run(play())


def test_an_answer_that_nobody_waits_for_is_an_error_and_runs_nothing() -> None:
    async def play() -> None:
        rt, model = asker(Asks("ask"), call("ask"), call("ask"), "done")
        with pytest.raises(StaleAnswer):
            await rt.resume(Answer("r1", True))
        handle, result = await woken(rt, "asker")
        with pytest.raises(StaleAnswer, match="'other'"):
            await rt.resume(Answer("other", True))
        assert rt.state_of(handle) == State.SUSPENDED
        assert model.asked("asker") == 1
        assert (await rt.resume(ok(result))).status == "done"
        with pytest.raises(StaleAnswer):
            await rt.resume(ok(result))
        assert model.asked("asker") == 3

    run(play())


def test_a_turn_may_suspend_again_in_another_call_and_keeps_the_answers_that_it_had() -> None:
    async def play() -> None:
        one, two = Asks("one", "approval"), Asks("two", "input")
        model = Replies(w=[call("one"), call("one"), call("two"), call("one"), call("two"), "done"])
        rt = Runtime(Options(defined(Def("w", model="w", tools=(one.tool, two.tool))), model))
        handle, first = await woken(rt, "w")
        second = await rt.resume(ok(first))
        assert (second.status, request_of(second).kind) == ("pending", "input")
        assert request_of(second).id != request_of(first).id
        assert rt.inspect(handle).pending_kind == "input"
        done = await rt.resume(ok(second))
        assert (done.status, done.turns) == ("done", 6)
        assert one.found == [None, ok(first), ok(first)]
        assert two.found == [None, ok(second)]

    run(play())


def test_an_answer_reaches_only_the_call_that_asked_and_not_one_with_other_arguments() -> None:
    async def play() -> None:
        asks = Asks("delete")
        rt, _ = asker(asks, call("delete", file="a"), call("delete", file="b"))
        _, first = await woken(rt, "asker")
        second = await rt.resume(ok(first))
        assert second.status == "pending"
        assert asks.found == [None, None]

    run(play())


def test_two_calls_of_one_turn_that_suspend_are_answered_one_after_the_other() -> None:
    async def play() -> None:
        asks = Asks("ask")
        both = [call("ask", "c1"), call("ask", "c2")]
        rt, _ = asker(asks, both, both, both, "done")
        _, first = await woken(rt, "asker")
        second = await rt.resume(Answer(request_of(first).id, True, {"n": 1}))
        assert second.status == "pending"
        done = await rt.resume(Answer(request_of(second).id, True, {"n": 2}))
        assert done.status == "done"
        assert [each and each.data for each in asks.found[-2:]] == [{"n": 1}, {"n": 2}]

    run(play())


def test_a_tool_that_suspends_although_it_has_its_answer_gives_an_error_result() -> None:
    async def insists(args: Mapping[str, Json], ctx: CallContext) -> ToolOutput | Suspension:
        return pending(Request("approval", "again?"))

    async def play() -> None:
        model = Replies(w=[call("ask"), call("ask"), "given up"])
        rt = Runtime(Options(defined(Def("w", model="w", tools=(FunctionTool("ask", insists),))), model))
        _, result = await woken(rt, "w")
        assert (await rt.resume(ok(result))).text == "given up"
        told = model.saw["w"][-1][-1].tool_result
        assert told is not None
        assert told.is_error

    run(play())


# Interpreters.


def answering(name: str, asked: list[str]) -> object:
    async def wait_for(request: Request) -> Answer:
        asked.append(name)
        return Answer(request.id, True)

    return wait_for


@pytest.mark.parametrize("places, nearest", [
    (("leaf", "middle", "top", "runtime"), "leaf"),
    (("middle", "top", "runtime"), "middle"),
    (("top", "runtime"), "top"),
    (("runtime",), "runtime"),
])  # fmt: skip
def test_the_nearest_interpreter_answers_inline_and_nothing_is_suspended(
    places: tuple[str, ...], nearest: str
) -> None:
    asked: list[str] = []

    def interpreter(place: str) -> object:
        return answering(place, asked) if place in places else None

    async def play() -> None:
        asks, trace = Asks("ask"), Trace()
        model = Replies(top=[task("middle"), "ok"], middle=[task("leaf"), "ok"], leaf=[call("ask"), "ok"])
        registry = defined(
            Def("top", model="top", team=("middle",), wait_for=interpreter("top")),  # type: ignore[arg-type]
            Def("middle", model="middle", team=("leaf",), wait_for=interpreter("middle")),  # type: ignore[arg-type]
            Def("leaf", model="leaf", tools=(asks.tool,), wait_for=interpreter("leaf")),  # type: ignore[arg-type]
        )
        host = interpreter("runtime")
        rt = Runtime(Options(registry, model, host, on_transition=trace))  # type: ignore[arg-type]
        _, result = await woken(rt, "top")
        assert result.status == "done"
        assert asked == [nearest]
        assert [each is None for each in asks.found] == [True, False]
        assert State.SUSPENDED not in {after for _, _, after in trace.steps}
        assert model.asked("leaf") == 2

    run(play())


def test_an_interpreter_may_decline_and_the_model_is_told() -> None:
    async def declines(request: Request) -> Answer:
        return Answer(request.id, False, reason="cancelled")

    async def play() -> None:
        asks, model = Asks("ask"), Replies(w=[call("ask"), "then not"])
        registry = defined(Def("w", model="w", tools=(asks.tool,)))
        _, result = await woken(Runtime(Options(registry, model, declines)), "w")
        assert (result.status, result.text) == ("done", "then not")
        assert "cancelled" in model.saw["w"][1][-1].content
        assert asks.found == [None]

    run(play())


def test_closing_the_top_of_a_suspended_chain_closes_it_all_and_nobody_waits_any_more() -> None:
    async def play() -> None:
        options, model, _ = chain_of(3)
        rt = Runtime(options)
        handle, result = await woken(rt, "a0")
        rt.close(handle)
        assert rt.list() == []
        with pytest.raises(StaleAnswer):
            await rt.resume(ok(result))
        assert model.asked("a0") == 1

    run(play())


def test_the_time_that_a_handle_is_suspended_does_not_count_against_its_limit() -> None:
    async def play() -> None:
        asks, clock = Asks("ask"), ManualClock()
        definition = Def("w", model="w", tools=(asks.tool,), budget=Budget(max_wall_ms=100))
        model = Replies(w=[call("ask"), call("ask"), "done"])
        rt = Runtime(Options(defined(definition), model, clock=clock))
        handle, result = await woken(rt, "w")
        clock.advance(86_400)
        assert rt.state_of(handle) == State.SUSPENDED
        assert (await rt.resume(ok(result))).status == "done"

    run(play())


def test_an_interpreter_that_fails_gives_the_call_an_error_result() -> None:
    async def breaks(request: Request) -> Answer:
        raise OSError("nobody there")

    async def play() -> None:
        asks, model = Asks("ask"), Replies(w=[call("ask"), "well"])
        rt = Runtime(Options(defined(Def("w", model="w", tools=(asks.tool,), wait_for=breaks)), model))
        _, result = await woken(rt, "w")
        assert result.status == "done"
        assert "nobody there" in model.saw["w"][1][-1].content

    run(play())


# Chains and branches.


def test_a_chain_of_three_suspended_at_its_leaf_is_resumed_level_by_level() -> None:
    async def play() -> None:
        options, model, asks = chain_of(3)
        rt = Runtime(options)
        handle, result = await woken(rt, "a0")
        leaf = ["root", "a0.1", "a1.1", "a2.1"]
        request = request_of(result)
        assert (request.kind, request.prompt) == ("approval", "may I use ask?")
        assert request.data == {"path": leaf}
        assert [(each.id.split("/")[-1], each.state) for each in rt.list()] == [
            ("a0.1", "suspended"), ("a1.1", "suspended"), ("a2.1", "suspended"),
        ]  # fmt: skip
        assert {each.pending_kind for each in rt.list()} == {"approval"}
        done = await rt.resume(ok(result))
        assert (done.status, done.text) == ("done", "a0 done")
        assert [model.asked(each) for each in ("a0", "a1", "a2")] == [3, 3, 3]
        assert asks.found == [None, ok(result)]
        assert await rt.wait(handle) == done
        assert [each.id for each in rt.list()] == [handle.id]
        final = model.saw["a0"][-1]
        assert [message.role for message in final] == ["user", "assistant", "tool_result"]
        assert final[-1].content == "a1 done"

    run(play())


def test_a_leaf_that_suspends_again_suspends_the_chain_again_with_the_new_request() -> None:
    async def play() -> None:
        replies: dict[str, list[Reply]] = {
            "a0": [task("a1"), task("a1"), task("a1"), "a0 done"],
            "a1": [
                call("ask", n=1),
                call("ask", n=1),
                call("ask", n=2),
                call("ask", n=1),
                call("ask", n=2),
                "ok",
            ],
        }
        options, model, asks = chain_of(2, **replies)
        rt = Runtime(options)
        handle, first = await woken(rt, "a0")
        second = await rt.resume(ok(first))
        assert (second.status, rt.state_of(handle)) == ("pending", "suspended")
        assert request_of(second).id != request_of(first).id
        assert (await rt.resume(ok(second))).text == "a0 done"
        assert asks.found == [None, ok(first), None, ok(first), ok(second)]
        assert model.asked("a0") == 4

    run(play())


@pytest.mark.parametrize("order", [("left", "right"), ("right", "left")])
def test_two_suspended_branches_are_answered_in_any_order(order: tuple[str, str]) -> None:
    async def play() -> None:
        left, right = Asks("left", request_id="left"), Asks("right", request_id="right")
        both = [task("left", call_id="t1"), task("right", call_id="t2")]
        model = Replies(
            top=[both, both, both, "both done"],
            left=[call("left"), call("left"), "left done"],
            right=[call("right"), call("right"), "right done"],
        )
        registry = defined(
            Def("top", model="top", team=("left", "right")),
            Def("left", model="left", tools=(left.tool,)),
            Def("right", model="right", tools=(right.tool,)),
        )
        rt = Runtime(Options(registry, model))
        handle = rt.spawn(rt.root(), "top")
        rt.wake(handle, "go")
        assert request_of(await rt.wait(handle)).id == "left"
        assert [each.state for each in rt.list()] == ["suspended"] * 3
        between = await rt.resume(Answer(order[0], True))
        assert between.status == "pending"
        assert request_of(between).id == order[1]
        done = await rt.resume(Answer(order[1], True))
        assert (done.status, done.text) == ("done", "both done")
        assert [len(each.found) for each in (left, right)] == [2, 2]
        assert [each.content for each in model.saw["top"][-1][-2:]] == ["left done", "right done"]

    run(play())


def test_an_answer_that_comes_while_the_parent_still_runs_is_not_lost() -> None:
    async def play() -> None:
        asks, gate = Asks("ask", request_id="r1"), Gate()
        both = [task("low", call_id="t1"), call("slow", "t2")]
        model = Replies(top=[both, both, "done"], low=[call("ask"), call("ask"), "low done"])
        registry = defined(
            Def("top", model="top", team=("low",), tools=(does("slow", gate.wait),)),
            Def("low", model="low", tools=(asks.tool,)),
        )
        rt = Runtime(Options(registry, model))
        handle = rt.spawn(rt.root(), "top")
        rt.wake(handle, "go")
        await gate.reached()
        resuming = asyncio.create_task(rt.resume(Answer("r1", True)))
        await asyncio.sleep(0)
        gate.open()
        assert (await resuming).text == "done"
        assert (await rt.wait(handle)).status == "done"
        assert len(asks.found) == 2

    run(play())


def test_a_settled_child_does_its_work_once_however_often_its_parent_is_run_again() -> None:
    async def play() -> None:
        asks, worked = Asks("ask"), list[str]()
        both = [task("worker", call_id="t1"), call("ask", "t2")]
        model = Replies(top=[both, both, "done"], worker=[call("work"), "worked"])
        registry = defined(
            Def("top", model="top", team=("worker",), tools=(asks.tool,)),
            Def("worker", model="worker", tools=(does("work", lambda: worked.append("x")),)),
        )
        rt = Runtime(Options(registry, model))
        _, result = await woken(rt, "top")
        assert (await rt.resume(ok(result))).status == "done"
        assert worked == ["x"]
        assert model.asked("worker") == 2

    run(play())


def test_a_host_that_goes_away_while_it_resumes_does_not_end_the_turn() -> None:
    async def play() -> None:
        rt, model = asker(Asks("ask"), call("ask"), call("ask"), "done")
        handle, result = await woken(rt, "asker")
        gate = model.gates["asker"] = Gate()
        resuming = asyncio.create_task(rt.resume(ok(result)))
        await gate.reached()
        resuming.cancel()
        gate.open()
        assert (await rt.wait(handle)).text == "done"

    run(play())


def test_a_turn_that_suspends_behind_a_close_is_closed_and_nobody_is_told_of_its_request() -> None:
    async def play() -> None:
        async def close_and_ask(args: Mapping[str, Json], ctx: CallContext) -> Suspension:
            rt.close(handle)
            return pending(Request("approval", "may I?"))

        ask, trace = FunctionTool("ask", close_and_ask), Trace()
        model = Replies(w=[call("ask")])
        registry = defined(Def("w", model="w", tools=(ask,)))
        rt = Runtime(Options(registry, model, on_transition=trace))
        handle = rt.spawn(rt.root(), "w")
        rt.wake(handle, "go")
        result = await rt.wait(handle)
        assert (result.status, result.pending) == ("closed", None)
        assert [after for _, _, after in trace.steps] == ["running", "closed"]

    run(play())


def test_requests_to_which_tools_gave_one_id_are_answered_the_deepest_first() -> None:
    async def play() -> None:
        asks = Asks("ask", request_id="same")
        model = Replies(w=[call("ask"), call("ask"), call("ask"), "done"])
        registry = defined(Def("w", model="w", tools=(asks.tool,)))
        rt = Runtime(Options(registry, model))
        top = rt.spawn(rt.root(), "w")
        below = rt.spawn(top, "w")
        for handle in (top, below):
            rt.wake(handle, "go")
            assert request_of(await rt.wait(handle)).id == "same"
        await rt.resume(Answer("same", True))
        assert [rt.state_of(each) for each in (top, below)] == ["suspended", "idle"]

    run(play())
