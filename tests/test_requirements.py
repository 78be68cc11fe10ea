"""The register of requirements: what ships, and what is said of a file that is wrong."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from conformance import requirements, schemas
from conformance.requirements import Requirement, RequirementsError

SHIPPED = schemas.scenarios_folder() / "requirements.yaml"

RIGHT = """\
format: 1
requirements:
  - id: agent.inbox.fifo
    level: should
    origin: derived
    text: Nothing overtakes.
    source: follows from the inbox
  - id: client.halt.pending
    level: must
    origin: documented
    text: The run stops there.
    source: the plain client
"""

KINDS_OF_SOURCE = {
    "documented": r"(Long-running work|Handle|Runtime\.resume), \S",
    "derived": r"follows from (Long-running work|Handle|Runtime\.resume), \S",
    "background": r"public documentation of the (agent|runtime|client): \S",
    "field": r"reported by users; implied by (Long-running work|Handle|Runtime\.resume), \S",
}


def demanded() -> list[requirements.Requirement]:
    return [one for one in requirements.read(SHIPPED).values() if one.level != "may"]


def test_the_shipped_register_demands_189_things_and_has_no_id_twice() -> None:
    written = re.findall(r"^  - id: (\S+)$", SHIPPED.read_text(encoding="utf-8"), re.MULTILINE)

    assert len(demanded()) == 189
    assert list(requirements.read(SHIPPED)) == written


def test_the_shipped_register_demands_as_much_of_each_profile_and_level_as_the_specification() -> None:
    counted = Counter((one.profile, one.level) for one in demanded())

    assert counted == {
        ("agent", "must"): 80,
        ("agent", "should"): 27,
        ("runtime", "must"): 36,
        ("runtime", "should"): 23,
        ("client", "must"): 15,
        ("client", "should"): 8,
    }


def test_the_shipped_register_demands_as_much_of_each_origin_as_the_specification() -> None:
    counted = Counter((one.origin, one.level) for one in demanded())

    assert counted == {
        ("documented", "must"): 95,
        ("documented", "should"): 2,
        ("derived", "must"): 36,
        ("derived", "should"): 14,
        ("background", "should"): 39,
        ("field", "should"): 3,
    }


def test_the_shipped_register_demands_as_much_in_each_area_as_the_specification() -> None:
    counted = Counter(one.id.rpartition(".")[0] for one in demanded())

    assert counted == {
        "agent.pending": 18,
        "agent.inbox": 24,
        "agent.resume": 12,
        "agent.restart": 15,
        "agent.events": 17,
        "agent.run": 8,
        "agent.child": 13,
        "runtime.handle": 19,
        "runtime.result": 10,
        "runtime.resume": 17,
        "runtime.delegation": 5,
        "runtime.limits": 4,
        "runtime.inbox": 4,
        "client.run": 1,
        "client.halt": 4,
        "client.answer": 14,
        "client.store": 4,
    }


def test_every_shipped_statement_is_a_sentence_and_no_two_are_the_same() -> None:
    texts = [one.text for one in requirements.read(SHIPPED).values()]

    assert [text for text in texts if not re.fullmatch(r"[A-Za-z`].*\.\)?", text)] == []
    assert len(set(texts)) == len(texts)


def test_every_shipped_source_is_written_as_is_usual_for_its_origin() -> None:
    shipped = requirements.read(SHIPPED).values()

    assert [one.id for one in shipped if not re.match(KINDS_OF_SOURCE[one.origin], one.source)] == []


def test_a_register_holds_what_its_file_says_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "requirements.yaml"
    file.write_text(RIGHT, encoding="utf-8")

    register = requirements.read(file)

    assert list(register) == ["agent.inbox.fifo", "client.halt.pending"]
    assert register["agent.inbox.fifo"] == Requirement(
        id="agent.inbox.fifo",
        level="should",
        origin="derived",
        text="Nothing overtakes.",
        source="follows from the inbox",
    )
    assert register["client.halt.pending"].profile == "client"


@pytest.mark.parametrize(
    "right, wrong, said",
    [
        pytest.param(
            RIGHT,
            "[]",
            "1:1: expected a mapping, found an empty list",
            id="no-mapping",
        ),
        pytest.param(
            "format: 1",
            "format: 2",
            "1:9: expected 1, found number 2",
            id="another-format",
        ),
        pytest.param(
            "format: 1\n",
            "",
            "1:1: the key 'format' is missing",
            id="no-format",
        ),
        pytest.param(
            RIGHT[RIGHT.index("requirements:") :],
            "requirements: []",
            "2:15: this must not be empty",
            id="no-requirements",
        ),
        pytest.param(
            "level: should",
            "level: shoud",
            "4:12: expected one of must, should, may; found text 'shoud'; did you mean should?",
            id="unknown-level",
        ),
        pytest.param(
            "origin: derived",
            "origin: rumour",
            "5:13: expected one of documented, derived, background, field; found text 'rumour'",
            id="unknown-origin",
        ),
        pytest.param(
            "origin: documented",
            "origin: background",
            "10:13: a must has to be documented or derived; lower its level to should",
            id="must-of-the-background",
        ),
        pytest.param(
            "origin: documented",
            "origin: field",
            "10:13: a must has to be documented or derived; lower its level to should",
            id="must-of-the-field",
        ),
        pytest.param(
            "    source: the plain client\n",
            "",
            "8:5: the key 'source' is missing",
            id="no-source",
        ),
        pytest.param(
            "text: Nothing overtakes.",
            "text: ''",
            "6:11: this must not be empty",
            id="empty-text",
        ),
        pytest.param(
            "text: Nothing overtakes.",
            "text: 3",
            "6:11: expected text, found number 3",
            id="text-that-is-a-number",
        ),
        pytest.param(
            "text: Nothing",
            "txt: Nothing",
            "6:5: unknown key 'txt'; did you mean text?",
            id="misspelt-key",
        ),
        pytest.param(
            "id: client.halt.pending",
            "id: agent.inbox.fifo",
            "8:9: the id agent.inbox.fifo stands in line 3 already; expected one of its own",
            id="same-id-twice",
        ),
        pytest.param(
            "id: client.halt.pending",
            "id: clint.halt.pending",
            "8:9: expected a profile (agent, runtime or client), an area and a name, "
            "such as agent.inbox.read-at-prompt",
            id="unknown-profile",
        ),
        pytest.param(
            "id: client.halt.pending",
            "id: client.pending",
            "8:9: expected a profile (agent, runtime or client), an area and a name, "
            "such as agent.inbox.read-at-prompt",
            id="id-without-area",
        ),
        pytest.param(
            "id: client.halt.pending",
            "id: client.Halt.pending",
            "8:9: expected a profile (agent, runtime or client), an area and a name, "
            "such as agent.inbox.read-at-prompt",
            id="id-in-capitals",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_what_was_expected(
    tmp_path: Path, right: str, wrong: str, said: str
) -> None:
    file = tmp_path / "requirements.yaml"
    file.write_text(RIGHT.replace(right, wrong, 1), encoding="utf-8")

    with pytest.raises(RequirementsError) as refused:
        requirements.read(file)

    assert str(refused.value) == f"{file}:{said}"


def test_all_that_is_wrong_with_a_file_is_said_at_once_in_the_order_of_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "requirements.yaml"
    wrong = RIGHT.replace("level: must", "level: most").replace("client.halt.pending", "agent.inbox.fifo")
    file.write_text(wrong.replace("format: 1", "format: one"), encoding="utf-8")

    with pytest.raises(RequirementsError) as refused:
        requirements.read(file)

    assert str(refused.value).splitlines() == [
        f"{file}:1:9: expected 1, found text 'one'",
        f"{file}:8:9: the id agent.inbox.fifo stands in line 3 already; expected one of its own",
        f"{file}:9:12: expected one of must, should, may; found text 'most'; did you mean must?",
    ]


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "requirements.yaml"

    with pytest.raises(RequirementsError, match="cannot be read") as refused:
        requirements.read(file)

    assert str(refused.value).startswith(f"{file}:1:1: ")


def test_a_key_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "requirements.yaml"
    file.write_text(RIGHT.replace("level: should", "level: should\n    level: may"), encoding="utf-8")

    with pytest.raises(RequirementsError) as refused:
        requirements.read(file)

    assert [problem.position.line for problem in refused.value.problems] == [5]
    assert "level" in str(refused.value)


def test_a_file_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "requirements.yaml"
    file.write_text(RIGHT.replace("requirements:", "requirements: ["), encoding="utf-8")

    with pytest.raises(RequirementsError) as refused:
        requirements.read(file)

    assert len(refused.value.problems) == 1


def test_the_examples_in_the_schema_are_valid() -> None:
    examples = schemas.load("requirements")["examples"]

    assert isinstance(examples, list)
    assert examples
    assert [schemas.explain("requirements", example) for example in examples] == [[]] * len(examples)
