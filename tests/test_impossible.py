"""Patterns that can never fit are refused; what an implementation may say never is.

The files that are refused, each with its place and its reason, are in `scenarios_invalid`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import schemas
from conformance.loader import ScenarioError, load_text
from conformance.reading import EVENT_TYPES
from tests.test_loader import REGISTER

AGENT = """\
format: 1
title: A title
covers: [agent.inbox.read-at-final]
agents:
  main:
    model:
      - text: Done.
steps:
  - prompt: Go
"""
RUNTIME = """\
format: 1
title: A title
covers: [runtime.handle.states]
agents:
  worker:
    model:
      - text: Done.
steps:
  - spawn: worker
  - wake: Go
"""
CLIENT = AGENT.replace("agent.inbox.read-at-final", "client.halt.pending").replace("prompt", "run")


def problems(text: str) -> list[str]:
    try:
        load_text(text, REGISTER, path=Path("file.yaml"))
    except ScenarioError as error:
        return [problem.message for problem in error.problems]
    return []


@pytest.mark.parametrize(
    "text",
    [
        "wait:\n    result: {status: finished, limit: maxPatience}",
        "wait:\n    result: {status: {$one_of: [done, finished]}, limit: {$regex: max}}",
        "wait:\n    result: {status: {$literal: pendng}, limit: {$exact: {$literal: maxTurn}}}",
        "wait:\n    result: {status: {$contains: pend}, text: {$contains: '2'}, turns: 2.0}",
        "wait:\n    result: {turns: {$type: number}, is_error: {$one_of: [{$absent: true}, false]}}",
        "wait:\n    result: null",
        "wait:\n    result: {pending: {kind: aproval, url: null, expiresAt: 7, data: {calls: [1]}}}",
        "wait:\n    result: {pending: {data: {path: {$contains: root}}}, own: 7, more: [1, {role: bot}]}",
        "wait:\n    result: {pending: {data: {path: [root, {$regex: ops}]}, id: $unknown}}",
        "check: {pool_tokens: {$one_of: [7, {$type: 'null'}]}, state: {$regex: ^(idle|closed)$}}",
        "check: {inspect: {state: {$contains: clos}, pending_kind: aproval, id: {$below: $handle.main}}}",
        "check: {list: {$unordered: [{state: idle}, ...]}, trace: [idle, ..., {$any: true}]}",
    ],
)
def test_what_a_runtime_may_say_may_be_expected(text: str) -> None:
    assert problems(f"{RUNTIME}  - {text}\n") == []


@pytest.mark.parametrize(
    "emits",
    [
        "{CacheHit: {role: asistant, tokens_generated: few}}",
        "{MessageEnd: {message: {role: bot, price: many}}}",
        "{MessageEnd: {message: {role: {$literal: asistant}}}}",
        "{TurnEnd: {message: null}}",
        "{TurnEnd: {message: {role: assistant}, tool_results: [{role: asistant}]}}",
        "{ToolExecStart: {args: {role: asistant, status: pendng}}}",
        "{ToolExecStart: {args: none}}",
        "{ToolResolved: {result: late}}",
        "{Nested: {event: {type: CacheHit, result: 7}}}",
        "{Nested: {event: {type: {$one_of: [CacheHit, TurnEnd]}, message: 7}}}",
        "{ContextBudget: {max_tokens: {$one_of: [null, 8192]}}}",
    ],
)
def test_what_an_agent_may_emit_may_be_expected(emits: str) -> None:
    assert problems(f"{AGENT}    emits: [..., {emits}, ...]\n") == []


def test_what_a_client_may_answer_may_be_expected() -> None:
    result = "{status: halted, limit: null, usage: null, messages: [..., {role: user, content: asistant}]}"

    assert problems(f"{CLIENT}    result: {result}\n") == []


def test_an_answer_may_have_a_field_more() -> None:
    entry = "{returns: Done., with_answer: {ok: true, signature: me, data: {okay: true, role: bot}}}"
    text = CLIENT.replace("    model:\n", "    tools: [deploy]\n    model:\n      - calls: [{deploy: {}}]\n")

    assert problems(text.replace("steps:", f"tools:\n  deploy: [{entry}]\nsteps:")) == []


@pytest.mark.parametrize(
    "emits",
    [
        "{MessageEnd: {message: {mood: good, tool_result: {cost: {eur: 7}}}}}",
        "{MessageEnd: {message: {mood: {$absent: true}}}}, {MessageEnd: {message: {mood: good}}}",
        "{AgentEnd: {messages: [..., {mood: {$contains: good}}, ...], weather: fine}}",
        "{TurnEnd: {message: {tool_calls: {$absent: true}}, tool_results: [{role: tool_result}]}}",
        "{ToolResolved: {result: {is_error: {$one_of: [{$absent: true}, false]}}}}",
        "{Paused: {pending: [{id: $unknown, name: report, arguments: {state: x}}]}}",
        "{CacheHit: {state: {$absent: true}, mood: {$absent: true}}}",
        "{Nested: {event: {type: CacheHit, state: {$absent: true}}}}",
        "{Nested: {event: {state: {$absent: true}}}}",
        "{ToolExecStart: {args: {mood: {$absent: true}, tool_cals: 7}}}",
    ],
)
def test_a_field_of_its_own_may_be_expected_of_an_implementation_and_a_known_one_not_to_be_there(
    emits: str,
) -> None:
    assert problems(f"{AGENT}    emits: [..., {emits}, ...]\n") == []


def test_a_handle_may_be_found_by_a_field_of_the_implementation_beside_a_known_one() -> None:
    find = "  - find: {id: {$below: $handle.main}, mood: good}\n    as: child\n"

    assert problems(f"{RUNTIME}{find}") == []


def test_every_value_that_can_never_come_is_told() -> None:
    result = "{status: {$one_of: [doen, pendng]}, turns: '1', pending: {kind: 7}}"
    told = problems(f"{RUNTIME}  - wait:\n    result: {result}\n")

    assert [problem.split(" that is known")[0] for problem in told] == [
        "'doen' is no status",
        "'pendng' is no status",
        "expected a whole number, found text '1'",
        "expected text, found number 7",
    ]


def test_of_a_result_nothing_is_said_where_nobody_knows_whose_it_is() -> None:
    text = f"{RUNTIME}  - wait:\n    result: {{status: pendng}}\n".replace("covers: [", "covers: [[], ")

    assert [problem for problem in problems(text) if "pendng" in problem] == []


def test_the_types_of_events_that_are_known_are_those_that_the_checks_know() -> None:
    types = schemas.load("event")["properties"]["type"]["examples"]  # type: ignore[index, call-overload]

    assert sorted(types) == sorted(EVENT_TYPES)  # type: ignore[arg-type, type-var]


@pytest.mark.parametrize("called", ["report_b", "no_such_tool"])
def test_a_model_may_call_a_tool_that_its_agent_does_not_have(called: str) -> None:
    text = AGENT.replace(
        "    model:\n", f"    tools: [report_a]\n    model:\n      - calls: [{{{called}: {{}}}}]\n"
    )
    others = "  other: {tools: [report_b], model: [{text: Done.}]}\n"
    tools = "tools: {report_a: [{returns: Done.}], report_b: [{returns: Done.}]}\n"

    assert problems(text.replace("steps:", f"{others}{tools}steps:")) == []


@pytest.mark.parametrize(
    "step",
    [
        "run_with_answer: {request: $request#1, ok: true}\n    error: {$any: true}",
        "run_with_answer: {request: $request#1, ok: true}\n    result: {$any: true}",
        "run_with_answer: {request: $request#1, ok: false}",
        "run_with_answer: {request: $request#1, ok: true, data: {results: []}}",
    ],
)
def test_an_answer_to_relayed_calls_may_be_meant_to_be_refused(step: str) -> None:
    text = CLIENT.replace("    model:\n", "    relays: [lookup]\n    model:\n      - calls: [{lookup: {}}]\n")

    assert problems(f"{text}  - {step}\n") == []
