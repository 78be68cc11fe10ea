"""The list of the faults that no scenario sees: what it may say, and when it is out of date."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.scenario import Position
from conformance.source import SourceError
from tests.mutation.faults import Fault, Outcome
from tests.mutation.survivors import Survivor, compared, listed, renumber

LIST = """\
left_open:
  wording: what an error says
survivors:
  agent:
    - open: wording
      faults:
        - line 7: raise Busy(None)
        - line 12: raise Busy(None)
    - equivalent: None is as false as ""
      faults:
        - line 9: |
            Run(
                None)
"""


def entry(line: int, text: str = "raise Busy(None)") -> Survivor:
    return Survivor("agent", line, text, "open", "wording", Position("survivors.yaml", line, 1))


def outcome(line: int, seen_by: str = "", text: str = "raise Busy(None)") -> Outcome:
    return Outcome(Fault("agent", line, 'raise Busy("busy")', text), seen_by, 0.1)


def written(folder: Path, text: str) -> Path:
    path = folder / "survivors.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_list_that_is_kept_can_be_read() -> None:
    listed()


def test_each_entry_has_its_place_its_text_and_its_reason(tmp_path: Path) -> None:
    entries = listed(written(tmp_path, LIST))

    assert [(each.module, each.line, each.kind, each.why, each.position.line) for each in entries] == [
        ("agent", 7, "open", "wording", 7),
        ("agent", 12, "open", "wording", 8),
        ("agent", 9, "equivalent", 'None is as false as ""', 11),
    ]
    assert entries[2].text == "Run(\n    None)"


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("left_open:", "open:", ":1:1: expected the keys left_open and survivors"),
        ("  agent:", "  no_such:", ":4:3: the reference has no such module"),
        ("open: wording", "open: reasons", ":5:7: left_open does not say what that is"),
        ("- open: wording", "- forgotten: wording", ":5:7: expected one of equivalent, open"),
        ('None is as false as ""', '""', ":9:7: expected a reason"),
        ("- line 7:", "- seventh:", ":7:11: expected `line N`, and the text"),
        ("wording: what an error says", "wording: x\n  more: y", ":3:3: no survivor refers to this"),
    ],
)
def test_a_list_of_another_form_is_refused_with_the_place(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    path = written(tmp_path, LIST.replace(old, new))
    with pytest.raises(SourceError) as refused:
        listed(path)
    assert f"{path}{problem}" in str(refused.value)


def test_a_survivor_that_is_listed_is_explained() -> None:
    comparison = compared([entry(7)], [outcome(7), outcome(8, "agent/run/stop")])
    assert (len(comparison.explained), comparison.moved, comparison.problems) == (1, (), ())


def test_a_survivor_that_is_not_listed_is_a_problem() -> None:
    (problem,) = compared([], [outcome(7)]).problems
    assert problem.startswith("nothing says why this survives: agent:7: raise Busy(None)")


def test_an_entry_for_a_fault_that_is_seen_is_a_problem() -> None:
    assert compared([entry(7)], [outcome(7, "agent/run/stop")]).problems == (
        "survivors.yaml:7:1: this fault is seen by agent/run/stop",
    )


def test_an_entry_for_a_fault_that_is_not_made_is_a_problem() -> None:
    assert compared([entry(7)], [outcome(7, text="raise Busy()", seen_by="x")]).problems == (
        "survivors.yaml:7:1: there is no such fault in agent",
    )


def test_an_entry_whose_fault_stands_at_another_line_has_moved_there() -> None:
    comparison = compared([entry(7), entry(12)], [outcome(12), outcome(15)])
    assert [(survivor.line, line) for survivor, line in comparison.moved] == [(7, 15)]
    assert comparison.problems == ()


def test_an_entry_whose_fault_has_moved_and_is_seen_now_is_a_problem() -> None:
    assert compared([entry(7)], [outcome(9, "agent/run/stop")]).problems == (
        "survivors.yaml:7:1: this fault is seen by agent/run/stop",
    )


def test_the_lines_of_what_has_moved_can_be_written_into_the_list(tmp_path: Path) -> None:
    path = written(tmp_path, LIST)
    seven, twelve, nine = listed(path)

    renumber([(seven, 101), (nine, 8)], path)

    assert [each.line for each in listed(path)] == [101, twelve.line, 8]
    assert path.read_text(encoding="utf-8") == LIST.replace("- line 7:", "- line 101:").replace(
        "- line 9:", "- line 8:"
    )
