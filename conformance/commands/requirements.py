"""`outlast requirements`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import (
    chosen_requirements,
    configuration,
    give_up,
    of_profiles,
    of_requirements,
    read,
    refuse,
)
from conformance.scenario import LEVELS, Level, Profile

if TYPE_CHECKING:
    from conformance.collection import Scenarios
    from conformance.report.reading_back import SavedReport
    from conformance.requirements import Requirement

LEVELS_AND_ORIGINS = """
\b
Levels:
  must        an implementation that differs does not conform
  should      a difference is a warning, and fails a run with --strict only
  may         for information: the reference's own choice

\b
Origins:
  documented  the documents say it
  derived     it follows from what they say
  background  public documentation of the same systems says it; never a must
  field       users reported the fault, and the documents imply what is right;
              never a must
"""


@click.command(epilog=LEVELS_AND_ORIGINS)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@of_requirements
@of_profiles
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(LEVELS),
    help="Only requirements of this level; may be repeated.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A report by run --json: tell what is broken, not measured and met.",
)
@click.option("--markdown", is_flag=True, help="Print a specification to implement from.")
@click.option("-q", "--quiet", is_flag=True, help="Print a line for each requirement.")
def requirements(
    ids: tuple[str, ...],
    requirements: tuple[str, ...],
    profiles: tuple[Profile, ...],
    levels: tuple[Level, ...],
    report_file: Path | None,
    markdown: bool,
    quiet: bool,
) -> None:
    """Tell what is demanded, and what looks at it.

    Each requirement is listed with the scenarios that cover it, with the check that looks at every play for
    it, if there is one, and with the faults, put into the reference one at a time, that they were shown to
    see. ID is that of a requirement, or the beginning of some (agent.inbox), as after
    --requirement.

    \b
    Examples:
      outlast requirements agent.inbox
      outlast run --json report.json; outlast requirements --report report.json
      outlast requirements --profile agent --markdown > specification.md
    """
    from conformance.checks import ALWAYS_ON
    from conformance.faults import known_faults
    from conformance.report.coverage import Coverage
    from conformance.report.page import Page

    report = _read(report_file) if report_file is not None else None
    scenarios = _everything()
    chosen = _chosen(scenarios, (*ids, *requirements), profiles, levels)
    if markdown:
        click.echo(_specification(scenarios, chosen, report), nl=False)
        return
    covered_by: dict[str, list[str]] = {}
    for scenario in scenarios:
        for id in scenario.covers:
            covered_by.setdefault(id, []).append(scenario.id)
    always_on = {check.requirement: check.name for check in ALWAYS_ON}
    page = Page()
    coverage = Coverage(page, covered_by, always_on, quiet, known_faults())
    page.print(*(coverage.register(chosen) if report is None else coverage.report(chosen, report)))


def _read(file: Path) -> SavedReport:
    from conformance.report.reading_back import ReportError, read_report

    try:
        return read_report(file)
    except ReportError as error:
        give_up(f"--report {error}")


def _everything() -> Scenarios:
    """The scenarios that ship, and those that are configured beside them."""
    from conformance import schemas
    from conformance.configuration import ConfigurationError

    shipped = schemas.scenarios_folder()
    try:
        return read([str(shipped), *configuration().scenarios(shipped)])
    except ConfigurationError as error:
        refuse(error)


def _chosen(
    scenarios: Scenarios, names: tuple[str, ...], profiles: tuple[Profile, ...], levels: tuple[Level, ...]
) -> list[Requirement]:
    register = scenarios.requirements
    wanted = chosen_requirements(names, register)
    found = [
        requirement
        for requirement in register.values()
        if (wanted is None or requirement.id in wanted)
        and (not profiles or requirement.profile in profiles)
        and (not levels or requirement.level in levels)
    ]
    if not found:
        give_up("nothing was selected: no requirement matches all of what was asked for")
    return found


def _specification(scenarios: Scenarios, chosen: list[Requirement], report: SavedReport | None) -> str:
    from conformance.report.specification import Specification

    known = report.requirements if report is not None else {}
    statuses = {id: str(it.status) for id, it in known.items()}
    by_id = {scenario.id: scenario for scenario in scenarios}
    return Specification(scenarios.requirements, chosen, by_id, statuses).text()
