"""What the suite costs for each scenario, beside a plain pytest that does the same by hand.

    python -m tests.benchmarks.suite

Both sides read the same 200 files (six steps, some twenty events each), play them on the reference and look
at the events that come. The plain one loads the YAML with CSafeLoader in a conftest, plays it by hand-written
fakes and asserts the types of the events; ours also checks positions, schemas, patterns and every always-on
check. Start-up is taken off on both sides: what is printed is the difference between 200 files and one, each
the best of several runs, in milliseconds of processor time for each scenario, so that whatever else the
machine does counts for little.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from conformance import requirements, schemas
from conformance.drivers.reference import driver
from conformance.loader import load_all
from conformance.running import run
from conformance.session import Session

COPIES = 200
ROUNDS = 5

SCENARIO = """\
format: 1
title: A report is asked for, resolved and answered
covers: [agent.events.late-result]

agents:
  main:
    tools: [nightly_report]
    pause_on_pending: true
    model:
      - calls: [{nightly_report: {}}]
      - text: The report is in out/nightly.csv.
tools:
  nightly_report:
    - pending: Started job 7.

steps:
  - prompt: Run the nightly report
    emits: [AgentStart, MessageStart, MessageEnd, TurnStart, ContextBudget, GenerationStats, MessageEnd,
            ToolExecStart, ToolExecEnd, MessageStart, MessageEnd, TurnEnd, Paused, AgentEnd]
  - check: {pending_calls: [{id: $nightly_report#1}]}
  - resolve: {call: $nightly_report#1, with: Report written}
  - check: {pending_calls: [{id: $nightly_report#1}]}
  - resume:
    emits: [AgentStart, ToolResolved, MessageStart, MessageEnd, TurnStart, ContextBudget, MessageDelta,
            GenerationStats, MessageEnd, TurnEnd, AgentEnd]
  - check: {pending_calls: []}
"""

CONFTEST = """\
import asyncio
import resource

import pytest
import yaml

from reference import Agent, AgentConfig, CallRequest, ToolOutput


class Model:
    def __init__(self, entries):
        self.entries = iter(entries)

    async def generate(self, messages, tools, system_prompt):
        entry = next(self.entries)
        if "text" in entry:
            yield entry["text"]
        for call in entry.get("calls", ()):
            for name, arguments in call.items():
                yield CallRequest(name, arguments)


class Tool:
    def __init__(self, name, entries):
        self.name = name
        self.entries = iter(entries)

    async def execute(self, args, ctx):
        return ToolOutput.pending(next(self.entries)["pending"])


class Scenario(pytest.Item):
    def runtest(self):
        play = yaml.load(self.path.read_text(), yaml.CSafeLoader)
        asyncio.run(self.play(play))

    async def play(self, play):
        main = play["agents"]["main"]
        model = Model(main["model"])
        tools = [Tool(name, play["tools"][name]) for name in main["tools"]]
        agent = Agent(AgentConfig(pause_on_pending=main["pause_on_pending"]), tools)
        calls = []
        for step in play["steps"]:
            events = []
            if "prompt" in step:
                await agent.prompt(step["prompt"], model, events.append)
            elif "resume" in step:
                await agent.resume(model, events.append)
            elif "resolve" in step:
                agent.inbox().resolve(calls[0], step["resolve"]["with"])
            else:
                calls = calls or [call.id for call in agent.pending_calls()]
                assert len(agent.pending_calls()) == len(step["check"]["pending_calls"])
            if "emits" in step:
                assert [type(event).__name__ for event in events] == step["emits"]


class File(pytest.File):
    def collect(self):
        yield Scenario.from_parent(self, name=self.path.stem)


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".yaml":
        return File.from_parent(parent, path=file_path)
"""


def write(folder: Path, copies: int) -> Path:
    """A folder with so many copies of the scenario."""
    folder.mkdir()
    for number in range(copies):
        (folder / f"copy{number:03}.yaml").write_text(SCENARIO, encoding="utf-8")
    return folder


def seconds(command: Sequence[str]) -> float:
    """How much processor time a command takes; it has to succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def marginal(command: Sequence[str], one: Path, many: Path) -> float:
    """Milliseconds for each scenario beyond the first, start-up taken off."""
    less = min(seconds([*command, str(one)]) for _ in range(ROUNDS))
    more = min(seconds([*command, str(many)]) for _ in range(ROUNDS))
    return (more - less) / (COPIES - 1) * 1000


def in_process(many: Path) -> tuple[float, float]:
    """Milliseconds for each scenario: to load it, and to play and judge it."""
    register = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
    loading, playing = [], []

    async def played() -> None:
        session = await Session.open(driver())
        began = time.process_time()
        report = await run(scenarios, session, register)
        playing.append(time.process_time() - began)
        if report.exit_status() != 0:
            raise SystemExit("the scenario does not pass")

    for _ in range(ROUNDS):
        began = time.process_time()
        scenarios, problems = load_all([many], register)
        loading.append(time.process_time() - began)
        if problems:
            raise SystemExit("\n".join(map(str, problems)))
        asyncio.run(played())
    return min(loading) / COPIES * 1000, min(playing) / COPIES * 1000


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        one, many = write(root / "one", 1), write(root / "many", COPIES)
        plain = write(root / "plain", 0)
        (plain / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        plain_one, plain_many = write(plain / "one", 1), write(plain / "many", COPIES)
        outlast = [str(Path(sys.executable).with_name("outlast")), "run"]
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(plain)]
        ours = marginal(outlast, one, many)
        theirs = marginal(pytest, plain_one, plain_many)
        loading, playing = in_process(many)
    print(f"outlast run, load + play + judge    {ours:7.3f} ms a scenario")
    print(f"plain pytest                        {theirs:7.3f} ms a scenario")
    print(f"ours / plain                        {ours / theirs:7.2f}")
    print(f"loading alone, in one process       {loading:7.3f} ms a scenario")
    print(f"playing + judging alone             {playing:7.3f} ms a scenario")
    print(f"playing + judging / plain           {playing / theirs:7.2f}")


if __name__ == "__main__":
    main()
