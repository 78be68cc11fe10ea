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

SUSPENDED = """\
format: 1
title: One sub-agent is answered by the host, and another refused by its interpreter
covers: [runtime.resume.done]
runtime: {inbox_cap: 4}
agents:
  lead:
    does: leads
    team: [asker]
    model:
      - calls: [{task: {agent: asker, prompt: Get the secret.}}]
      - calls: [{task: {agent: asker, prompt: Get the secret.}}]
      - text: We have it.
  asker:
    tools: [check_secret]
    model:
      - calls: [{check_secret: {}}]
        during: [{post: {text: Hurry., from: second}}]
      - calls: [{check_secret: {}}]
      - text: It is 42.
  careful:
    tools: [ring]
    wait_for:
      - {ok: false, reason: declined, sees: {kind: call}, during: [{check: {state: running}, handle: second}]}
    model:
      - calls: [{ring: {number: 7}}]
      - text: Nobody may.
tools:
  check_secret:
    - suspends: {kind: approval, prompt: May it?, url: "https://example.org"}
      with_answer: {$absent: true}
    - returns: "42"
      with_answer: {ok: true}
  ring:
    - suspends: {kind: call, prompt: Ring them?}
    - returns: silence
      with_answer: {ok: false}
      optional: true
steps:
  - spawn: {name: lead, budget: {max_turns: 4}}
    result: {id: {$regex: lead}}
  - {spawn: careful, as: second}
  - wake: Go.
  - wait: {timeout: 5}
    result: {status: pending, pending: {id: $request#1, data: {path: {$below: $handle.main}}}}
  - {find: {id: {$below: $handle.main}, state: suspended}, as: asking}
  - check:
      list: [..., {id: $handle.asking}, ...]
      inbox_len: 1
      pool_tokens: null
      trace: [idle, running, suspended]
  - resume_with: {request: $request#1, ok: true, data: {by: Ann}}
  - {wake: Ring., handle: second}
  - {wait: , handle: second}
  - {check: {inspect: {turns: 2, pending_kind: ""}}, handle: second}
  - {close: , handle: second}
  - close: {force: true}
  - wake: Again.
    error: {$any: true}
"""

RELAYED = """\
format: 1
title: What the host carries out is kept, and a wrong Answer is not
covers: [client.store.round-trip]
store: disk
agents:
  main:
    relays: [lookup]
    system_prompt: Be brief.
    model:
      - calls: [{lookup: {city: Bern}}, {lookup: {city: Rome}}]
      - text: Sun in both.
steps:
  - check: {stored: {c1: null}}
  - ask: {text: And the weather?, conversation: c1}
    result: {status: pending, pending: {kind: tool_call, data: {calls: [{id: $lookup#1}, {id: $lookup#2}]}}}
  - crash
  - ask_with_answer: {request: $request#1, echo: $unknown, ok: true, data: {output: sun}, conversation: c1}
    error: {$any: true}
  - new
  - ask_with_answer:
      request: $request#1
      ok: true
      data: {results: [{id: $lookup#1, output: sun}, {id: $lookup#2, output: sun}]}
      conversation: c1
    result: {status: done}
  - check: {stored: {c1: [{role: user}, ..., {role: assistant, content: Sun in both.}]}}
"""

LATER = {"suspended": SUSPENDED, "relayed": RELAYED}
"""Those of the profiles runtime and client."""


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
