"""`python -m tests.variants [WORDS ...]`: each variant by itself, or those that have one of the words.

For each: the `must` scenarios that fail, of which there should be none, and the number of scenarios in which
the variant shows at all. One that shows in none proves nothing.
"""

from __future__ import annotations

import asyncio
import sys

from conformance import requirements, schemas
from conformance.drivers.reference import driver
from conformance.judge import Report
from conformance.loader import load_all
from conformance.running import run
from conformance.scenario import Json
from conformance.session import Session
from tests.variants import Variant, all_variants, otherwise, shown_in

REGISTER = requirements.read(schemas.scenarios_folder() / "requirements.yaml")
SCENARIOS, _ = load_all([schemas.scenarios_folder()], REGISTER)


async def played(variant: Variant | None) -> Report:
    session = await Session.open((otherwise([variant]) if variant else driver)())
    scenarios = shown_in([variant], SCENARIOS) if variant else SCENARIOS
    report = await run(scenarios, session, REGISTER, timeout=5)
    await session.driver.shutdown()
    return report


def shown(report: Report) -> dict[str, Json]:
    """What is to be seen of each scenario."""
    return {it.scenario.id: [[*it.sequence], {**it.conversations}] for it in report.scenarios}


def main(words: list[str]) -> int:
    """The exit status: 1 where a variant breaks a `must`."""
    plain = shown(asyncio.run(played(None)))
    status = 0
    for variant in all_variants():
        if words and not any(word in variant.takes for word in words):
            continue
        report = asyncio.run(played(variant))
        differ = sum(plain[id] != it for id, it in shown(report).items())
        print(f"{differ:4}  {variant.takes}", flush=True)
        for result in report.scenarios:
            broken = [failure for failure in (*result.failures, *result.warnings) if failure.level == "must"]
            if broken or result.verdict not in ("passed", "failed"):
                status = 1
                print(f"      {result.scenario.id} {result.verdict} {result.message}")
                print(*(f"        {failure.check}: {failure.message}" for failure in broken), sep="\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
