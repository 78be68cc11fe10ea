"""Reading YAML: which values there are, where they stand, and that nothing does harm."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance import schemas, source
from conformance.composing import MAX_DEPTH, MAX_NODES, Refused, compose
from conformance.scenario import Json
from conformance.source import MAX_BYTES, Source, SourceError

SHIPPED = sorted(schemas.scenarios_folder().rglob("*.yaml"))

FEW = settings(max_examples=60, deadline=None)
CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc$<", max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
WORDS = [
    "a:b",
    '{"a":1}',
    "b?",
    "b+",
    "'y'",
    '"\\n"',
    "é",
    "$x#1",
    "...",
    "---",
    "1e3",
    "-0",
    "b",
    "{",
    "}",
    "[",
    "]",
    ":",
    "*a",
]
PIECES = st.sampled_from(
    [*WORDS, "a: ", "- ", "\n", "\n  ", ", ", "|\n", ">-\n", " # c", "&a ", "? ", "! ", "<<: "]
)
YAMLISH = st.lists(PIECES, max_size=12).map("".join)


def read(text: str) -> Source:
    return source.parse(text.encode(), "file.yaml")


def refused(data: str | bytes) -> list[str]:
    with pytest.raises(SourceError) as caught:
        source.parse(data.encode() if isinstance(data, str) else data, "file.yaml")
    return [str(problem) for problem in caught.value.problems]


def places(node: yaml.Node, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The paths below a node, each with its place; nothing at all has none of its own."""
    empty = isinstance(node, yaml.ScalarNode) and not node.value and not node.style
    yield path, "" if empty else f"{node.start_mark.line}:{node.start_mark.column}"
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*path, "key"), f"{key.start_mark.line}:{key.start_mark.column}"
            yield from places(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from places(value, (*path, index))


@pytest.mark.parametrize(
    "written, value",
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("1.50", 1.5),
        ("-0.5e-3", -0.0005),
        ("1E3", 1000.0),
    ],
)
def test_a_plain_scalar_is_a_constant_or_a_number_where_json_would_have_it(written: str, value: Json) -> None:
    found = read(f"at: {written}\n").value

    assert found == {"at": value}
    assert repr(found) == repr({"at": value})


@pytest.mark.parametrize(
    "written",
    [
        "yes",
        "no",
        "on",
        "off",
        "y",
        "True",
        "NULL",
        "2026-01-31",
        "2026-01-31T10:00:00Z",
        "12:30",
        "190:20:30",
        "1_000",
        "0o7",
        "017",
        "0x1F",
        "0b1",
        "+1",
        ".5",
        "5.",
        "1e",
        "=",
        "$report#1",
        "a#b",
        "a:b",
    ],
)
def test_every_other_plain_scalar_is_text(written: str) -> None:
    assert read(f"at: {written}\n").value == {"at": written}


@pytest.mark.parametrize("written", ["'true'", '"null"', "'1'", '"~"', "''", '"\\u00e9\\t\\n"'])
def test_what_is_quoted_is_text(written: str) -> None:
    assert isinstance(read(f"[{written}]").value[0], str)  # type: ignore[index]


def test_a_block_keeps_its_lines_and_a_folded_one_joins_them() -> None:
    assert read("a: |\n  one\n  two\nb: >-\n  one\n  two\n").value == {"a": "one\ntwo\n", "b": "one two"}


def test_every_value_and_every_key_has_its_place() -> None:
    found = read("agents:\n  main: {tools: [read, write]}\nsteps:\n  - prompt: Tidy up\n  - stop\n")

    assert str(found.position(("agents", "main"))) == "file.yaml:2:9"
    assert str(found.key_position(("agents", "main"))) == "file.yaml:2:3"
    assert str(found.position(("agents", "main", "tools", 1))) == "file.yaml:2:24"
    assert str(found.position(("steps", 0))) == "file.yaml:4:5"
    assert str(found.position(("steps", 0, "prompt"))) == "file.yaml:4:13"
    assert str(found.key_position(("steps", 1))) == "file.yaml:5:5"
    assert str(found.position(())) == "file.yaml:1:1"


def test_a_path_that_leads_nowhere_has_the_place_of_the_last_thing_on_the_way() -> None:
    found = read("steps:\n  - prompt: Tidy up\n")

    assert str(found.position(("steps", 0, "agent"))) == "file.yaml:2:5"
    assert str(found.key_position(("steps", 7, "agent"))) == "file.yaml:2:3"
    assert str(found.position(("title",))) == "file.yaml:1:1"


def test_a_value_that_is_left_out_stands_where_its_key_stands() -> None:
    found = read("title:\nmore: {resume: }\n")

    assert str(found.position(("title",))) == "file.yaml:1:1"
    assert str(found.position(("more", "resume"))) == "file.yaml:2:8"


def test_columns_count_characters_and_lines_end_in_windows_too() -> None:
    found = read("é: {ünï: 1}\r\nb: 2\r\n")

    assert str(found.position(("é", "ünï"))) == "file.yaml:1:10"
    assert str(found.position(("b",))) == "file.yaml:2:4"


def test_a_byte_order_mark_at_the_start_is_passed_over() -> None:
    assert str(source.parse(b"\xef\xbb\xbfa: 1\n", "file.yaml").position(("a",))) == "file.yaml:1:4"


def test_what_an_alias_stands_for_is_the_same_value_at_the_same_place() -> None:
    found = read("a: &text Done.\nb: [*text, &more {c: *text}, *more]\n")

    assert found.value == {"a": "Done.", "b": ["Done.", {"c": "Done."}, {"c": "Done."}]}
    assert str(found.position(("b", 2, "c"))) == "file.yaml:1:4"


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_the_places() -> None:
    problems = refused("a: 1\nb: !x 2\na: 3\n7: {<<: 4}\nb: .inf\n")

    assert [problem.split(": ")[0] for problem in problems] == [
        "file.yaml:2:4",
        "file.yaml:3:1",
        "file.yaml:4:1",
        "file.yaml:4:5",
        "file.yaml:5:1",
        "file.yaml:5:4",
    ]


def test_lists_and_mappings_may_stand_inside_each_other_to_a_depth_that_nobody_needs() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH

    assert read(deepest).value
    assert f"more than {MAX_DEPTH} lists and mappings" in refused(f"[{deepest}]")[0]


@pytest.mark.parametrize("piece", ["[", "{a: ", "- ", "? ", "[]"])
@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])
def test_no_depth_brings_the_reader_down(piece: str, pure: bool) -> None:
    with pytest.raises((Refused, yaml.YAMLError)):
        compose(piece * 100_000, pure=pure)


def test_values_behind_aliases_are_counted_and_not_expanded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 40)]

    assert f"more than {MAX_NODES} values" in refused("\n".join(lines))[0]


def test_levels_behind_aliases_are_counted() -> None:
    half = MAX_DEPTH // 2 + 1
    chain = f"a: &a {'[' * half}{']' * half}\nb: {'[' * half}*a{']' * half}\n"

    assert f"more than {MAX_DEPTH} lists and mappings" in refused(chain)[0]


def test_a_file_larger_than_the_bound_is_refused() -> None:
    assert read("a: 1 " + "#" * (MAX_BYTES - 5)).value == {"a": 1}
    assert f"larger than {MAX_BYTES} bytes" in refused("a: 1 " + "#" * (MAX_BYTES - 4))[0]


def test_no_more_than_ten_unwritable_characters_are_told() -> None:
    assert len(refused("\0" * 5000)) == 10


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_another_encoding_than_utf_8_is_named_as_that(encoding: str) -> None:
    assert "this is not UTF-8" in refused("title: Über\n".encode(encoding))[0]


def test_a_file_that_cannot_be_read_is_a_problem_of_that_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    for name, reason in (
        ("missing.yaml", "cannot be read"),
        (".", "not a file"),
        ("pipe.yaml", "not a file"),
    ):
        with pytest.raises(SourceError, match=reason) as caught:
            source.read(tmp_path / name)
        assert str(caught.value.problems[0].position) == f"{tmp_path / name}:1:1"


@pytest.mark.parametrize(
    "file", sorted(schemas.scenarios_folder().rglob("*.yaml")), ids=lambda file: file.stem
)
def test_a_shipped_file_is_read_alike_with_and_without_libyaml(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    (fast, fast_root), (pure, pure_root) = compose(text), compose(text, pure=True)

    assert fast == pure
    assert list(places(fast_root)) == list(places(pure_root))


@FEW
@given(YAMLISH)
def test_what_both_parsers_take_they_read_alike(text: str) -> None:
    read = []
    for pure in (False, True):
        try:
            value, root = compose(text, pure=pure)
        except (Refused, yaml.YAMLError):
            return
        read.append((value, list(places(root))))

    assert read[0] == read[1]


@FEW
@given(VALUES)
def test_what_json_can_say_is_read_as_json_reads_it(value: Json) -> None:
    text = json.dumps(value, ensure_ascii=False)

    assert compose(text)[0] == value
    assert compose(text, pure=True)[0] == value


@FEW
@given(VALUES)
def test_a_place_is_where_the_value_is_written(value: Json) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    lines = text.split("\n")
    found = source.parse(text.encode(), "file.yaml")
    waiting: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    while waiting:
        path, here = waiting.pop()
        position = found.position(path)
        written = lines[position.line - 1][position.column - 1 :]
        if isinstance(here, dict):
            assert written.startswith("{")
            waiting.extend(((*path, key), inner) for key, inner in here.items())
        elif isinstance(here, list):
            assert written.startswith("[")
            waiting.extend(((*path, index), inner) for index, inner in enumerate(here))
        else:
            assert written.startswith(json.dumps(here, ensure_ascii=False))


@FEW
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode) | YAMLISH.map(str.encode))
def test_whatever_bytes_there_are_the_answer_is_a_value_or_a_problem(data: bytes) -> None:
    problems: tuple[source.Problem, ...] = ()
    try:
        source.parse(data, "file.yaml")
    except SourceError as error:
        problems = error.problems
        if not problems:
            raise

    assert all(problem.message and problem.position.line >= 1 for problem in problems)
