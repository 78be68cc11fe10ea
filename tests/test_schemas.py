"""The schemas that ship, and what is said of a value that does not fit one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance import mistakes, schemas
from conformance.scenario import Json

NAMES = sorted(file.name.removesuffix(".schema.json") for file in schemas.folder().glob("*.schema.json"))
RIGHT: dict[str, Json] = {
    "format": 1,
    "title": "A title",
    "covers": ["agent.inbox.fifo"],
    "agents": {"main": {"model": [{"text": "Done."}]}},
    "steps": [{"prompt": "Tidy up"}],
}
PARTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from(["", "main", "resume", "$report#1", "..."]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["text", "txt", "calls", "prompt", "push", "emits", "check", "main", "model", "during"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=10,
)


def said(schema: dict[str, Any], value: Json) -> list[str]:
    """What is wrong with a value, each with its path."""
    full = {"$id": "urn:test", **schema}
    found = mistakes.find(full, [full], value)
    return [f"{'.'.join(map(str, one.path))}{' (key)' if one.at_key else ''}: {one.message}" for one in found]


def subschemas(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for key, inner in schema.items():
            if key not in ("examples", "enum", "const", "default"):
                yield from subschemas(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from subschemas(inner)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_schema_is_a_schema_and_named_as_its_file_is(name: str) -> None:
    schema = schemas.load(name)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:outlast:schema:{name}:1"
    assert schemas.is_valid(name, 3) is False


def test_every_property_of_a_scenario_is_described_for_whoever_writes_one() -> None:
    schema = schemas.load("scenario")
    bare = [
        name
        for part in subschemas(schema)
        for name, inner in part.get("properties", {}).items()
        if "description" not in inner and "description" not in target(schema, inner)
    ]

    assert bare == []


def target(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """What a $ref inside a schema leads to."""
    found: Any = schema
    for step in part.get("$ref", "#").removeprefix("#").split("/")[1:]:
        found = found[step]
    return dict(found)


CROSSING = ["request", "answer", "task-result", "handle-view", "run-result"]


@pytest.mark.parametrize("name", CROSSING)
def test_what_crosses_in_the_profiles_runtime_and_client_is_described_and_shown(name: str) -> None:
    schema = schemas.load(name)
    bare = [
        key
        for part in subschemas(schema)
        for key, inner in part.get("properties", {}).items()
        if "description" not in inner
    ]
    examples = schema["examples"]
    assert isinstance(examples, list)

    assert bare == []
    assert examples
    assert [schemas.explain(name, example) for example in examples] == [[]] * len(examples)
    assert [schemas.explain(name, {**mapping_of(example), "more": 1}) for example in examples[:1]] == [[]]


def mapping_of(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    "name, change, message",
    [
        ("request", {"data": {"path": "root/ops.1"}}, ""),
        ("request", {"data": {"path": ["root", "ops.1"]}, "url": None, "expiresAt": 1767225600}, ""),
        ("request", {"data": {"path": [1]}}, "data.path.0: expected text, found number 1"),
        ("request", {"id": ...}, ": the key 'id' is missing"),
        ("answer", {"ok": "yes"}, "ok: expected true or false, found text 'yes'"),
        ("task-result", {"limit": ...}, ": the key 'limit' is missing"),
        ("task-result", {"pending": {"id": "1"}}, "pending: the key 'kind' is missing"),
        ("task-result", {"turns": -1}, "turns: expected at least 0, found number -1"),
        ("task-result", {"status": "finished"}, ""),
        (
            "handle-view",
            {"state": "busy"},
            "state: expected one of idle, running, suspended, closed;",
        ),
        ("handle-view", {"turns": ...}, ": the key 'turns' is missing"),
        ("run-result", {"limit": ..., "turns": ..., "usage": ...}, ""),
        ("run-result", {"messages": [{}]}, "messages.0: the key"),
    ],
)
def test_of_what_crosses_no_more_is_demanded_than_the_documents_say(
    name: str, change: dict[str, Any], message: str
) -> None:
    examples: Any = schemas.load(name)["examples"]
    value = {key: part for key, part in {**examples[0], **change}.items() if part is not ...}
    said = [f"{'.'.join(map(str, path))}: {words}" for path, words in schemas.explain(name, value)]

    assert bool(said) is bool(message)
    assert all(words.startswith(message) for words in said[:1])


def test_an_entry_of_a_list_of_handles_need_not_say_all_that_a_view_does() -> None:
    entry: Json = {"id": "root/ops.1", "state": "idle", "pending_kind": ""}

    assert schemas.is_valid("handle-view", entry, "/$defs/entry")
    assert not schemas.is_valid("handle-view", entry)


def test_every_mapping_of_a_scenario_outside_patterns_refuses_keys_that_it_does_not_know() -> None:
    definitions = dict(schemas.load("scenario")["$defs"])  # type: ignore[arg-type, call-overload]
    open_on_purpose = {"pattern", "eventFields", "coversRuntime", "coversClient"}
    closed = [part for name, part in definitions.items() if name not in open_on_purpose]
    loose = [
        sorted(part["properties"])
        for part in subschemas([{**schemas.load("scenario"), "$defs": {}}, closed])
        if "properties" in part and "additionalProperties" not in part
    ]

    assert loose == []


def test_the_folders_are_those_of_a_checkout_unless_the_package_carries_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, installed = tmp_path / "checkout", tmp_path / "installed"
    (installed / "conformance" / "_data" / "schemas").mkdir(parents=True)
    (installed / "conformance" / "_data" / "scenarios").mkdir()

    monkeypatch.setattr(schemas, "__file__", str(checkout / "conformance" / "schemas.py"))
    assert schemas.folder() == checkout / "schemas"
    assert schemas.scenarios_folder() == checkout / "scenarios"

    monkeypatch.setattr(schemas, "__file__", str(installed / "conformance" / "schemas.py"))
    assert schemas.folder() == installed / "conformance" / "_data" / "schemas"
    assert schemas.scenarios_folder() == installed / "conformance" / "_data" / "scenarios"


def test_a_schema_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(LookupError, match=r"no schema 'scenery'; there are: .*scenario"):
        schemas.load("scenery")


def test_a_schema_is_read_once() -> None:
    assert schemas.load("scenario") is schemas.load("scenario")


def test_one_schema_may_refer_to_another_by_its_urn() -> None:
    message: Json = {"id": "m1", "role": "user", "content": "Hi", "timestamp": 0}

    assert schemas.is_valid("conversation", [message])
    assert schemas.explain("conversation", [message, {**message, "content": 5}]) == [
        ((1, "content"), "expected text, found number 5")
    ]


def test_explain_has_nothing_to_say_of_a_value_that_fits() -> None:
    assert schemas.explain("scenario", RIGHT) == []


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["title", "covers", "agents", "tools", "steps"]), PARTS)
def test_explain_says_something_exactly_where_a_value_does_not_fit(key: str, part: Json) -> None:
    document: Json = {**RIGHT, key: part}

    assert bool(schemas.explain("scenario", document)) is not schemas.is_valid("scenario", document)
    assert schemas.explain("scenario", document) == schemas.explain("scenario", document)


def test_a_lone_surrogate_and_a_deep_nesting_are_no_reason_to_fall_over() -> None:
    deep: Json = []
    for _ in range(900):
        deep = [deep]
    document: Json = {**RIGHT, "title": "\ud800", "steps": [{"check": {"conversation": deep}}], "x": 1}

    assert schemas.is_valid("scenario", document) is False
    assert schemas.explain("scenario", document)


@pytest.mark.parametrize(
    "kind, value, message",
    [
        ("string", 3, "expected text, found number 3"),
        ("string", None, "expected text, found null"),
        ("integer", 1.5, "expected a whole number, found number 1.5"),
        ("number", True, "expected a number, found true"),
        ("boolean", "yes", "expected true or false, found text 'yes'"),
        ("array", {}, "expected a list, found an empty mapping"),
        ("object", [1], "expected a mapping, found a list"),
        (["string", "null"], 3, "expected text or null, found number 3"),
        ("integer", "x" * 500, f"expected a whole number, found text '{'x' * 56}..."),
    ],
)
def test_types_have_everyday_names(kind: Any, value: Json, message: str) -> None:
    assert said({"type": kind}, value) == [f": {message}"]


def test_an_unknown_key_is_told_once_and_not_as_missing_too() -> None:
    schema = {"properties": {"title": {}, "steps": {}}, "required": ["title"], "additionalProperties": False}

    assert said(schema, {"titel": 1}) == ["titel (key): unknown key 'titel'; did you mean title?"]
    assert said(schema, {"author": 1}) == [
        ": the key 'title' is missing",
        "author (key): unknown key 'author'; known here: steps, title",
    ]


def test_keys_are_known_through_allof_and_patterns_too() -> None:
    schema = {
        "allOf": [{"properties": {"id": {}}}],
        "properties": {"name": {}},
        "patternProperties": {"^x-": {}},
        "unevaluatedProperties": False,
    }

    assert said(schema, {"id": 1, "x-a": 1, "nme": 2}) == ["nme (key): unknown key 'nme'; did you mean name?"]


def test_a_value_of_the_wrong_type_is_told_for_its_type_only() -> None:
    assert said({"type": "string", "enum": ["a", "b"]}, 3) == [": expected text, found number 3"]


def test_a_word_outside_a_closed_list_comes_with_the_list_and_the_near_miss() -> None:
    assert said({"enum": ["first", "copy"]}, "frist") == [
        ": expected one of first, copy; found text 'frist'; did you mean first?"
    ]


def test_of_alternatives_that_differ_in_type_the_one_that_was_meant_speaks() -> None:
    push = {
        "oneOf": [
            {"type": "string"},
            {"properties": {"text": {"type": "string"}}, "type": "object", "additionalProperties": False},
        ]
    }

    assert said(push, {"txt": "x"}) == ["txt (key): unknown key 'txt'; did you mean text?"]
    assert said(push, {"text": 3}) == ["text: expected text, found number 3"]
    assert said(push, 3) == [": expected text or a mapping, found number 3"]


def test_of_alternatives_with_a_tag_the_one_with_that_tag_speaks() -> None:
    schema = {
        "anyOf": [
            {
                "properties": {"type": {"const": "Start"}, "id": {"type": "string"}},
                "required": ["type", "id"],
            },
            {"properties": {"type": {"const": "End"}}, "required": ["type"]},
        ]
    }

    assert said(schema, {"type": "Start"}) == [": the key 'id' is missing"]
    assert said(schema, {"type": "Start", "id": 3}) == ["id: expected text, found number 3"]
    assert said(schema, {"type": "Stat"}) == [
        "type: expected one of Start, End; found text 'Stat'; did you mean Start?"
    ]
    assert said(schema, {}) == [": the key 'type' is missing"]


def test_of_keys_that_exclude_each_other_the_second_is_at_fault() -> None:
    schema = {
        "oneOf": [{"required": ["prompt"]}, {"required": ["push"]}],
        "errorMessage": "one verb",
        "properties": {"prompt": {}, "push": {}},
        "additionalProperties": False,
    }

    assert said(schema, {"push": 1, "prompt": 1}) == ["prompt (key): one verb"]
    assert said(schema, {}) == [": one verb"]
    assert said(schema, {"pompt": 1}) == ["pompt (key): unknown key 'pompt'; did you mean prompt?"]


def test_keys_of_which_one_is_wanted_are_listed_where_the_schema_has_no_words_of_its_own() -> None:
    assert said({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}) == [
        ": one of these keys is missing: a, b"
    ]


def test_what_a_key_needs_or_forbids_beside_it_is_said_at_that_key() -> None:
    schema = {
        "dependentRequired": {"optional": ["sees"]},
        "dependentSchemas": {
            "raises": {"not": {"required": ["text"]}, "errorMessage": "raises stands alone"}
        },
    }

    assert said(schema, {"optional": True, "raises": "x", "text": "y"}) == [
        "optional (key): optional needs the key 'sees' beside it",
        "raises (key): raises stands alone",
    ]


def test_the_words_of_the_schema_go_before_our_own() -> None:
    name = {"type": "string", "pattern": "^[a-z]+$", "patternErrorMessage": "small letters only"}

    assert said(name, "A") == [": small letters only"]
    assert said({"propertyNames": name}, {"A": 1}) == ["A (key): small letters only"]
    assert said({"not": {"const": 3}, "errorMessage": "anything but 3"}, 3) == [": anything but 3"]
    assert said(name, 3) == [": expected text, found number 3"]


def test_an_element_that_stands_there_twice_is_pointed_at() -> None:
    assert said({"uniqueItems": True}, ["a", {"b": 1}, "a", {"b": 1}]) == [
        "2: the same element stands here twice",
        "3: the same element stands here twice",
    ]


def test_mistakes_come_in_the_order_of_their_paths_and_never_without_end() -> None:
    schema = {"items": {"type": "string"}}

    assert said(schema, [1, "a", 2]) == [
        "0: expected text, found number 1",
        "2: expected text, found number 2",
    ]
    assert len(said(schema, list(range(5000)))) == mistakes.MAX_MISTAKES
    assert (
        len(said({"additionalProperties": False}, {f"k{n}": n for n in range(5000)})) == mistakes.MAX_MISTAKES
    )


def test_of_a_value_as_large_as_no_file_is_only_the_first_mistake_is_told_and_briefly() -> None:
    messages: list[Json] = [
        {"id": f"m{number}", "role": "user", "content": "Hi", "timestamp": 0} for number in range(5000)
    ]
    wrong: Json = {"id": "m", "role": "bot", "content": "x" * 5000, "timestamp": ""}

    [(path, message)] = schemas.explain("conversation", [*messages, wrong, wrong])

    assert path[0] == 5000
    assert 0 < len(message) <= 200
    assert len(schemas.explain("conversation", [wrong, wrong])) == 4


def test_the_examples_in_the_schema_of_a_scenario_fit_it() -> None:
    schema = schemas.load("scenario")
    wrong = [
        (json.dumps(example), [error.message for error in validator.iter_errors(example)])
        for part in subschemas(schema)
        for example in part.get("examples", ())
        for validator in [jsonschema.Draft202012Validator({**part, "$defs": schema["$defs"]})]
        if not validator.is_valid(example)
    ]

    assert wrong == []
