"""Filling in the matrix, in as many processes as are asked for.

A process plays one mutant after the other, each in a session of its own. Whatever becomes of it, by a mutant
that ends it or by one that never lets go, is a part of that mutant's row; the next one gets a new process.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import multiprocessing
import shlex
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TypeAlias

from conformance.drivers.base import Driver, NotStarted
from conformance.drivers.life import StdioOptions
from conformance.drivers.reference import driver
from conformance.drivers.stdio import load_driver
from conformance.requirements import Register, Requirement
from conformance.running import Conditions, run_one
from conformance.scenario import Scenario
from conformance.session import Session
from tests.mutants import Mutant, MutantError, broken
from tests.mutants.matrix import Cell, Row, cell

Factory: TypeAlias = Callable[[Mutant], Callable[[], Driver]]
OnRow: TypeAlias = Callable[[Row], None]

ROOT = Path(__file__).parents[3]
STDERR = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What each mutant is played against and how.

    `factory`, a function at the top of a module, gives a mutant's driver. A scenario that is not over after
    `hangs_after` seconds, although time-outs are far shorter, ends the process; it is long, for a machine
    that was halted in between hangs in no scenario.
    """

    scenarios: Sequence[Scenario]
    requirements: Mapping[str, Requirement]
    factory: Factory = broken
    timeout: float = 5.0
    hangs_after: float = 300.0

    def against(self, mutant: Mutant) -> list[Scenario]:
        """The scenarios of the mutant's profile."""
        return [scenario for scenario in self.scenarios if scenario.profile in mutant.profiles]


def over_stdio(mutant: Mutant) -> Callable[[], Driver]:
    """The driver of a mutant that is served by a process of its own. Only one of `all_mutants` can be."""
    command = [sys.executable, "-m", "tests.mutants.matrix.serving", mutant.breaks]
    return load_driver(shlex.join(command), StdioOptions(cwd=ROOT))


def without_a_fault(plan: Plan) -> list[Cell]:
    """How the scenarios end with the reference as it is; in this process."""
    cells: list[Cell] = []
    asyncio.run(_play_all(driver, plan.scenarios, plan, cells.append))
    return cells


def play(mutants: Sequence[Mutant], plan: Plan, jobs: int, on_row: OnRow | None = None) -> tuple[Row, ...]:
    """The rows of the mutants, in their order. `on_row` is called with each when it is complete."""
    left = [*enumerate(mutants)][::-1]
    rows: dict[int, Row] = {}
    crew = {player.connection: player for player in (_Player(plan) for _ in range(min(jobs, len(left))))}
    try:
        for player in crew.values():
            player.play(*left.pop())
        while crew:
            ready = wait([*crew])
            for player in [player for connection, player in crew.items() if connection in ready]:
                row = player.hear()
                if row is None:
                    continue
                rows[player.place] = row
                if on_row is not None:
                    on_row(row)
                del crew[player.connection]
                if left:
                    player = player if player.is_there else _Player(plan)
                    crew[player.connection] = player
                    player.play(*left.pop())
    finally:
        for player in crew.values():
            player.process.terminate()
    return tuple(rows[place] for place in range(len(mutants)))


class _Player:
    """A process that plays, as it is seen from here."""

    def __init__(self, plan: Plan) -> None:
        context = multiprocessing.get_context("spawn")  # a copy of a process that has threads may stand still
        self.connection, its = context.Pipe()
        self.process = context.Process(target=_work, args=(plan, its), daemon=True)
        self.process.start()
        its.close()  # so that its end is seen here
        self._plan = plan
        self.is_there = True
        self.place = 0

    def play(self, place: int, mutant: Mutant) -> None:
        """Let it play a mutant. It may have died of itself: then the answer says so."""
        self.place, self._mutant, self._cells = place, mutant, list[Cell]()
        try:
            self.connection.send(mutant)
        except OSError:
            self.is_there = False

    def hear(self) -> Row | None:
        """What it has to say next: the row once it is complete, or the process gone."""
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            self.is_there = False
            self.connection.close()
            self.process.join()
            at = self._plan.against(self._mutant)[len(self._cells) :]
            where = f"while it played {at[0].id}" if at else "behind the last scenario"
            said = f"its process ended with status {self.process.exitcode} {where}"
        if isinstance(said, Cell):
            self._cells.append(said)
            return None
        return Row(self._mutant, tuple(self._cells), said)


def _work(plan: Plan, connection: Connection) -> None:
    """What a process does until nobody is there any more: for each mutant it says every cell, and then what
    kept it from playing the rest, or that nothing did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that can tell
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # a play leaves little behind, and looking for it as often as usual is an eighth
    while True:
        try:
            mutant: Mutant = connection.recv()
        except EOFError:
            return
        lost = ""
        try:
            asyncio.run(_play_all(plan.factory(mutant), plan.against(mutant), plan, connection.send))
        except (MutantError, NotStarted) as failure:
            lost = f"it cannot be played: {failure.__cause__ or failure}"
        connection.send(lost)


async def _play_all(
    factory: Callable[[], Driver], scenarios: Sequence[Scenario], plan: Plan, say: Callable[[Cell], None]
) -> None:
    register, conditions = Register(plan.requirements), Conditions(plan.timeout, with_sequence=False)
    session = await Session.start(factory)
    try:
        for scenario in scenarios:
            faulthandler.dump_traceback_later(plan.hangs_after, exit=True, file=STDERR)
            say(cell(await run_one(scenario, session, register, conditions)))
    finally:
        faulthandler.cancel_dump_traceback_later()
        await session.close()
