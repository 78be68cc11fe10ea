"""How the pytest plugin plays a scenario and tells of it: as the command does, one after the other.

Knows nothing of how pytest finds tests.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Callable

from rich.console import Console

from conformance import schemas
from conformance.configuration import Configuration
from conformance.drivers import load_driver
from conformance.drivers.base import Driver, NotStarted
from conformance.drivers.life import StdioOptions
from conformance.judge import ScenarioResult
from conformance.report.failures import FailureText
from conformance.report.grouping import grouped
from conformance.report.page import Page
from conformance.requirements import Register
from conformance.running import run_one
from conformance.scenario import Scenario
from conformance.session import Session


class ImplementationUnderTest:
    """The implementation of that name, started when it is first needed.

    One that is `configured` is looked for where its configuration stands.
    """

    def __init__(self, name: str, configured: Configuration | None) -> None:
        self.name = name
        self._told_by = configured.file if configured is not None and configured.driver else None
        self._folder = configured.folder if configured is not None and configured.driver else None
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._session: Session | None = None
        self._lost: NotStarted | None = None

    def __str__(self) -> str:
        return f"{self.name} ({self._told_by.name})" if self._told_by is not None else self.name

    def play(self, scenario: Scenario, register: Register) -> ScenarioResult:
        """How a scenario ended. Raises DriverNameError, or NotStarted; that again and again once it did."""
        if self._lost is not None:
            raise self._lost
        try:
            if self._session is None:
                self._session = self._runner.run(Session.start(self._factory()))
            return self._runner.run(run_one(scenario, self._session, register))
        except NotStarted as failure:
            self._lost = NotStarted(failure.message)  # the details are told once
            raise

    def _factory(self) -> Callable[[], Driver]:
        options = None
        if self._folder is not None and self.name.startswith("stdio:"):
            options = StdioOptions(cwd=self._folder)
        elif self._folder is not None:
            sys.path.insert(0, str(self._folder))
        return load_driver(self.name, options)

    def close(self) -> None:
        """End what has been started."""
        try:
            if self._session is not None:
                self._runner.run(self._session.close())
        finally:
            self._session = None
            self._runner.close()


class FailureTexts:
    """Tells of a scenario as `outlast run` does."""

    def __init__(self, register: Register, options: list[str]) -> None:
        self._register = register
        self._command = ["outlast", "run", *options]

    def of(self, result: ScenarioResult) -> str:
        """All that there is to say of one that did not pass, or passed with warnings."""
        page = Page(Console(file=io.StringIO(), color_system=None))
        text = FailureText(page, self._register, self._command, schemas.scenarios_folder())
        if result.verdict == "passed":
            lines = text.scenario(result)
        else:
            lines = text.groups(grouped([result], self._register))
        return "\n".join(line.plain for line in lines).strip("\n")
