"""Every rule that a scenario file can break is broken by one of the refused files, and by nothing but that.

What each of those files is refused for is shown in `test_loader`. Here nothing is listed by hand: rules are
looked up in the schema, in the code that complains and in the table of operators, so that a new rule without
a file that breaks it is found.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import jsonschema_rs
import pytest

from conformance import (
    calling,
    consistency,
    guessing,
    handles,
    impossible,
    misspellings,
    profiles,
    references,
    relaying,
    schemas,
    source,
)
from conformance.loader import ScenarioError, load
from conformance.patterns import OPERATORS, _problems
from conformance.scenario import Json
from tests.test_loader import INVALID, REGISTER

Place = tuple[str | int, ...]
"""The way through a schema to a keyword, or to an entry of a list."""

COMPLAINING = (
    calling,
    consistency,
    guessing,
    handles,
    impossible,
    misspellings,
    profiles,
    references,
    relaying,
    _problems,
)
SAID_ELSEWHERE = {
    r"a\ list\ is\ expected\ here,\ not\ .*": "in a scenario the schema says so; this is for other callers",
}
RULES = {
    *(
        "type",
        "const",
        "enum",
        "minLength",
        "minItems",
        "minProperties",
        "maxProperties",
        "minimum",
        "pattern",
    ),
    *("propertyNames", "uniqueItems", "oneOf", "anyOf", "not", "dependentRequired"),
}
NAMED = ("properties", "dependentSchemas")
INSIDE = ("items", "additionalProperties", "propertyNames", "then", "else")


class Rules:
    """The places in a schema from which something can be taken out so that the schema lets more through."""

    def __init__(self, schema: dict[str, Json]) -> None:
        self._schema = schema
        self._seen: set[Place] = set()

    def below(self, path: Place = ()) -> Iterator[Place]:
        schema = at(self._schema, path)
        if path in self._seen or not isinstance(schema, dict):
            return
        self._seen.add(path)
        for key, value in schema.items():
            here = (*path, key)
            if key in ("oneOf", "anyOf"):
                yield from self._alternatives(here, value)
            elif key == "not":
                yield here
                yield from self._forbidden(here)
            elif key == "type" and only_ask_for_keys(schema.get("oneOf", [])):
                pass  # what is no mapping is refused by these, all of which it fits at once
            elif key in RULES or (key == "additionalProperties" and value is False):
                yield here
            elif key == "required":
                yield from ((*here, index) for index in range(len(value)))
            elif key == "$ref":
                yield from self.below(target(value))
            for inner in self._inside(here, key, value):
                yield from self.below(inner)

    def _inside(self, path: Place, key: str, value: Any) -> Iterator[Place]:
        if key in NAMED:
            yield from ((*path, name) for name in value)
        elif key in INSIDE:
            yield path
        elif key == "allOf":
            yield from ((*path, index) for index in range(len(value)))

    def _alternatives(self, path: Place, options: list[Any]) -> Iterator[Place]:
        if any(lets_everything_through((*path, index)) for index in range(len(options))):
            return  # they are there for editors
        yield path
        if not only_ask_for_keys(options):
            for index in range(len(options)):
                yield from self.below((*path, index))

    def _forbidden(self, path: Place) -> Iterator[Place]:
        """What is forbidden in several ways is forbidden by each of them."""
        schema = at(self._schema, path)
        if "$ref" in schema:
            yield from self._forbidden(target(schema["$ref"]))
        for index in range(len(schema.get("anyOf", ()))):
            yield (*path, "anyOf", index)
            yield from self._forbidden((*path, "anyOf", index))


def at(schema: Any, path: Place) -> Any:
    for key in path:
        schema = schema[key]
    return schema


def target(reference: str) -> Place:
    return tuple(reference.removeprefix("#/").split("/"))


def lets_everything_through(place: Place) -> bool:
    part = "".join(f"/{key}" for key in place)
    return all(schemas.is_valid("scenario", value, part) for value in (None, True, 7, "text", [7], {"a": 7}))


def only_ask_for_keys(options: list[Any]) -> bool:
    return bool(options) and all(option.keys() == {"required"} for option in options)


def without(schema: dict[str, Json], place: Place) -> dict[str, Json]:
    changed = copy.deepcopy(schema)
    del at(changed, place[:-1])[place[-1]]
    return changed


def values() -> Iterator[Json]:
    """What the refused files hold, where they hold a value at all."""
    for file in INVALID:
        try:
            yield source.read(file).value
        except source.SourceError:
            continue


def test_without_any_rule_of_the_schema_a_file_that_breaks_it_would_be_let_through() -> None:
    schema = schemas.load("scenario")
    validator = jsonschema_rs.Draft202012Validator(schema)
    refused = [value for value in values() if not validator.is_valid(value)]

    def is_needed(place: Place) -> bool:
        laxer = jsonschema_rs.Draft202012Validator(without(schema, place))
        return any(laxer.is_valid(value) for value in refused)

    places = list(Rules(schema).below())
    assert [place for place in places if not is_needed(place)] == []
    assert len(places) > 100


def complaints(module: ModuleType) -> set[int]:
    """The lines of a module that complain: they yield a place and a sentence."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Yield)
        and isinstance(node.value, ast.Call | ast.Tuple)
        and says_something(node.value)
    }


def says_something(value: ast.Call | ast.Tuple) -> bool:
    return isinstance(value, ast.Tuple) or ast.unparse(value.func) == "Complaint"


@pytest.mark.parametrize("module", COMPLAINING, ids=lambda module: module.__name__)
def test_every_complaint_about_a_scenario_is_made_of_a_refused_file(module: ModuleType) -> None:
    reached: set[int] = set()

    def note(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != module.__file__:
            return None
        reached.add(frame.f_lineno)
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        for file in INVALID:
            with pytest.raises(ScenarioError):
                load(file, file.parent, REGISTER)
    finally:
        sys.settrace(before)

    assert complaints(module)
    assert complaints(module) - reached == set()


class Sentences(ast.NodeVisitor):
    """What a module can say: its texts of several words, as expressions that find them filled in."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # which is what documents something
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and " " in node.value.strip():
            self.found.add(re.escape(node.value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = [
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in node.values
        ]
        if any(isinstance(part, ast.Constant) and " " in str(part.value).strip() for part in node.values):
            self.found.add("".join(parts))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)


@pytest.fixture(scope="module")
def said() -> str:
    """All that is said of the refused files."""
    lines: list[str] = []
    for file in INVALID:
        with pytest.raises(ScenarioError) as caught:
            load(file, file.parent, REGISTER)
        lines += map(str, caught.value.problems)
    return "\n".join(lines)


@pytest.mark.parametrize("module", COMPLAINING, ids=lambda module: module.__name__)
def test_every_sentence_that_can_be_said_of_a_scenario_is_said_of_a_refused_file(
    module: ModuleType, said: str
) -> None:
    sentences = Sentences()
    sentences.visit(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))

    unsaid = {sentence for sentence in sentences.found if not re.search(sentence, said)}
    assert sentences.found
    assert unsaid - SAID_ELSEWHERE.keys() == set()


@pytest.mark.parametrize("name", [name for name, operator in OPERATORS.items() if operator.complaint([[]])])
def test_every_operator_that_does_not_take_everything_has_a_file_in_which_it_is_given_something_else(
    name: str,
) -> None:
    assert [file for file in INVALID if f": {name} takes " in file.read_bytes().split(b"\n")[0].decode()]
