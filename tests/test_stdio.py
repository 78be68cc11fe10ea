"""Implementations in processes of their own: right ones play as in this process, wrong ones do no harm.

Each wrong driver is a script in `wrong_drivers`. It is wrong in the first scenario, and the second shows that
what comes after is judged rightly.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import requirements, schemas
from conformance.drivers.base import NotStarted
from conformance.drivers.life import StdioOptions
from conformance.drivers.process import STDERR_KEPT, Died
from conformance.drivers.reference import driver as reference
from conformance.drivers.stdio import StdioDriver
from conformance.judge import Report, ScenarioResult
from conformance.loader import load_all
from conformance.report import json as json_report
from conformance.running import run, run_one
from conformance.scenario import Json, Scenario
from conformance.session import Session

REGISTER = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
WRONG = Path(__file__).parent / "wrong_drivers"
OUTLAST = (sys.executable, "-c", "from conformance.cli import main; main(prog_name='outlast')")

SCENARIO = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents:
  main:
    model:
      - text: Hello.
steps:
  - prompt: PROMPT
    emits: [..., {MessageEnd: {message: {role: assistant, content: Hello.}}}, ...]
"""
WITH_A_TOOL = """\
format: 1
title: A tool is executed
covers: [agent.events.turn-order]
agents:
  main:
    tools: [lookup]
    model:
      - calls: [{lookup: {}}]
      - text: Hello.
tools:
  lookup:
    - returns: "42"
steps:
  - prompt: misbehave
"""
WITH_THREADS = """\
format: 1
title: Threads put something into the inbox
covers: [agent.events.turn-order]
agents:
  main:
    model:
      - text: Hello.
steps:
  - threads: [[push: one], [push: two]]
  - prompt: Hi
"""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of playing: the scenarios' results, and what the driver notes."""

    report: Report
    notes: tuple[str, ...]

    @property
    def first(self) -> ScenarioResult:
        return self.report.scenarios[0]

    @property
    def verdicts(self) -> list[str]:
        return [result.verdict for result in self.report.scenarios]


@pytest.fixture
def mark() -> Iterator[str]:
    """Is in the environment of every process that a test starts; at its end there are none."""
    value = uuid.uuid4().hex
    yield value
    assert still_living(value) == []


def still_living(mark: str) -> list[int]:
    """The processes that bear the mark, and have not even ended when they are waited for."""
    return [pid for pid in bearing(mark) if not ends(pid)]


def bearing(mark: str) -> list[int]:
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environ.read_bytes():
                found.append(int(environ.parent.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def ends(pid: int) -> bool:
    """Whether a process that has been killed is gone, be it in a moment."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 5)[0])
    finally:
        os.close(descriptor)


def scenarios(folder: Path, *texts: str) -> list[Scenario]:
    """Scenarios with these texts, in this order."""
    for number, text in enumerate(texts):
        (folder / f"s{number}.yaml").write_text(text, encoding="utf-8")
    found, problems = load_all([folder], REGISTER)
    assert problems == []
    return found


def prompting(*prompts: str) -> list[str]:
    return [SCENARIO.replace("PROMPT", prompt) for prompt in prompts]


def play(script: str, chosen: Sequence[Scenario], mark: str, *arguments: str, timeout: float = 5.0) -> Told:
    """Play them against a wrong driver."""
    options = StdioOptions({"TEST_MARK": mark}, timeout=timeout, startup_timeout=5.0, shutdown_timeout=0.3)
    driver = StdioDriver((sys.executable, str(WRONG / f"{script}.py"), *arguments), options)

    async def playing() -> Told:
        session = await Session.open(driver)
        report = await run(chosen, session, REGISTER, timeout=timeout)
        return Told(report, await session.close())

    return asyncio.run(playing())


# What is wrong in a scenario is that scenario's, and the next is judged rightly


@pytest.mark.parametrize(
    "script, verdict, words",
    [
        (
            "answers_twice",
            "protocol-error",
            'a second answer to the request 3: \'{"jsonrpc": "2.0", "id": 3, "result": ',
        ),
        (
            "answers_an_unknown_id",
            "protocol-error",
            'an answer to the request 4711, which was never made: \'{"jsonrpc": "2.0", "id": 4711,',
        ),
        (
            "answers_the_wrong_type",
            "protocol-error",
            "a wrong answer to agent/prompt: result.message: expected a mapping, found text 'Hello.': '{",
        ),
        (
            "sends_no_utf_8",
            "protocol-error",
            'a line that is not UTF-8 (byte 0xe9 at position 44): \'{"jsonrpc"',
        ),
        ("sends_50_mb", "protocol-error", "a line of more than 16,777,216 bytes: '\"xxxxxxxxxx"),
        (
            "floods",
            "protocol-error",
            'more than 100,000 events in one step, the last of them: \'{"jsonrpc":"2.0","method":"event"',
        ),
        (
            "asks_for_ever",
            "protocol-error",
            'more than 1,000 requests in one step, the last of them: \'{"jsonrpc": "2.0", "id": 1001,',
        ),
        (
            "prints_a_banner",
            "protocol-error",
            "a line that is not JSON: 'loading the model ...' (stray print? use stderr)",
        ),
        ("closes_stdout", "crashed", "it closed its stdout and lives on"),
        ("dies_behind_its_answer", "crashed", "it ended with exit status 4"),
        ("leaves_a_grandchild", "crashed", "it ended with exit status 1"),
    ],
)
def test_the_scenario_in_which_a_driver_goes_wrong_says_so_and_the_next_one_passes(
    script: str, verdict: str, words: str, tmp_path: Path, mark: str
) -> None:
    told = play(script, scenarios(tmp_path, *prompting("misbehave", "Hi")), mark)

    assert told.verdicts == [verdict, "passed"]
    assert told.first.message.startswith(words), told.first.message


@pytest.mark.parametrize(
    "goes_on, verdict, words",
    [
        ("answer", "protocol-error", "a second answer to the request "),
        ("event", "protocol-error", "event of main, and no agent is called so: "),
        ("line", "protocol-error", "a line that is not JSON: 'Bye.'"),
        ("exit", "crashed", "it ended with exit status 3"),
    ],
)
@pytest.mark.parametrize("prompts", [("misbehave", "Hi"), ("Hi", "misbehave", "Hi"), ("misbehave",)])
def test_what_comes_behind_the_answer_to_a_reset_is_the_fault_of_the_scenario_that_was_played(
    goes_on: str, verdict: str, words: str, prompts: tuple[str, ...], tmp_path: Path, mark: str
) -> None:
    told = play("goes_on_behind_reset", scenarios(tmp_path, *prompting(*prompts)), mark, goes_on)
    wrong = told.report.scenarios[prompts.index("misbehave")]

    assert told.verdicts == [verdict if prompt == "misbehave" else "passed" for prompt in prompts]
    assert wrong.message.startswith(words), wrong.message


@pytest.mark.parametrize("after", [1, 2])
def test_what_goes_wrong_between_two_scenarios_or_behind_the_last_is_noted_and_harms_none(
    after: int, tmp_path: Path, mark: str
) -> None:
    options = StdioOptions({"TEST_MARK": mark})
    driver = StdioDriver((sys.executable, str(WRONG / "_right.py")), options)
    chosen = scenarios(tmp_path, *prompting("Hi", "Hi"))

    async def playing() -> tuple[list[str], tuple[str, ...]]:
        session = await Session.open(driver)
        results = []
        for number, scenario in enumerate(chosen, start=1):
            results.append(await run_one(scenario, session, REGISTER))
            if number == after:
                driver._living.connection.fail(Died("it ended with exit status 3"))
        return [result.verdict for result in results], await session.close()

    verdicts, notes = asyncio.run(playing())

    assert verdicts == ["passed", "passed"]
    assert notes == ("behind the end of a scenario: it ended with exit status 3",)


@pytest.mark.parametrize(
    "script, verdict, words",
    [
        (
            "sends_half_a_line",
            "protocol-error",
            'half a line, and then nothing for 0.4 s: \'{"jsonrpc":"2.0","id":\'',
        ),
        (
            "never_answers",
            "timed-out",
            "neither an answer nor a request for 0.4 s (not answered: agent/prompt)",
        ),
    ],
)
def test_silence_ends_a_scenario_after_the_time_allowed_and_is_told_apart(
    script: str, verdict: str, words: str, tmp_path: Path, mark: str
) -> None:
    told = play(script, scenarios(tmp_path, *prompting("misbehave", "Hi")), mark, timeout=0.4)

    assert told.verdicts == [verdict, "passed"]
    assert told.first.message == words


def test_a_signal_inside_a_tool_is_named_with_what_was_written_to_stderr(tmp_path: Path, mark: str) -> None:
    told = play("dies_by_a_signal", scenarios(tmp_path, WITH_A_TOOL, *prompting("Hi")), mark)

    assert told.verdicts == ["crashed", "passed"]
    assert told.first.message == "it was ended by signal 11 (SIGSEGV)"
    assert told.first.detail == "stderr:\nabout to use a bad pointer"


def test_a_flood_on_stderr_has_no_effect_and_only_its_end_is_kept(tmp_path: Path, mark: str) -> None:
    options = StdioOptions({"TEST_MARK": mark})
    driver = StdioDriver((sys.executable, str(WRONG / "floods_stderr.py")), options)

    async def playing() -> tuple[list[str], str]:
        session = await Session.open(driver)
        report = await run(scenarios(tmp_path, *prompting("misbehave")), session, REGISTER)
        said = driver.said()
        await session.close()
        return [result.verdict for result in report.scenarios], said

    verdicts, said = asyncio.run(playing())
    assert verdicts == ["passed"]
    assert len(said) <= STDERR_KEPT


def test_stderr_is_shown_with_a_scenario_that_fails(tmp_path: Path, mark: str) -> None:
    wrong = SCENARIO.replace("content: Hello.", "content: Goodbye.").replace("PROMPT", "misbehave")
    told = play("floods_stderr", scenarios(tmp_path, wrong), mark)

    assert told.verdicts == ["failed"]
    assert told.first.detail.startswith("stderr:\nxxx")


def test_a_driver_that_ignores_shutdown_is_killed_and_that_is_noted(tmp_path: Path, mark: str) -> None:
    told = play("ignores_shutdown", scenarios(tmp_path, *prompting("Hi")), mark)

    assert told.verdicts == ["passed"]
    assert told.notes == ("it had not ended 0.3 s after shutdown, and was killed",)


@pytest.mark.parametrize("how", ["group", "session", "daemon"])
def test_a_grandchild_that_holds_the_pipes_open_neither_delays_nor_survives(
    how: str, tmp_path: Path, mark: str
) -> None:
    told = play(
        "leaves_a_grandchild", scenarios(tmp_path, *prompting("misbehave", "Hi")), mark, how, timeout=60
    )

    assert told.verdicts == ["crashed", "passed"]
    assert sum(result.seconds for result in told.report.scenarios) < 30


def test_a_capability_that_is_claimed_and_lacking_fails_what_needs_it(tmp_path: Path, mark: str) -> None:
    told = play("claims_too_much", scenarios(tmp_path, WITH_THREADS, *prompting("Hi")), mark)

    assert told.verdicts == ["failed", "passed"]
    assert told.first.failures[0].message == (
        "threads answered with an error: it claims the capability threads and has no inbox/threads"
    )


# What cannot be kept running ends the run


@pytest.mark.parametrize(
    "script, words, detail",
    [
        ("says_nothing", "it did not answer initialize within 0.4 s", ""),
        (
            "exits_at_start",
            "before it answered initialize: it ended with exit status 3",
            "stderr:\nthe licence has expired",
        ),
        (
            "greets_at_start",
            "before it answered initialize: a line that is not JSON: 'Welcome to wrong 1.0!'"
            " (stray print? use stderr)",
            "",
        ),
        ("speaks_another_version", "it speaks version 7 of the protocol, and this outlast speaks 1", ""),
    ],
)
def test_a_driver_that_is_not_ready_is_not_started(script: str, words: str, detail: str, mark: str) -> None:
    patience = 0.4 if script == "says_nothing" else 10.0
    options = StdioOptions({"TEST_MARK": mark}, startup_timeout=patience)

    with pytest.raises(NotStarted) as caught:
        asyncio.run(Session.open(StdioDriver((sys.executable, str(WRONG / f"{script}.py")), options)))

    assert (caught.value.message, caught.value.detail) == (words, detail)


@pytest.mark.parametrize("there_are", [5, 7])
def test_a_driver_that_dies_in_five_scenarios_running_stops_the_run_with_what_was_played(
    there_are: int, tmp_path: Path, mark: str
) -> None:
    told = play("dies_every_time", scenarios(tmp_path, *prompting(*there_are * ["Hi"])), mark)

    assert told.verdicts == 5 * ["crashed"]
    assert told.report.exit_status() == 3
    assert told.report.stopped == (
        "it died in 5 scenarios running; in the last one it ended with exit status 1"
    )


# The command


def outlast(*arguments: str, mark: str, **environment: str) -> subprocess.Popen[str]:
    """The command, started."""
    return subprocess.Popen(
        [*OUTLAST, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment, "TEST_MARK": mark},
    )


@pytest.mark.parametrize("script", ["exits_at_start", "greets_at_start"])
def test_a_run_that_cannot_start_ends_with_3(script: str, tmp_path: Path, mark: str) -> None:
    scenarios(tmp_path, *prompting("Hi"))
    driver = f"stdio:{sys.executable} {WRONG / script}.py"
    with outlast("run", str(tmp_path), "--driver", driver, mark=mark) as command:
        _, errors = command.communicate()

    assert command.returncode == 3
    assert errors.startswith(f"error: --driver {driver}: before it answered initialize: ")


@pytest.mark.parametrize(
    "options, words",
    [
        (["--driver", "stdio:"], "expected stdio:COMMAND"),
        (["--driver", "stdio:no-such-command --flag"], "there is no command no-such-command"),
        (["--driver", "stdio:./no-such-file"], "there is no file no-such-file"),
        (["--driver", f"stdio:{WRONG}/_driver.py"], f"{WRONG}/_driver.py is not executable"),
        (["--driver", "stdio:say 'hi"], "No closing quotation"),
        (
            ["--driver", "stdio:true", "--cwd", "no/such/folder"],
            "--cwd no/such/folder: there is no such folder",
        ),
        (["--driver", "stdio:true", "--env", "NAME"], "--env NAME: expected NAME=VALUE"),
        (["--driver", "ftp:somewhere"], "expected python:MODULE:FACTORY or stdio:COMMAND"),
        (["--env", "A=b"], "--env and --cwd are for stdio:COMMAND"),
    ],
)
def test_a_driver_that_leads_nowhere_ends_with_2_and_one_line(
    options: list[str], words: str, tmp_path: Path, mark: str
) -> None:
    scenarios(tmp_path, *prompting("Hi"))
    with outlast("run", str(tmp_path), *options, mark=mark) as command:
        _, errors = command.communicate()

    assert command.returncode == 2, errors
    assert errors.startswith("error: ")
    assert errors.endswith(f"{words}\n")
    assert errors.count("\n") == 1


def test_a_file_that_no_system_can_execute_ends_with_2(tmp_path: Path, mark: str) -> None:
    scenarios(tmp_path, *prompting("Hi"))
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    program.chmod(0o755)
    with outlast("run", str(tmp_path), "--driver", f"stdio:{program}", mark=mark) as command:
        _, errors = command.communicate()

    assert command.returncode == 2
    assert f"cannot execute {program}: " in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_and_leaves_nothing_behind(
    number: signal.Signals, tmp_path: Path, mark: str
) -> None:
    scenarios(tmp_path, *prompting("misbehave"))
    tell = tmp_path / "tell"
    os.mkfifo(tell)
    driver = f"stdio:{sys.executable} {WRONG}/never_answers.py"
    with outlast(
        "run", str(tmp_path), "--driver", driver, "--timeout", "60", mark=mark, TELL=str(tell)
    ) as command:
        assert tell.read_text(encoding="utf-8") == "here"
        command.send_signal(number)
        command.communicate()

    assert command.returncode == 128 + number


def test_environment_and_folder_of_the_command_can_be_set(tmp_path: Path, mark: str) -> None:
    scenarios(tmp_path, *prompting("Hi"))
    folder = tmp_path / "work"
    folder.mkdir()
    code = "import os, pathlib, sys; pathlib.Path('seen').write_text(os.environ['WHO'])"
    arguments = [
        "--driver",
        f'stdio:{sys.executable} -c "{code}"',
        "--cwd",
        str(folder),
        "--env",
        "WHO=me=you",
    ]
    with outlast("run", str(tmp_path), *arguments, mark=mark) as command:
        command.communicate()

    assert (folder / "seen").read_text(encoding="utf-8") == "me=you"


# What is right plays as in this process


def without_seconds(report: Report) -> dict[str, Json]:
    content = json_report.to_json(report)
    played = content["scenarios"]
    assert isinstance(played, list)
    for scenario in played:
        assert isinstance(scenario, dict)
        del scenario["seconds"]
    return content


def test_every_scenario_gives_the_same_report_over_stdio_as_in_this_process(mark: str) -> None:
    shipped, problems = load_all([schemas.scenarios_folder()], REGISTER)
    assert problems == []

    async def played(driver: StdioDriver | None) -> dict[str, Json]:
        session = await Session.open(driver or reference())
        report = await run(shipped, session, REGISTER)
        assert await session.close() == ()
        return without_seconds(report)

    served = StdioDriver((*OUTLAST, "serve"), StdioOptions({"TEST_MARK": mark}))
    here, there = asyncio.run(played(None)), asyncio.run(played(served))

    assert json.dumps(there) == json.dumps(here)


def test_what_a_served_adapter_prints_goes_to_stderr(mark: str) -> None:
    code = (
        "import os, subprocess; from conformance import sdk\n"
        "from conformance.drivers.reference import driver\n"
        "print('one'); serve = sdk.serve; made = driver(); create = made.create\n"
        "async def printing(*a):\n print('two'); os.write(1, b'three\\n'); subprocess.run(['echo', 'four'])\n"
        " await create(*a)\n"
        "made.create = printing; serve(made)"
    )
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol_versions": [1]}},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "agent/create",
            "params": {"agent": "main", "tools": [], "pause_on_pending": False, "approves": False},
        },
    ]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(json.dumps(line) + "\n" for line in asked),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TEST_MARK": mark},
    )

    before, *lines = done.stdout.splitlines()
    assert before == "one"  # what comes before `serve` cannot be helped
    assert [json.loads(line)["id"] for line in lines] == [1, 2]
    assert done.stderr.split() == ["two", "three", "four"]
