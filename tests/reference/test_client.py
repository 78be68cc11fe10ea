"""The plain client: it halts where a tool suspends, and goes on from its transcript with the Answer."""

from __future__ import annotations

import asyncio
import json

import pytest

from reference import (
    Answer,
    AnswerRejected,
    Busy,
    Client,
    ClientOptions,
    Message,
    ModelFailed,
    ModelReply,
    NothingToDo,
    RelayResult,
    Request,
    RunResult,
    Toolkit,
    Usage,
    answer_output,
    relay_answer,
    relay_tool,
)
from tests.reference.fakes import run
from tests.reference.sub_agents import Asks, Gate, Replies, Reply, call, does

RELAYS = Toolkit([relay_tool("lookup"), relay_tool("fetch"), does("count")])


def client(*replies: Reply, **options: object) -> tuple[Client, Replies]:
    model = Replies(m=list(replies))
    return Client(model, ClientOptions(model="m", **options)), model  # type: ignore[arg-type]


def request_of(result: RunResult) -> Request:
    if result.pending is None:
        raise AssertionError(f"nothing is pending: {result}")
    return result.pending


def shape(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(each.role, each.content) for each in messages]


THREE = [call("lookup", "c1", q="x"), call("count", "c2"), call("fetch", "c3"), call("lookup", "c4")]


# Running and halting.


def test_a_run_that_nothing_halts_ends_done_and_tells_what_it_took() -> None:
    async def play() -> None:
        one, _ = client(
            ModelReply("", (call("count"),), Usage(3, 1)), ModelReply("two", usage=Usage(5, 2, 9))
        )
        result = await one.run("how many?", RELAYS)
        assert (result.status, result.text, result.pending, result.limit) == ("done", "two", None, "")
        assert (result.turns, result.usage) == (2, Usage(8, 3, 13))
        assert [each.role for each in result.messages] == ["user", "assistant", "tool_result", "assistant"]

    run(play())


def test_a_tool_that_suspends_halts_the_run_with_its_request_and_a_placeholder() -> None:
    async def play() -> None:
        asks = Asks("ask")
        one, model = client(call("ask"))
        result = await one.run("go", Toolkit([asks.tool]))
        assert (result.status, request_of(result).kind) == ("pending", "approval")
        assert request_of(result).id
        placeholder = result.messages[-1].tool_result
        assert placeholder is not None
        assert placeholder.pending
        assert model.asked("m") == 1

    run(play())


def test_a_relayed_turn_asks_for_all_its_relay_calls_in_call_order_and_runs_the_others() -> None:
    async def play() -> None:
        one, _ = client(THREE)
        result = await one.run("go", RELAYS)
        request = request_of(result)
        assert request.kind == "tool_call"
        assert request.data == {"calls": [
            {"id": "c1", "name": "lookup", "input": {"q": "x"}, "arguments": '{"q": "x"}'},
            {"id": "c3", "name": "fetch", "input": {}, "arguments": "{}"},
            {"id": "c4", "name": "lookup", "input": {}, "arguments": "{}"},
        ]}  # fmt: skip
        assert [each.tool_result.pending for each in result.messages if each.tool_result] == [
            True, False, True, True,
        ]  # fmt: skip

    run(play())


@pytest.mark.parametrize("granted", [True, False])
def test_with_an_interpreter_the_run_does_not_halt(granted: bool) -> None:
    async def wait_for(request: Request) -> Answer:
        return answer_output(request.id, "sunny") if granted else Answer(request.id, False)

    async def play() -> None:
        one, model = client([call("lookup", "c1"), call("lookup", "c2")], "done", wait_for=wait_for)
        result = await one.run("go", RELAYS)
        assert result.status == "done"
        told = [each.tool_result for each in model.saw["m"][1] if each.tool_result]
        assert [each.is_error for each in told] == [not granted] * 2
        assert (told[1].content == "sunny") == granted

    run(play())


def test_a_run_past_its_turns_is_incomplete() -> None:
    async def play() -> None:
        one, _ = client(call("count"), call("count"), max_turns=2)
        result = await one.run("go", RELAYS)
        assert (result.status, result.limit, result.turns) == ("incomplete", "maxTurns", 2)

    run(play())


# The Answer.


def test_the_host_s_output_is_exactly_what_the_model_sees_and_no_user_turn_is_added() -> None:
    async def play() -> None:
        one, model = client(call("lookup"), "done")
        halted = await one.run("weather?", RELAYS)
        output = '  {"temp": 21}\n'
        done = await one.run_with_answer(
            RELAYS, halted.messages, request_of(halted), answer_output(request_of(halted).id, output)
        )
        assert (done.status, done.text, done.turns) == ("done", "done", 1)
        assert shape(model.saw["m"][1]) == [("user", "weather?"), ("assistant", ""), ("tool_result", output)]
        assert done.messages[:2] == halted.messages[:2]
        assert done.messages[2].id == halted.messages[2].id
        assert halted.messages[2].content != output

    run(play())


def test_three_relay_calls_answered_in_part_each_have_exactly_one_result() -> None:
    async def play() -> None:
        one, model = client(THREE, "done")
        halted = await one.run("go", RELAYS)
        answer = relay_answer(
            request_of(halted).id,
            [
                RelayResult("c4", "four"),
                RelayResult("c1", "one failed", is_error=True),
                RelayResult("c9", "whose?"),
            ],
        )
        await one.run_with_answer(RELAYS, halted.messages, request_of(halted), answer)
        told = [each.tool_result for each in model.saw["m"][1] if each.tool_result]
        assert [(each.tool_call_id, each.is_error, each.pending) for each in told] == [
            ("c1", True, False), ("c2", False, False), ("c3", True, False), ("c4", False, False),
        ]  # fmt: skip
        assert [each.content for each in told] == [
            "one failed", "count done", "The host gave no result for this call.", "four",
        ]  # fmt: skip

    run(play())


def test_one_output_for_several_calls_is_the_first_call_s_and_may_be_an_error() -> None:
    async def play() -> None:
        one, model = client([call("lookup", "c1"), call("fetch", "c2")], "done")
        halted = await one.run("go", RELAYS)
        answer = Answer(request_of(halted).id, True, {"output": "no such town", "isError": True})
        await one.run_with_answer(RELAYS, halted.messages, request_of(halted), answer)
        told = [each.tool_result for each in model.saw["m"][1] if each.tool_result]
        assert [(each.content, each.is_error) for each in told] == [
            ("no such town", True), ("The host gave no result for this call.", True),
        ]  # fmt: skip

    run(play())


@pytest.mark.parametrize("made, problem", [
    (lambda request: answer_output("another", "x"), "does not echo"),
    (lambda request: Answer("another", False), "does not echo"),
    (lambda request: Answer(request, True), "data.output"),
    (lambda request: Answer(request, True, {"value": "x"}), "data.output"),
    (lambda request: Answer(request, True, {"output": 7}), "data.output"),
    (lambda request: Answer(request, True, {"results": "x"}), "data.results"),
    (lambda request: Answer(request, True, {"results": [{"id": "c1"}]}), "RelayResult.output: missing"),
])  # fmt: skip
def test_an_answer_that_is_none_is_rejected_unsent_and_the_right_one_still_works(
    made: object, problem: str
) -> None:
    async def play() -> None:
        one, model = client(call("lookup"), "done")
        halted = await one.ask("go", RELAYS, "conv")
        kept = one.conversation_store.get("conv")
        request = request_of(halted)
        wrong = made(request.id)  # type: ignore[operator]
        with pytest.raises(AnswerRejected, match=problem):
            await one.run_with_answer(RELAYS, halted.messages, request, wrong)
        with pytest.raises(AnswerRejected, match=problem):
            await one.ask_with_answer(RELAYS, "conv", request, wrong)
        assert model.asked("m") == 1
        assert one.conversation_store.get("conv") == kept == halted.messages
        right = answer_output(request.id, "x")
        assert (await one.ask_with_answer(RELAYS, "conv", request, right)).status == "done"

    run(play())


def test_a_declined_answer_needs_no_data_and_the_run_goes_on_with_error_results() -> None:
    async def play() -> None:
        one, model = client([call("lookup", "c1"), call("fetch", "c2")], "then not")
        halted = await one.run("go", RELAYS)
        answer = Answer(request_of(halted).id, False, reason="cancelled")
        done = await one.run_with_answer(RELAYS, halted.messages, request_of(halted), answer)
        assert (done.status, done.text) == ("done", "then not")
        told = [each.tool_result for each in model.saw["m"][1] if each.tool_result]
        assert [each.is_error for each in told] == [True, True]
        assert "cancelled" in told[0].content

    run(play())


def test_a_resumed_run_may_halt_again_with_a_new_request_although_the_model_repeats_its_ids() -> None:
    async def play() -> None:
        one, model = client(call("lookup", "c1"), call("fetch", "c1"), "done")
        first = await one.run("go", RELAYS)
        second = await one.run_with_answer(
            RELAYS, first.messages, request_of(first), answer_output(request_of(first).id, "one")
        )
        assert second.status == "pending"
        assert request_of(second).id != request_of(first).id
        with pytest.raises(AnswerRejected):
            await one.run_with_answer(
                RELAYS, second.messages, request_of(second), answer_output(request_of(first).id, "one")
            )
        done = await one.run_with_answer(
            RELAYS, second.messages, request_of(second), answer_output(request_of(second).id, "two")
        )
        assert done.status == "done"
        assert [text for role, text in shape(model.saw["m"][2]) if role == "tool_result"] == ["one", "two"]

    run(play())


def test_a_halt_that_was_talked_past_is_not_answered_by_the_answer_to_a_later_one() -> None:
    async def play() -> None:
        one, model = client(call("lookup", "c1"), call("lookup", "c1"), "done")
        await one.ask("go", RELAYS, "conv")
        second = await one.ask("or rather this", RELAYS, "conv")
        request = request_of(second)
        await one.ask_with_answer(RELAYS, "conv", request, answer_output(request.id, "x"))
        told = [each.tool_result for each in model.saw["m"][2] if each.tool_result]
        assert [(each.content == "x", each.pending) for each in told] == [(False, True), (True, False)]

    run(play())


def test_a_transcript_in_which_nothing_waits_cannot_be_answered() -> None:
    async def play() -> None:
        one, _ = client("done")
        result = await one.run("go", RELAYS)
        with pytest.raises(NothingToDo):
            await one.run_with_answer(
                RELAYS, result.messages, Request("tool_call", "", "r1"), answer_output("r1", "x")
            )

    run(play())


def test_transcript_and_request_written_as_json_are_resumed_by_a_fresh_client() -> None:
    async def play() -> None:
        one, _ = client(THREE)
        halted = await one.run("go", RELAYS)
        saved = json.loads(json.dumps(halted.to_json()))
        assert list(saved) == ["text", "messages", "status", "pending", "limit", "turns", "usage"]
        restored = RunResult.from_json(saved)
        assert restored == halted
        other, model = client("done")
        request = request_of(restored)
        done = await other.run_with_answer(
            RELAYS, restored.messages, request, answer_output(request.id, "fresh")
        )
        assert done.status == "done"
        assert len({each.id for each in done.messages}) == len(done.messages)
        assert ("tool_result", "fresh") in shape(model.saw["m"][0])

    run(play())


# The store.


def test_ask_and_ask_with_answer_keep_the_transcript_message_for_message() -> None:
    async def play() -> None:
        one, model = client(call("lookup"), "done", "again")
        halted = await one.ask("go", RELAYS, "conv")
        assert one.conversation_store.get("conv") == halted.messages
        request = request_of(halted)
        done = await one.ask_with_answer(RELAYS, "conv", request, answer_output(request.id, "x"))
        assert one.conversation_store.get("conv") == done.messages
        assert one.conversation_store.get("another") is None
        await one.ask("and now?", RELAYS, "conv")
        assert model.saw["m"][2][:-1] == done.messages

    run(play())


def test_a_model_that_fails_raises_and_leaves_the_store_as_it_was() -> None:
    async def play() -> None:
        one, _ = client("hello", OSError("no line"))
        first = await one.ask("hi", RELAYS, "conv")
        with pytest.raises(ModelFailed, match="no line"):
            await one.ask("still there?", RELAYS, "conv")
        assert one.conversation_store.get("conv") == first.messages

    run(play())


def test_a_conversation_has_one_run_at_a_time() -> None:
    async def play() -> None:
        one, model = client("one", "two", "three")
        gate = model.gates["m"] = Gate()
        first = asyncio.create_task(one.ask("a", RELAYS, "conv"))
        await gate.reached()
        with pytest.raises(Busy, match="conv"):
            await one.ask("b", RELAYS, "conv")
        gate.open()
        await first
        assert (await one.ask("c", RELAYS, "conv")).text == "two"

    run(play())
