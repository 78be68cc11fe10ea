"""Of what a driver in Python raises its own frames are shown, and not those of the suite around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import load, play
from conformance.drivers.raised import traceback_of
from conformance.drivers.reference import ReferenceDriver
from conformance.scenario import Json
from tests.seeing.plays import LATE, printed, report


def ask_the_database(depth: int) -> dict[str, Json]:
    if depth == 0:
        raise RuntimeError("no such table")
    return ask_the_database(depth - 1) if depth % 2 else ask_again(depth - 1)


def ask_again(depth: int) -> dict[str, Json]:
    return ask_the_database(depth)


class Broken(ReferenceDriver):
    depth = 2

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        return ask_the_database(self.depth)


class DeeplyBroken(Broken):
    depth = 40


class Wrapped(Broken):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        try:
            return ask_the_database(0)
        except RuntimeError as error:
            raise ValueError("the answer cannot be kept") from error


def test_a_crash_is_told_without_the_frames_of_the_suite() -> None:
    detail = play(load(["agent/events/turn-order"])[0], Broken).detail

    assert "guarded.py" not in detail
    assert detail.splitlines()[1].endswith("in prompt")
    assert detail.splitlines()[-1] == "RuntimeError: no such table"


def test_what_led_to_an_exception_is_told_without_them_too() -> None:
    detail = play(load(["agent/events/turn-order"])[0], Wrapped).detail

    assert "the direct cause of the following exception" in detail
    assert "guarded.py" not in detail
    assert detail.count("in prompt") == 2


def test_the_frame_in_which_it_was_raised_stays_though_it_is_the_suites() -> None:
    with pytest.raises(ValueError, match="0 times") as raised:
        play(load(["agent/events/turn-order"])[0], repeat=0)
    frames = [line for line in traceback_of(raised.value).splitlines() if line.startswith("  File ")]

    files = [frame.split('"')[1] for frame in frames]
    assert files[0] == __file__
    assert [Path(file).name for file in files if "/conformance/" in file] == ["running.py"]


def test_of_a_long_traceback_the_beginning_and_the_end_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = [line.strip() for line in printed(report(DeeplyBroken, late=LATE)).splitlines()]
    begin = told.index("| Traceback (most recent call last):")
    cut = next(number for number, line in enumerate(told) if line.startswith("| … "))

    assert told[begin + 1].endswith("in prompt")
    assert cut == begin + 7
    assert told[cut].endswith(" lines")
    assert told[cut + 12] == "| RuntimeError: no such table"
