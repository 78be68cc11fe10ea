"""What the pytest plugin does once it has been asked: finds scenarios, plays them, tells how they ended.

A scenario is a test, and what it is told by is what `outlast run` prints of it. All of one pytest process are
played in one session with the implementation, begun by the first and ended with pytest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import configuration, known_failures, loader, schemas, source
from conformance.api import REFERENCE
from conformance.collection import InputError, load_register
from conformance.drivers.base import DriverFailure, DriverNameError
from conformance.judge import ScenarioResult, is_fatal
from conformance.known_failures import KnownFailures
from conformance.pytest_choosing import Choice, named
from conformance.pytest_playing import FailureTexts, ImplementationUnderTest
from conformance.requirements import Register
from conformance.scenario import Scenario

NAME = "outlast-scenarios"
"""The name under which pytest knows what is registered here."""

_FORMAT_ON_TOP = re.compile(rb"^[\"']?format[\"']?\s*:", re.MULTILINE)


def take_part(config: pytest.Config) -> None:
    """Have the scenarios collected that pytest's configuration or ours names. Raises pytest.UsageError."""
    try:
        configured = configuration.find(config.rootpath)
        register = load_register(configured.requirements)
        paths = _paths(config, configured)
        given = named(config)
        known = _known(configured, paths)
    except (configuration.ConfigurationError, InputError) as error:
        raise pytest.UsageError(str(error)) from error
    driver = config.getoption("outlast_driver")
    implementation = ImplementationUnderTest(
        driver or configured.driver or REFERENCE, None if driver else configured
    )
    texts = FailureTexts(register, ["--driver", driver] if driver else [])
    is_strict = bool(config.getoption("outlast_strict"))
    wanted = Wanted(
        tuple(paths),
        tuple(given),
        register,
        configured.requirements,
        known,
        is_strict,
        Choice.of(config, register),
    )
    config.pluginmanager.register(Plugin(wanted, implementation, texts), NAME)
    if config.args_source != pytest.Config.ArgsSource.ARGS:
        config.args.extend(str(path) for path in paths if not _is_below(path, map(Path, config.args)))


def _known(configured: configuration.Configuration, paths: Iterable[Path]) -> KnownFailures | None:
    """The list of known failures, if one is configured. Raises InputError."""
    if configured.known_failures is None:
        return None
    given = [(configured.folder / path).absolute() for path in configured.paths]
    roots = [loader.root_below(path) for path in (*paths, *given) if path.exists()]
    return known_failures.read(configured.known_failures, roots=roots)


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for. Without `paths` scenarios are taken wherever pytest collects; otherwise below
    those, and what is `named` where pytest is called."""

    paths: tuple[Path, ...]
    named: tuple[Path, ...]
    register: Register
    own_requirements: Path | None
    known: KnownFailures | None
    is_strict: bool
    choice: Choice


class Plugin:
    """Takes part in one run of pytest."""

    def __init__(self, wanted: Wanted, implementation: ImplementationUnderTest, texts: FailureTexts) -> None:
        self.wanted = wanted
        self.implementation = implementation
        self.texts = texts
        self.collected: list[Scenario] = []
        self._unmatched: dict[str, None] = {}

    def pytest_report_header(self) -> str:
        """Against what the scenarios are played."""
        return f"outlast: scenarios are played against {self.implementation}"

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
        """A scenario that is to be a test; no other file."""
        if file_path.suffix != loader.SUFFIX or file_path.name == loader.REGISTER:
            return None
        if self.wanted.paths and not _is_below(file_path, (*self.wanted.paths, *self.wanted.named)):
            return None
        own = self.wanted.own_requirements
        if own is not None and file_path == own.absolute():
            return None
        return ScenarioFile.of(self, parent, file_path) if _has_format_on_top(file_path) else None

    def root_of(self, file: Path) -> Path:
        """The folder below which the id of a scenario begins."""
        wanted = (*self.wanted.paths, *self.wanted.named)
        given = next((path for path in wanted if _is_below(file, [path])), file)
        return loader.root_of(file, given)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the scenarios that are not asked for; what is no scenario stays."""
        kept: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            is_other = isinstance(item, ScenarioItem) and not self.wanted.choice.takes(item.scenario)
            (left_out if is_other else kept).append(item)
        if left_out:
            items[:] = kept
            config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """What is wrong with the list of known failures is an error of its own, as for the command."""
        self._look_for_unmatched(session.config)
        if self._list_problems() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell of it."""
        problems = self._list_problems()
        if problems:
            terminalreporter.section("known failures of outlast", red=True)
        for problem in problems:
            terminalreporter.line(problem)

    def _look_for_unmatched(self, config: pytest.Config) -> None:
        """Entries of the list that match nothing. Where scenarios are taken wherever they are collected, and
        none is, nothing can be said of any; with pytest-xdist it is the workers that collect."""
        known = self.wanted.known
        if known is None or not (self.collected or self.wanted.paths):
            return
        self._unmatched |= dict.fromkeys(map(str, known.unmatched(self.collected)))
        if hasattr(config, "workeroutput"):
            config.workeroutput[NAME] = [*self._unmatched]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """A worker of pytest-xdist has ended, and says what it has found."""
        self._unmatched |= dict.fromkeys(getattr(node, "workeroutput", {}).get(NAME, ()))

    def _list_problems(self) -> list[str]:
        known = self.wanted.known
        return [*map(str, known.problems), *self._unmatched] if known is not None else []

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
            scenario = loader.load(path, self.plugin.root_of(self.path), self.plugin.wanted.register)
        except loader.ScenarioError as error:
            raise self.CollectError(str(error)) from error
        self.plugin.collected.append(scenario)
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
        plugin, known = self.plugin, self.plugin.wanted.known
        result = plugin.implementation.play(self.scenario, plugin.wanted.register)
        if known is not None:
            result = known.marked(result)
            stale = "\n".join(map(str, known.stale([result])))
            if stale:
                raise ScenarioFailed(stale)
        if result.verdict == "unsupported":
            pytest.skip(f"the implementation {result.message}")
        if result.verdict != "passed" or result.warnings:
            self._tell(result, known)

    def _tell(self, result: ScenarioResult, known: KnownFailures | None) -> None:
        text = self.plugin.texts.of(result)
        if is_fatal(result, strict=self.plugin.wanted.is_strict):
            raise ScenarioFailed(text)
        self.add_report_section("call", "outlast", text)
        if result.is_known and known is not None:
            pytest.xfail(f"known failure: {known.count[self.scenario.id][0].reason}")
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
