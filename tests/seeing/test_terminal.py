"""On a terminal and off it: colours, a bar while one waits, and nothing that a pipe has no use for."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import COMMANDS, main
from tests.seeing.plays import ALL, PAUSE, write

OUTLAST = str(Path(sys.executable).with_name("outlast"))
ESCAPE = "\x1b["
BAR = "━"
ERASED = "\x1b[2K"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plays"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(**ALL, wrong=PAUSE.replace("args: {month: May}", "args: {month: June}"))


def environment(**variables: str) -> dict[str, str]:
    unset = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    return {**inherited, "TERM": "xterm-256color", **variables}


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """All that the command sends to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [OUTLAST, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**variables)
    )
    os.close(theirs)
    received = bytearray()
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not part:
            break
        received += part
    process.wait()
    os.close(ours)
    return received.decode("utf-8")


def in_a_pipe(*arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [OUTLAST, *arguments], capture_output=True, env=environment(**variables), check=False
    )
    return done.stdout.decode("utf-8")


def test_a_terminal_gets_colours_and_a_bar_that_is_gone_at_the_end() -> None:
    came = on_a_terminal("run", ".")

    assert f"{ESCAPE}32m3 passed" in came
    assert came.rindex(BAR) < came.rindex(ERASED) < came.index("outlast reference")


def test_a_pipe_gets_neither() -> None:
    came = in_a_pipe("run", ".")

    assert ESCAPE not in came
    assert BAR not in came
    assert came.splitlines()[-1] == "scenarios: 3 passed, 1 failed; requirements: 2 met, 1 broken"


def test_a_pipe_gets_no_bar_where_colours_are_forced() -> None:
    came = in_a_pipe("run", ".", FORCE_COLOR="1")

    assert f"{ESCAPE}32m3 passed" in came
    assert BAR not in came


def test_a_terminal_that_can_do_nothing_gets_nothing_but_text() -> None:
    assert ESCAPE not in on_a_terminal("run", ".", TERM="dumb")


@pytest.mark.parametrize(
    "arguments",
    [["run", "."], ["show", "pause.yaml", "--events"], ["list", "."], ["requirements"], ["run", "nowhere"]],
    ids=lambda arguments: arguments[0],
)
def test_without_colours_no_styles_reach_a_terminal(arguments: list[str]) -> None:
    came = on_a_terminal(*arguments, NO_COLOR="1")

    assert re.findall(r"\x1b\[[0-9;]*m", came) == []


def test_an_empty_no_color_means_nothing() -> None:
    assert f"{ESCAPE}32m" in on_a_terminal("run", ".", NO_COLOR="")


def test_an_encoding_without_our_signs_gets_others() -> None:
    came = in_a_pipe("run", ".", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert "expected" in came
    assert " | came" in came
    assert "~ 5 more as expected" in came


def test_quiet_on_a_terminal_has_no_bar() -> None:
    came = on_a_terminal("run", ".", "--quiet")

    assert BAR not in came
    assert "FAILED wrong (must)" in came


def test_verbose_has_a_line_for_each_scenario() -> None:
    lines = in_a_pipe("run", ".", "--verbose").splitlines()

    assert lines[:4] == [
        "passed          child",
        "passed          late",
        "passed          pause",
        "failed          wrong",
    ]


def test_quiet_and_verbose_do_not_go_together() -> None:
    result = CliRunner().invoke(main, ["run", ".", "-q", "-v"])

    assert (result.exit_code, "choose one of them" in result.output) == (2, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_by_an_example_how_it_is_used(command: str) -> None:
    output = CliRunner().invoke(main, [command, "--help"]).output

    assert re.search(rf"^  Examples?:\n    .*\boutlast {command}\b", output, re.MULTILINE)


def test_help_imports_nothing_that_is_slow() -> None:
    code = (
        "import sys\n"
        "from conformance.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "slow = {'rich', 'yaml', 'jsonschema', 'jsonschema_rs', 'asyncio'} & sys.modules.keys()\n"
        "sys.exit(f'imported: {slow}' if slow else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "Commands:" in done.stdout
