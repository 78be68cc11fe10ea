"""A driver that has been started, with a host that hands on to the play in progress."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance.drivers.base import (
    Accountable,
    Driver,
    DriverFailure,
    Generation,
    Host,
    Implementation,
    NotStarted,
    Outcome,
)
from conformance.drivers.guarded import Guarded
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

    async def execute(
        self,
        agent: str,
        call_id: str,
        tool: str,
        arguments: dict[str, Json],
        answer: dict[str, Json] | None = None,
    ) -> Outcome:
        """Host.execute."""
        return await self._current().execute(agent, call_id, tool, arguments, answer)

    async def approve(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> str | None:
        """Host.approve."""
        return await self._current().approve(agent, call_id, tool, arguments)

    async def wait_for(self, agent: str, request: dict[str, Json]) -> dict[str, Json]:
        """Host.wait_for."""
        return await self._current().wait_for(agent, request)

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """Host.moved. Behind the end of a play there is nobody to tell."""
        if self.host is not None:
            self.host.moved(runtime, handle, before, after)

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
        if not isinstance(driver, Accountable):
            driver = Guarded(driver)
        try:
            implementation = await driver.start(switch)
        except DriverFailure:
            raise
        except Exception as error:
            raise _broken("it could not be started", error) from error
        return cls(driver, implementation, switch)

    @classmethod
    async def start(cls, factory: Callable[[], Driver]) -> Session:
        """Make a driver and start it. Raises NotStarted."""
        try:
            driver = factory()
        except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            raise _broken("the driver could not be made", error) from error
        if not callable(getattr(driver, "start", None)):
            raise NotStarted(f"the factory made a {type(driver).__name__}, which is no driver")
        return await cls.open(driver)

    async def close(self) -> tuple[str, ...]:
        """Shut the driver down; what a person should know of it although no scenario failed by it."""
        failed: tuple[str, ...] = ()
        try:
            await self.driver.shutdown()
        except Exception as error:  # noqa: BLE001 - nothing of what has been played is lost by it
            failed = (f"it could not be shut down: {_said(error)}",)
        notes: object = getattr(self.driver, "notes", ())
        return (*map(str, notes if isinstance(notes, list | tuple) else ()), *failed)


def _broken(what: str, error: BaseException) -> NotStarted:
    return NotStarted(f"{what}: {_said(error)}", "".join(traceback.format_exception(error)))


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
