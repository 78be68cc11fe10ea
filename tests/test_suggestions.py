"""What is named where a name leads nowhere: all that may have been meant, but no more than a few."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import schemas, words
from conformance.selection import nearest

NAMES = [
    "agent/inbox",
    "agent/inbox/fifo-results",
    "agent/inbox/fifo",
    "agent/pending",
    "agent/pending/late",
    "client/pending-twice",
    "client/store",
]


@pytest.mark.parametrize(
    "name, said",
    [
        ("agent/inbox/fif", "; did you mean agent/inbox/fifo or agent/inbox/fifo-results?"),
        ("agent/inb", "; did you mean agent/inbox?"),
        ("pend", "; did you mean agent/pending or client/pending-twice?"),
        ("agent/pendng", "; did you mean agent/pending?"),
        ("client/stroe", "; did you mean client/store?"),
        ("cl", ""),
        ("something", ""),
    ],
)
def test_a_name_may_have_been_the_beginning_of_several_or_near_to_some(name: str, said: str) -> None:
    assert words.suggestions(name, NAMES) == said


def test_names_that_are_about_as_near_are_told_together_and_what_is_further_is_not() -> None:
    known = ["agent.run.stop", "agent.run.step", "agent.run.start", "agent.resume.after-pause"]

    assert words.suggestions("agent.run.stp", known) == "; did you mean agent.run.stop or agent.run.step?"
    assert words.suggestion("agent.run.stp", known) == "; did you mean agent.run.stop?"


@pytest.mark.parametrize(
    "names, said",
    [
        ([], ""),
        (["a"], "; did you mean a?"),
        (["a", "b", "c"], "; did you mean a, b or c?"),
        (["a", "b", "c", "d"], "; did you mean a, b, c or d?"),
        (["a", "b", "c", "d", "e"], "; did you mean a, b, c or one of 2 more?"),
    ],
)
def test_of_many_names_the_first_are_told_and_how_many_more_there_are(names: list[str], said: str) -> None:
    assert words.did_you_mean(names) == said


def test_scenarios_of_one_name_in_several_folders_are_all_told() -> None:
    assert nearest("pending", schemas.scenarios_folder()) == (
        "; did you mean agent/pending or client/halt/pending?"
    )
    assert nearest("read", Path(schemas.scenarios_folder())).startswith(
        "; did you mean agent/inbox/read-at-final,"
    )
