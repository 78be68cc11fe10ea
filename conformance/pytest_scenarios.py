"""What the pytest plugin does once it has been asked: finds scenarios, plays them, tells how they ended.

A scenario is a test, and what it is told by is what `outlast run` prints of it. All of one pytest process are
played in one session with the implementation, begun by the first and ended with pytest.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from rich.console import Console

from conformance import configuration, loader, schemas, source
from conformance.api import REFERENCE
from conformance.collection import InputError, load_register
from conformance.drivers import load_driver
from conformance.drivers.base import Driver, DriverFailure, DriverNameError, NotStarted
from conformance.drivers.life import StdioOptions
from conformance.judge import ScenarioResult, is_fatal
from conformance.report.failures import FailureText
from conformance.report.grouping import grouped
from conformance.report.page import Page
from conformance.requirements import Register
from conformance.running import run_one
from conformance.scenario import Scenario
from conformance.session import Session

NAME = "outlast-scenarios"
"""The name under which pytest knows what is registered here."""

_FORMAT_ON_TOP = re.compile(rb"^[\"']?format[\"']?\s*:", re.MULTILINE)


def take_part(config: pytest.Config) -> None:
    """Have the scenarios collected that pytest's configuration or ours names. Raises pytest.UsageError."""
    try:
        configured = configuration.find(config.rootpath)
        register = load_register(configured.requirements)
        paths = _paths(config, configured)
    except (configuration.ConfigurationError, InputError) as error:
        raise pytest.UsageError(str(error)) from error
    given = config.getoption("outlast_driver")
    implementation = _Implementation(given or configured.driver or REFERENCE, configured, given is None)
    text = _Text(register, ["--driver", given] if given else [])
    config.pluginmanager.register(Plugin(config, paths, configured, register, implementation, text), NAME)
    if config.args_source != pytest.Config.ArgsSource.ARGS:
        config.args.extend(str(path) for path in paths if not _is_below(path, map(Path, config.args)))


def _paths(config: pytest.Config, configured: configuration.Configuration) -> list[Path]:
    """The files and folders below which scenarios are tests; none: wherever pytest collects."""
    shipped = schemas.scenarios_folder()
    names = config.getini("outlast_paths")
    if not names:
        return [_found(name, Path(), shipped) for name in configured.scenarios(shipped)]
    folder = config.inipath.parent if config.inipath is not None else config.rootpath
    return [_found(name, folder, shipped) for name in names]


def _found(name: str, folder: Path, shipped: Path) -> Path:
    for path in (folder / name, shipped / name, shipped / f"{name}.yaml"):
        if path.exists():
            return path.absolute()
    raise pytest.UsageError(
        f"outlast_paths: there is no {name}; expected a scenario, a folder of them, or an id of those that"
        " come with outlast"
    )


def _is_below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path == folder or folder.absolute() in path.parents for folder in folders)


class Plugin:
    """Takes part in one run of pytest."""

    def __init__(
        self,
        config: pytest.Config,
        paths: list[Path],
        configured: configuration.Configuration,
        register: Register,
        implementation: _Implementation,
        text: _Text,
    ) -> None:
        self.register = register
        self.implementation = implementation
        self.text = text
        self.is_strict = bool(config.getoption("outlast_strict"))
        self._paths = paths
        self._own_requirements = configured.requirements

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
        """A scenario that is to be a test; no other file."""
        if file_path.suffix != loader.SUFFIX or file_path.name == loader.REGISTER:
            return None
        if self._paths and not _is_below(file_path, self._paths):
            return None
        if self._own_requirements is not None and file_path == self._own_requirements.absolute():
            return None
        return ScenarioFile.of(self, parent, file_path) if _has_format_on_top(file_path) else None

    def root_of(self, file: Path) -> Path:
        """The folder below which the id of a scenario begins."""
        given = next((path for path in self._paths if _is_below(file, [path])), file)
        return loader.root_of(file, given)

    def pytest_unconfigure(self) -> None:
        """The end."""
        self.implementation.close()


def _has_format_on_top(file: Path) -> bool:
    """Whether a file is meant as a scenario: it has the key `format` on top."""
    try:
        data = file.read_bytes()
    except OSError:
        return False
    if b"format" not in data:
        return False
    try:
        value = source.parse(data, str(file)).value
    except source.SourceError:
        return _FORMAT_ON_TOP.search(data) is not None
    return isinstance(value, dict) and "format" in value


class ScenarioFile(pytest.File):
    """A file with one test."""

    plugin: Plugin

    @classmethod
    def of(cls, plugin: Plugin, parent: pytest.Collector, path: Path) -> ScenarioFile:
        """The file at `path`."""
        file: ScenarioFile = cls.from_parent(parent, path=path)
        file.plugin = plugin
        return file

    def collect(self) -> Iterable[pytest.Item]:
        """The test. What is wrong with the file is an error of collecting it."""
        below = os.path.relpath(self.path)
        path = self.path if below.startswith(os.pardir) else Path(below)
        try:
            scenario = loader.load(path, self.plugin.root_of(self.path), self.plugin.register)
        except loader.ScenarioError as error:
            raise self.CollectError(str(error)) from error
        yield ScenarioItem.of(self, scenario)


class ScenarioFailed(Exception):
    """A scenario did not pass; the message is all that there is to say."""


class ScenarioItem(pytest.Item):
    """One scenario as a test, which goes by its id; -k looks at its title, too."""

    plugin: Plugin
    scenario: Scenario

    @classmethod
    def of(cls, file: ScenarioFile, scenario: Scenario) -> ScenarioItem:
        """The test of a scenario."""
        item: ScenarioItem = cls.from_parent(file, name=scenario.id)
        item.plugin = file.plugin
        item.scenario = scenario
        item.extra_keyword_matches.add(scenario.title)
        return item

    def runtest(self) -> None:
        """Play it. It fails where `outlast run` would not end with 0 because of it."""
        plugin = self.plugin
        result = plugin.implementation.play(self.scenario, plugin.register)
        if result.verdict == "unsupported":
            pytest.skip(f"the implementation {result.message}")
        if result.verdict == "passed" and not result.warnings:
            return
        text = plugin.text.of(result)
        if is_fatal(result, strict=plugin.is_strict):
            raise ScenarioFailed(text)
        self.add_report_section("call", "outlast", text)
        if result.verdict == "failed":
            pytest.xfail(f"a {self.scenario.level} that is not met; --outlast-strict makes it a failure")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """What `outlast run` prints of it."""
        if isinstance(excinfo.value, ScenarioFailed | DriverNameError):
            return str(excinfo.value)
        if isinstance(excinfo.value, DriverFailure):
            failure = excinfo.value
            return f"--driver {self.plugin.implementation.name}: {failure.message}\n{failure.detail}".rstrip()
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands, and its name in reports."""
        return self.path, 0, f"{self.scenario.id}: {self.scenario.title}"


class _Implementation:
    """The implementation under test, started when it is first needed."""

    def __init__(self, name: str, configured: configuration.Configuration, is_configured: bool) -> None:
        self.name = name
        self._folder = configured.folder if is_configured and configured.driver is not None else None
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._session: Session | None = None
        self._lost: NotStarted | None = None

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


class _Text:
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
