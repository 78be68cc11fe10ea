"""One scenario on a page: what it is about, its timeline, and where it failed if it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from conformance.judge import ScenarioResult
from conformance.playing import Played
from conformance.report import wording
from conformance.report.failures import COLOURS, FailureText, below_here
from conformance.report.page import Page
from conformance.report.telling import Who
from conformance.report.timeline import UNREACHED, Line, Timeline
from conformance.requirements import Register
from conformance.scenario import AgentScript, Scenario

STYLES: Mapping[Who, str] = {
    "host": "cyan",
    "model": "green",
    "tool": "yellow",
    "expect": "blue",
    "event": "dim",
}
NUMBER = 4
WHO = 8
DEEPER = 2


@dataclass(frozen=True, slots=True)
class Showing:
    """Writes one scenario.

    `played` gives the order; `result` is what came of it where that is to be shown, with the events.
    """

    page: Page
    register: Register
    scenario: Scenario
    played: Played | None
    failures: FailureText
    result: ScenarioResult | None = None

    def lines(self) -> Iterator[Text]:
        """The whole page."""
        yield from self._head()
        timeline = Timeline(self.scenario, self.played, events=self.result is not None)
        shown: list[int] = []
        for number, lines in timeline.steps():
            shown.append(number)
            yield Text()
            if number == UNREACHED:
                yield from self.page.wrapped(self._unreached(timeline), hanging=2)
            for place, line in enumerate(lines):
                yield from self._line(line, str(number) if number and not place else "")
            yield from self._failed(number)
        yield from self._verdict(shown)

    def _head(self) -> Iterator[Text]:
        scenario = self.scenario
        level = Text(f" ({scenario.level})", "" if scenario.level == "must" else "yellow")
        yield Text.assemble((scenario.id, "bold"), level)
        yield from self.page.wrapped(wording.printable(scenario.title))
        if scenario.description:
            yield Text()
            yield from self.page.wrapped(wording.printable(scenario.description.strip()))
        yield Text()
        for id in scenario.covers:
            requirement = self.register[id]
            head = Text.assemble((id, "bold"), f": {requirement.text}")
            yield from self.page.wrapped(head, hanging=2)
        yield Text.assemble(("file: ", "bold"), below_here(str(scenario.path)))
        agents = [_agent(name, agent) for name, agent in scenario.agents.items()]
        parts = [*_surroundings(scenario), *agents]
        if len(parts) > 1 or any(part != "main" for part in parts):
            yield Text()
            for part in parts:
                yield from self.page.wrapped(part, hanging=2)

    def _unreached(self, timeline: Timeline) -> str:
        if self.played is None:
            return "What the script has, in the order in which each agent and tool is asked:"
        return "Not reached:" if timeline.lacks_something else "Not needed here:"

    def _line(self, line: Line, number: str) -> Iterator[Text]:
        indent = NUMBER + line.depth * DEEPER
        said = line.said
        style = STYLES[said.who]
        width = self.page.width if said.below or said.who == "event" else self.page.prose
        head = Text.assemble(f"{number:>{NUMBER - 2}}", " " * (indent - NUMBER + 2))
        who = "" if said.who == "event" else said.who
        start = Text.assemble(head, (f"{who:<{WHO}}", style))
        column = indent + WHO
        what = Text(said.what, "dim" if said.who == "event" else "")
        if said.who == "event":
            yield Text.assemble(start, self.page.cut(what, width - column))
        else:
            first, *rest = self.page.wrapped(what, hanging=2, width=max(width - column, 20))
            yield Text.assemble(start, first)
            for more in rest:
                yield Text.assemble(" " * column, more)
        for below in said.below:
            inset = len(below) - len(below.lstrip())
            yield from self.page.wrapped(below.strip(), column + 2 + inset, 2, width=self.page.width)

    def _failed(self, number: int) -> Iterator[Text]:
        if self.result is None:
            return
        for failure in (*self.result.failures, *self.result.warnings):
            if failure.step == number:
                yield from self.failures.failure(self.result, failure, indent=NUMBER)

    def _verdict(self, shown: Sequence[int]) -> Iterator[Text]:
        if self.result is None:
            return
        result = self.result
        if all(number != UNREACHED for number in shown):
            yield from self._failed(UNREACHED)
        yield Text()
        message = f": {wording.printable(result.message)}" if result.message else ""
        yield Text.assemble((result.verdict, f"bold {COLOURS[result.verdict]}"), message)


def _surroundings(scenario: Scenario) -> Iterator[str]:
    """What the agents of a scenario live in, in a line, where something is said of it."""
    runtime = scenario.runtime
    parts = [f"budget {wording.flow({**runtime.budget})}"] if runtime.budget else []
    if runtime.inbox_cap is not None:
        parts.append(f"inboxes of {runtime.inbox_cap}")
    if runtime.wait_for is not None:
        parts.append("an interpreter")
    if parts:
        yield f"every runtime: {'; '.join(parts)}"
    if scenario.store == "disk":
        yield "conversations are kept on disk"


def _agent(name: str, agent: AgentScript) -> str:
    """An agent's configuration in a line."""
    parts = [wording.printable(agent.does, keep="")] if agent.does else []
    for noun, names in (("tools", agent.tools), ("relay tools", agent.relays), ("team", agent.team)):
        if names:
            parts.append(f"{noun} {', '.join(names)}")
    if agent.pause_on_pending:
        parts.append("pauses on pending calls")
    if agent.max_rounds is not None:
        parts.append(f"at most {agent.max_rounds} tool rounds")
    if agent.max_turns is not None:
        parts.append(f"at most {agent.max_turns} turns in a run")
    if agent.system_prompt is not None:
        parts.append(f"system prompt {wording.quoted(agent.system_prompt)}")
    if agent.budget:
        parts.append(f"budget {wording.flow({**agent.budget})}")
    if agent.wait_for is not None:
        parts.append("an interpreter")
    return f"{name}: {'; '.join(parts)}" if parts else name
