"""The examination of an implementation that is being written: what is said first, and what of claims."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import replace

import pytest
from click.testing import CliRunner, Result

from conformance import (
    Diagnosis,
    Driver,
    Host,
    Implementation,
    NotStarted,
    PartialDriver,
    ProtocolError,
    doctor,
    load,
)
from conformance.cli import main
from conformance.drivers.base import CAPABILITIES
from conformance.drivers.reference import ReferenceDriver
from conformance.examination import PROBES, STEPS
from conformance.scenario import PROFILES, Json
from tests.seeing import Event, altered

HERE = "python:tests.test_doctor"


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments])


def failing(found: Diagnosis) -> list[str]:
    return [step.scenario for step in found.steps if step.result is not None and not step.works]


def test_of_the_reference_everything_works_and_it_says_how_to_go_on() -> None:
    result = outlast()

    assert result.exit_code == 0
    assert result.output.startswith("outlast reference ")
    assert result.output.count("  ok     ") == 1 + sum(map(len, STEPS.values()))
    assert result.output.count("ok: it is claimed, and works") == len(CAPABILITIES)
    assert result.output.splitlines()[-2:] == ["all of this works; the rest:", "  outlast run"]


def test_every_capability_has_a_scenario_that_needs_it_and_no_step_needs_any() -> None:
    assert set(PROBES) == set(CAPABILITIES)
    assert {capability: sorted(load([name])[0].needs) for capability, name in PROBES.items()} == {
        capability: [capability] for capability in CAPABILITIES
    }
    steps = load([name for each in STEPS.values() for _, name in each])
    assert [scenario.id for scenario in steps if scenario.needs] == []


def test_every_step_is_of_its_profile() -> None:
    found = {profile: {load([name])[0].profile for _, name in steps} for profile, steps in STEPS.items()}

    assert found == {profile: {profile} for profile in PROFILES}


def test_only_what_belongs_to_a_claimed_profile_is_tried() -> None:
    class Client(ReferenceDriver):
        async def start(self, host: Host) -> Implementation:
            return replace(await super().start(host), profiles=frozenset({"client"}))

    found = doctor(Client)

    assert [step.scenario for step in found.steps] == [name for _, name in STEPS["client"]]
    assert [probe.capability for probe in found.probes] == ["answers", "disk-store", "relays"]
    assert found.exit_status() == 0


def test_without_the_first_step_of_a_profile_nothing_else_of_it_is_tried() -> None:
    class NeverWoken(ReferenceDriver):
        async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
            if method == "runtime/wake":
                raise ProtocolError("runtime/wake is not written yet")
            return await super().perform(method, params)

    found = doctor(NeverWoken)
    not_tried = [step.scenario for step in found.steps if step.result is None]

    assert failing(found) == [STEPS["runtime"][0][1]]
    assert not_tried == [name for _, name in STEPS["runtime"][1:]]
    assert [probe.capability for probe in found.probes if probe.result is None] == [
        "clock", "runtime-budget", "runtime-interpreter", "state-traces",
    ]  # fmt: skip


class Forgetful(ReferenceDriver):
    """It lists no pending calls, and says of no conversation that it needs a reply."""

    async def pending_calls(self, agent: str) -> list[dict[str, Json]]:
        return []

    async def needs_reply(self, agent: str) -> bool:
        return False


def test_what_is_to_be_mended_first_is_shown_whole_with_commands_that_can_be_copied() -> None:
    result = outlast("--driver", f"{HERE}:Forgetful")
    lines = result.output.splitlines()
    first = lines.index("to be mended first: a pending call is listed until its result has been read")

    assert result.exit_code == 1
    assert lines[first + 1].startswith("FAILED agent/pending/listed (must)")
    assert lines[-1] == f"    outlast trace agent/pending/listed --driver {HERE}:Forgetful"
    commands = [line.split("again: ")[1] for line in lines[:first] if "again: " in line]
    assert shlex.split(commands[0]) == [
        "outlast", "run", "agent/pending/listed", "--driver", f"{HERE}:Forgetful",
    ]  # fmt: skip


def test_a_should_that_fails_is_weak_and_does_not_count() -> None:
    class Content(ReferenceDriver):
        async def needs_reply(self, agent: str) -> bool:
            return False

    found = doctor(Content)

    assert failing(found) == ["agent/resume/needs-reply-true"]
    assert found.exit_status() == 0


class Unasked(ReferenceDriver):
    """It says that no reply is due, which only a should forbids, and takes no other conversation."""

    async def needs_reply(self, agent: str) -> bool:
        return False

    async def replace_messages(self, agent: str, messages: list[dict[str, Json]]) -> None:
        raise OSError("the disk is full")


def test_what_must_be_mended_comes_before_what_is_only_weak() -> None:
    output = outlast("--driver", f"{HERE}:Unasked").output

    assert "weak   whether a reply is due can be asked (a should)" in output
    assert "to be mended first: a saved conversation can be put back and gone on with\nCRASHED" in output


def test_a_should_that_crashes_is_wrong() -> None:
    class Breaking(ReferenceDriver):
        async def needs_reply(self, agent: str) -> bool:
            raise OSError("the disk is full")

    (step,) = [step for step in doctor(Breaking).steps if not step.works]

    assert (step.scenario, step.is_wrong) == ("agent/resume/needs-reply-true", True)


def test_a_scenario_of_the_doctors_own_has_a_name_that_can_be_copied_anywhere() -> None:
    output = outlast("--driver", f"{HERE}:Unwoken").output

    assert f"again: outlast run probes/runtime --driver {HERE}:Unwoken" in output
    assert f"again: outlast run --driver {HERE}:Unwoken probes/runtime" in output
    assert CliRunner().invoke(main, ["run", "probes/runtime"]).exit_code == 0


class Unwoken(ReferenceDriver):
    """It cannot wake a handle."""

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        if method == "runtime/wake":
            raise ProtocolError("runtime/wake is not written yet")
        return await super().perform(method, params)


class Claims(ReferenceDriver):
    """It claims updates, and has none; children it has, and does not claim."""

    async def start(self, host: Host) -> Implementation:
        return replace(await super().start(host), capabilities=frozenset({"updates"}))

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        raise ProtocolError("update is not written yet")


def test_a_claim_that_does_not_hold_is_wrong_and_what_works_unclaimed_is_told() -> None:
    result = outlast("--driver", f"{HERE}:Claims")

    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert "  updates             WRONG: it is claimed, and does not work" in lines
    assert "  children            unused: it works, and is not claimed in initialize" in lines
    assert "update is not written yet" in result.output
    assert "to be mended first: what is claimed as updates" in result.output


class Unwritten(PartialDriver):
    """It starts, and has nothing else; it claims updates."""

    async def start(self, host: Host) -> Implementation:
        agent = frozenset({"agent"})
        return Implementation("begun", "0", "python", profiles=agent, capabilities=frozenset({"updates"}))


def test_of_what_is_not_written_yet_it_is_said_so_and_what_comes_next() -> None:
    result = outlast("--driver", f"{HERE}:Unwritten")
    lines = result.output.splitlines()

    assert result.exit_code == 1
    assert lines[3].startswith("  2  to do  an agent is made and answers a prompt")
    assert lines[4].strip() == "the driver has no create yet"
    assert "WRONG" not in result.output
    assert "PROTOCOL-ERROR" not in result.output
    assert lines[
        lines.index("to be written next: an agent is made and answers a prompt, with its events in order") :
    ][1:] == [
        "  the driver has no create yet",
        "  every line that crosses:",
        f"    outlast trace agent/events/turn-order --driver {HERE}:Unwritten",
        "  and when it is written, what comes next:",
        f"    outlast doctor --driver {HERE}:Unwritten",
    ]


def test_a_capability_works_though_a_should_that_it_is_not_about_is_broken() -> None:
    def change(event: Event) -> Event:
        return {key: value for key, value in event.items() if key != "used_tokens"}

    found = doctor(altered(change))
    (denial,) = [probe for probe in found.probes if probe.capability == "denial"]

    assert denial.result is not None
    assert [failure.check for failure in denial.result.failures] == ["schema-background"]
    assert denial.works


def test_what_is_neither_claimed_nor_there_is_no_fault() -> None:
    class Plain(Claims):
        async def start(self, host: Host) -> Implementation:
            return replace(await super().start(host), capabilities=frozenset())

    found = doctor(Plain)
    by_name = {probe.capability: (probe.is_claimed, probe.works) for probe in found.probes}

    assert by_name["updates"] == (False, False)
    assert by_name["children"] == (False, True)
    assert found.exit_status() == 0


class Mute(ReferenceDriver):
    """It never answers a prompt."""

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        await asyncio.get_running_loop().create_future()
        return {}


def test_where_no_prompt_is_answered_nothing_else_is_tried() -> None:
    found = doctor(Mute, timeout=0.05)

    assert failing(found) == [STEPS["agent"][0][1]]
    assert {step.result for step in found.steps[1:]} == {None}
    assert [probe.result for probe in found.probes] == [None] * len(PROBES)
    assert found.exit_status() == 1


def test_one_that_cannot_be_kept_running_ends_with_3_and_what_was_found_stays() -> None:
    class Dying(ReferenceDriver):
        resets = 0

        async def reset(self) -> None:
            self.resets += 1
            if self.resets > 3:
                raise NotStarted("out of order")
            await super().reset()

    found = doctor(Dying)

    assert [step.works for step in found.steps[:3]] == [True, True, False]
    assert (found.lost, found.exit_status()) == ("out of order", 3)


def never_starts() -> Driver:
    raise OSError("no such device")


@pytest.mark.parametrize(
    "driver, status, said",
    [
        (f"{HERE}:never_starts", 3, "no such device"),
        ("stdio:false", 3, "before it answered initialize"),
        ("stdio:no-such-command-anywhere", 2, "there is no command"),
        ("elsewhere", 2, "expected python:MODULE:FACTORY"),
    ],
)
def test_what_cannot_be_started_is_said_in_one_message(driver: str, status: int, said: str) -> None:
    result = outlast("--driver", driver)

    assert (result.exit_code, said in result.output) == (status, True), result.output


@pytest.mark.node
def test_the_implementation_in_javascript_is_in_good_health() -> None:
    result = outlast("--driver", "stdio:node tests/implementations/javascript/driver.mjs")

    assert result.exit_code == 0
    assert "threads             not claimed" in result.output
