"""A run costs the same however long the conversation is. Counted in lines executed, not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import reference
from reference import Agent, Message
from tests.reference.fakes import Script, answers, call, ignore, run, starts

REFERENCE = str(Path(reference.__file__).parent)


def lines_executed(work: Callable[[], object]) -> int:
    """How many lines of the reference the work takes."""
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(REFERENCE):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def an_agent_after(turns: int) -> Agent:
    agent = Agent(tools=[answers("look", "Seen."), starts("report")])
    said: list[Message] = []
    for n in range(turns):
        said += [Message(f"u{n}", "user", "Hi", 0), Message(f"a{n}", "assistant", "Hello", 0)]
    agent.replace_messages(said)
    run(agent.prompt("Run it", Script([call("report")], ["It has started."]), ignore))
    return agent


class Heedless:
    """A model that gives its answers without looking at the conversation."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def generate(self, messages: object, tools: object, system_prompt: str) -> Any:
        return self._script.generate((), (), system_prompt)


def prompts(agent: Agent) -> None:
    run(agent.prompt("Look", Heedless(Script([call("look")], ["I have looked."])), ignore))


def resumes(agent: Agent) -> None:
    [pending] = agent.pending_calls()
    agent.inbox().resolve(pending.id, "Done.")
    run(agent.resume(Heedless(Script(["It is done."])), ignore))


def is_cut_off_and_goes_on(agent: Agent) -> None:
    def breaks(event: object) -> None:
        if type(event).__name__ == "ToolExecStart":
            raise KeyError

    with pytest.raises(KeyError):
        run(agent.prompt("Look", Heedless(Script([call("look")])), breaks))
    run(agent.resume(Heedless(Script(["It was cut off."])), ignore))


@pytest.mark.parametrize("what", [prompts, resumes, is_cut_off_and_goes_on])
def test_a_run_takes_as_many_lines_after_ten_turns_as_after_ten_thousand(
    what: Callable[[Agent], None],
) -> None:
    short, long = an_agent_after(10), an_agent_after(10_000)
    assert lines_executed(lambda: what(short)) == lines_executed(lambda: what(long)) > 100
