"""From a file to a scenario: what is built, what is refused and where, and which files are read."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance import requirements, schemas
from conformance.loader import ScenarioError, load, load_all, load_text
from conformance.requirements import Register, Requirement
from conformance.scenario import ABSENT, Json, Level, RunsChild, Scenario, ScriptedCall

INVALID = sorted((Path(__file__).parent / "scenarios_invalid").glob("*.yaml"))
SHIPPED = schemas.scenarios_folder()


def requirement(id: str, level: Level) -> Requirement:
    return Requirement(id, level, "derived", "It is so.", "follows from the inbox")


REGISTER = Register(
    {
        one.id: one
        for one in (
            requirement("agent.inbox.read-at-final", "must"),
            requirement("agent.inbox.push-user-turn", "must"),
            requirement("agent.inbox.push-exact", "should"),
            requirement("runtime.handle.states", "must"),
            requirement("client.halt.pending", "must"),
        )
    }
)

SMALL = """\
format: 1
title: A message is answered in the same run
covers: [agent.inbox.read-at-final]
agents:
  main:
    model:
      - text: Done.
steps:
  - prompt: Tidy up
"""

WHOLE = """\
format: 1
title: Everything that a scenario can say
description: It need not make sense.
covers: [agent.inbox.read-at-final, agent.inbox.push-user-turn]
agents:
  main:
    tools: [report, delegate]
    pause_on_pending: true
    max_rounds: 3
    system_prompt: Be brief.
    model:
      - text: I will.
        calls: [{report: {day: 1}}, {delegate: {}}]
        usage: {prompt_tokens: 10, total_tokens: 12}
        during:
          - push: Also the README.
          - {resolve: {call: $report#1, with: Early., handle: copy}, agent: helper, error: {$any: true}}
          - stop
      - chunks: [Do, ne.]
        sees: [..., {role: user}]
        optional: true
        covers: [agent.inbox.push-user-turn]
      - raises: overloaded
      - text: ''
  helper:
    model: []
tools:
  report:
    - pending: Started.
      updates: [half, all]
    - raises: No paper.
    - denied: Not today.
  delegate:
    - runs_child: {agent: helper, prompt: Go, result: {message: {content: Gone.}}}
    - runs_child: {agent: helper, prompt: Go, error: {code: aborted}}
      returns: It went.
      during: [{check: {emitted: [..., Nested+]}}]
steps:
  - prompt: Tidy up
    emits: [AgentStart, ..., AgentEnd]
    result: null
    covers: [agent.inbox.read-at-final]
  - start: resume
  - check: {pending_calls: [{id: $report#1}], needs_reply: false}
  - finish:
    error: {code: other}
  - start: {prompt: Again}
    agent: helper
  - crash
  - threads: [[{push: one}, {reject: {call: $unknown, with: Lost.}}], [{push: {text: two, handle: second}}]]
    agent: helper
  - replace_messages: [{id: m1, role: user, content: Hi, timestamp: 0}]
  - restore:
  - new
"""


def refused(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        load_text(text, REGISTER, path=Path("file.yaml"))
    return [str(problem) for problem in caught.value.problems]


def needs(text: str) -> set[str]:
    return set(load_text(text, REGISTER).needs)


def write(path: Path, text: str = SMALL) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_scenario_knows_its_head() -> None:
    scenario = load_text(WHOLE, REGISTER, id="agent/all", path=Path("all.yaml"))

    assert (scenario.id, scenario.path) == ("agent/all", Path("all.yaml"))
    assert scenario.title == "Everything that a scenario can say"
    assert scenario.covers == ("agent.inbox.read-at-final", "agent.inbox.push-user-turn")
    assert (scenario.level, scenario.profile) == ("must", "agent")


def test_an_agent_has_its_configuration_and_its_place() -> None:
    agents = load_text(WHOLE, REGISTER, path=Path("all.yaml")).agents
    main = agents["main"]

    assert list(agents) == ["main", "helper"]
    assert (main.tools, main.pause_on_pending) == (("report", "delegate"), True)
    assert (main.max_rounds, main.system_prompt) == (3, "Be brief.")
    assert str(main.position) == "all.yaml:6:3"
    assert (agents["helper"].tools, agents["helper"].max_rounds, agents["helper"].model) == ((), None, ())


def test_a_model_entry_has_what_the_model_answers_and_what_happens_before() -> None:
    calling, optional, failing, silent = (
        load_text(WHOLE, REGISTER, path=Path("all.yaml")).agents["main"].model
    )

    assert calling.chunks == ("I will.",)
    assert calling.calls == (ScriptedCall("report", {"day": 1}), ScriptedCall("delegate", {}))
    assert calling.usage == {"prompt_tokens": 10, "total_tokens": 12}
    assert str(calling.position) == "all.yaml:12:9"
    assert [action.word for action in calling.during] == ["push", "resolve", "stop"]
    assert (optional.chunks, optional.sees, optional.optional) == (
        ("Do", "ne."),
        ["...", {"role": "user"}],
        True,
    )
    assert optional.covers == ("agent.inbox.push-user-turn",)
    assert (failing.raises, failing.chunks, failing.sees, failing.usage) == ("overloaded", (), None, None)
    assert (silent.raises, silent.chunks) == (None, ())


def test_a_tool_entry_has_one_outcome() -> None:
    tools = load_text(WHOLE, REGISTER, path=Path("all.yaml")).tools
    replying, returning = tools["delegate"]

    assert [(entry.outcome, entry.text) for entry in tools["report"]] == [
        ("pending", "Started."),
        ("raises", "No paper."),
        ("denied", "Not today."),
    ]
    assert tools["report"][0].updates == ("half", "all")
    assert (replying.outcome, replying.text) == ("reply", "")
    assert replying.runs_child == RunsChild(
        "helper", "Go", result={"message": {"content": "Gone."}}, error=ABSENT
    )
    assert (returning.outcome, returning.text) == ("returns", "It went.")
    assert [action.word for action in returning.during] == ["check"]
    assert str(returning.position) == "all.yaml:35:7"


def test_a_step_has_its_word_its_argument_in_one_form_and_what_is_expected() -> None:
    scenario = load_text(WHOLE, REGISTER, path=Path("all.yaml"))
    steps = scenario.steps

    assert [(step.word, step.argument) for step in steps if step.word != "check"] == [
        ("prompt", "Tidy up"),
        ("start", {"resume": None}),
        ("finish", None),
        ("start", {"prompt": "Again"}),
        ("crash", None),
        ("threads", None),
        ("replace_messages", [{"id": "m1", "role": "user", "content": "Hi", "timestamp": 0}]),
        ("restore", None),
        ("new", None),
    ]
    assert steps[0].emits == ["AgentStart", "...", "AgentEnd"]
    assert (steps[0].result, steps[0].error) == (None, ABSENT)
    assert steps[0].covers == ("agent.inbox.read-at-final",)
    assert (steps[3].error, steps[3].emits) == ({"code": "other"}, None)
    assert [step.agent for step in steps[:5]] == ["main", "main", "main", "main", "helper"]


def test_an_action_of_the_inbox_always_names_its_handle() -> None:
    scenario = load_text(WHOLE, REGISTER, path=Path("all.yaml"))
    push, resolve, _ = scenario.agents["main"].model[0].during
    first, second = scenario.steps[6].threads

    assert push.argument == {"text": "Also the README.", "handle": "first"}
    assert resolve.argument == {"call": "$report#1", "with": "Early.", "handle": "copy"}
    assert (resolve.agent, resolve.error) == ("helper", {"$any": True})
    assert [action.argument for action in (*first, *second)] == [
        {"text": "one", "handle": "first"},
        {"call": "$unknown", "with": "Lost.", "handle": "first"},
        {"text": "two", "handle": "second"},
    ]
    assert {action.agent for action in (*first, *second)} == {"helper"}


def test_a_step_stands_where_its_word_stands() -> None:
    text = SMALL + "  - agent: main\n    push: Also\n  - stop\n"
    steps = load_text(text, REGISTER, path=Path("file.yaml")).steps

    assert [str(step.position) for step in steps] == ["file.yaml:9:5", "file.yaml:11:5", "file.yaml:12:5"]


@pytest.mark.parametrize(
    "more, capabilities",
    [
        ("  - push: Also\n", set()),
        ("  - threads: [[{push: one}]]\n", {"threads"}),
        ("  - check: {pending_calls: [], needs_reply: false, conversation: [...]}\n", set()),
        ("  - start: resume\n  - check: {needs_reply: true}\n  - finish\n", {"live-views"}),
        ("  - start: resume\n  - check: {emitted: [...]}\n  - finish\n", set()),
        ("  - start: resume\n  - finish\n  - check: {needs_reply: true}\n", set()),
        ("  - start: resume\n  - crash\n  - check: {needs_reply: true}\n", set()),
    ],
)
def test_steps_need_the_capabilities_of_their_words(more: str, capabilities: set[str]) -> None:
    assert needs(SMALL + more) == capabilities


@pytest.mark.parametrize(
    "entry, capabilities",
    [
        ("returns: Done.", set()),
        ("denied: No.", {"denial"}),
        ("{returns: Done., updates: [half]}", {"updates"}),
        ("runs_child: {agent: main, prompt: Go}", {"children"}),
        ("{returns: Done., during: [{check: {conversation: [...]}}]}", {"live-views"}),
        ("{returns: Done., during: [{check: {emitted: [...]}}]}", set()),
        ("{returns: Done., during: [{threads: [[{push: one}]]}]}", {"threads"}),
    ],
)
def test_a_tool_entry_needs_the_capabilities_of_its_words(entry: str, capabilities: set[str]) -> None:
    text = SMALL.replace("  main:\n", "  main:\n    tools: [report]\n")

    assert needs(f"{text}tools:\n  report:\n    - {entry}\n") == capabilities


@pytest.mark.parametrize("file", INVALID, ids=lambda file: file.stem)
def test_a_wrong_file_is_refused_for_that_one_reason_at_that_place(file: Path) -> None:
    first = file.read_bytes().split(b"\n", 1)[0].decode()
    line, column, message = first.removeprefix("# expect: ").split(":", 2)

    with pytest.raises(ScenarioError) as caught:
        load(file, file.parent, REGISTER)

    (problem,) = caught.value.problems
    assert (problem.position.line, problem.position.column) == (int(line), int(column))
    assert message.strip() in problem.message
    assert str(problem).startswith(f"{file}:{line}:{column}: ")


def test_all_that_is_wrong_with_a_file_is_told_at_once_in_the_order_of_the_places() -> None:
    text = WHOLE.replace("title:", "titel:").replace("$report#1, with", "$report#9, with")
    text = text.replace("agent.inbox.push-user-turn]\nagents", "agent.inbox.push]\nagents")
    text = text.replace("AgentEnd]", "AgentEd]").replace(
        "helper, prompt: Go, error", "hlper, prompt: Go, error"
    )

    assert refused(text) == [
        "file.yaml:2:1: unknown key 'titel'; did you mean title?",
        "file.yaml:4:37: there is no requirement 'agent.inbox.push';"
        " did you mean agent.inbox.push-exact or agent.inbox.push-user-turn?",
        "file.yaml:17:30: $report#9: the models call 'report' only once",
        "file.yaml:35:27: there is no agent 'hlper' in agents; did you mean helper?",
        "file.yaml:40:30: AgentEd is no type of event; did you mean AgentEnd?",
    ]


def test_text_that_is_no_unicode_is_refused() -> None:
    assert refused(SMALL.replace("Done.", "\ud800")) == ["file.yaml:7:15: this is not UTF-8"]


def test_types_of_events_that_are_like_no_known_one_are_allowed() -> None:
    assert load_text(SMALL + "    emits: [..., Heartbeat, ...]\n", REGISTER)


def test_a_model_may_call_a_tool_that_no_agent_has() -> None:
    text = (
        SMALL.replace("text: Done.", "calls: [{mail: {}}]") + "  - check: {pending_calls: [{id: $mail#1}]}\n"
    )

    assert load_text(text, REGISTER)


def test_an_optional_call_counts_among_the_calls_that_may_be_referred_to() -> None:
    text = SMALL.replace("text: Done.", "{calls: [{mail: {}}], optional: true, sees: [...]}")

    assert load_text(text + "  - check: {pending_calls: [{id: $mail#1}]}\n", REGISTER)


def test_a_run_that_a_crash_in_during_may_end_need_not_be_finished() -> None:
    crashing = SMALL.replace("text: Done.", "{text: Done., during: [crash]}")

    assert load_text(crashing + "  - start: resume\n    agent: main\n", REGISTER)


def test_an_id_is_the_path_below_the_root(tmp_path: Path) -> None:
    file = write(tmp_path / "agent" / "inbox" / "read.at-final.yaml")

    assert load(file, tmp_path, REGISTER).id == "agent/inbox/read.at-final"
    assert load(file, tmp_path / "agent", REGISTER).id == "inbox/read.at-final"
    assert load(file, tmp_path / "elsewhere", REGISTER).id == "read.at-final"


def test_a_folder_is_searched_all_the_way_down_in_the_order_of_the_ids(tmp_path: Path) -> None:
    for name in ("b", "a/c", "a/b/d"):
        write(tmp_path / f"{name}.yaml")
    write(tmp_path / "requirements.yaml", "format: 1\n")
    write(tmp_path / "a" / "notes.txt", "not a scenario")
    write(tmp_path / ".cache" / "hidden.yaml", "not a scenario")

    scenarios, problems = load_all([tmp_path], REGISTER)

    assert ([scenario.id for scenario in scenarios], problems) == (["a/b/d", "a/c", "b"], [])


def ids(*paths: Path) -> list[str]:
    scenarios, problems = load_all(paths, REGISTER)
    assert problems == []
    return [scenario.id for scenario in scenarios]


def test_an_id_does_not_depend_on_how_the_file_was_reached(tmp_path: Path) -> None:
    file = write(tmp_path / "mine" / "agent" / "inbox" / "fifo.yaml")
    write(tmp_path / "mine" / "requirements.yaml", "format: 1\n")

    assert ids(file) == ["agent/inbox/fifo"]
    assert ids(file.parent) == ["agent/inbox/fifo"]
    assert ids(tmp_path) == ["agent/inbox/fifo"]
    assert ids(tmp_path / "mine" / ".." / "mine" / "agent") == ["agent/inbox/fifo"]


def test_without_a_register_above_it_an_id_begins_at_the_folder_that_was_given(tmp_path: Path) -> None:
    file = write(tmp_path / "agent" / "inbox" / "fifo.yaml")

    assert ids(tmp_path) == ["agent/inbox/fifo"]
    assert ids(tmp_path / "agent") == ["inbox/fifo"]
    assert ids(file) == ["fifo"]


def test_a_relative_path_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "agent" / "fifo.yaml")
    monkeypatch.chdir(tmp_path / "agent")

    assert ids(Path()) == ["fifo"]
    assert ids(Path("fifo.yaml")) == ["fifo"]
    assert ids(Path("..")) == ["agent/fifo"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    file = write(tmp_path / "fifo.yaml")
    os.symlink(file, tmp_path / "same.yaml")

    assert ids(file, tmp_path, file) == ["fifo"]


def test_a_link_that_leads_to_itself_is_a_problem(tmp_path: Path) -> None:
    os.symlink(tmp_path / "loop.yaml", tmp_path / "loop.yaml")

    _, problems = load_all([tmp_path], REGISTER)

    assert [problem.message for problem in problems] == [
        "this cannot be read: Too many levels of symbolic links"
    ]


def test_two_files_with_one_id_are_not_both_read(tmp_path: Path) -> None:
    write(tmp_path / "one" / "fifo.yaml")
    write(tmp_path / "two" / "fifo.yaml")

    scenarios, problems = load_all([tmp_path / "one", tmp_path / "two"], REGISTER)

    assert [scenario.id for scenario in scenarios] == ["fifo"]
    assert [str(problem) for problem in problems] == [
        f"{tmp_path}/two/fifo.yaml:1:1: {tmp_path}/one/fifo.yaml has the id fifo too; read one of them"
    ]


def test_what_is_not_there_and_a_folder_without_scenarios_are_problems(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    scenarios, problems = load_all([tmp_path / "missing.yaml", tmp_path / "empty"], REGISTER)

    assert scenarios == []
    assert [str(problem) for problem in problems] == [
        f"{tmp_path}/empty:1:1: no scenario is in this folder; expected files named *.yaml",
        f"{tmp_path}/missing.yaml:1:1: this cannot be read: No such file or directory",
    ]


def test_a_file_with_the_other_suffix_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    write(tmp_path / "one.yaml")
    other = write(tmp_path / "two.yml")

    scenarios, problems = load_all([tmp_path], REGISTER)

    assert [scenario.id for scenario in scenarios] == ["one"]
    assert [str(problem) for problem in problems] == [
        f"{other}:1:1: a file named .yml is not read from a folder; expected .yaml"
    ]
    assert ids(other) == ["two"]


def test_the_problems_of_all_files_are_told_and_the_right_files_loaded(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "title: 3\ntitle: 4\n")
    write(tmp_path / "b.yaml")
    write(tmp_path / "c.yaml", SMALL + "  - resum\n")

    scenarios, problems = load_all([tmp_path], REGISTER)

    assert [scenario.id for scenario in scenarios] == ["b"]
    assert [str(problem.position) for problem in problems] == [
        f"{tmp_path}/a.yaml:2:1",
        f"{tmp_path}/c.yaml:10:5",
    ]


def test_every_shipped_scenario_is_right() -> None:
    scenarios, problems = load_all([SHIPPED], requirements.read(SHIPPED / "requirements.yaml"))

    assert [str(problem) for problem in problems] == []
    assert all(isinstance(scenario, Scenario) for scenario in scenarios)


@pytest.mark.parametrize(
    "file", sorted(SHIPPED.rglob("*.yaml")), ids=lambda file: str(file.relative_to(SHIPPED))
)
def test_a_shipped_file_tells_editors_its_schema(file: Path) -> None:
    first = file.read_text(encoding="utf-8").split("\n", 1)[0]
    name = "requirements" if file.name == "requirements.yaml" else "scenario"
    schema = os.path.relpath(schemas.folder() / f"{name}.schema.json", file.parent)

    assert first == f"# yaml-language-server: $schema={schema}"


TEXTS = [
    *("", "...", "main", "report", "$report#1", "$report#2", "$any", "$x", "resume", "AgentEd"),
    *("asker", "second", "wait", "$request#1", "$handle.main", "$handle.x", "c1"),
]
KEYS = [
    *("text", "calls", "during", "sees", "runs_child", "prompt", "push", "resolve", "call", "start", "check"),
    *("threads", "agent", "covers", "emits", "conversation", "Nested", "events", "$any", "$exact"),
    *("spawn", "under", "as", "handle", "runtime", "find", "wait", "timeout", "suspends", "with_answer"),
    *(
        "wait_for",
        "budget",
        "team",
        "relays",
        "ask",
        "run_with_answer",
        "request",
        "data",
        "stored",
        "$below",
    ),
]
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(TEXTS) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=12,
)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    return [path, *(place for key, below in inner for place in places(below, (*path, key)))]


def replaced(document: Json, path: tuple[str | int, ...], part: Json) -> Json:
    """The document with another part at `path`."""
    if not path:
        return part
    changed = copy.deepcopy(document)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]  # type: ignore[index, call-overload]
    holder[path[-1]] = part  # type: ignore[index, call-overload]
    return changed


DOCUMENT: Json = yaml.safe_load(WHOLE)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(places(DOCUMENT)), ODD)
def test_whatever_stands_somewhere_in_a_scenario_it_is_loaded_or_refused_with_problems(
    path: tuple[str | int, ...], part: Json
) -> None:
    text = json.dumps(replaced(DOCUMENT, path, part), ensure_ascii=True)
    problems: tuple[object, ...] = ("loaded",)
    try:
        load_text(text, REGISTER)
    except ScenarioError as error:
        problems = error.problems

    assert problems
    assert len({str(problem) for problem in problems}) == len(problems)
