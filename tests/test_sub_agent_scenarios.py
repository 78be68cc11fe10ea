"""Scenarios of the profiles runtime and client: what is built of a file, and what it needs.

Which files are refused, and why, is shown by tests/scenarios_invalid.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance import source
from conformance.loader import ScenarioError, load_text
from conformance.scenario import ABSENT, MAIN, InterpreterEntry, Json, RuntimeScript, Scenario, ScriptedCall
from tests.test_loader import ODD, REGISTER, places, replaced

RUNTIME = """\
format: 1
title: Everything that a scenario of sub-agents can say
covers: [runtime.handle.states]
runtime:
  wait_for: [{raises: nobody is there}]
  budget: {max_tokens: 1000}
  inbox_cap: 2
agents:
  asker:
    does: asks for secrets
    tools: [check_secret]
    team: [helper]
    system_prompt: Be brief.
    budget: {max_turns: 3, max_children: 1}
    wait_for:
      - {ok: true, data: {by: $check_secret#1}, sees: {data: {path: $handle.main}}, during: [interrupt]}
      - {ok: false, reason: declined, covers: [runtime.handle.states]}
    model:
      - calls: [{check_secret: {}}, {task: {agent: helper, prompt: Go}}]
        during:
          - post: More
          - {post: {text: I am, from: main}, handle: second}
          - {wake: , error: {$any: true}}
          - {spawn: helper, as: third}
          - {resume_with: {request: $unknown, ok: false}, error: {$any: true}}
      - text: Done.
  helper:
    wait_for: []
tools:
  check_secret:
    - suspends: {kind: approval, prompt: May it?, data: {path: x}}
      with_answer: {$absent: true}
    - returns: secret-token
      with_answer: {ok: true}
      optional: true
      during: [{check: {state: running}, handle: second}]
    - raises: No paper.
steps:
  - spawn: asker
    result: {id: {$regex: asker}}
  - spawn: {name: helper, under: main, budget: {max_turns: 2}}
    as: second
  - {spawn: asker, as: other, runtime: other}
  - {spawn: nobody, error: {message: {$contains: nobody}}}
  - wake: Get the secret
  - wait
  - find: {id: {$below: $handle.main}, state: suspended}
    as: found
  - resume_with: {request: $request#1, ok: true, data: {output: '42'}}
    result: {status: done}
  - check: {list: [..., {id: $handle.found}, ...]}
  - close
  - {close: {force: true}, handle: second, covers: [runtime.handle.states]}
"""

CLIENT = """\
format: 1
title: Everything that a scenario of clients can say
covers: [client.halt.pending]
store: disk
agents:
  main:
    relays: [lookup]
    tools: [weather]
    wait_for: [{ok: true}]
    model:
      - calls: [{lookup: {q: 1}}, {weather: {}}]
      - text: Done.
        during: [{check: {stored: {c1: [..., {role: user}]}}}]
  other: {}
tools:
  weather:
    - suspends: {kind: input, prompt: Where?}
steps:
  - run: What is it?
  - ask: {text: What is it?, conversation: c1}
    agent: other
    result: {status: pending, pending: {id: $request#1, data: {calls: [{id: $lookup#1}]}}}
  - run_with_answer: {request: $request#1, ok: false, reason: declined}
  - ask_with_answer: {request: $request#1, echo: $request#2, ok: true, data: {output: '42'}, conversation: c1}
    error: {$any: true}
  - crash
  - new:
    agent: other
  - check: {stored: {c1: null}}
"""


def loaded(text: str) -> Scenario:
    return load_text(text, REGISTER, path=Path("file.yaml"))


def test_a_scenario_of_sub_agents_has_definitions_and_what_all_runtimes_are_set_up_with() -> None:
    scenario = loaded(RUNTIME)
    asker, helper = scenario.agents.values()

    assert (scenario.profile, scenario.level, MAIN in scenario.agents) == ("runtime", "must", False)
    assert (asker.does, asker.tools, asker.team) == ("asks for secrets", ("check_secret",), ("helper",))
    assert (asker.system_prompt, asker.budget) == ("Be brief.", {"max_turns": 3, "max_children": 1})
    assert (helper.does, helper.team, helper.budget, helper.model) == ("", (), {}, ())
    assert scenario.runtime.budget == {"max_tokens": 1000}
    assert scenario.runtime.inbox_cap == 2


def test_a_scenario_without_options_of_its_runtimes_leaves_them_to_the_implementation() -> None:
    text = RUNTIME.replace(RUNTIME[RUNTIME.index("runtime:\n") : RUNTIME.index("agents:\n")], "")

    assert loaded(text).runtime == RuntimeScript()


def test_an_interpreter_answers_or_raises_and_an_empty_list_is_one_that_is_never_asked() -> None:
    scenario = loaded(RUNTIME)
    yes, no = scenario.agents["asker"].wait_for or ()
    (failing,) = scenario.runtime.wait_for or ()

    assert (yes.ok, yes.data, yes.reason, yes.raises) == (True, {"by": "$check_secret#1"}, None, None)
    assert yes.sees == {"data": {"path": "$handle.main"}}
    assert [action.word for action in yes.during] == ["interrupt"]
    assert no == InterpreterEntry(no.position, ok=False, reason="declined", covers=("runtime.handle.states",))
    assert str(no.position) == "file.yaml:17:9"
    assert (failing.raises, failing.sees) == ("nobody is there", ABSENT)
    assert scenario.agents["helper"].wait_for == ()
    assert loaded(CLIENT).agents["other"].wait_for is None


def test_a_tool_entry_suspends_with_a_request_and_says_which_answer_it_is_for() -> None:
    suspending, returning, raising = loaded(RUNTIME).tools["check_secret"]

    assert (suspending.outcome, suspending.text) == ("suspends", "")
    assert suspending.request == {"kind": "approval", "prompt": "May it?", "data": {"path": "x"}}
    assert (suspending.with_answer, suspending.optional) == ({"$absent": True}, False)
    assert (returning.outcome, returning.text, returning.request) == ("returns", "secret-token", None)
    assert (returning.with_answer, returning.optional) == ({"ok": True}, True)
    assert [(action.word, action.handle) for action in returning.during] == [("check", "second")]
    assert (raising.outcome, raising.text, raising.with_answer) == ("raises", "No paper.", ABSENT)


def test_a_step_with_sub_agents_has_its_argument_in_one_form_its_handle_and_its_runtime() -> None:
    steps = loaded(RUNTIME).steps

    assert [(step.word, step.argument) for step in steps] == [
        ("spawn", {"name": "asker", "under": None, "budget": {}}),
        ("spawn", {"name": "helper", "under": "main", "budget": {"max_turns": 2}}),
        ("spawn", {"name": "asker", "under": None, "budget": {}}),
        ("spawn", {"name": "nobody", "under": None, "budget": {}}),
        ("wake", {"prompt": "Get the secret"}),
        ("wait", {"timeout": None}),
        ("find", {"id": {"$below": "$handle.main"}, "state": "suspended"}),
        ("resume_with", {"request": "$request#1", "ok": True, "data": {"output": "42"}}),
        ("check", {"list": ["...", {"id": "$handle.found"}, "..."]}),
        ("close", {"force": False}),
        ("close", {"force": True}),
    ]
    assert [step.handle for step in steps] == [
        *("main", "second", "other", "main", "main", "main", "found", "main", "main", "main", "second"),
    ]
    assert [step.runtime for step in steps] == ["main", "main", "other", *["main"] * 8]
    assert (steps[0].result, steps[3].error) == (
        {"id": {"$regex": "asker"}},
        {"message": {"$contains": "nobody"}},
    )
    assert steps[-1].covers == ("runtime.handle.states",)


def test_an_action_with_sub_agents_is_what_the_step_would_be() -> None:
    during = loaded(RUNTIME).agents["asker"].model[0].during

    assert [(action.word, action.argument, action.handle) for action in during] == [
        ("post", {"text": "More", "from": None}, "main"),
        ("post", {"text": "I am", "from": "main"}, "second"),
        ("wake", {"prompt": ""}, "main"),
        ("spawn", {"name": "helper", "under": None, "budget": {}}, "third"),
        ("resume_with", {"request": "$unknown", "ok": False}, "main"),
    ]


def test_a_scenario_of_clients_has_its_store_its_relay_tools_and_steps_in_one_form() -> None:
    scenario = loaded(CLIENT)
    main = scenario.agents["main"]

    assert (scenario.profile, scenario.store) == ("client", "disk")
    assert loaded(CLIENT.replace("store: disk\n", "")).store == "memory"
    assert (main.relays, main.tools) == (("lookup",), ("weather",))
    assert main.model[0].calls == (ScriptedCall("lookup", {"q": 1}), ScriptedCall("weather", {}))
    answered = {"request": "$request#1", "echo": "$request#1", "ok": False, "reason": "declined"}
    assert [(step.word, step.argument, step.agent) for step in scenario.steps] == [
        ("run", {"text": "What is it?"}, "main"),
        ("ask", {"text": "What is it?", "conversation": "c1"}, "other"),
        ("run_with_answer", answered, "main"),
        (
            "ask_with_answer",
            {
                "request": "$request#1",
                "echo": "$request#2",
                "ok": True,
                "data": {"output": "42"},
                "conversation": "c1",
            },
            "main",
        ),
        ("crash", None, "main"),
        ("new", None, "other"),
        ("check", {"stored": {"c1": None}}, "main"),
    ]


@pytest.mark.parametrize(
    "old, new, more",
    [
        ("  - wait\n", "  - wait\n", set()),
        ("  - wait\n", "  - wait: {timeout: 5}\n", {"clock"}),
        ("  - wait\n", "  - advance: 0.5\n", {"clock"}),
        ("max_turns: 2}", "max_wall_ms: 2}", {"clock"}),
        ("max_turns: 3,", "max_wall_ms: 3,", {"clock"}),
        ("max_tokens: 1000", "max_wall_ms: 1000", {"clock"}),
        ("state: running}", "trace: [idle, running]}", {"state-traces"}),
    ],
)
def test_a_scenario_of_sub_agents_needs_the_capabilities_of_its_words(
    old: str, new: str, more: set[str]
) -> None:
    assert loaded(RUNTIME.replace(old, new)).needs == {"runtime-budget", "runtime-interpreter"} | more


@pytest.mark.parametrize(
    "options, capabilities",
    [
        ("{inbox_cap: 2}", set()),
        ("{wait_for: []}", {"runtime-interpreter"}),
        ("{budget: {max_tokens: 10}}", {"runtime-budget"}),
        ("{budget: {max_wall_ms: 10}}", {"clock", "runtime-budget"}),
    ],
)
def test_what_a_runtime_has_of_its_own_is_a_capability_and_what_a_definition_has_is_not(
    options: str, capabilities: set[str]
) -> None:
    of_definition = "{budget: {max_tokens: 10}, wait_for: []}"
    text = (
        "format: 1\ntitle: One\ncovers: [runtime.handle.states]\n"
        f"runtime: {options}\nagents: {{main: {of_definition}}}\nsteps: [{{spawn: main}}]\n"
    )

    assert loaded(text).needs == capabilities


@pytest.mark.parametrize(
    "lines, left",
    [
        (["store: disk"], {"answers", "relays"}),
        (["  - run_with_answer:", "  - ask_with_answer:"], {"disk-store", "relays"}),
    ],
)
def test_a_scenario_of_clients_needs_the_capabilities_of_its_words(lines: list[str], left: set[str]) -> None:
    without = [line for line in CLIENT.splitlines() if not line.startswith(tuple(lines))]

    assert loaded(CLIENT).needs == {"answers", "disk-store", "relays"}
    assert loaded("\n".join(without) + "\n").needs == left


def test_a_client_without_relay_tools_does_not_need_them() -> None:
    text = (
        "format: 1\ntitle: One\ncovers: [client.halt.pending]\n"
        "agents: {main: {relays: []}}\nsteps: [run: Go]\n"
    )

    assert loaded(text).needs == set()


@pytest.mark.parametrize(
    "covers, refused",
    [
        ("runtime.handle.states, client.halt.pending", []),
        ("client.halt.pending, runtime.handle.states", []),
        ("runtime.handle.states, agent.inbox.read-at-final", ["spawn"]),
    ],
)
def test_of_several_profiles_the_words_are_those_of_the_first_in_the_order_agent_runtime_client(
    covers: str, refused: list[str]
) -> None:
    text = f"format: 1\ntitle: Two\ncovers: [{covers}]\nagents: {{main: {{}}}}\nsteps: [{{spawn: main}}]\n"

    with pytest.raises(ScenarioError) as caught:
        loaded(text)

    mixed, *others = caught.value.problems
    assert mixed.message.endswith("belong to two profiles; a scenario belongs to one")
    assert [other.message.split(" belongs to the profile runtime")[0] for other in others] == refused


DOCUMENTS = [source.parse(text.encode(), "file.yaml").value for text in (RUNTIME, CLIENT)]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([(each, place) for each in DOCUMENTS for place in places(each)]), ODD)
def test_whatever_stands_somewhere_in_such_a_scenario_it_is_loaded_or_refused_with_problems(
    somewhere: tuple[Json, tuple[str | int, ...]], part: Json
) -> None:
    text = json.dumps(replaced(*somewhere, part), ensure_ascii=True)
    problems: tuple[object, ...] = ("loaded",)
    try:
        loaded(text)
    except ScenarioError as error:
        problems = error.problems

    assert problems
    assert len({str(problem) for problem in problems}) == len(problems)
