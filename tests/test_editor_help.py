"""What an editor can say of a scenario while it is written.

A YAML language server knows the schema that the first line names, and nothing else of outlast. So here a
file is judged as it would be there: by that schema, read from where the line leads, with a validator that
has no other.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from conformance import schemas, source
from conformance.cli import main

SCENARIO = """\
format: 1
title: A call whose result comes later is listed as pending
covers: [agent.pending.listed]
agents:
  main:
    tools: [nightly_report]
    pause_on_pending: true
    model:
      - calls: [{nightly_report: {}}]
      - text: Done.
tools:
  nightly_report:
    - pending: Started.
steps:
  - prompt: Run it
    emits: [..., Paused, AgentEnd]
  - check: {pending_calls: [{id: $nightly_report#1}]}
  - resolve: {call: $nightly_report#1, with: Written.}
  - resume
"""

SUB_AGENTS = """\
format: 1
title: A suspended sub-agent goes on with the Answer
covers: [runtime.resume.done]
agents:
  asker:
    tools: [check_secret]
    budget: {max_turns: 4}
    model:
      - calls: [{check_secret: {}}]
      - text: Done.
tools:
  check_secret:
    - suspends: {kind: approval, prompt: May it?}
    - returns: secret-token
      with_answer: {ok: true}
steps:
  - spawn: asker
  - wake: Get the secret
  - wait
  - check: {state: suspended}
  - resume_with: {request: $request#1, ok: true}
    result: {status: done}
"""

CLIENTS = """\
format: 1
title: A relayed call goes on with its output
covers: [client.answer.done]
store: memory
agents:
  main:
    relays: [lookup]
    model:
      - calls: [{lookup: {}}]
      - text: Done.
steps:
  - ask: {text: Go, conversation: c1}
  - ask_with_answer: {request: $request#1, ok: true, conversation: c1}
  - check: {stored: {c1: [..., {role: assistant}]}}
"""

MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)")


def marked(text: str) -> list[tuple[str, str]]:
    """What an editor marks in a file: each place as a JSON Pointer, with the word or value that is wrong."""
    validator = Draft202012Validator(schemas.load("scenario"))
    errors = validator.iter_errors(source.parse(text.encode(), "new.yaml").value)
    return [(_pointer(leaf), leaf.message) for error in errors for leaf in _leaves(error)]


def _leaves(error: ValidationError) -> list[ValidationError]:
    return [leaf for inner in error.context or () for leaf in _leaves(inner)] or [error]


def _pointer(error: ValidationError) -> str:
    return "".join(f"/{part}" for part in error.absolute_path)


def _with(old: str, new: str, text: str = SCENARIO) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("text", [SCENARIO, SUB_AGENTS, CLIENTS])
def test_a_right_file_has_no_marks(text: str) -> None:
    assert marked(text) == []


@pytest.mark.parametrize(
    "old, new, place, words",
    [
        ("format: 1", "format: 2", "/format", "1 was expected"),
        ("title:", "titel:", "", "'titel' was unexpected"),
        ("covers: [agent.pending.listed]\n", "", "", "'covers' is a required property"),
        ("[agent.pending.listed]", "[]", "/covers", "[] should be non-empty"),
        ("  main:", "  mian:", "/agents", "'main' is a required property"),
        ("pause_on_pending: true", "pause_on_pending: yes", "/agents/main/pause_on_pending", "'yes'"),
        ("pause_on_pending: true", "max_rounds: 0", "/agents/main/max_rounds", "0 is less than"),
        ("text: Done.", "txt: Done.", "/agents/main/model/1", "'txt' was unexpected"),
        (
            "text: Done.",
            "optional: true\n        text: Done.",
            "/agents/main/model/1",
            "'sees' is a dependency",
        ),
        ("text: Done.", "text: Done.\n        raises: No.", "/agents/main/model/1", "should not be valid"),
        ("pending: Started.", "pendign: Started.", "/tools/nightly_report/0", "'pendign' was unexpected"),
        (
            "pending: Started.",
            "pending: [Started.]",
            "/tools/nightly_report/0/pending",
            "not of type 'string'",
        ),
        (
            "pending: Started.",
            "denied: No.\n      returns: x",
            "/tools/nightly_report/0",
            "should not be valid",
        ),
        ("prompt:", "promt:", "/steps/0", "'promt' was unexpected"),
        ("{pending_calls:", "{pending:", "/steps/1/check", "'pending' was unexpected"),
        (", with: Written.", "", "/steps/2/resolve", "'with' is a required property"),
        ("- resume", "- resumé", "/steps/3", "is not one of"),
        ("    emits:", "    push: Hi\n    emits:", "/steps/0", "should not be valid"),
    ],
)
def test_a_fault_is_marked_where_it_is(old: str, new: str, place: str, words: str) -> None:
    marks = marked(_with(old, new))

    assert any(where == place and words in message for where, message in marks), marks


@pytest.mark.parametrize(
    "text, old, new, place, words",
    [
        (SUB_AGENTS, "runtime.resume.done", "agent.resume.partial", "/agents", "'main' is a required"),
        (SUB_AGENTS, "runtime.resume.done", "agent.resume.partial", "/steps/0", "'spawn' was unexpected"),
        (SUB_AGENTS, "runtime.resume.done", "client.answer.done", "/steps/1", "'wake' was unexpected"),
        (SUB_AGENTS, "wake:", "prompt:", "/steps/1", "'prompt' was unexpected"),
        (SUB_AGENTS, "max_turns", "maxTurns", "/agents/asker/budget", "'maxTurns' was unexpected"),
        (SUB_AGENTS, "suspends:", "pending:", "/tools/check_secret/0", "'pending' was unexpected"),
        (SUB_AGENTS, "kind: approval, ", "", "/tools/check_secret/0/suspends", "'kind' is a required"),
        (SUB_AGENTS, "state: suspended", "state: pending", "/steps/3/check/state", "is not one of"),
        (SUB_AGENTS, "$request#1", "$check_secret#1", "/steps/4/resume_with/request", "does not match"),
        (CLIENTS, "client.answer.done", "agent.resume.partial", "", "'store' was unexpected"),
        (CLIENTS, "client.answer.done", "runtime.resume.done", "/agents/main", "'relays' was unexpected"),
        (CLIENTS, "store: memory", "store: tape", "/store", "is not one of"),
        (CLIENTS, "  main:", "  mian:", "/agents", "'main' is a required property"),
        (CLIENTS, "text: Go, ", "", "/steps/0/ask", "'text' is a required property"),
        (CLIENTS, "ok: true, ", "", "/steps/1/ask_with_answer", "'ok' is a required property"),
    ],
)
def test_a_file_is_marked_by_the_words_of_the_profile_of_what_it_covers(
    text: str, old: str, new: str, place: str, words: str
) -> None:
    marks = marked(_with(old, new, text))

    assert any(where == place and words in message for where, message in marks), marks


def test_the_schema_stands_alone_so_that_an_editor_needs_no_other_file() -> None:
    references = re.findall(r'"\$ref": "([^"]*)"', json.dumps(schemas.load("scenario")))

    assert [reference for reference in references if not reference.startswith("#")] == []


def test_the_first_line_of_every_scenario_leads_to_the_schema() -> None:
    for file in schemas.scenarios_folder().rglob("*/*.yaml"):
        with file.open(encoding="utf-8") as lines:
            found = MODELINE.fullmatch(lines.readline().rstrip())

        assert found is not None, file
        assert (file.parent / found[1]).resolve() == (schemas.folder() / "scenario.schema.json").resolve(), (
            file
        )


def test_the_first_line_of_a_new_scenario_leads_there_from_wherever_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["new", "some/where/new.yaml"]).exit_code == 0
    file = tmp_path / "some" / "where" / "new.yaml"
    found = MODELINE.match(file.read_text(encoding="utf-8"))

    assert found is not None
    assert (file.parent / found[1]).resolve() == (schemas.folder() / "scenario.schema.json").resolve()
