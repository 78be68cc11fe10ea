"""Of the scenarios that come with outlast, the one with which another about the same requirements begins.

Each of our requirements has one that is about nothing else. Knows files and what scenarios cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance import loader, schemas
from conformance.requirements import Register
from conformance.scenario import Scenario

_KEY = re.compile(r"^[\"']?(\w+)")
_OF_ITS_OWN = frozenset({"format", "title", "description", "covers"})
"""The keys on top that say what a scenario is about, and nothing of how it is played."""


@dataclass(frozen=True, slots=True)
class Example:
    """The scenario `id` as it is played: the text of its agents, tools and steps."""

    id: str
    body: str


def beside(covered: Sequence[str], register: Register) -> list[Scenario]:
    """The scenarios that come with outlast in the folders of these requirements."""
    shipped = schemas.scenarios_folder()
    folders = dict.fromkeys(shipped.joinpath(*id.split(".")[:-1]) for id in covered)
    scenarios, _ = loader.load_all([folder for folder in folders if folder.is_dir()], register)
    return scenarios


def example(covered: Sequence[str], scenarios: Iterable[Scenario]) -> Example | None:
    """The one of `scenarios` that covers most of these requirements and no others: that which bears the
    first's name, or else the shortest. None where there is none, as for requirements of one's own."""
    about = [scenario for scenario in scenarios if set(scenario.covers) <= set(covered)]
    if not about:
        return None
    name = covered[0].replace(".", "/")

    def rank(scenario: Scenario) -> tuple[int, bool, int, str]:
        return -len(scenario.covers), scenario.id != name, scenario.path.stat().st_size, scenario.id

    best = min(about, key=rank)
    return Example(best.id, _body(best.path.read_text(encoding="utf-8")))


def _body(text: str) -> str:
    """What of a file says how it is played, from the key at which that begins."""
    kept: list[str] = []
    is_body = False
    for line in text.splitlines():
        key = _KEY.match(line)
        if key is not None:
            is_body = key[1] not in _OF_ITS_OWN
        if is_body:
            kept.append(line)
    return "\n".join(kept).strip() + "\n"
