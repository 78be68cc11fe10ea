"""Whatever stands in a file or comes over a connection: it is read, or refused with the error that says so.

Nothing else may come out of a reader, and nothing that has been read may keep a report from being written.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance import InputError, Report, Scenarios, load_register, read_known_failures, run, schemas
from conformance.configuration import ConfigurationError, find
from conformance.drivers.base import Driver, DriverFailure
from conformance.drivers.jsonlines import NotJson, decode, encode
from conformance.drivers.reference import ReferenceDriver
from conformance.loader import ScenarioError, load_text
from conformance.report.json import to_json, write
from conformance.report.reading_back import ReportError, read_report
from conformance.requirements import RequirementsError
from conformance.requirements import read as read_requirements
from conformance.scenario import Json
from tests.test_connection import Wire
from tests.test_repetition import SCENARIO

REGISTER = load_register()
SHIPPED = sorted(file for file in schemas.scenarios_folder().rglob("*/*.yaml"))

ALWAYS_ALIKE = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

NUMBERS = ["1e999", "-1e999", "1" * 5000, "0" * 400 + ".0", "NaN", "Infinity", "-0", ".inf", "0x1F", "1_0"]
STRANGE = ["\x00", "\ufeff", "\r", "\r\n", "\n", "\t", "\u2028", "\x85", "\ud800", "\U0001f600", "\\ud800"]
YAML = [
    "- ",
    "? ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "&a ",
    "*a",
    "!x ",
    "|\n ",
    ">-\n",
    "'",
    '"',
    "#",
    "---\n",
    "%",
]
WORDS = [
    "format",
    "covers",
    "agents",
    "main",
    "model",
    "steps",
    "prompt",
    "check",
    "$regex",
    "$one_of",
    "$a#1",
]
JSONISH = ['{"', '":', '"', "{}", "[]", "[" * 150, "true", "null", ",", '"\\', '\\"', "/"]
TOML = [
    "driver",
    "paths",
    "[tool.outlast]\n",
    "[[",
    "]]",
    " = ",
    '"""',
    "'''",
    "1979-05-27",
    ".",
    "a." * 80,
    "\\u0000",
]
PIECES = st.sampled_from([*NUMBERS, *STRANGE, *YAML, *WORDS, *JSONISH, *TOML])
ANYTHING = st.binary(max_size=300) | st.lists(PIECES, max_size=30).map(
    lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")
)


@st.composite
def spoilt(draw: st.DrawFn, right: st.SearchStrategy[bytes]) -> bytes:
    """What is right, but for a few places in which something was cut out or put in."""
    data = draw(right)
    for _ in range(draw(st.integers(0, 3))):
        start, length = draw(st.integers(0, len(data))), draw(st.integers(0, 20))
        data = data[:start] + draw(ANYTHING) + data[start + length :]
    return data


def texts(*right: str) -> st.SearchStrategy[bytes]:
    return ANYTHING | spoilt(st.sampled_from(right).map(str.encode))


READ = "read"


def refusal(read: Callable[[], object], expected: type[Exception]) -> str:
    """What a reader says of what it refuses; `READ` where it refuses nothing."""
    try:
        read()
    except expected as error:
        return str(error)
    return READ


SCENARIOS = ANYTHING | spoilt(st.sampled_from(SHIPPED).map(Path.read_bytes))


@ALWAYS_ALIKE
@given(SCENARIOS)
def test_a_scenario_is_loaded_or_refused_with_its_problems(data: bytes) -> None:
    said = refusal(lambda: load_text(data, REGISTER, path=Path("file.yaml")), ScenarioError)

    assert said.startswith(("file.yaml:", READ))


KNOWN = "- {id: agent/inbox/fifo, outcome: failed, reason: r, expires: 2026-12-31}\n- id: agent/x:emits\n"
REQUIREMENTS = (
    "format: 1\nrequirements:\n  - {id: agent.my.own, level: must, origin: derived, text: t, source: s}\n"
)
OUTLAST = 'driver = "python:a:b"\npaths = ["agent/inbox"]\nknown_failures = "known.yaml"\n'
READERS: list[tuple[str, st.SearchStrategy[bytes], Callable[[Path], object], type[Exception]]] = [
    ("known.yaml", texts(KNOWN), read_known_failures, InputError),
    ("requirements.yaml", texts(REQUIREMENTS), read_requirements, RequirementsError),
    ("outlast.toml", texts(OUTLAST), lambda file: find(file.parent), ConfigurationError),
    (
        "pyproject.toml",
        texts(f"[tool.outlast]\n{OUTLAST}"),
        lambda file: find(file.parent),
        ConfigurationError,
    ),
]


@pytest.mark.parametrize("name, written, read, expected", READERS, ids=[reader[0] for reader in READERS])
@ALWAYS_ALIKE
@given(data=st.data())
def test_a_file_is_read_or_refused_in_words(
    name: str,
    written: st.SearchStrategy[bytes],
    read: Callable[[Path], object],
    expected: type[Exception],
    data: st.DataObject,
    tmp_path: Path,
) -> None:
    file = tmp_path / name
    file.write_bytes(data.draw(written))

    assert refusal(lambda: read(file), expected).startswith((str(file), READ))


def report_of(driver: Callable[[], Driver]) -> Report:
    scenario = load_text(SCENARIO, REGISTER)
    return run(Scenarios((scenario,), REGISTER, frozenset(scenario.covers)), driver)


@cache
def report() -> bytes:
    return json.dumps(to_json(report_of(ReferenceDriver))).encode()


@ALWAYS_ALIKE
@given(data=ANYTHING | spoilt(st.builds(report)))
def test_a_report_is_read_back_or_refused_in_words(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(data)

    assert refusal(lambda: read_report(file), ReportError).startswith((str(file), READ))


@ALWAYS_ALIKE
@given(ANYTHING)
def test_a_line_is_json_that_can_be_written_again_or_refused(line: bytes) -> None:
    try:
        value = decode(line)
    except NotJson:
        return
    assert decode(encode({"": value})) == {"": value}


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(categories=["L", "Cs", "Cc"]), max_size=5)
    | st.integers(4000, 5000).map(lambda digits: 10**digits)
    | st.sampled_from(["main", "2.0", "agent/prompt", "event", "model/generate"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["agent", "event", "type", "messages", "code", "message", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
METHODS = ["event", "model/generate", "tool/execute", "tool/approve", "host/wait_for", "runtime/moved", "log"]
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | VALUES,
        "id": st.integers(0, 3) | VALUES,
        "method": st.sampled_from(METHODS) | VALUES,
        "params": st.fixed_dictionaries({"agent": st.just("main")}, optional={"event": VALUES, "x": VALUES})
        | VALUES,
        "result": VALUES,
        "error": st.fixed_dictionaries({"code": st.just(1), "message": st.just("no")}) | VALUES,
    },
)


def written(message: Json) -> bytes:
    try:
        return json.dumps(message).encode()
    except ValueError:  # more digits than Python writes
        return b'{"id":' + b"1" * 5000 + b"}"


@ALWAYS_ALIKE
@given(st.lists(ANYTHING | MESSAGES.map(written), min_size=1, max_size=4))
def test_whatever_lines_come_a_connection_goes_on_or_ends_with_a_failure_that_says_why(
    lines: list[bytes],
) -> None:
    raised: list[dict[str, Any]] = []

    async def main() -> DriverFailure | None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: raised.append(context))
        wire = Wire()
        run = await wire.prompt()
        for line in lines:
            wire.connection.receive(line)
            await asyncio.sleep(0)
        failure = wire.connection.failure
        await wire.connection.close()
        await asyncio.wait({run})
        if not run.cancelled():
            run.exception()
        return failure

    failure = asyncio.run(main())

    assert raised == []
    assert failure is None or failure.message


def saying(value: Json) -> type[ReferenceDriver]:
    """An implementation that emits an event of its own with that in it."""

    class Saying(ReferenceDriver):
        async def prompt(self, agent: str, text: str) -> dict[str, Json]:
            if self._host is not None:
                self._host.event(agent, {"type": "Extra", "value": value})
            return await super().prompt(agent, text)

    return Saying


def nested(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


@ALWAYS_ALIKE
@given(VALUES)
def test_whatever_an_implementation_says_the_report_can_be_written_and_read_back(
    tmp_path: Path, value: Json
) -> None:
    file = tmp_path / "report.json"

    write(report_of(saying(value)), file)

    assert read_report(file).scenarios == 1


@pytest.mark.parametrize("levels", [50, 98, 101, 300, 900, 5000])
def test_however_deep_it_is_the_report_can_be_written_and_read_back(tmp_path: Path, levels: int) -> None:
    file = tmp_path / "report.json"

    write(report_of(saying(nested(levels))), file)

    assert read_report(file).scenarios == 1
