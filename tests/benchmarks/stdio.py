"""What it costs that an implementation lives in a process of its own.

    python -m tests.benchmarks.stdio

Two figures, each beside what it is measured against, and their ratio:

- Lines a second, both directions together, while the scenarios of the profile agent play against the
  reference in a subprocess; and in a bare exchange of newline-delimited JSON between two Python processes
  with the same JSON library, in which one sends the very lines that were recorded in the play and the other
  parses each and sends it back. That is done twice: with blocking reads and writes, which is as fast as two
  processes can be but could not do what a driver does, namely to listen while it waits; and with the streams
  of asyncio on both sides, which could. "Beyond playing" takes off the time that the same plays cost in this
  process, so that what is left is what the lines cost.
- Playing and judging all those scenarios over stdio, and in this process. Scenarios that crash the
  implementation are left out of both, since a restart costs what starting a program costs.

Each is the best of several rounds, taken in turn, so that what else the machine does hits all alike.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from conformance import requirements, schemas
from conformance.drivers.base import Driver
from conformance.drivers.life import StdioOptions
from conformance.drivers.reference import driver as reference
from conformance.drivers.stdio import StdioDriver
from conformance.loader import load_all
from conformance.requirements import Register
from conformance.running import run
from conformance.scenario import Scenario, Step
from conformance.session import Session

ROUNDS = 5
SERVE = (sys.executable, "-c", "from conformance.cli import main; main(['serve'])")

ECHO = """\
import json, sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(json.dumps(json.loads(line)).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
ASYNC_ECHO = """\
import asyncio, json, sys
async def main():
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    to, protocol = await loop.connect_write_pipe(lambda: asyncio.streams.FlowControlMixin(), sys.stdout)
    writer = asyncio.StreamWriter(to, protocol, None, loop)
    while line := await reader.readline():
        writer.write(json.dumps(json.loads(line)).encode() + b"\\n")
        await writer.drain()
asyncio.run(main())
"""


def has_crash(scenario: Scenario) -> bool:
    """Whether the scenario ever crashes the implementation."""

    def crashes(steps: Sequence[Step]) -> bool:
        return any(step.word == "crash" for step in steps)

    models = (entry.during for agent in scenario.agents.values() for entry in agent.model)
    tools = (entry.during for entries in scenario.tools.values() for entry in entries)
    return any(map(crashes, (scenario.steps, *models, *tools)))


async def played(factory: Callable[[], Driver], scenarios: Sequence[Scenario], register: Register) -> float:
    """Seconds for playing and judging them all with one driver; starting and ending it is left out."""
    session = await Session.open(factory())
    try:
        began = time.perf_counter()
        report = await run(scenarios, session, register)
        seconds = time.perf_counter() - began
    finally:
        await session.close()
    if report.summary()["passed"] != len(scenarios):
        raise SystemExit(f"not all scenarios passed: {report.summary()}")
    return seconds


def recorded(scenarios: Sequence[Scenario], register: Register) -> list[bytes]:
    """Every line that crosses while they are played."""
    lines: list[bytes] = []
    options = StdioOptions(tap=lambda _, line: lines.append(line))
    asyncio.run(played(lambda: StdioDriver(SERVE, options), scenarios, register))
    return lines


def ping_pong(lines: Sequence[bytes]) -> float:
    """Seconds for sending each line to another process and having it back."""
    with subprocess.Popen(
        [sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        if other.stdin is None or other.stdout is None:
            raise SystemExit("there are no pipes")
        messages = [json.loads(line) for line in lines]
        began = 0.0
        for number, message in enumerate([messages[0], *messages]):
            if number == 1:  # the first is only for waiting until the other is there
                began = time.perf_counter()
            other.stdin.write(json.dumps(message).encode() + b"\n")
            other.stdin.flush()
            json.loads(other.stdout.readline())
        seconds = time.perf_counter() - began
        other.stdin.close()
    return seconds


async def async_ping_pong(lines: Sequence[bytes]) -> float:
    """The same with the streams of asyncio."""
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", ASYNC_ECHO), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    if other.stdin is None or other.stdout is None:
        raise SystemExit("there are no pipes")
    messages = [json.loads(line) for line in lines]
    began = 0.0
    for number, message in enumerate([messages[0], *messages]):
        if number == 1:
            began = time.perf_counter()
        other.stdin.write(json.dumps(message).encode() + b"\n")
        await other.stdin.drain()
        json.loads(await other.stdout.readline())
    seconds = time.perf_counter() - began
    other.stdin.close()
    await other.wait()
    return seconds


def main() -> None:
    """Measure and print."""
    register = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
    all_scenarios, _ = load_all([schemas.scenarios_folder()], register)
    scenarios = [one for one in all_scenarios if one.profile == "agent" and not has_crash(one)]
    lines = recorded(scenarios, register)
    rounds = [
        (
            ping_pong(lines),
            asyncio.run(async_ping_pong(lines)),
            asyncio.run(played(lambda: StdioDriver(SERVE), scenarios, register)),
            asyncio.run(played(reference, scenarios, register)),
        )
        for _ in range(ROUNDS)
    ]
    blocking, streams, over_stdio, in_process = (min(times) for times in zip(*rounds, strict=True))
    size = sum(map(len, lines)) // len(lines)
    print(f"{len(scenarios)} scenarios, {len(lines)} lines of {size} bytes on average")
    rates = {
        "playing and judging": len(lines) / over_stdio,
        "beyond playing and judging in process": len(lines) / (over_stdio - in_process),
        "ping-pong, blocking": 2 * len(lines) / blocking,
        "ping-pong, asyncio streams": 2 * len(lines) / streams,
    }
    print(f"{'lines a second':40} {'':9}  of blocking  of streams")
    for what, rate in rates.items():
        of = (rate / rates["ping-pong, blocking"], rate / rates["ping-pong, asyncio streams"])
        print(f"  {what:38} {rate:9,.0f}  {of[0]:11.2f}  {of[1]:10.2f}")
    print(f"all scenarios over stdio                 {over_stdio:9.3f} s")
    print(f"all scenarios in process                 {in_process:9.3f} s")
    print(f"stdio / in process                       {over_stdio / in_process:9.2f}   (at most 4)")


if __name__ == "__main__":
    main()
