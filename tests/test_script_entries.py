"""Which entry of a scripted tool is used where an implementation executes it more than once."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import load_register
from conformance.drivers.base import HostError
from conformance.entries import Entries
from conformance.loader import load
from conformance.scenario import Json
from conformance.stage import Stage

OK: dict[str, Json] = {"id": "r1", "ok": True}
HEAD = """\
format: 1
title: A tool that asks
covers: [runtime.resume.done]
agents: {asker: {tools: [ask], model: [{calls: [{ask: {}}]}]}}
steps: [{spawn: asker}]
tools:
  ask:
"""


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Stage:
    path = tmp_path / "runtime" / "asks.yaml"
    path.parent.mkdir()
    path.write_text(HEAD + "\n".join(f"    - {entry}" for entry in request.param), encoding="utf-8")
    return Stage(load(path, tmp_path, load_register()))


FIRST = "{suspends: {kind: approval, prompt: One?}}"
SECOND = "{suspends: {kind: approval, prompt: Two?}}"
ANSWERED = "{returns: one, with_answer: {ok: true}}"
MAYBE_DECLINED = "{returns: no, optional: true, with_answer: {ok: false}}"


@pytest.mark.parametrize("stage", [[FIRST, ANSWERED]], indirect=True)
def test_a_tool_that_has_asked_asks_again_as_long_as_it_has_no_answer(stage: Stage) -> None:
    entries = Entries(stage)

    asked = [entries.of_tool("asker", "ask", None).request for _ in range(3)]

    assert asked == [{"kind": "approval", "prompt": "One?"}] * 3
    assert entries.of_tool("asker", "ask", OK).text == "one"
    assert stage.failures == []


@pytest.mark.parametrize("stage", [[FIRST, ANSWERED]], indirect=True)
def test_a_tool_that_has_had_its_answer_does_not_ask_again(stage: Stage) -> None:
    entries = Entries(stage)
    entries.of_tool("asker", "ask", None)
    entries.of_tool("asker", "ask", OK)

    with pytest.raises(HostError, match="no further execution"):
        entries.of_tool("asker", "ask", None)

    assert [failure.check for failure in stage.failures] == ["play"]


@pytest.mark.parametrize("stage", [[FIRST, MAYBE_DECLINED, SECOND]], indirect=True)
def test_a_tool_whose_next_entry_needs_no_answer_uses_that(stage: Stage) -> None:
    entries = Entries(stage)

    asked = [entries.of_tool("asker", "ask", None).request for _ in range(2)]

    assert [each and each["prompt"] for each in asked] == ["One?", "Two?"]
    assert stage.failures == []


@pytest.mark.parametrize("stage", [[FIRST, MAYBE_DECLINED]], indirect=True)
def test_a_tool_that_may_yet_be_declined_asks_again(stage: Stage) -> None:
    entries = Entries(stage)

    asked = [entries.of_tool("asker", "ask", None).request for _ in range(2)]

    assert [each and each["prompt"] for each in asked] == ["One?", "One?"]
    assert stage.failures == []


@pytest.mark.parametrize("stage", [[ANSWERED]], indirect=True)
def test_a_tool_that_has_never_asked_has_to_find_the_answer_that_the_script_says(stage: Stage) -> None:
    Entries(stage).of_tool("asker", "ask", None)

    assert [failure.check for failure in stage.failures] == ["with_answer"]


DENIED = """\
format: 1
title: A tool that is refused
covers: [agent.run.denied]
agents: {main: {tools: [deploy], model: [{calls: [{deploy: {}}]}, {text: Done.}]}}
steps: [{prompt: Deploy}]
tools: {deploy: [{denied: Not today.}, {returns: Deployed.}]}
"""


@pytest.fixture
def refusing(tmp_path: Path) -> Stage:
    path = tmp_path / "agent" / "refuses.yaml"
    path.parent.mkdir()
    path.write_text(DENIED, encoding="utf-8")
    return Stage(load(path, tmp_path, load_register()))


def test_a_call_that_the_script_refuses_may_not_be_executed(refusing: Stage) -> None:
    with pytest.raises(HostError, match="refuses"):
        Entries(refusing).of_tool("main", "deploy", None)

    [failure] = refusing.failures
    assert (failure.check, failure.message) == (
        "play",
        "main executed deploy where the script refuses the call",
    )


def test_a_call_that_was_refused_when_it_was_asked_for_uses_its_entry_up(refusing: Stage) -> None:
    entries = Entries(refusing)

    refused = entries.denial_of("deploy")

    assert refused is not None
    assert entries.of_tool("main", "deploy", None).text == "Deployed."
    assert refusing.failures == []
