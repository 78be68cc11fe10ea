"""One mistake in a scenario is told once: nobody is told what follows from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import load_register, schemas
from conformance.loader import ScenarioError, load_text

REGISTER = load_register()
WHOLE = ("runtime/resume/done", "runtime/limits/carve", "client/store/durable", "agent/events/late-result")
"""Scenarios in which nearly every key has something that depends on it."""
NAMES = frozenset({"boss", "greedy", "modest", "open", "nightly_report"})
"""Of the agents and tools in them: a misspelt one is told wherever it is named."""


def text_of(id: str) -> str:
    text = (schemas.scenarios_folder() / f"{id}.yaml").read_text(encoding="utf-8")
    return text.partition("\n")[2]  # without the line for editors


def problems(text: str) -> list[str]:
    try:
        load_text(text, REGISTER, path=Path("file.yaml"))
    except ScenarioError as error:
        return [str(problem) for problem in error.problems]
    return []


def misspellings(text: str) -> Iterator[tuple[str, str]]:
    """Each key of four letters or more that is no name, and the text with two of its letters exchanged."""
    for found in re.finditer(r"(?<![\w$])([a-z_]{4,})(?=:(\s|$))", text, re.MULTILINE):
        key = found[1]
        if key not in NAMES and key[1] != key[2]:
            wrong = key[0] + key[2] + key[1] + key[3:]
            yield key, text[: found.start(1)] + wrong + text[found.end(1) :]


@pytest.mark.parametrize("id", WHOLE)
def test_a_misspelt_key_is_told_and_nothing_that_follows_from_it(id: str) -> None:
    told = [(key, problems(text)) for key, text in misspellings(text_of(id))]

    assert {key for key, found in told if found} >= {"covers", "agents", "model", "steps"}
    assert [(key, found) for key, found in told if len(found) > 1] == []


@pytest.mark.parametrize(
    "id, old, new, told",
    [
        ("runtime/resume/done", "- spawn: asker", "- create: asker", "unknown key 'create'; known here: "),
        ("runtime/resume/done", "agents:", "people:", "the key 'agents' is missing"),
        ("runtime/resume/done", "    - suspends: {kind", "    - asks: {kind", "unknown key 'asks'"),
        (
            "runtime/resume/done",
            ", runtime.handle.suspended]",
            "]",
            "a part can only narrow what the whole covers",
        ),
        ("runtime/result/wait-timeout", "- start:", "- launch:", "unknown key 'launch'"),
        ("runtime/result/wait-timeout", "- finish", "- conclude", "unknown key 'conclude'"),
        ("runtime/limits/carve", " as: greedy", " name: greedy", "unknown key 'name'"),
        ("client/store/durable", "relays: [", "remote: [", "unknown key 'remote'"),
        (
            "agent/inbox/read-at-resume",
            "{nightly_report: {}}",
            "nightly_report",
            "expected a mapping, found text",
        ),
        ("agent/inbox/read-at-resume", "calls: [{nightly", "invoke: [{nightly", "unknown key 'invoke'"),
        (
            "agent/inbox/read-at-resume",
            "{nightly_report: {}}",
            "{name: nightly_report, arguments: {}}",
            "a call has one key, the tool's name, with the arguments behind it",
        ),
        (
            "agent/inbox/read-at-resume",
            "agents:\n  main:\n    t",
            "agents:\n  - name: main\n    t",
            "found a list",
        ),
    ],
)
def test_nothing_is_said_to_be_lacking_where_something_could_not_be_read(
    id: str, old: str, new: str, told: str
) -> None:
    text = text_of(id)
    assert old in text

    first, *others = problems(text.replace(old, new, 1))
    assert told in first
    assert [other for other in others if "unknown key 'people'" not in other] == []


@pytest.mark.parametrize(
    "covers, told",
    [
        (
            "[runtme.resume.done]",
            "there is no requirement 'runtme.resume.done'; did you mean runtime.resume.done?",
        ),
        (
            "runtime.resume.done",
            "expected a list, found text 'runtime.resume.done'; write [runtime.resume.done]",
        ),
        ("[]", "this must not be empty"),
        (
            "[agent.inbox.read-at-final]",
            "read-at-final belongs to the profile agent, and the words below to the profile runtime",
        ),
    ],
)
def test_where_it_is_wrong_what_is_covered_the_words_tell_the_profile(covers: str, told: str) -> None:
    text = text_of("runtime/resume/done").replace("[runtime.resume.done, runtime.handle.suspended]", covers)

    (problem,) = problems(text)
    assert problem.endswith(told)


def test_where_nothing_is_said_of_what_is_covered_that_is_all() -> None:
    text = re.sub("(?m)^covers: .*\n", "", text_of("client/store/durable"))

    assert problems(text) == ["file.yaml:1:1: the key 'covers' is missing"]


def test_a_guess_that_does_not_fit_leads_to_no_complaint_of_its_own() -> None:
    """`asks` is nearest to `raises`, behind which no mapping could stand."""
    text = text_of("runtime/resume/done").replace("    - suspends: {kind", "    - asks: {kind")

    assert problems(text) == ["file.yaml:15:7: unknown key 'asks'; did you mean raises?"]


def test_two_misspelt_keys_one_behind_the_other_are_both_told_and_with_what_is_wrong_beside_them() -> None:
    text = text_of("runtime/resume/done")
    text = (
        text.replace("agents:", "aegnts:")
        .replace("    model:", "    mdoel:")
        .replace("spawn: asker", "spawn: askr")
    )

    assert problems(text) == [
        "file.yaml:4:1: unknown key 'aegnts'; did you mean agents?",
        "file.yaml:8:5: unknown key 'mdoel'; did you mean model?",
        "file.yaml:20:12: there is no agent 'askr' in agents; did you mean asker?",
    ]


@pytest.mark.parametrize(
    "id, old, new, told",
    [
        (
            "runtime/resume/done",
            "  asker:",
            "  aksre:",
            "there is no agent 'asker' in agents; did you mean aksre?",
        ),
        (
            "agent/events/late-result",
            "calls: [{nightly_report",
            "calls: [{nihgtly_report",
            "main has no tool 'nihgtly_report'; did you mean nightly_report?",
        ),
        (
            "agent/events/late-result",
            "\n  nightly_report:",
            "\n  nihgtly_report:",
            "the tool 'nightly_report' has no entries in tools; did you mean nihgtly_report?",
        ),
        (
            "agent/events/late-result",
            "tools: [nightly_report]",
            "tools: [nihgtly_report]",
            "the tool 'nihgtly_report' has no entries in tools; did you mean nightly_report?",
        ),
    ],
)
def test_a_misspelt_name_is_told_once_however_often_it_is_meant(
    id: str, old: str, new: str, told: str
) -> None:
    text = text_of(id)
    assert old in text

    (problem,) = problems(text.replace(old, new, 1))
    assert told in problem


def test_of_a_name_that_nothing_has_the_first_place_is_told_and_how_many_more_there_are() -> None:
    text = text_of("agent/events/late-result")
    names = "".join(f"  - push: {text}\n    agent: nobdy\n" for text in ("one", "two", "three"))
    first = text.partition("steps:\n")[0].count("\n") + 3

    assert problems(text.replace("steps:\n", f"steps:\n{names}")) == [
        f"file.yaml:{first}:12: there is no agent 'nobdy' in agents; the name stands in 2 more places"
    ]


def test_a_handle_that_nobody_has_is_told_once_be_it_addressed_or_referred_to() -> None:
    text = """\
format: 1
title: A handle has a name
covers: [runtime.handle.done]
agents:
  worker:
    model:
      - text: Done.
steps:
  - spawn: worker
    as: wroker
  - wake: Go
    handle: worker
  - check: {list: [..., {id: $handle.worker}]}
"""

    assert problems(text) == [
        "file.yaml:12:13: no handle 'worker' is spawned; did you mean wroker?"
        " The name stands in one more place"
    ]
