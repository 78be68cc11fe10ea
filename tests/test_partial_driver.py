"""A driver of which only the beginning is written."""

from __future__ import annotations

import inspect

from conformance import AgentOptions, Driver, Host, Implementation, PartialDriver, load, play
from conformance.scenario import Json


class Echo(PartialDriver):
    """An agent that says what its model says, and knows neither tools nor an inbox."""

    async def start(self, host: Host) -> Implementation:
        self.host = host
        return Implementation("echo", "1", "python", frozenset({"agent"}), frozenset())

    async def create(self, agent: str, options: AgentOptions) -> None:
        self.said: list[dict[str, Json]] = []

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        self._say("user", text)
        for type in ("AgentStart", "TurnStart", "ContextBudget"):
            self.host.event(agent, {"type": type})
        generation = await self.host.generate(agent, self.said)
        message = self._say("assistant", "".join(generation.chunks))
        self.host.event(agent, {"type": "GenerationStats"})
        self.host.event(agent, {"type": "MessageEnd", "message": message})
        self.host.event(agent, {"type": "TurnEnd", "message": message, "tool_results": []})
        self.host.event(agent, {"type": "AgentEnd", "messages": [message]})
        return {"message": message}

    async def messages(self, agent: str) -> list[dict[str, Json]]:
        return self.said

    def _say(self, role: str, content: str) -> dict[str, Json]:
        message: dict[str, Json] = {"id": str(len(self.said)), "role": role, "content": content}
        self.said.append(message | {"timestamp": 0})
        return self.said[-1]


def test_a_scenario_that_needs_no_more_than_what_is_written_is_judged() -> None:
    (scenario,) = load(["agent/events/turn-order"])

    assert play(scenario, Echo).verdict == "passed"


def test_a_scenario_that_needs_more_does_not_pass_and_says_what_is_missing() -> None:
    results = [play(scenario, Echo) for scenario in load(["agent/resume/nothing-to-do", "agent/inbox/fifo"])]

    assert [(result.verdict, result.message) for result in results] == [
        ("protocol-error", "the driver has no put yet"),
        ("protocol-error", "the driver has no resume yet"),
    ]


def test_it_has_everything_that_a_driver_has() -> None:
    methods = {name for name, _ in inspect.getmembers(Driver, inspect.isfunction) if not name.startswith("_")}

    assert methods <= {name for name, _ in inspect.getmembers(PartialDriver, inspect.isfunction)}
