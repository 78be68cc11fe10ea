"""What the description of the protocol says is what the schema and the code say."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import cast

import pytest

from conformance import schemas
from conformance.drivers import jsonlines, process, shapes, stdio, wire
from conformance.drivers.base import CAPABILITIES, ERROR_CODES, Generation, Host
from conformance.drivers.blame import OPTIONAL_METHODS
from conformance.drivers.life import StdioOptions
from conformance.drivers.limits import Limits
from conformance.drivers.reference import ReferenceDriver
from conformance.scenario import Json
from conformance.verdict import VERDICTS
from tests.readme.walk import ROOT

CHAPTER = ROOT / "conformance" / "PROTOCOL.md"
TEXT = CHAPTER.read_text(encoding="utf-8")
METHODS = sorted(shapes.SUITE_METHODS | shapes.IMPLEMENTATION_METHODS)


def _rows(*heads: str) -> list[list[str]]:
    _, head, rest = TEXT.partition(f"| {' | '.join(heads)} |\n")
    assert head
    lines = rest.partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


EXAMPLES = [line for line in TEXT.splitlines() if line.startswith(("-> ", "<- "))]


def _words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


METHOD_ROWS = {
    method: row
    for head in ("method", "verb", "you ask")
    for row in _rows(head, "params", "result")
    for method in _words(row[0])
}
METHOD_ROWS |= {
    method: row
    for row in (
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in TEXT.partition("## What you ask")[2].partition("\n\n- ")[0].splitlines()
        if line.startswith("| `")
    )
    for method in _words(row[0])
}


def _fields(part: Json) -> set[str]:
    """The names of the fields that a part of the schema has."""
    if not isinstance(part, dict):
        return set()
    reference, properties = part.get("$ref"), part.get("properties")
    named = set(properties) if isinstance(properties, dict) else set()
    if isinstance(reference, str):
        return named | _fields(_definition(reference.removeprefix("#/$defs/")))
    return named


def _definition(name: str) -> dict[str, Json]:
    definitions = schemas.load("protocol")["$defs"]
    assert isinstance(definitions, dict)
    found = definitions[name]
    assert isinstance(found, dict)
    return found


def test_its_version_is_the_one_that_is_spoken() -> None:
    assert TEXT.startswith(f"# The protocol, version {wire.PROTOCOL_VERSIONS[0]}\n")
    assert len(wire.PROTOCOL_VERSIONS) == 1


def test_it_has_every_method_and_no_other() -> None:
    assert sorted(METHOD_ROWS) == METHODS


@pytest.mark.parametrize("method", METHODS)
def test_it_names_every_param_of_a_method(method: str) -> None:
    properties = _definition(method)["properties"]
    assert isinstance(properties, dict)

    assert _fields(properties.get("params")) <= _words(METHOD_ROWS[method][1])


@pytest.mark.parametrize("method", [method for method in METHODS if method not in shapes.NOTIFICATIONS])
def test_it_names_every_field_of_a_result(method: str) -> None:
    inner = _definition(method)["$defs"]
    assert isinstance(inner, dict)
    said = METHOD_ROWS[method][2]
    row = METHOD_ROWS["agent/prompt"][2] if said == "as `agent/prompt`" else said

    assert _fields(inner["result"]) <= _words(row)


def test_it_has_every_capability_with_the_methods_that_need_it() -> None:
    rows = {row[0].strip("`"): row[1] for row in _rows("capability", "what you can do then")}

    assert set(rows) == set(CAPABILITIES)
    for method, capability in OPTIONAL_METHODS.items():
        assert f"`{method}`" in rows[capability]


def test_it_has_every_code_of_an_error() -> None:
    rows = {row[0]: row[2] for row in _rows("code", "whose", "meaning")}
    numbers = {wire.IMPLEMENTATION_ERROR, wire.HOST_ERROR, wire.METHOD_NOT_FOUND, wire.INTERNAL_ERROR}

    assert set(ERROR_CODES) <= _words(rows[str(wire.IMPLEMENTATION_ERROR)])
    assert {str(number) for number in numbers} <= set(rows)


def test_it_knows_no_verdict_that_there_is_not() -> None:
    verdicts = {
        row[1].split("`")[1] for row in _rows("what the process does", "verdict of the scenario in flight")
    }

    assert verdicts == set(VERDICTS) - {"passed", "failed", "unsupported"}


def test_its_limits_are_those_that_hold() -> None:
    limits, options = Limits(), StdioOptions()
    mebibyte = 1024 * 1024

    assert {field.name for field in fields(Limits)} == {"events", "requests", "bytes"}
    assert (
        f"A line: {process.MAX_LINE // mebibyte} MiB, and at most {jsonlines.MAX_DEPTH} levels of nesting."
        in TEXT
    )
    step = f"{limits.events:,} events, {limits.requests:,} requests, {limits.bytes // mebibyte} MiB."
    assert step in TEXT
    assert f"Of stderr the last {process.STDERR_KEPT // 1024} KiB are kept." in TEXT
    assert (stdio.MAX_DEATHS, options.shutdown_timeout) == (5, 2.0)
    assert "one that dies in five scenarios running" in TEXT
    assert "still there\n   two seconds later is killed" in TEXT


def test_the_lines_of_its_example_fit_the_schema() -> None:
    whole = [json.loads(line[3:]) for line in EXAMPLES if "..." not in line]

    requests = [message for message in whole if "method" in message]
    assert len(requests) > 20
    for message in requests:
        assert shapes.wrong_request(message["method"], message) is None, message


def _of_the_client() -> list[tuple[str, dict[str, Json]]]:
    """The lines of the exchange with a client, each with its direction."""
    _, _, rest = TEXT.partition('"method":"client/create"')
    lines = f'-> {{"jsonrpc":"2.0","id":2,"method":"client/create"{rest.partition("```")[0]}'.splitlines()
    return [(line[:2], json.loads(line[3:])) for line in lines]


class _Replaying:
    """A host whose model says what the example has it say."""

    def __init__(self, replies: Sequence[Json]) -> None:
        self._replies = list(replies)
        self.given: list[Json] = []

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        self.given.append([*messages])
        reply = self._replies.pop(0)
        assert isinstance(reply, dict)
        return Generation(tuple(reply["chunks"]), tuple(reply["tool_calls"]), {})  # type: ignore[arg-type]


def _bare(value: Json) -> Json:
    """A value without what every implementation makes up for itself or may leave out."""
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if not isinstance(value, dict):
        return value
    made_up = {"timestamp", "usage", "token_count"} | ({"id"} if {"role", "kind"} & value.keys() else set())
    return {key: _bare(item) for key, item in value.items() if key not in made_up}


def test_its_client_gives_back_what_it_was_given_and_fits_the_schema() -> None:
    said = [message for _, message in _of_the_client()]
    halted, done = (at(message, "result") for message in said if "messages" in at(message, "result"))
    answered = next(at(m, "params") for m in said if m.get("method") == "client/run_with_answer")

    assert schemas.explain("run-result", halted) == []
    assert schemas.explain("run-result", done) == []
    assert (answered["history"], answered["pending"]) == (halted["messages"], halted["pending"])
    assert at(answered, "answer")["id"] == at(halted, "pending")["id"]


def at(value: Json, key: str) -> dict[str, Json]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def test_its_client_does_what_the_reference_does() -> None:
    asyncio.run(_replay(_of_the_client()))


async def _replay(lines: Sequence[tuple[str, dict[str, Json]]]) -> None:
    """Ask the reference what the suite asks in the example, and compare what it asks and answers."""
    replies = [message["result"] for way, message in lines if way == "->" and "result" in message]
    results = {
        message["id"]: message["result"] for way, message in lines if way == "<-" and "result" in message
    }
    host = _Replaying(replies)
    driver = ReferenceDriver()
    await driver.start(cast("Host", host))
    came: Json = {}
    for way, message in lines:
        if way == "->" and "method" in message:
            params = dict(at(message, "params"))
            if params.get("pending"):  # its request has another id, of its own making
                own = at(came, "pending")
                params |= {"pending": own, "answer": {**at(params, "answer"), "id": own["id"]}}
            came = await driver.perform(str(message["method"]), params)
            assert _bare(came) == _bare(results[message["id"]])
    await driver.shutdown()

    given = [at(m, "params")["messages"] for _, m in lines if m.get("method") == "model/generate"]
    assert _bare(host.given) == _bare(given)


@pytest.mark.parametrize("name", ["request", "answer", "task-result", "handle-view", "run-result"])
def test_what_is_passed_to_and_fro_has_the_fields_of_its_schema(name: str) -> None:
    rows = {row[2].partition("]")[0].strip("["): row[1] for row in _rows("what", "fields", "schema")}
    schema = schemas.load(name)
    entry = schema.get("$defs", {"entry": schema})
    assert isinstance(entry, dict)

    assert _fields(entry["entry"]) == _words(rows[name])


def test_every_link_in_it_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)

    headings = {
        f"#{line.strip('# ').lower().replace(' ', '-')}" for line in TEXT.splitlines() if line[:1] == "#"
    }
    files = [target for target in targets if not target.startswith("#")]

    assert files
    assert set(targets) - set(files) <= headings
    assert [target for target in files if not (CHAPTER.parent / target).exists()] == []
