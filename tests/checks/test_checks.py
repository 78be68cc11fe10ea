"""The always-on checks: each passes what keeps its requirement, and finds just what breaks it.

The plays are in the `cases_` modules. What is said here holds for every check there is, also for a new one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance import schemas
from conformance.checks import ALWAYS_ON, Check, run_checks
from conformance.reading import EVENT_TYPES
from conformance.requirements import read
from conformance.scenario import Json
from conformance.transcript import Message, Transcript
from tests.checks import (
    cases_arguments,
    cases_conversation,
    cases_delivery,
    cases_events,
    cases_hosted,
    cases_tools,
)
from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.hosted import HostedPlay
from tests.checks.plays import ANSWERED, CALLING, DONE, EXECUTED, Play, placeholder, result, user

MODULES = (
    cases_events,
    cases_tools,
    cases_arguments,
    cases_conversation,
    cases_delivery,
    cases_hosted,
)
HOLDS: list[Holds] = [case for module in MODULES for case in module.HOLDS]
BREAKS: list[Breaks] = [case for module in MODULES for case in module.BREAKS]
LEFT_OPEN: list[LeftOpen] = [case for module in MODULES for case in module.LEFT_OPEN]

REGISTER = read(schemas.scenarios_folder() / "requirements.yaml")
REQUIREMENTS = {check.name: check.requirement for check in ALWAYS_ON}


@pytest.mark.parametrize("check", ALWAYS_ON, ids=lambda check: check.name)
def test_every_check_has_a_play_that_keeps_its_requirement_and_one_that_breaks_it(check: Check) -> None:
    assert [case for case in HOLDS if case.check == check.name]
    assert [case for case in BREAKS if case.check == check.name]


def test_every_check_has_a_requirement_of_its_own_in_the_register() -> None:
    assert len(REQUIREMENTS) == len(ALWAYS_ON)
    assert all(check.requirement in REGISTER for check in ALWAYS_ON)


@pytest.mark.parametrize("case", HOLDS, ids=lambda case: f"{case.check}: {case.sentence}")
def test_a_play_that_keeps_a_requirement_is_judged_and_nothing_is_found(case: Holds) -> None:
    findings, judged = run_checks(case.play.transcript)
    assert findings == []
    assert REQUIREMENTS[case.check] in judged


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: f"{case.check}: {case.sentence}")
def test_a_play_that_breaks_a_requirement_has_just_that_finding(case: Breaks) -> None:
    findings, judged = run_checks(case.play.transcript)
    assert sorted(finding.check for finding in findings) == sorted([case.check, *case.too])
    [found] = [finding for finding in findings if finding.check == case.check]
    assert case.words in found.message
    assert found.step == case.step
    assert found.requirement == REQUIREMENTS[case.check]
    assert found.requirement in judged


def test_two_calls_of_a_tool_that_are_executed_with_each_others_arguments_are_found_by_their_ids() -> None:
    may, june = cases_arguments.MAY, cases_arguments.JUNE
    play = cases_arguments.telling(may, june, given=(june, may))

    findings, _ = run_checks(play.transcript)

    assert [(found.check, found.expected, found.actual) for found in findings] == [
        ("arguments", may, june),
        ("arguments", june, may),
    ]


@pytest.mark.parametrize("case", LEFT_OPEN, ids=lambda case: f"point {case.point}: {case.sentence}")
def test_a_choice_that_the_documents_leave_open_breaks_no_must(case: LeftOpen) -> None:
    findings, _ = run_checks(case.play.transcript)
    assert sorted({finding.check for finding in findings}) == sorted(case.may_break)
    assert [finding for finding in findings if REGISTER[finding.requirement].level == "must"] == []


def test_a_play_in_which_nothing_happened_is_not_judged() -> None:
    assert run_checks(Transcript()) == ([], set())


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["c1", "c2"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "role", "content", "tool_calls", "tool_result", "tool_call_id", "pending"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
FIELDS = ["message", "messages", "tool_call_id", "tool_name", "args", "result", "pending", "event", "delta"]


def events() -> st.SearchStrategy[dict[str, Json]]:
    """Events with anything in their fields."""
    fields = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5)
    typed = st.tuples(st.sampled_from(sorted(EVENT_TYPES)) | st.text(max_size=3), fields)
    plain = typed.map(lambda pair: {**pair[1], "type": pair[0]})
    return st.recursive(
        plain,
        lambda inner: st.tuples(st.sampled_from(["c1", "c2"]), inner).map(
            lambda pair: {"type": "Nested", "tool_call_id": pair[0], "event": pair[1]}
        ),
        max_leaves=2,
    )


def messages() -> st.SearchStrategy[list[Message]]:
    """Messages with anything in them, right ones among them."""
    right = st.sampled_from([user("Go"), CALLING, placeholder("c1"), result("c1", "out/"), DONE])
    wrong = st.dictionaries(
        st.sampled_from(["id", "role", "content", "tool_calls", "tool_result"]), JSON, max_size=5
    )
    roles = st.sampled_from(["user", "assistant", "tool_result"])
    typed = st.tuples(roles, wrong).map(lambda pair: {**pair[1], "role": pair[0]})
    return st.lists(right | wrong | typed, max_size=4)


def happenings() -> st.SearchStrategy[Callable[[Play], object]]:
    """Anything that may happen in a play, whether or not it makes sense there."""
    call = st.sampled_from(["c1", "c2", ""])
    outcome = st.sampled_from(["returns", "pending", "raises", "denied", "aborted"])
    ending = st.sampled_from(["normal", "stopped", "failed", "limited", "refused", "crashed"])
    return st.one_of(
        events().map(lambda event: lambda play: play.emit(event)),
        messages().map(lambda given: lambda play: play.model(*given, calls=1)),
        messages().map(lambda given: lambda play: play.holds(*given)),
        messages().map(lambda given: lambda play: play.holds(*given, fresh=False)),
        st.tuples(call, outcome).map(lambda pair: lambda play: play.tool(*pair)),
        st.tuples(call, st.text(max_size=2)).map(lambda pair: lambda play: play.resolve(*pair)),
        st.tuples(st.text(max_size=2), st.booleans()).map(
            lambda pair: lambda play: play.push(pair[0], settled=pair[1])
        ),
        call.map(lambda id: lambda play: play.prompt().child(id).prompt(agent="other")),
        st.tuples(messages(), ending).map(
            lambda pair: lambda play: play.prompt().ends(*pair[0], ending=pair[1])
        ),
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(happenings(), max_size=12))
def test_whatever_an_implementation_sends_the_checks_never_raise(
    story: list[Callable[[Play], object]],
) -> None:
    play = Play().prompt()
    for happens in story:
        happens(play)
    run_checks(play.transcript)


METHODS = st.sampled_from(
    [
        "runtime/spawn",
        "runtime/wait",
        "runtime/resume",
        "runtime/list",
        "runtime/inspect",
        "runtime/state_of",
        "client/run",
    ]
)
FIELDS = st.sampled_from(
    [
        "id",
        "handle",
        "state",
        "status",
        "pending",
        "pending_kind",
        "turns",
        "tokens",
        "limit",
        "views",
        "messages",
    ]
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(METHODS, st.dictionaries(FIELDS, JSON | st.lists(messages()), max_size=6)), max_size=8)
)
def test_whatever_verbs_are_answered_with_the_checks_never_raise(
    answers: list[tuple[str, dict[str, Json]]],
) -> None:
    runtime, client = HostedPlay(), HostedPlay("client")
    for method, answer in answers:
        (client if method.startswith("client/") else runtime).did(method, answer)
    run_checks(runtime.transcript)
    run_checks(client.transcript)


def work_for(transcript: Transcript) -> int:
    """How many function calls judging takes: a measure for which no clock is needed."""
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run_checks(transcript)
    finally:
        sys.setprofile(before)
    return calls


def many_runs(number: int) -> Transcript:
    """Runs that call a tool, each in a conversation of its own, with an inbox that is used."""
    play = Play()
    for _ in range(number):
        play.holds().push("Hurry").prompt().model(user("Hurry"), user("Go"), calls=1).tool("c1")
        play.model(user("Hurry"), user("Go"), CALLING, result("c1", "written")).emit(*EXECUTED).ends(DONE)
    return play.transcript


def one_long_run(number: int) -> Transcript:
    """One run with many turns, whose conversation nobody looks at."""
    play = Play().prompt().emit(ANSWERED[0])
    for index in range(number):
        play.model(calls=1).tool(f"c{index}").push(f"text {index}").emit(*EXECUTED[3:-1])
    return play.emit(ANSWERED[-1]).ends().transcript


@pytest.mark.parametrize("written", [many_runs, one_long_run])
def test_a_play_ten_times_as_long_takes_ten_times_the_work(written: Callable[[int], Transcript]) -> None:
    short, long = work_for(written(20)), work_for(written(200))
    assert long < 12 * short
