"""What a person sees: lists, scenarios, requirements and failures, as they stand on a page.

`page` is one of a given width on which nobody looks, `same_as_golden` compares with a text that was
read before it was accepted, and `altered` is the reference with its events changed on the way to the suite.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from conformance.drivers.base import Driver, Host, Implementation
from conformance.drivers.reference import ReferenceDriver
from conformance.report.page import Page
from conformance.scenario import Json

Event = dict[str, Json]
Change = Callable[[Event], Event | None]


GOLDEN = Path(__file__).parent / "golden"


def same_as_golden(name: str, text: str) -> bool:
    """Whether a text is that in the file of this name. With OUTLAST_ACCEPT_GOLDEN set it becomes so; read it
    then."""
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("OUTLAST_ACCEPT_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return text == file.read_text(encoding="utf-8")


def page(width: int) -> tuple[Page, io.StringIO]:
    """A page of that width, and what is written on it."""
    written = io.StringIO()
    return Page(Console(file=written, width=width, highlight=False, markup=False, emoji=False)), written


def flat(text: str) -> str:
    """A text on one line, so that it can be searched for what may be broken into several."""
    return " ".join(text.split())


class _Altering:
    """A host to which events come changed. Everything else goes straight on."""

    def __init__(self, host: Host, change: Change) -> None:
        self._host = host
        self._change = change
        self.generate = host.generate
        self.execute = host.execute
        self.approve = host.approve

    def event(self, agent: str, event: Event) -> None:
        changed = self._change(event)
        if changed is not None:
            self._host.event(agent, changed)


def altered(change: Change) -> Callable[[], Driver]:
    """The factory of a driver of the reference whose events are changed, or dropped where that gives None."""

    class Altered(ReferenceDriver):
        async def start(self, host: Host) -> Implementation:
            return await super().start(_Altering(host, change))

    return Altered
