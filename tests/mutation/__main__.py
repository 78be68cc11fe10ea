"""`python -m tests.mutation [MODULES ...]`: how many faults in these modules, or in all, are seen.

Prints each module's score and that of all: the part of the faults that a scenario sees, where one that
changes nothing counts like any other. Exit status 1 if `survivors.yaml` does not explain a survivor, or
explains what does not survive, and 2 if it cannot be read. It takes up to some seconds for each fault.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

from conformance.source import SourceError
from tests.mutation.faults import Outcome, modules

try:
    from tests.mutation.making import faults
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is missing: pip install -e '.[mutation]'")
from tests.mutation.playing import Suite
from tests.mutation.survivors import KINDS, Comparison, compared, listed, renumber


def main(words: Sequence[str]) -> int:
    """The exit status."""
    asked = _parser().parse_args(words)
    try:
        entries = listed()
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    suite = Suite()
    print(f"Without a fault all scenarios pass, in {suite.measure():.1f} s.", flush=True)
    outcomes, comparisons = list[Outcome](), list[Comparison]()
    for module in asked.modules or modules():
        began = time.monotonic()
        found = list(suite.play(faults(module), asked.processes))
        outcomes += found
        comparison = compared([entry for entry in entries if entry.module == module], found)
        comparisons.append(comparison)
        _tell(module, found, comparison, time.monotonic() - began)
        for problem in comparison.problems:
            print(problem, flush=True)
    total = Comparison(
        tuple(entry for each in comparisons for entry in each.explained),
        tuple(entry for each in comparisons for entry in each.moved),
        tuple(problem for each in comparisons for problem in each.problems),
    )
    _tell("all", outcomes, total, sum(outcome.seconds for outcome in outcomes))
    return _conclude(total, renumbers=asked.renumber)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "modules", nargs="*", type=_module, metavar="MODULE", default=[], help="one of reference/"
    )
    parser.add_argument("-n", "--processes", type=int, default=2, help="how many faults are played at a time")
    parser.add_argument(
        "--renumber", action="store_true", help="write the lines of faults that have moved into the list"
    )
    return parser


def _module(name: str) -> str:
    """A module of that name; `choices` of argparse would refuse that there is none."""
    if name not in modules():
        known = ", ".join(modules())
        raise argparse.ArgumentTypeError(f"there is no {name} in reference/; there are {known}")
    return name


def _tell(what: str, outcomes: Sequence[Outcome], comparison: Comparison, seconds: float) -> None:
    seen = sum(not outcome.survived for outcome in outcomes)
    entries = [*comparison.explained, *(entry for entry, _ in comparison.moved)]
    kinds = Counter(entry.kind for entry in entries)
    explained = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])
    count = f"{seen:5} of {len(outcomes):5} seen"
    score = f"{seen / len(outcomes):6.1%}" if outcomes else "  none"
    print(f"{what:14} {count}  {score}  {seconds:6.0f} s  {explained}", flush=True)


def _conclude(comparison: Comparison, *, renumbers: bool) -> int:
    if renumbers:
        renumber(comparison.moved)
    else:
        for survivor, line in comparison.moved:
            print(f"{survivor.position}: this fault is at line {line} now; --renumber writes that down")
    return int(bool(comparison.problems) or (bool(comparison.moved) and not renumbers))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
