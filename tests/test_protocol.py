"""The protocol as it is written down: every method described and shown, and our own forms as it says."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance import schemas
from conformance.drivers import jsonlines, shapes, wire
from conformance.drivers.base import (
    CAPABILITIES,
    ERROR_CODES,
    AgentOptions,
    Call,
    Capability,
    Generation,
    Handle,
    Implementation,
    InboxItem,
    Outcome,
)
from conformance.scenario import PROFILES, Json

SCHEMA = schemas.load("protocol")
PARTS = SCHEMA["$defs"]
METHODS = sorted(shapes.SUITE_METHODS | shapes.IMPLEMENTATION_METHODS)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(TEXTS, VALUES, max_size=3)
HANDLES = st.sampled_from(["first", "copy", "second"])


def part(*keys: str) -> Json:
    found: Json = SCHEMA
    for key in keys:
        assert isinstance(found, dict)
        found = found[key]
    return found


def examples_in(schema: Json, pointer: str) -> Iterator[tuple[str, Json]]:
    """Every example, with a pointer to the part of the schema that it is an example of."""
    if not isinstance(schema, dict):
        return
    examples = schema.get("examples", [])
    assert isinstance(examples, list)
    for example in examples:
        yield pointer, example
    for key, inner in schema.items():
        if key != "examples":
            yield from examples_in(inner, f"{pointer}/{key.replace('/', '~1')}")


EXAMPLES = list(examples_in(SCHEMA["$defs"], "/$defs"))


@pytest.mark.parametrize(
    "pointer, example", EXAMPLES, ids=[f"{number}:{pointer}" for number, (pointer, _) in enumerate(EXAMPLES)]
)
def test_every_example_is_as_the_schema_says(pointer: str, example: Json) -> None:
    assert schemas.explain("protocol", example, pointer) == []


def test_the_schema_describes_exactly_the_methods_that_there_are() -> None:
    assert isinstance(PARTS, dict)
    described = [name for name, it in PARTS.items() if isinstance(it, dict) and "properties" in it]

    assert [name for name in METHODS if name not in described] == []
    assert {name for name in described if "/" in name} <= set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_description_params_and_an_example(method: str) -> None:
    described = part("$defs", method)
    assert isinstance(described, dict)
    asker = "Suite" if method in shapes.SUITE_METHODS else "Implementation"

    assert str(described["description"]).startswith(asker)
    assert part("$defs", method, "properties", "params")
    assert described["examples"]


@pytest.mark.parametrize("method", [method for method in METHODS if method not in shapes.NOTIFICATIONS])
def test_every_request_has_a_result_with_an_example_and_its_errors(method: str) -> None:
    pointer = f"/$defs/{method.replace('/', '~1')}/$defs"
    result = part("$defs", method, "$defs", "result")
    assert isinstance(result, dict)
    described = part(*str(result["$ref"]).removeprefix("#/").split("/")) if "$ref" in result else result
    assert isinstance(described, dict)
    error: Json = (
        {"code": 1, "message": "no", "data": {"code": "other"}}
        if method in shapes.SUITE_METHODS
        else {"code": 2, "message": "no", "data": {"code": "failed"}}
    )

    assert described["examples"]
    assert schemas.is_valid("protocol", error, f"{pointer}/error")
    assert not schemas.is_valid("protocol", {"code": 99, "message": "no"}, f"{pointer}/error")


@pytest.mark.parametrize("method", METHODS)
def test_the_whole_schema_takes_every_line_that_asks(method: str) -> None:
    examples = part("$defs", method, "examples")
    assert isinstance(examples, list)

    for example in examples:
        assert schemas.is_valid("protocol", example)
        assert shapes.wrong_request(method, example) is None


def test_closed_lists_are_those_of_the_suite() -> None:
    initialize = ("$defs", "initialize", "$defs", "result", "properties")
    codes = part("$defs", "implementationError", "properties", "data", "properties", "code", "enum")

    assert part(*initialize, "profiles", "items", "enum") == list(PROFILES)
    assert part(*initialize, "capabilities", "items", "enum") == sorted(CAPABILITIES)
    assert codes == list(ERROR_CODES)


# Our own forms go there and back


def call(name: str, arguments: dict[str, Json], id: str | None) -> Call:
    """A call, with or without an id."""
    return Call(name=name, arguments=arguments) if id is None else Call(name=name, arguments=arguments, id=id)


def crossed(value: Json) -> wire.Object:
    """A value as it arrives on the other side."""
    return wire.mapping(json.loads(json.dumps(value)))


@given(
    st.builds(
        AgentOptions, st.lists(TEXTS).map(tuple), st.booleans(), st.none() | st.integers(1), st.none() | TEXTS
    )
)
def test_options_cross(options: AgentOptions) -> None:
    params = crossed(wire.options_to_json("main", options))

    assert shapes.wrong_request("agent/create", wire.request(1, "agent/create", params)) is None
    assert wire.options_from_json(params) == options


@given(
    st.lists(TEXTS).map(tuple),
    st.lists(st.builds(call, TEXTS, ARGUMENTS, st.none() | TEXTS), max_size=3),
    st.dictionaries(
        st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens"]), st.integers(0, 10**6)
    ),
)
def test_generations_cross(chunks: tuple[str, ...], calls: list[Call], usage: dict[str, int]) -> None:
    generation = Generation(chunks, tuple(calls), usage)
    result = crossed(wire.generation_to_json(generation))

    assert shapes.wrong_result("model/generate", result) is None
    assert wire.generation_from_json(result) == generation


SUSPENSIONS = st.builds(
    lambda kind, prompt, more: Outcome("", request={**more, "kind": kind, "prompt": prompt}),
    TEXTS,
    TEXTS,
    st.dictionaries(st.sampled_from(["url", "data"]), VALUES),
)


@given(st.builds(Outcome, TEXTS, st.booleans()) | SUSPENSIONS)
def test_outcomes_cross(outcome: Outcome) -> None:
    result = crossed(wire.outcome_to_json(outcome))

    assert shapes.wrong_result("tool/execute", result) is None
    assert wire.outcome_from_json(result) == outcome


@given(TEXTS, TEXTS, HANDLES)
def test_what_is_put_into_an_inbox_crosses(text: str, call_id: str, handle: Handle) -> None:
    items = [
        InboxItem("push", text, handle=handle),
        InboxItem("resolve", text, call_id, handle),
        InboxItem("reject", text, call_id, handle),
    ]
    for item in items:
        params = crossed({"agent": "main", **wire.item_to_json(item)})
        method = f"inbox/{item.word}"

        assert shapes.wrong_request(method, wire.request(1, method, params)) is None
        assert wire.item_from_json(item.word, params) == item

    params = crossed({"agent": "main", "threads": wire.threads_to_json([items, []])})
    assert shapes.wrong_request("inbox/threads", wire.request(1, "inbox/threads", params)) is None
    assert wire.threads_from_json(params["threads"]) == [items, []]


@given(st.frozensets(st.sampled_from(sorted(CAPABILITIES))))
def test_what_an_implementation_says_of_itself_crosses(capabilities: frozenset[Capability]) -> None:
    implementation = Implementation("it", "1", "python", frozenset({"agent"}), capabilities)
    result = crossed(wire.implementation_to_json(implementation, 1))

    assert shapes.wrong_result("initialize", result) is None
    assert wire.implementation_from_json(result) == implementation


# Lines


@given(VALUES)
def test_a_line_is_read_as_what_was_written(value: Json) -> None:
    line = jsonlines.encode({"value": value})

    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    assert jsonlines.decode(line[:-1]) == {"value": value}
    assert jsonlines.decode(json.dumps({"value": value}, ensure_ascii=False, indent=1).encode()) == {
        "value": value
    }


@given(st.binary(max_size=200))
def test_reading_a_line_gives_a_value_or_says_what_is_wrong(line: bytes) -> None:
    assert refusal(line) is None or str(refusal(line)).startswith("a line ")


def refusal(line: bytes) -> str | None:
    """Why a line is not read, if it is not."""
    try:
        jsonlines.decode(line)
    except jsonlines.NotJson as error:
        return str(error)
    return None


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}"), ('[{"a[{":', "}]")])
def test_a_hundred_levels_may_be_nested_and_no_more(opening: str, closing: str) -> None:
    levels = 100 // len(closing)
    deepest = opening * levels + "1" + closing * levels

    jsonlines.decode(deepest.encode())
    with pytest.raises(jsonlines.NotJson, match="nested more than 100 deep"):
        jsonlines.decode(f"[{deepest}]".encode())
