"""All scenarios again and again: the report is the same each time, to the byte, times apart.

    python -m tests.repeatability [ROUNDS] [--driver DRIVER]

Each round is played in an order of its own. Two processes play half of the rounds each, at once, and every
tenth round is itself divided between two processes. The first report that differs ends it, with the
difference and the command that plays that round again. A round takes some seconds; a thousand are played
unless another number is given.
"""

from __future__ import annotations

import difflib
import json
import multiprocessing
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
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


def rounds(count: int, first: int = 1, step: int = 1) -> Iterator[Round]:
    """The rounds up to `count`: from the `first` on all of them, or as many as a `step` leaves."""
    for seed in range(first, count + 1, step):
        yield Round(seed, 2 if seed % 10 == 2 else 1)


def written(report: Report) -> bytes:
    """The report as `outlast run --json` writes it, but that every time in it is 0 and all is on one line,
    which is quicker."""
    untimed = tuple(replace(result, seconds=0.0) for result in report.scenarios)
    data = replace(report, scenarios=untimed).to_json()
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")


def difference(
    scenarios: Scenarios, driver: DriverLike, first: bytes, playing: Iterable[Round]
) -> tuple[Round, str] | None:
    """The first of these rounds whose report is not the `first` one, and what is different in it."""
    for played in playing:
        again = written(run(scenarios, driver, seed=played.seed, jobs=played.jobs))
        if again != first:
            return played, "\n".join(islice(_compared(first, again), SHOWN))
    return None


def _compared(first: bytes, again: bytes) -> Iterator[str]:
    one, other = (
        json.dumps(json.loads(text), indent=1, ensure_ascii=False).splitlines() for text in (first, again)
    )
    return difflib.unified_diff(one, other, "in order", "again", n=3, lineterm="")


def half(driver: str, first: bytes, count: int, begins: int) -> tuple[Round, str] | None:
    """What one of the two processes finds."""
    return difference(load(), driver, first, rounds(count, begins, 2))


@click.command(help=__doc__)
@click.argument("count", type=click.IntRange(min=1), default=1000, metavar="[ROUNDS]")
@click.option("--driver", default=REFERENCE, help="As for `outlast run`.")
def main(count: int, driver: str) -> None:
    scenarios = load()
    began = time.monotonic()
    first = written(run(scenarios, driver))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        halves = [processes.submit(half, driver, first, count, begins) for begins in (1, 2)]
        found = next((it.result() for it in as_completed(halves) if it.result() is not None), None)
        if found is not None:
            processes.shutdown(cancel_futures=True)
    took = time.monotonic() - began
    if found is not None:
        played, lines = found
        sys.exit(f"not the same: outlast run --driver {driver} --json again.json {played}\n{lines}")
    how = "each in another order, in two processes at once"
    print(f"{count} rounds of {len(scenarios)} scenarios, {how}: one report, to the byte ({took:.0f} s)")


if __name__ == "__main__":
    main()
