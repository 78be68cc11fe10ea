"""The suite from Python: what the command does, and nothing that it cannot do.

    from conformance import load, run

    report = run(load(["agent/inbox"]), "python:my_agent.driver:create", jobs=4)
    for result in report.scenarios:
        print(result.verdict, result.scenario.id)
    raise SystemExit(report.exit_status())

`load` reads scenarios, `play` plays one of them, `run` plays them all. Each of the latter runs an event loop
of its own; `play_async` and `run_async` are for where one is running already. A driver is given by its name,
as on the command line, or by a function without arguments that makes a `Driver`.

What may go wrong:

- `InputError`: a scenario, a register of requirements or a list of known failures is wrong. Raised by `load`,
  `read_known_failures` and `run`.
- `SelectionError`: what is asked for does not exist, or cannot be understood. Raised by `load` and
  `Scenarios.select`.
- `DriverNameError`: the driver's name is wrong or leads nowhere. Raised by `play` and `run`.
- `NotStarted`: the implementation cannot be started. Raised by `play` and `run`. When it cannot be kept
  running, `play` raises the same, and `run` answers with what has been played till then (`Report.lost`).
- `TypeError`: `run` with several `jobs` and a driver that cannot be handed to another process.
- `ValueError`: `play`, `run`, `merge` or `Scenarios.shard` with numbers or parts that make no sense.

Whatever an implementation does while a scenario is played is no error here but a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from os import PathLike
from typing import TypeAlias, TypeVar

from conformance import patterns
from conformance.collection import InputError, Scenarios, covered, load, load_register
from conformance.drivers import load_driver
from conformance.drivers.base import (
    AgentOptions,
    Call,
    Crashed,
    Driver,
    DriverFailure,
    DriverNameError,
    Generation,
    Host,
    HostError,
    Implementation,
    ImplementationError,
    InboxItem,
    NotStarted,
    NotWritten,
    Outcome,
    ProtocolError,
    TimedOut,
)
from conformance.drivers.life import Tap
from conformance.drivers.partial import PartialDriver
from conformance.examination import Diagnosis, examine
from conformance.execution import Execution
from conformance.interrupts import LoopEnded, Told, finish
from conformance.judge import Report, RequirementResult, ScenarioResult, requirement_results
from conformance.known_failures import KnownFailures
from conformance.known_failures import read as read_known_failures
from conformance.requirements import Register, Requirement
from conformance.running import Conditions, OnResult, run_one
from conformance.scenario import Scenario
from conformance.selection import SelectionError
from conformance.session import Session
from conformance.source import Problem
from conformance.tracing import load_traced, traced
from conformance.verdict import Failure, Status, Verdict

__all__ = [
    "REFERENCE",
    "AgentOptions",
    "Call",
    "Crashed",
    "Diagnosis",
    "Driver",
    "DriverFailure",
    "DriverLike",
    "DriverNameError",
    "Failure",
    "Generation",
    "Host",
    "HostError",
    "Implementation",
    "ImplementationError",
    "InboxItem",
    "InputError",
    "KnownFailures",
    "NotStarted",
    "NotWritten",
    "Outcome",
    "PartialDriver",
    "Problem",
    "ProtocolError",
    "Register",
    "Report",
    "Requirement",
    "RequirementResult",
    "Scenario",
    "ScenarioResult",
    "Scenarios",
    "SelectionError",
    "Status",
    "TimedOut",
    "Verdict",
    "doctor",
    "load",
    "load_register",
    "merge",
    "patterns",
    "play",
    "play_async",
    "read_known_failures",
    "run",
    "run_async",
    "trace",
]

REFERENCE = "python:conformance.drivers.reference:driver"
"""The name of the driver of the reference."""

T = TypeVar("T")
DriverLike: TypeAlias = str | Callable[[], Driver]
KnownFailuresLike: TypeAlias = str | PathLike[str] | KnownFailures


def _factory(driver: DriverLike) -> Callable[[], Driver]:
    return load_driver(driver) if isinstance(driver, str) else driver


def play(
    scenario: Scenario, driver: DriverLike = REFERENCE, *, timeout: float = 10.0, repeat: int = 1
) -> ScenarioResult:
    """Play one scenario against an implementation that is started for it; how it ended.

    `timeout` is how long, in seconds, the implementation may be silent while the suite waits for it. With
    `repeat` it is played so many times, and what differs is told (`repetition.combined`).
    """
    return _finished(play_async(scenario, driver, timeout=timeout, repeat=repeat))


async def play_async(
    scenario: Scenario, driver: DriverLike = REFERENCE, *, timeout: float = 10.0, repeat: int = 1
) -> ScenarioResult:
    """As `play`, where a loop is running."""
    register = load_register()
    session = await Session.start(_factory(driver))
    try:
        return await run_one(scenario, session, register, Conditions(timeout, repeat))
    finally:
        await session.close()


def doctor(driver: DriverLike = REFERENCE, *, timeout: float = 10.0) -> Diagnosis:
    """Try the least that must work of an implementation, and each capability, whether claimed or not."""
    return _finished(examine(_factory(driver), timeout))


def trace(
    scenario: Scenario, driver: DriverLike = REFERENCE, *, tap: Tap, timeout: float = 10.0
) -> ScenarioResult:
    """As `play`, with every line of the exchange shown to `tap` as it crosses.

    `tap` is called with the direction (`->` goes to the implementation, `<-` comes from it) and the line. For
    a driver in this process these are the lines that its calls would be over stdio.
    """
    factory = load_traced(driver, tap) if isinstance(driver, str) else traced(driver, tap)
    return play(scenario, factory, timeout=timeout)


def run(
    scenarios: Iterable[Scenario],
    driver: DriverLike = REFERENCE,
    *,
    timeout: float = 10.0,
    jobs: int = 1,
    repeat: int = 1,
    seed: int | None = None,
    stop_at_first: bool = False,
    known_failures: KnownFailuresLike | None = None,
    with_sequence: bool = True,
    on_result: OnResult | None = None,
) -> Report:
    """Play scenarios against an implementation and put the verdicts together, in the order of `scenarios`.

    `timeout` and `repeat` as for `play`. `jobs` is the number of processes, each with an implementation of
    its own; with one, all is played in this process. `seed` shuffles the order of playing. `stop_at_first`
    ends the run at the first, in that order, that does not pass. `known_failures` is a list of scenarios that
    need not pass, or the file in which it stands. Without `with_sequence` what passed carries no sequence,
    which is quicker. `on_result` is called after each, in the order in which they end.

    The report does not depend on `jobs`, and not on `seed` unless `stop_at_first`, but for the seconds in it.
    To measure requirements of your own, hand over what `load` has given or what was selected from it.
    """
    conditions = Conditions(timeout, repeat, with_sequence)
    execution = _execution(
        scenarios, driver, conditions, jobs, seed, stop_at_first, known_failures, on_result
    )
    try:
        return _finished(execution.play())
    except LoopEnded as failure:
        report = execution.broken_off(failure.message, lost=True)
        if report is None:
            raise
        return report


def _finished(main: Coroutine[None, None, T]) -> T:
    try:
        return finish(main)
    except Told:
        raise KeyboardInterrupt from None


def _execution(
    scenarios: Iterable[Scenario],
    driver: DriverLike,
    conditions: Conditions,
    jobs: int,
    seed: int | None,
    stop_at_first: bool,
    known_failures: KnownFailuresLike | None,
    on_result: OnResult | None,
) -> Execution:
    known = known_failures
    if known is not None and not isinstance(known, KnownFailures):
        known = read_known_failures(known)
    return Execution(
        _with_requirements(scenarios),
        _factory(driver),
        conditions,
        jobs=jobs,
        seed=seed,
        stop_at_first=stop_at_first,
        known=known,
        on_result=on_result,
    )


def _with_requirements(scenarios: Iterable[Scenario]) -> Scenarios:
    if isinstance(scenarios, Scenarios):
        return scenarios
    items, register = tuple(scenarios), load_register()
    unknown = sorted(covered(items) - register.keys())
    if unknown:
        raise ValueError(f"{unknown[0]} is no requirement of ours: hand over what load has given")
    return Scenarios(items, register, covered(items))


async def run_async(
    scenarios: Iterable[Scenario],
    driver: DriverLike = REFERENCE,
    *,
    timeout: float = 10.0,
    jobs: int = 1,
    repeat: int = 1,
    seed: int | None = None,
    stop_at_first: bool = False,
    known_failures: KnownFailuresLike | None = None,
    with_sequence: bool = True,
    on_result: OnResult | None = None,
) -> Report:
    """As `run`, where a loop is running."""
    conditions = Conditions(timeout, repeat, with_sequence)
    execution = _execution(
        scenarios, driver, conditions, jobs, seed, stop_at_first, known_failures, on_result
    )
    return await execution.play()


def merge(reports: Iterable[Report]) -> Report:
    """One report of those on the parts of a selection (`Scenarios.shard`), as if it had been played as one.

    Raises ValueError where they are on different implementations or registers, have a scenario in common, or
    there is none.
    """
    parts = list(reports)
    if len({part.implementation for part in parts}) != 1:
        raise ValueError("the reports are on different implementations, or there is none")
    registers = [{found.requirement.id: found.requirement for found in part.requirements} for part in parts]
    results = sorted((result for part in parts for result in part.scenarios), key=lambda it: it.scenario.id)
    ids = [result.scenario.id for result in results]
    if any(register != registers[0] for register in registers):
        raise ValueError("the reports are on different registers of requirements")
    if len(set(ids)) < len(ids):
        raise ValueError(f"{next(id for id in ids if ids.count(id) > 1)} is in more than one of the reports")
    return Report(
        parts[0].implementation,
        tuple(results),
        requirement_results(Register(registers[0]), results),
        frozenset().union(*(part.asked_for for part in parts)),
        "; ".join(dict.fromkeys(part.stopped for part in parts if part.stopped)),
        any(part.lost for part in parts),
        tuple(sorted({note for part in parts for note in part.notes})),
        any(part.uses_list for part in parts),
        tuple(dict.fromkeys(problem for part in parts for problem in part.list_problems)),
    )
