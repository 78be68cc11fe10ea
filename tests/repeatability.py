"""All scenarios again and again: the report is the same each time, to the byte, times apart.

    python -m tests.repeatability [ROUNDS] [--driver DRIVER]

Each round is played in an order of its own, every second one in two processes at once. The first report that
differs ends it, with the difference and the command that plays that round again. A round takes a second or
two; a thousand are played unless another number is given.
"""

from __future__ import annotations

import difflib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import click

from conformance import Report, Scenarios, load, run
from conformance.api import REFERENCE, DriverLike

SHOWN = 20
"""So many lines of a difference are shown."""


@dataclass(frozen=True)
class Round:
    """How one round is played: in the order that `seed` gives, in `jobs` processes."""

    seed: int
    jobs: int

    def __str__(self) -> str:
        return f"--shuffle {self.seed} -n {self.jobs}"


def rounds() -> Iterator[Round]:
    """All rounds there are, one after the other."""
    seed = 0
    while True:
        seed += 1
        yield Round(seed, 2 - seed % 2)


def written(report: Report) -> bytes:
    """The report as `outlast run --json` writes it, every time in it being 0."""
    untimed = tuple(replace(result, seconds=0.0) for result in report.scenarios)
    data = replace(report, scenarios=untimed).to_json()
    return json.dumps(data, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace")


def difference(scenarios: Scenarios, driver: DriverLike, count: int) -> tuple[Round, str] | None:
    """The first of `count` rounds whose report is not that of a run in the order of the scenarios, and what
    is different in it."""
    first = written(run(scenarios, driver))
    for played in islice(rounds(), count):
        again = written(run(scenarios, driver, seed=played.seed, jobs=played.jobs))
        if again != first:
            return played, "\n".join(islice(_compared(first, again), SHOWN))
    return None


def _compared(first: bytes, again: bytes) -> Iterator[str]:
    one, other = (text.decode("utf-8").splitlines() for text in (first, again))
    return difflib.unified_diff(one, other, "in order", "again", n=3, lineterm="")


@click.command(help=__doc__)
@click.argument("count", type=click.IntRange(min=1), default=1000, metavar="[ROUNDS]")
@click.option("--driver", default=REFERENCE, help="As for `outlast run`.")
def main(count: int, driver: str) -> None:
    scenarios = load()
    began = time.monotonic()
    found = difference(scenarios, driver, count)
    took = time.monotonic() - began
    if found is not None:
        played, lines = found
        sys.exit(f"not the same: outlast run --driver {driver} --json again.json {played}\n{lines}")
    how = "each in another order, every second one in two processes at once"
    print(f"{count} rounds of {len(scenarios)} scenarios, {how}: one report, to the byte ({took:.0f} s)")


if __name__ == "__main__":
    main()
