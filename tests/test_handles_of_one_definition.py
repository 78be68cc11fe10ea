"""Handles of one definition that are under way together: what is told of one touches no other.

Who asks for a model or a tool says only whose definition it is, so the suite has to keep apart what it can,
and to answer the rest as the script says.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from conformance import load_register
from conformance.drivers.reference import driver
from conformance.judge import ScenarioResult
from conformance.loader import load_all
from conformance.running import run
from conformance.session import Session

HEAD = """\
format: 1
title: Two handles of one definition are under way together
covers: [runtime.handle.state-names]
agents:
  ops:
    tools: [deploy]
    model: [MODEL]
tools:
  deploy: [TOOL]
steps:
  - {spawn: ops, as: first}
  - {spawn: ops, as: second}
"""

ONE_IS_HELD = """\
  - {start: Begin, handle: first}
  - {wake: Begin, handle: second}
  - {wait: null, handle: second, result: {status: done, text: Two.}}
  - {check: {state: running}, handle: first}
  - {finish: null, handle: first, result: {status: done, text: One.}}
"""
BOTH_ARE_HELD = """\
  - {start: Begin, handle: first}
  - {start: Begin, handle: second}
  - {finish: null, handle: first, result: {status: done}}
  - {check: {state: running}, handle: second}
  - {finish: null, handle: second, result: {status: done}}
"""
ONE_IS_HELD_AND_INTERRUPTED = """\
  - {start: Begin, handle: first}
  - {start: Begin, handle: second}
  - {interrupt: null, handle: first}
  - {finish: null, handle: second, result: {status: done, text: Two.}}
  - {finish: null, handle: first, result: {status: interrupted}}
"""
ONE_IS_INTERRUPTED_AND_WOKEN = """\
  - {start: Begin, handle: first}
  - {interrupt: null, handle: first}
  - {wake: Again, handle: first}
  - {wait: null, handle: first, result: {status: done, text: Two.}}
  - {finish: null, handle: first}
"""
ONE_IS_IDLE_AND_INTERRUPTED = """\
  - {start: Begin, handle: first}
  - {interrupt: null, handle: second}
  - {close: {force: true}, handle: second}
  - {finish: null, handle: first, result: {status: done, text: One.}}
"""
ONE_WAITS_FOR_ITS_TOOL = """\
  - {wake: Begin, handle: first}
  - {wait: null, handle: first, result: {status: done, text: Two.}}
"""
TWO_TEXTS = "{text: One.}, {text: Two.}"


def played(
    folder: Path,
    steps: str,
    model: str = TWO_TEXTS,
    tool: str = "{returns: Out., with_answer: {ok: true}, optional: true}",
) -> ScenarioResult:
    """What comes of playing it against the reference."""
    text = HEAD.replace("MODEL", model).replace("TOOL", tool) + steps
    (folder / "one.yaml").write_text(text, encoding="utf-8")
    register = load_register()
    scenarios, problems = load_all([folder], register)
    assert problems == []

    async def playing() -> ScenarioResult:
        session = await Session.open(driver())
        report = await run(scenarios, session, register, timeout=2)
        await session.close()
        return report.scenarios[0]

    return asyncio.run(playing())


@pytest.mark.parametrize(
    "steps",
    [ONE_IS_HELD, BOTH_ARE_HELD, ONE_IS_HELD_AND_INTERRUPTED, ONE_IS_INTERRUPTED_AND_WOKEN],
)
def test_what_is_held_is_one_turns_model_call(tmp_path: Path, steps: str) -> None:
    result = played(tmp_path, steps)

    assert (result.verdict, result.message, result.failures) == ("passed", "", ())


def test_an_interrupt_of_an_idle_handle_ends_no_turn_of_another(tmp_path: Path) -> None:
    result = played(tmp_path, ONE_IS_IDLE_AND_INTERRUPTED, model="{text: One.}")

    assert (result.verdict, result.failures) == ("passed", ())


def test_an_interrupt_aborts_no_tool_of_another_handle(tmp_path: Path) -> None:
    model = "{calls: [{deploy: {}}]}, {text: Two.}"
    tool = "{returns: Out., during: [{interrupt: null, handle: second}]}"

    result = played(tmp_path, ONE_WAITS_FOR_ITS_TOOL, model, tool)

    assert (result.verdict, result.failures) == ("passed", ())
