"""What sub-agents and clients give out, written as JSON: the keys are the documents'."""

from __future__ import annotations

import pytest

from reference import (
    Answer,
    HandleView,
    MalformedData,
    Message,
    RelayResult,
    Request,
    RunResult,
    State,
    TaskResult,
    Usage,
    answer_output,
    relay_answer,
)
from reference._record import Json, Record

REQUEST = Request(
    "approval", "may I?", "r1", "https://x.example", {"path": ["root", "a.1"]}, "2030-01-01T00:00:00Z"
)
REQUEST_JSON: dict[str, Json] = {
    "kind": "approval", "prompt": "may I?", "id": "r1", "url": "https://x.example",
    "data": {"path": ["root", "a.1"]}, "expiresAt": "2030-01-01T00:00:00Z",
}  # fmt: skip
USAGE_JSON: dict[str, Json] = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}

WRITTEN: list[tuple[Record, dict[str, Json]]] = [
    (REQUEST, REQUEST_JSON),
    (Request("input", "name?", "r2"), {"kind": "input", "prompt": "name?", "id": "r2"}),
    (Answer("r1", True), {"id": "r1", "ok": True}),
    (
        Answer("r1", False, {"output": "x"}, "expired"),
        {"id": "r1", "ok": False, "data": {"output": "x"}, "reason": "expired"},
    ),
    (
        TaskResult("", False, "pending", REQUEST, 1, 2, 3, ""),
        {"text": "", "is_error": False, "status": "pending", "pending": REQUEST_JSON, "turns": 1,
         "total_tokens": 2, "own_tokens": 3, "limit": ""},
    ),
    (
        HandleView("root/a.1", State.SUSPENDED, 1, 2, 3, "x"),
        {"id": "root/a.1", "state": "suspended", "tokens": 1, "turns": 2, "inbox": 3, "pending_kind": "x"},
    ),
    (
        RunResult("hi", (Message("msg-1", "user", "hi", 5),), "done", None, "", 1, Usage(1, 2, 3)),
        {"text": "hi", "messages": [{"id": "msg-1", "role": "user", "content": "hi", "timestamp": 5}],
         "status": "done", "pending": None, "limit": "", "turns": 1, "usage": USAGE_JSON},
    ),
    (RelayResult("c1", "x", is_error=True), {"id": "c1", "output": "x", "isError": True}),
]  # fmt: skip


@pytest.mark.parametrize("what, written", WRITTEN, ids=lambda each: type(each).__name__)
def test_each_has_its_keys_and_is_read_back_as_it_was(what: Record, written: dict[str, Json]) -> None:
    assert what.to_json() == written
    assert type(what).from_json(written) == what


def test_an_answer_made_of_one_output_is_ok_and_has_the_text_as_it_is() -> None:
    made = answer_output("r1", " sunny\n")
    assert made.to_json() == {"id": "r1", "ok": True, "data": {"output": " sunny\n"}}


def test_an_answer_made_of_results_is_ok_and_has_each_with_its_id_in_their_order() -> None:
    made = relay_answer("r1", iter([RelayResult("c2", "foggy"), RelayResult("c1", "no line", is_error=True)]))
    assert made.to_json() == {"id": "r1", "ok": True, "data": {"results": [
        {"id": "c2", "output": "foggy"}, {"id": "c1", "output": "no line", "isError": True},
    ]}}  # fmt: skip


def test_a_state_is_written_as_its_plain_word() -> None:
    written = HandleView("root", State.IDLE, 0, 0, 0, "").to_json()["state"]
    assert type(written) is str


@pytest.mark.parametrize("kind, wrong, problem", [
    (HandleView, {"id": "root", "state": "asleep"}, "HandleView.state: expected one of \\['idle'"),
    (TaskResult, {"text": "", "is_error": False, "status": "fine"}, "TaskResult.status: expected one"),
    (Answer, {"id": "r1", "ok": "yes"}, "Answer.ok: expected bool"),
    (Answer, {"ok": True}, "Answer.id: missing"),
])  # fmt: skip
def test_what_has_another_form_is_refused(kind: type[Record], wrong: Json, problem: str) -> None:
    with pytest.raises(MalformedData, match=problem):
        kind.from_json(wrong)
