"""Playing all scenarios with one fault, until one of them sees it.

Each fault has a process of its own, forked from this one when everything has been loaded: starting it costs
nothing, and a fault that hangs, eats memory or ends its process does no harm.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext

from conformance import requirements, schemas
from conformance.drivers.base import Driver, NotStarted
from conformance.loader import load_all
from conformance.running import Conditions, run_one
from conformance.session import Session
from tests.copies import Edit, copy_with
from tests.mutation.faults import Fault, Outcome, path_of
from tests.mutation.reaching import Lines, listening, reaching

SILENCE = 10.0
"""How long, in seconds, a scenario may have nothing to say."""
SLOWER, LEAST = 3.0, 30
"""How many times as much of the processor's time as without a fault all scenarios may take, and how many
seconds of it in any case. What else the machine does makes no fault seen."""
PATIENCE = 900.0
"""After how many seconds a fault whose process neither works nor ends is said to hang."""
MEMORY = 2 << 30


NO_START = "(does not start)"
HANGS = "(hangs)"
DIES = "(ends its process, or would work for ever)"


class Suite:
    """All scenarios, in an order that finds a fault early: what saw the last ones comes first."""

    def __init__(self) -> None:
        folder = schemas.scenarios_folder()
        self._register = requirements.read(folder / "requirements.yaml")
        loaded, problems = load_all([folder], self._register)
        if problems:
            raise ValueError(f"{len(problems)} scenarios cannot be read; see `outlast lint`")
        self._scenarios = {scenario.id: scenario for scenario in loaded}
        self._lines: dict[str, Lines] = {}
        self._at_import: Lines = frozenset()
        self._limit = LEAST

    def measure(self) -> float:
        """Play everything without a fault, to see what each scenario reaches; how many seconds that takes.

        Raises:
            ValueError: a scenario sees a fault in the reference as it is.
        """
        began = time.process_time()
        with listening() as self._at_import:
            factory = copy_with([])
        seen_by = asyncio.run(self._first(factory, list(self._scenarios), self._lines))
        if seen_by:
            raise ValueError(f"the reference as it is fails {seen_by}")
        seconds = time.process_time() - began
        self._limit = max(LEAST, int(seconds * SLOWER))
        return seconds

    def play(self, faults: Iterable[Fault], processes: int) -> Iterator[Outcome]:
        """What comes of each fault; so many processes play side by side."""
        left, playing = iter(faults), list[_Play]()
        while True:
            while len(playing) < processes and (fault := next(left, None)) is not None:
                playing.append(_Play(fault, self._seen_by, self._limit))
            if not playing:
                return
            select.select([play.pipe for play in playing], [], [], 0.2)
            for play in list(playing):
                outcome = play.outcome()
                if outcome is not None:
                    playing.remove(play)
                    self._prefer(outcome.seen_by)
                    yield outcome

    def _prefer(self, id: str) -> None:
        scenario = self._scenarios.pop(id, None)
        if scenario is not None:
            self._scenarios = {id: scenario, **self._scenarios}

    def _seen_by(self, fault: Fault) -> str:
        original = path_of(fault.module).read_text(encoding="utf-8")
        ids = reaching(fault, self._lines, self._at_import)
        try:
            factory = copy_with([Edit(fault.module, original, fault.source)])
        except Exception:  # noqa: BLE001 - whatever it is, it is the fault's
            return NO_START
        return asyncio.run(self._first(factory, [id for id in self._scenarios if id in ids]))

    async def _first(
        self, factory: Callable[[], Driver], ids: Sequence[str], reached: dict[str, Lines] | None = None
    ) -> str:
        """The first of these scenarios that does not pass without a warning. `reached` is filled with the
        lines that each executes."""
        try:
            session = await Session.start(factory)
        except NotStarted:
            return NO_START
        conditions = Conditions(SILENCE, with_sequence=False)
        for id in ids:
            with nullcontext() if reached is None else listening() as lines:
                result = await run_one(self._scenarios[id], session, self._register, conditions)
            if result.verdict != "passed" or result.warnings:
                return id
            if reached is not None and lines is not None:
                reached[id] = lines
        return ""


class _Play:
    """One fault in its process."""

    def __init__(self, fault: Fault, seen_by: Callable[[Fault], str], limit: int) -> None:
        self._fault = fault
        self._began = time.monotonic()
        self.pipe, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _answer(writing, fault, seen_by, limit)
        os.close(writing)

    def outcome(self) -> Outcome | None:
        """What came of it; None while it plays."""
        seconds = time.monotonic() - self._began
        is_over, _, _ = select.select([self.pipe], [], [], 0)
        if not is_over and seconds < PATIENCE:
            return None
        said = os.read(self.pipe, 4096).decode() if is_over else json.dumps(HANGS)
        os.close(self.pipe)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        return Outcome(self._fault, json.loads(said) if said else DIES, seconds)


def _answer(pipe: int, fault: Fault, seen_by: Callable[[Fault], str], limit: int) -> None:
    """In the forked process: say which scenario sees the fault, and end, after so many seconds of work at the
    latest."""
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.write(pipe, json.dumps(seen_by(fault)).encode())
    finally:
        os._exit(0)
