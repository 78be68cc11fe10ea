"""A driver that has been started, with a host that hands on to the play in progress."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.drivers.base import Driver, Generation, Host, Implementation, Outcome
from conformance.scenario import Json


class Switch:
    """The host that a driver is started with: one for all plays, each of which puts its own behind it."""

    def __init__(self) -> None:
        self.host: Host | None = None

    def _current(self) -> Host:
        if self.host is None:
            raise asyncio.CancelledError("no play is in progress")
        return self.host

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        """Host.generate."""
        return await self._current().generate(agent, messages)

    async def execute(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> Outcome:
        """Host.execute."""
        return await self._current().execute(agent, call_id, tool, arguments)

    async def approve(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> str | None:
        """Host.approve."""
        return await self._current().approve(agent, call_id, tool, arguments)

    def event(self, agent: str, event: dict[str, Json]) -> None:
        """Host.event. What comes between two plays belongs to neither."""
        if self.host is not None:
            self.host.event(agent, event)


@dataclass(slots=True)
class Session:
    """A started driver and what its implementation says of itself."""

    driver: Driver
    implementation: Implementation
    switch: Switch = field(default_factory=Switch)

    @classmethod
    async def open(cls, driver: Driver) -> Session:
        """Start `driver`. Raises NotStarted."""
        switch = Switch()
        return cls(driver, await driver.start(switch), switch)
