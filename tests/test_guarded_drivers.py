"""A driver in this process that goes wrong fails its own scenario, and never the suite."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.drivers.reference import ReferenceDriver
from conformance.scenario import Json

SCENARIO = "agent/events/turn-order"


class Exits(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        raise SystemExit(0)


class ExitsAtStart(ReferenceDriver):
    async def start(self, host: object) -> None:  # type: ignore[override]
        raise SystemExit(0)


class Interrupts(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        raise KeyboardInterrupt


class InterruptsAtStart(ReferenceDriver):
    async def start(self, host: object) -> None:  # type: ignore[override]
        raise KeyboardInterrupt


def interrupts() -> ReferenceDriver:
    raise KeyboardInterrupt


class RefusesReset(ReferenceDriver):
    async def reset(self) -> None:
        raise ValueError("not now")


class AbandonsStart(ReferenceDriver):
    async def start(self, host: object) -> None:  # type: ignore[override]
        raise asyncio.CancelledError


class AbandonsReset(ReferenceDriver):
    async def reset(self) -> None:
        raise asyncio.CancelledError


class AbandonsShutdown(ReferenceDriver):
    async def shutdown(self) -> None:
        raise asyncio.CancelledError


def abandons() -> ReferenceDriver:
    raise asyncio.CancelledError


class SaysNothing(ReferenceDriver):
    async def messages(self, agent: str) -> list[dict[str, Json]]:
        return [None]  # type: ignore[list-item]


class SaysNoNumber(ReferenceDriver):
    async def messages(self, agent: str) -> list[dict[str, Json]]:
        return [{"role": "user", "content": float("nan")}]


class EmitsNothing(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        if self._host is not None:
            self._host.event(agent, None)  # type: ignore[arg-type]
        return await super().prompt(agent, text)


def no_driver() -> str:
    return "hello"


@pytest.mark.parametrize(
    "name, status, words",
    [
        ("Exits", 1, "SystemExit: 0"),
        ("ExitsAtStart", 3, "SystemExit: 0"),
        ("Interrupts", 1, "  KeyboardInterrupt\n"),
        ("InterruptsAtStart", 3, ": KeyboardInterrupt"),
        ("interrupts", 3, "the driver could not be made: KeyboardInterrupt"),
        ("RefusesReset", 1, "ValueError: not now"),
        ("AbandonsStart", 3, "start was abandoned by the implementation"),
        ("AbandonsReset", 1, "reset was abandoned by the implementation"),
        ("AbandonsShutdown", 0, "it could not be shut down: Crashed: shutdown was abandoned by the"),
        ("abandons", 3, "the driver could not be made: CancelledError"),
        ("SaysNothing", 1, "messages answered a value of the type list, expected a list of mappings"),
        ("SaysNoNumber", 1, "messages is no JSON"),
        ("EmitsNothing", 1, "an event was nothing, expected a mapping with a type"),
        ("no_driver", 3, "the factory made a str, which is no driver"),
    ],
)
def test_a_driver_that_goes_wrong_is_told_of_in_words_and_in_the_status(
    name: str, status: int, words: str
) -> None:
    result = CliRunner().invoke(
        main, ["run", SCENARIO, "--driver", f"python:tests.test_guarded_drivers:{name}"]
    )

    assert (result.exit_code, words in result.output) == (status, True), result.output


def test_a_report_is_written_to_a_link_without_replacing_it(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "report.json")

    CliRunner().invoke(main, ["run", SCENARIO, "--json", str(tmp_path / "link.json")])

    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["complete"] is True
