"""Scenarios that the tests of this folder play, small enough to be read beside what is shown of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conformance import api
from conformance.drivers.base import Driver
from conformance.drivers.reference import ReferenceDriver
from conformance.judge import Report
from conformance.report.terminal import Detail, TerminalReport
from tests.seeing import page

PAUSE = """\
format: 1
title: A pending call pauses the run, and is there when it has been resumed
covers: [agent.pending.pause]
agents:
  main:
    tools: [report]
    pause_on_pending: true
    model:
      - chunks: [I, " will", " start", " it", .]
        calls: [{report: {month: May}}]
      - text: May is there.
tools:
  report:
    - pending: Started job 7.
steps:
  - prompt: Report on May
    emits:
      - AgentStart
      - MessageStart: {message: {role: user}}
      - MessageEnd: {message: {role: user}}
      - TurnStart
      - ContextBudget
      - MessageDelta+
      - GenerationStats
      - MessageEnd: {message: {role: assistant, tool_calls: [{name: report}]}}
      - ToolExecStart: {tool_call_id: $report#1, args: {month: May}}
      - ToolExecEnd: {tool_call_id: $report#1, result: {content: Started job 7., pending: true}}
      - MessageStart: {message: {tool_result: {pending: true}}}
      - MessageEnd: {message: {tool_result: {pending: true}}}
      - TurnEnd
      - Paused: {pending: [{id: $report#1}]}
      - AgentEnd
  - check: {pending_calls: [{id: $report#1}]}
  - resolve: {call: $report#1, with: Written to may.pdf}
  - resume
"""

LATE = """\
format: 1
title: What comes while the model writes is answered in the same run
covers: [agent.inbox.read-at-final]
agents:
  main:
    model:
      - text: It is clean.
        during: [{push: "The changelog, too."}]
      - text: The changelog is right.
        sees: [{role: user}, {role: assistant}, {role: user, content: {$contains: changelog}}]
steps:
  - prompt: Clean the repository
  - check:
      conversation:
        - {role: user}
        - ...
        - {role: assistant, content: The changelog is right.}
"""

CHILD = """\
format: 1
title: A child's events arrive under the call that runs it
description: The child stops to think, and so has two turns.
covers: [agent.child.nested]
agents:
  main:
    tools: [delegate]
    system_prompt: You ask others.
    model:
      - calls: [{delegate: {task: Find the date}}]
      - text: In May.
  researcher:
    tools: [search]
    max_rounds: 3
    model:
      - calls: [{search: {}}]
      - text: It was May.
tools:
  delegate:
    - updates: [Asking around]
      runs_child: {agent: researcher, prompt: Find the date, result: {message: {content: It was May.}}}
  search:
    - returns: "12 May"
      during: [{push: Be quick., agent: researcher}]
steps:
  - prompt: When was it?
    emits:
      - ...
      - Nested: {tool_call_id: $delegate#1, events: [AgentStart, ..., ToolExecEnd, ..., AgentEnd]}
      - ToolExecEnd: {tool_call_id: $delegate#1}
      - ...
"""

ALL = {"pause": PAUSE, "late": LATE, "child": CHILD}


def write(**texts: str) -> None:
    """Write scenarios as files in the current folder."""
    for name, text in texts.items():
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")


def report(driver: Callable[[], Driver] = ReferenceDriver, **texts: str) -> Report:
    """What comes of these scenarios, as files in the current folder."""
    write(**texts)
    return api.run(api.load(["."]), driver, timeout=5)


def printed(came: Report, width: int = 80, detail: Detail = "normal") -> str:
    """The report of a run as it stands on a page."""
    on, text = page(width)
    TerminalReport(on, api.load_register(), ["outlast", "run"], Path("/shipped"), detail).print(came)
    return text.getvalue()
