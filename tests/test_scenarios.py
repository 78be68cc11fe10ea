"""Every scenario passes against the reference, with the sequence and conversation of its snapshot."""

from __future__ import annotations

import asyncio
import json
from functools import cache

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.types import PropertyFilter, PropertyMatcher, SerializableData, SerializedData

from conformance import requirements, schemas
from conformance.drivers.reference import driver
from conformance.judge import ScenarioResult
from conformance.loader import load_all
from conformance.running import run
from conformance.scenario import Json, Scenario
from conformance.session import Session

REGISTER = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
SCENARIOS, PROBLEMS = load_all([schemas.scenarios_folder()], REGISTER)


class Readable(SingleFileSnapshotExtension):
    """One text file for each scenario, called by its id with dots for slashes."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    def serialize(
        self,
        data: SerializableData,
        *,
        exclude: PropertyFilter | None = None,
        include: PropertyFilter | None = None,
        matcher: PropertyMatcher | None = None,
    ) -> SerializedData:
        return str(data)

    @classmethod
    def get_snapshot_name(cls, *, test_location: object, index: object = 0) -> str:
        return str(index).replace("/", ".")


def readable(result: ScenarioResult) -> str:
    """The events of each step, then the conversations."""
    lines = [result.scenario.title]
    step = 0
    for entry in result.sequence:
        if entry["step"] != step:
            step = int(str(entry["step"]))
            lines += ["", f"step {step}"]
        lines.append(f"  {entry['agent']}  {_event(entry['event'])}")
    for agent, messages in result.conversations.items():
        lines += ["", f"conversation of {agent}"]
        lines += [f"  {json.dumps(message, ensure_ascii=False)}" for message in messages]
    return "\n".join(lines) + "\n"


def _event(event: Json) -> str:
    if not isinstance(event, dict):
        return json.dumps(event)
    if event["type"] == "Nested":
        return f"Nested {event['tool_call_id']}  {_event(event['event'])}"
    fields = {key: value for key, value in event.items() if key != "type"}
    return f"{event['type']} {json.dumps(fields, ensure_ascii=False)}" if fields else str(event["type"])


@cache
def results() -> dict[str, ScenarioResult]:
    """All scenarios, played once."""

    async def played() -> dict[str, ScenarioResult]:
        session = await Session.open(driver())
        report = await run(SCENARIOS, session, REGISTER)
        await session.driver.shutdown()
        return {result.scenario.id: result for result in report.scenarios}

    return asyncio.run(played())


def test_every_scenario_that_ships_can_be_read() -> None:
    assert PROBLEMS == []


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.id for scenario in SCENARIOS])
def test_the_reference_passes_every_scenario_without_a_warning(scenario: Scenario) -> None:
    result = results()[scenario.id]

    assert (result.verdict, result.failures, result.warnings) == ("passed", (), ()), result.detail


# A snapshot is called by its scenario, not by the test, of which syrupy warns.
@pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot:UserWarning")
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.id for scenario in SCENARIOS])
def test_the_sequence_and_the_conversation_are_those_of_the_snapshot(
    scenario: Scenario, snapshot: SnapshotAssertion
) -> None:
    result = results()[scenario.id]

    assert readable(result) == snapshot(name=scenario.id, extension_class=Readable)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.id for scenario in SCENARIOS])
def test_every_scenario_names_its_schema_so_that_an_editor_helps(scenario: Scenario) -> None:
    first = scenario.path.read_text(encoding="utf-8").splitlines()[0]
    schema = schemas.folder() / "scenario.schema.json"
    prefix = "# yaml-language-server: $schema="

    assert first.startswith(prefix)
    assert (scenario.path.parent / first.removeprefix(prefix)).resolve() == schema.resolve()
