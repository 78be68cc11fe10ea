"""Play each variant by itself, or those whose description has one of the words.

For each: in how many scenarios it shows at all (one that shows in none proves nothing), and below it the
`must` scenarios that fail, or end as no variant should. The exit status is 1 if there is any.
"""

from __future__ import annotations

import asyncio

import click

from conformance import requirements, schemas
from conformance.commands.common import give_up
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


@click.command(help=__doc__)
@click.argument("words", nargs=-1, metavar="[WORD]...")
def main(words: tuple[str, ...]) -> None:
    variants = [it for it in all_variants() if not words or any(word in it.takes for word in words)]
    if not variants:
        give_up("no variant has any of these words")
    plain = shown(asyncio.run(played(None)))
    accused = nowhere = 0
    for variant in variants:
        report = asyncio.run(played(variant))
        differ = sum(plain[id] != it for id, it in shown(report).items())
        nowhere += differ == 0
        mark = "" if differ else " (shows nowhere: proves nothing)"
        print(f"{differ:4}  {variant.takes}{mark}", flush=True)
        is_accused = False
        for result in report.scenarios:
            broken = [failure for failure in (*result.failures, *result.warnings) if failure.level == "must"]
            if broken or result.verdict not in ("passed", "failed"):
                is_accused = True
                print(f"      {result.scenario.id} {result.verdict} {result.message}")
                print(*(f"        {failure.check}: {failure.message}" for failure in broken), sep="\n")
        accused += is_accused
    shown_nowhere = f", {nowhere} shown nowhere" if nowhere else ""
    print(f"{len(variants)} variants, {accused} accused{shown_nowhere}")
    raise SystemExit(accused > 0)


if __name__ == "__main__":
    main(prog_name="python -m tests.variants")
