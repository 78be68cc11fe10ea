"""What there is, a line for each scenario. Knows nothing of how they were chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from conformance.report import wording
from conformance.report.grouping import area
from conformance.report.page import Page
from conformance.scenario import LEVELS, Scenario

_LEVEL = max(map(len, LEVELS))


def ids(scenarios: Sequence[Scenario]) -> Iterator[str]:
    """The ids alone, for other programs."""
    return (scenario.id for scenario in scenarios)


def listed(page: Page, scenarios: Sequence[Scenario]) -> Iterator[Text]:
    """Folder by folder on a terminal; elsewhere each line is whole: id, level and title."""
    if not page.is_terminal:
        widest = max((cell_len(scenario.id) for scenario in scenarios), default=0)
        for scenario in scenarios:
            title = wording.printable(scenario.title, keep="")
            yield Text(f"{scenario.id:<{widest}}  {scenario.level:<{_LEVEL}}  {title}")
        return
    for name, group in groupby(sorted(scenarios, key=area), key=area):
        inside = list(group)
        yield Text.assemble((name, "bold"), f" ({len(inside)})")
        for scenario in inside:
            yield from _scenario(page, scenario)
        yield Text()


def _scenario(page: Page, scenario: Scenario) -> Iterator[Text]:
    name = scenario.id.rpartition("/")[2]
    style = "" if scenario.level == "must" else "yellow"
    yield Text.assemble("  ", (f"{scenario.level:<{_LEVEL}}", style), "  ", (name, "bold"))
    yield from page.wrapped(wording.printable(scenario.title), indent=_LEVEL + 4)


def total(scenarios: Sequence[Scenario]) -> str:
    """`3 scenarios: 2 must, 1 should`."""
    counts = [(level, sum(scenario.level == level for scenario in scenarios)) for level in LEVELS]
    noun = "scenario" if len(scenarios) == 1 else "scenarios"
    return f"{len(scenarios)} {noun}: {', '.join(f'{count} {level}' for level, count in counts if count)}"
