"""`outlast list`."""

from __future__ import annotations

import click

from conformance.commands.common import choose, of_scenarios
from conformance.scenario import Profile


@click.command()
@of_scenarios
@click.option("-q", "--quiet", is_flag=True, help="Print the ids alone.")
def list(
    paths: tuple[str, ...],
    profiles: tuple[Profile, ...],
    expression: str | None,
    requirements: tuple[str, ...],
    quiet: bool,
) -> None:
    """Tell which scenarios there are.

    They are chosen as `run` chooses them. PATH is a scenario, a folder of scenarios, or the id of one that
    comes with outlast or the beginning of one (agent/inbox).

    \b
    Examples:
      outlast list agent/inbox -k 'final and not results'
      outlast list -q --requirement agent.resume | xargs outlast run
    """
    from conformance.report import listing
    from conformance.report.page import Page

    scenarios = choose(paths, profiles, expression, requirements).scenarios
    page = Page()
    if quiet:
        page.print(*listing.ids(scenarios))
        return
    page.print(*listing.listed(page, scenarios))
    if page.is_terminal:
        page.print(listing.total(scenarios))
