"""What it costs to suspend and to be resumed: the reference beside langgraph and toolnexus.

    python -m tests.benchmarks.suspension

- A round in memory: an agent asks its model, the model calls a tool, the tool suspends; the Answer comes, the
  tool has it, and the model ends. Ours is the runtime's: spawn, wake, wait, resume, close. langgraph's is
  interrupt() and Command(resume=...) with its checkpointer in memory, toolnexus's its own runtime's.
- The same on disk: ours is the client's ask and ask_with_answer through SqliteStore, langgraph's the same as
  before with its SQLite checkpointer, in the same folder and with the same journal mode and synchronous.
  These are printed as SQLite tells them. Beside it stand the two transactions of ours alone, without which
  no round can be had that is on the disk when it halts and when it ends.

langgraph can be written in several straightforward ways; the fastest of them counts, for processor time and
for wall time each. Environments for the others are made in a temporary folder, with pip. Every side has a
process of its own; they take turns, and the best of all turns counts, so that what else the machine does hits
all alike. Processor time is that of all threads of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.packaging.environments import ROOT, Environment

TURNS = {"memory": (30, 20), "on-disk": (150, 2), "commits": (150, 2)}
"""For each kind of case how many turns a side has, and how many rounds in each. What waits for the disk has
short turns, so that the best of them were not kept waiting by others."""
TRIALS = 5
"""How many turns each way of writing it has before only the fastest two go on."""


class Side:
    """A process that is asked for cases; what is kept is the best that each case ever took."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        told = self._read()
        self.about: str = told["about"]
        self.best: dict[str, tuple[float, float]] = {name: (float("inf"),) * 2 for name in told["cases"]}

    @classmethod
    @contextmanager
    def start(cls, python: str | Path, name: str, folder: Path) -> Iterator[Side]:
        """One of the sides; it may write in the folder."""
        command = [python, "-m", f"tests.benchmarks.sides.{name}_side", folder]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, env=environment, cwd=folder, text=True, **pipes) as process:
            yield cls(process)
            process.stdin.close()

    def cases(self, kind: str) -> list[str]:
        """Its cases in memory or on disk, the fastest first."""
        found = (name for name in self.best if name.split("/")[0] == kind)
        return sorted(found, key=self.best.__getitem__)

    def measure(self, case: str) -> None:
        """Have a turn."""
        _, rounds = TURNS[case.split("/")[0]]
        self._process.stdin.write(f"{case} {rounds}\n")
        self._process.stdin.flush()
        took = (seconds / rounds for seconds in self._read())
        self.best[case] = tuple(map(min, self.best[case], took))

    def fastest(self, kind: str) -> tuple[tuple[float, str], tuple[float, str]]:
        """The least processor time and the least wall time of a round, in seconds, and whose that is."""
        cases = self.cases(kind)
        return tuple(min((self.best[case][which], case) for case in cases) for which in (0, 1))

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a side has ended before its time")
        return json.loads(line)


def environment(folder: Path, *what: str) -> Path:
    """The Python of a new environment in which that is installed."""
    made = Environment.make(folder)
    made.install(*what)
    return made.folder / "bin" / "python"


def take_turns(sides: Sequence[Side], kind: str) -> None:
    """Measure all cases of a kind, the slower ways of writing one thing less often."""
    for turn in range(TURNS[kind][0]):
        for side in sides:
            for case in side.cases(kind)[: None if turn < TRIALS else 2]:
                side.measure(case)


def tell(what: str, sides: Sequence[Side], kind: str, goals: Sequence[str]) -> None:
    """Print the figures of all sides, and how many times as long as the first each took."""
    print(what)
    print(f"  {'':12}{'processor':>14}{'wall':>14}   times ours")
    first = sides[0].fastest(kind)
    for side, goal in zip(sides, goals, strict=True):
        fastest = side.fastest(kind)
        figures = "".join(f"{seconds * 1e6:11,.0f} us" for seconds, _ in fastest)
        times = [mine / ours for (mine, _), (ours, _) in zip(fastest, first, strict=True)]
        name = side.about.partition(",")[0].partition(" ")[0]
        print(f"  {name:12}{figures}   {times[0]:6.1f} {times[1]:6.1f}   {goal}")
        ways = sorted({case.partition("/")[2] for _, case in fastest} - {""})
        if ways:
            print(f"  {'':12}the fastest of {len(side.cases(kind))} ways: {', '.join(ways)}")


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        root = Path(temporary)
        for name in ("langgraph", "toolnexus", "data"):
            (root / name).mkdir()
        langgraph = environment(root / "langgraph", "langgraph", "langgraph-checkpoint-sqlite")
        toolnexus = environment(root / "toolnexus", "toolnexus>=0.21.0")
        pythons = {"reference": sys.executable, "langgraph": langgraph, "toolnexus": toolnexus}
        ours, graph, nexus = (
            stack.enter_context(Side.start(python, name, root / "data")) for name, python in pythons.items()
        )
        for side in (ours, graph, nexus):
            print(side.about)
        take_turns([ours, graph, nexus], "memory")
        take_turns([ours, graph], "on-disk")
        take_turns([ours], "commits")
        goals = ("", "(goal: at least 10)", "(goal: more than 1)")
        tell("suspended and resumed, in memory, a round:", [ours, graph, nexus], "memory", goals)
        tell("the same on disk:", [ours, graph], "on-disk", ("", "(goal: at least 2)"))
        tell("the two transactions of ours alone:", [ours], "commits", ("",))


if __name__ == "__main__":
    main()
