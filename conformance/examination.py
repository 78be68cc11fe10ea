"""The least that must work before a whole run is worth looking at, step by step, and what is claimed.

Each step is a scenario that is small and about one thing, in the order in which somebody who writes a driver
comes to it. Capabilities are tried whether they are claimed or not. Knows nothing of how it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.collection import load
from conformance.drivers.base import CAPABILITIES, Capability, Driver, Implementation, NotStarted
from conformance.judge import ScenarioResult, is_fatal
from conformance.requirements import Register
from conformance.running import Conditions, run_one
from conformance.scenario import PROFILES, Profile, Scenario
from conformance.selection import PROBES as PROBES_FOLDER
from conformance.selection import probe_name
from conformance.session import Session
from conformance.unknown_events import notes_on


def _probe(name: str) -> str:
    return f"{PROBES_FOLDER.name}/{name}"


STEPS: Mapping[Profile, Sequence[tuple[str, str]]] = {
    "agent": (
        ("an agent is made and answers a prompt, with its events in order", "agent/events/turn-order"),
        ("a tool is called, with its events in order", "agent/events/tool-group"),
        ("a run of several turns has AgentStart first and AgentEnd last", "agent/events/run-brackets"),
        ("the conversation is kept, and a pushed message is read by resume", "agent/inbox/push-user-turn"),
        ("a message that lands during a run is answered in it", "agent/inbox/read-at-final"),
        ("a pending call is recorded in the conversation", "agent/pending/recorded"),
        ("a pending call is listed until its result has been read", "agent/pending/listed"),
        ("a run that is to pause on a pending call does", "agent/pending/pause"),
        ("after a pause, resume brings the result to the model", "agent/resume/after-pause"),
        ("resume with nothing to do is refused", "agent/resume/nothing-to-do"),
        ("whether a reply is due can be asked", "agent/resume/needs-reply-true"),
        ("a run can be stopped", "agent/run/stop"),
        ("a saved conversation can be put back and gone on with", "agent/restart/resolve-after"),
        ("after a crash a fresh agent knows what is still owed", "agent/restart/pending-after-crash"),
    ),
    "runtime": (
        ("a handle is spawned and woken, and gives its result", _probe("runtime")),
        ("a handle is suspended, and brought to its end by the Answer", "runtime/resume/done"),
    ),
    "client": (
        ("a client runs to its end", _probe("client")),
        ("a run is halted where nobody answers", "client/halt/pending"),
    ),
}
"""What has to work for each profile that is claimed, and the scenario that shows it. Without a profile's
first nothing else of it can."""

PROBES: dict[Capability, str] = {
    "answers": _probe("answers"),
    "children": "agent/child/reply",
    "clock": _probe("clock"),
    "denial": "agent/run/denied",
    "disk-store": _probe("disk-store"),
    "live-views": _probe("live-views"),
    "relays": "client/halt/pending-relayed",
    "runtime-budget": "runtime/limits/tokens-of-the-runtime",
    "runtime-interpreter": "runtime/resume/interpreter-of-the-runtime",
    "state-traces": _probe("state-traces"),
    "threads": "agent/inbox/any-thread",
    "updates": "agent/run/update",
}
"""A scenario that shows whether a capability is there. It is tried if the scenario's profile is claimed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that has to work. `result` is None where it was not tried."""

    what: str
    scenario: str
    result: ScenarioResult | None

    @property
    def works(self) -> bool:
        """Whether it was tried and passed."""
        return self.result is not None and self.result.verdict == "passed"

    @property
    def is_wrong(self) -> bool:
        """Whether it was tried, and is more than weak: a must is broken, or it could not be brought to its
        end."""
        return self.result is not None and is_fatal(self.result)


@dataclass(frozen=True, slots=True)
class Probe:
    """One capability: whether it is claimed, and what came of trying it (None where it was not tried)."""

    capability: Capability
    scenario: str
    is_claimed: bool
    result: ScenarioResult | None

    @property
    def works(self) -> bool:
        """Whether it was tried, and nothing broke a must or what the scenario is about."""
        result = self.result
        if result is None or result.verdict not in ("passed", "failed"):
            return False
        about = {*result.scenario.covers}
        return all(
            failure.level != "must" and failure.requirements and about.isdisjoint(failure.requirements)
            for failure in result.failures
        )


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was found. `lost` says why it could not be kept running till the end, if so; `notes` what a
    person should know of it besides."""

    implementation: Implementation
    steps: tuple[Step, ...]
    probes: tuple[Probe, ...]
    lost: str = ""
    notes: tuple[str, ...] = ()

    def exit_status(self) -> int:
        """0, 1 (something that must work does not, or what is claimed) or 3, with which the command ends."""
        if self.lost:
            return 3
        wrong = any(step.result is None or step.is_wrong for step in self.steps)
        return int(wrong or any(probe.is_claimed and not probe.works for probe in self.probes))


async def examine(factory: Callable[[], Driver], timeout: float = 10.0) -> Diagnosis:
    """Try everything. `timeout` is how long, in seconds, the implementation may be silent.

    Raises NotStarted. After a step that has timed out nothing more is tried, and nothing more of a profile
    the first step of which does not work.
    """
    scenarios = load([*(name for steps in STEPS.values() for _, name in steps), *PROBES.values()])
    called = {probe_name(scenario.path) or scenario.id: scenario for scenario in scenarios}
    session = await Session.start(factory)
    claimed = [profile for profile in PROFILES if profile in session.implementation.profiles] or PROFILES[:1]
    examiner = _Examiner(session, scenarios.requirements, timeout)
    try:
        steps = [
            Step(what, name, await examiner.try_out(called[name]))
            for profile in claimed
            for what, name in STEPS[profile]
        ]
        probed = [
            await examiner.probe(capability, called[name])
            for capability, name in PROBES.items()
            if called[name].profile in claimed
        ]
    finally:
        notes = await session.close()
    tried = [result for result in (*(it.result for it in steps), *(it.result for it in probed)) if result]
    unknown = notes_on(type for result in tried for type in result.unknown_types)
    return Diagnosis(session.implementation, tuple(steps), tuple(probed), examiner.lost, (*unknown, *notes))


class _Examiner:
    """Plays one scenario after the other, as long as that makes sense."""

    def __init__(self, session: Session, register: Register, timeout: float) -> None:
        everything = replace(session.implementation, capabilities=frozenset(CAPABILITIES))
        self.lost = ""
        self._claims = session.implementation.capabilities
        self._as_it_is = session
        self._as_if_able = replace(session, implementation=everything)
        self._conditions = Conditions(timeout, with_sequence=False)
        self._register = register
        self._begun: set[Profile] = set()
        self._hopeless: set[Profile] = set()
        self._is_over = False

    async def try_out(self, scenario: Scenario) -> ScenarioResult | None:
        """What comes of a step; None where it makes no sense any more."""
        result = await self._play(scenario, self._as_it_is)
        if result is not None and result.verdict != "passed":
            self._is_over = self._is_over or result.verdict == "timed-out"
            if scenario.profile not in self._begun:
                self._hopeless.add(scenario.profile)
        self._begun.add(scenario.profile)
        return result

    async def probe(self, capability: Capability, scenario: Scenario) -> Probe:
        """What comes of a capability, whatever is claimed."""
        result = await self._play(scenario, self._as_if_able)
        return Probe(capability, PROBES[capability], capability in self._claims, result)

    async def _play(self, scenario: Scenario, session: Session) -> ScenarioResult | None:
        if self._is_over or scenario.profile in self._hopeless:
            return None
        try:
            return await run_one(scenario, session, self._register, self._conditions)
        except NotStarted as failure:
            self.lost, self._is_over = failure.message, True
            return None
