"""Whatever a driver in this process says, the command stays whole and tells it of the right scenario."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, cast

import pytest
from click.testing import CliRunner

from conformance import load_register
from conformance.cli import main
from conformance.drivers.base import (
    Driver,
    Generation,
    Host,
    HostError,
    Implementation,
    ImplementationError,
)
from conformance.drivers.reference import ReferenceDriver
from conformance.judge import ScenarioResult
from conformance.loader import load_all
from conformance.running import run
from conformance.scenario import Json
from conformance.session import Session

Says: TypeAlias = Callable[[Any], Coroutine[None, None, object]]
"""What a driver does with its host when it is prompted; it is not held to the types."""

AGENT = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents:
  main:
    model: [{text: Hello.}]
steps:
  - prompt: Hi
    result: {message: {content: Hello.}}
"""
RUNTIME = """\
format: 1
title: A turn comes to its end
covers: [runtime.handle.state-names]
agents:
  ops:
    model: [{text: Hello.}]
steps:
  - {spawn: ops}
  - {wake: Go}
  - {wait: null, result: {status: done, text: Hello.}}
"""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of playing: the results, and what is noted of the driver at the end."""

    results: tuple[ScenarioResult, ...]
    notes: tuple[str, ...]


def played(folder: Path, driver: Driver, *texts: str, timeout: float = 5) -> Told:
    for number, text in enumerate(texts):
        (folder / f"s{number}.yaml").write_text(text, encoding="utf-8")
    register = load_register()
    scenarios, problems = load_all([folder], register)
    assert problems == []

    async def playing() -> Told:
        session = await Session.open(driver)
        report = await run(scenarios, session, register, timeout=timeout)
        return Told(report.scenarios, await session.close())

    return asyncio.run(playing())


class Saying(ReferenceDriver):
    """Says something wrong to its host when it is prompted, and does nothing else wrong."""

    def __init__(self, says: Says) -> None:
        super().__init__()
        self._says = says

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        await self._says(self._host)
        return await super().prompt(agent, text)


def test_a_reply_that_is_not_answered_as_message_is_a_protocol_error(tmp_path: Path) -> None:
    class Bare(ReferenceDriver):
        async def prompt(self, agent: str, text: str) -> dict[str, Json]:
            answer = (await super().prompt(agent, text))["message"]
            assert isinstance(answer, dict)
            return answer

    (result,) = played(tmp_path, Bare(), AGENT).results

    assert result.verdict == "protocol-error"
    assert result.message == (
        'a wrong answer to prompt: found a message, expected {"message": ...} with that message in it'
    )


def test_fields_of_its_own_beside_no_reply_are_passed_over(tmp_path: Path) -> None:
    class Counting(ReferenceDriver):
        async def prompt(self, agent: str, text: str) -> dict[str, Json]:
            return {**await super().prompt(agent, text), "turns": 1}

    assert [it.verdict for it in played(tmp_path, Counting(), AGENT).results] == ["passed"]


@pytest.mark.parametrize(
    "says, words",
    [
        (lambda host: host.generate(None, []), "the model was asked with nothing as agent"),
        (lambda host: host.generate("main", None), "the model was given nothing, expected messages"),
        (lambda host: host.generate("main", [1]), "the model was given a value of the type list, expected"),
        (lambda host: host.generate("main", [{1: 2}]), "what the model was given is no JSON: keys must be"),
        (
            lambda host: host.execute("main", 1, "t", {}),
            "a tool was executed with a value of the type int as",
        ),
        (
            lambda host: host.execute("main", "", "t", None),
            "a tool was executed with nothing as its arguments",
        ),
        (lambda host: host.execute("main", "", "t", {"a": {1}}), "what a tool was executed with is no JSON"),
        (
            lambda host: host.execute("main", "", "t", {}, 1),
            "a tool was executed with a value of the type int",
        ),
        (
            lambda host: host.approve("main", "", ["t"], {}),
            "a call was to be approved with a value of the type",
        ),
        (
            lambda host: host.wait_for("main", None),
            "an interpreter was asked with nothing, expected a request",
        ),
        (lambda host: host.wait_for(2, {}), "an interpreter was asked with a value of the type int as agent"),
    ],
)
def test_what_is_asked_in_a_wrong_way_is_an_error_of_the_protocol(
    tmp_path: Path, says: Says, words: str
) -> None:
    told = played(tmp_path, Saying(says), AGENT)

    assert (told.results[0].verdict, told.results[0].message[: len(words)]) == ("protocol-error", words)
    assert told.notes == ()


def test_a_driver_that_is_refused_and_goes_on_ends_in_that_error_all_the_same(tmp_path: Path) -> None:
    async def says(host: Any) -> None:
        with pytest.raises(HostError):
            await host.generate("main", [{1: 2}])

    assert played(tmp_path, Saying(says), AGENT).results[0].verdict == "protocol-error"


def test_an_event_of_nobody_is_an_error_of_the_protocol(tmp_path: Path) -> None:
    async def says(host: Any) -> None:
        host.event(["main"], {"type": "AgentStart"})

    assert played(tmp_path, Saying(says), AGENT).results[0].verdict == "protocol-error"


@pytest.mark.parametrize("result", [{1: 2}, {"text": {None: 1}}, {"text": [(1, {2: 3})]}])
def test_a_result_whose_keys_are_no_texts_is_an_error_of_the_protocol(
    tmp_path: Path, result: dict[Any, Any]
) -> None:
    class Wrong(ReferenceDriver):
        async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
            return result if method == "runtime/wait" else await super().perform(method, params)

    told = played(tmp_path, Wrong(), RUNTIME)

    assert told.results[0].verdict == "protocol-error"
    assert told.results[0].message.startswith("runtime/wait is no JSON: keys must be texts, not ")
    assert told.notes == ()


def test_an_error_with_a_code_that_there_is_not_is_an_error_of_the_protocol(tmp_path: Path) -> None:
    async def says(host: Any) -> None:
        raise ImplementationError("sulking", "no")  # type: ignore[arg-type]

    result = played(tmp_path, Saying(says), AGENT).results[0]

    assert (result.verdict, "the code 'sulking'" in result.message) == ("protocol-error", True)


def test_what_is_wrong_in_the_last_scenario_is_no_fault_of_the_shutdown(tmp_path: Path) -> None:
    class Late(ReferenceDriver):
        async def reset(self) -> None:
            await super().reset()
            if self._host is not None:
                self._host.event("main", None)  # type: ignore[arg-type]

    assert played(tmp_path, Late(), AGENT).notes == ()


class Lingers(ReferenceDriver):
    """What it begins with the first wake goes on in the second scenario, before that has a turn."""

    def __init__(self) -> None:
        super().__init__()
        self._second = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        if method == "runtime/wake" and self._task is None and self._host is not None:
            self._task = asyncio.create_task(self._linger(self._host))
        elif method == "runtime/spawn" and self._task is not None:
            self._second.set()
            await asyncio.wait({self._task})
        return await super().perform(method, params)

    async def _linger(self, host: Host) -> None:
        await self._second.wait()
        host.moved("main", "root/ops.1", "closed", "running")
        await host.generate("ops", [])


def test_what_goes_on_behind_a_reset_is_no_part_of_the_next_scenario(tmp_path: Path) -> None:
    told = played(tmp_path, Lingers(), RUNTIME, RUNTIME)

    assert [result.verdict for result in told.results] == ["passed", "passed"]
    assert [note.partition(":")[0] for note in told.notes] == [
        "something that it had begun in a run or a wake went on after the reset"
    ]


class SpeaksBehindItsReset(ReferenceDriver):
    """Once, when it has had a run: so many `rounds` of the loop behind its reset, which takes some itself."""

    def __init__(self, rounds: int, takes: int) -> None:
        super().__init__()
        self._rounds, self._takes = rounds, takes
        self._has_run = False
        self._speaking: asyncio.Task[None] | None = None

    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        self._has_run = self._speaking is None
        return await super().prompt(agent, text)

    async def reset(self) -> None:
        await super().reset()
        if self._has_run and self._speaking is None and self._host is not None:
            self._speaking = asyncio.create_task(self._speak(self._host))
        for _ in range(self._takes):
            await asyncio.sleep(0)

    async def _speak(self, host: Host) -> None:
        for _ in range(self._rounds):
            await asyncio.sleep(0)
        host.event("main", {"type": "AgentStart"})


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "rounds, takes, words",
    [
        (0, 2, "at the end of the scenario: event of main while no run of it is open"),
        (0, 0, "behind the reset: event of main, and no agent is called so"),
        (1, 0, "behind the reset: event of main, and no agent is called so"),
        (3, 2, "behind the reset: event of main, and no agent is called so"),
    ],
)
def test_what_is_said_in_a_reset_or_right_behind_it_is_the_fault_of_the_scenario_that_was_played(
    tmp_path: Path, rounds: int, takes: int, words: str, count: int
) -> None:
    told = played(tmp_path, SpeaksBehindItsReset(rounds, takes), *[AGENT] * count)

    assert [result.verdict for result in told.results] == ["protocol-error", *["passed"] * (count - 1)]
    assert told.results[0].message.startswith(words)
    assert told.notes == ()


def test_a_run_that_is_given_up_with_its_play_may_say_that_it_ends(tmp_path: Path) -> None:
    class SaysThatItEnds(ReferenceDriver):
        async def prompt(self, agent: str, text: str) -> dict[str, Json]:
            try:
                return await super().prompt(agent, text)
            finally:
                if self._host is not None:
                    self._host.event(agent, {"type": "AgentEnd", "messages": []})

    failing = AGENT.partition("  - prompt")[0] + (
        "  - start: {prompt: Hi}\n  - check: {needs_reply: false}\n  - finish:\n"
    )
    told = played(tmp_path, SaysThatItEnds(), failing)

    assert [result.verdict for result in told.results] == ["failed"]


def test_a_reset_that_fails_after_a_play_that_broke_off_does_no_harm_to_the_next(tmp_path: Path) -> None:
    class Breaks(ReferenceDriver):
        is_broken: bool | None = None

        async def prompt(self, agent: str, text: str) -> dict[str, Json]:
            if self.is_broken is None:
                self.is_broken = True
                raise ValueError("out of order")
            return await super().prompt(agent, text)

        async def reset(self) -> None:
            if self.is_broken:
                self.is_broken = False
                raise ValueError("still out of order")
            await super().reset()

    told = played(tmp_path, Breaks(), AGENT, AGENT)

    assert [result.verdict for result in told.results] == ["crashed", "passed"]
    assert told.results[0].message == "ValueError: out of order"


class Lazy(ReferenceDriver):
    """Its models are asked by a worker that is begun when the first one is, and serves all scenarios."""

    async def start(self, host: Host) -> Implementation:
        return await super().start(cast("Host", LazyHost(host)))


class LazyHost:
    """The host, whose models are asked by one worker."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._asked: asyncio.Queue[tuple[Any, asyncio.Future[Generation]]] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._host, name)

    async def generate(self, *asked: Any) -> Generation:
        self._worker = self._worker or asyncio.create_task(self._work())
        answer: asyncio.Future[Generation] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait((asked, answer))
        return await answer

    async def _work(self) -> None:
        while True:
            asked, answer = await self._asked.get()
            answer.set_result(await self._host.generate(*asked))


@pytest.mark.parametrize("text", [AGENT, RUNTIME])
def test_a_worker_that_was_begun_in_the_first_run_may_serve_later_scenarios(
    tmp_path: Path, text: str
) -> None:
    told = played(tmp_path, Lazy(), text, text)

    assert [result.verdict for result in told.results] == ["passed", "passed"]


def test_an_event_is_taken_as_it_is_when_it_is_told(tmp_path: Path) -> None:
    class Empties(ReferenceDriver):
        async def start(self, host: Host) -> Implementation:
            told = host.event

            def event(agent: str, event: dict[str, Json]) -> None:
                told(agent, event)
                event.clear()

            host.event = event  # type: ignore[method-assign]
            return await super().start(host)

    assert played(tmp_path, Empties(), AGENT).results[0].verdict == "passed"


def test_messages_are_taken_as_they_are_when_they_are_answered(tmp_path: Path) -> None:
    class Shares(ReferenceDriver):
        shared: ClassVar[list[dict[str, Json]]] = []

        async def messages(self, agent: str) -> list[dict[str, Json]]:
            self.shared[:] = await super().messages(agent)
            return self.shared

        async def crash(self) -> None:
            self.shared.clear()
            await super().crash()

    restored = AGENT + "  - crash\n  - new\n  - restore\n  - check: {needs_reply: false}\n"

    assert played(tmp_path, Shares(), restored).results[0].verdict == "passed"


def test_half_a_surrogate_pair_is_no_text(tmp_path: Path) -> None:
    class Halves(ReferenceDriver):
        async def messages(self, agent: str) -> list[dict[str, Json]]:
            return [{**each, "content": "\ud800"} for each in await super().messages(agent)]

    result = played(tmp_path, Halves(), AGENT + "  - check: {conversation: [..., ...]}\n").results[0]

    assert (result.verdict, "half a surrogate pair" in result.message) == ("protocol-error", True)


def test_a_play_that_ends_while_a_model_call_is_held_lets_it_go(tmp_path: Path) -> None:
    class Waits(ReferenceDriver):
        """Its reset waits for what its models have been asked."""

        def __init__(self) -> None:
            super().__init__()
            self._asked: set[asyncio.Task[Generation]] = set()

        async def start(self, host: Host) -> Implementation:
            ask = host.generate

            async def generate(agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
                task = asyncio.create_task(ask(agent, messages))
                self._asked.add(task)
                return await asyncio.shield(task)

            host.generate = generate  # type: ignore[method-assign]
            return await super().start(host)

        async def reset(self) -> None:
            if self._asked:
                await asyncio.wait(self._asked)
            await super().reset()

    steps = "  - start: {prompt: Hi}\n  - check: {needs_reply: false}\n  - finish:\n"
    failing = AGENT.partition("  - prompt")[0] + steps
    told = played(tmp_path, Waits(), failing, AGENT)

    assert [result.verdict for result in told.results] == ["failed", "passed"]


def test_a_driver_that_answers_because_it_is_cancelled_has_been_silent_all_the_same(tmp_path: Path) -> None:
    class Swallows(ReferenceDriver):
        async def messages(self, agent: str) -> list[dict[str, Json]]:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(3600)
            return []

        async def needs_reply(self, agent: str) -> bool:
            await asyncio.sleep(3600)
            return False

    text = AGENT + "  - check: {conversation: [], needs_reply: false}\n"
    told = played(tmp_path, Swallows(), text, timeout=0.2)

    assert [result.verdict for result in told.results] == ["timed-out"]


def test_a_start_that_is_refused_holds_no_model_call(tmp_path: Path) -> None:
    text = """\
format: 1
title: A closed handle is not woken
covers: [runtime.handle.closed-final]
agents:
  ops:
    model: [{text: Hello.}]
steps:
  - {spawn: ops}
  - {spawn: ops, as: second}
  - close
  - {start: Hi, error: {$any: true}}
  - {wake: Go, handle: second}
  - {wait: null, handle: second, result: {status: done}}
  - {finish: null, result: {$any: true}}
"""
    assert played(tmp_path, ReferenceDriver(), text).results[0].verdict == "passed"


def test_what_a_driver_does_to_the_params_it_is_given_is_its_own_affair(tmp_path: Path) -> None:
    class Empties(ReferenceDriver):
        async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
            result = await super().perform(method, params)
            for value in params.values():
                if isinstance(value, dict):
                    value.clear()
            params.clear()
            return result

    result = played(tmp_path, Empties(), RUNTIME).results[0]

    assert (result.verdict, result.failures) == ("passed", ())
    assert "runtime.handle.id-layout" in result.judged


# Much of it


class Floods(ReferenceDriver):
    """Tells of so many steps that nobody has taken."""

    def __init__(self, count: int, before: str, after: str) -> None:
        super().__init__()
        self._count, self._step = count, (before, after)

    async def perform(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        if method == "runtime/wake" and self._host is not None:
            for number in range(self._count):
                self._host.moved("main", f"root/other.{number}", *self._step)
        return await super().perform(method, params)


def test_the_first_of_many_equal_faults_are_told_and_how_many_there_are_besides(tmp_path: Path) -> None:
    result = played(tmp_path, Floods(1_000, "idle", "suspended"), RUNTIME).results[0]

    findings = [each for each in (*result.failures, *result.warnings) if each.check == "transitions"]
    assert len(findings) == 51
    assert findings[0].message == "root/other.0 went from idle to suspended, which is no pinned step"
    assert findings[-1].message == "and 950 times more"


def test_judging_many_steps_of_handles_takes_a_time_in_proportion_to_them(tmp_path: Path) -> None:
    began = time.process_time()

    result = played(tmp_path, Floods(8_000, "idle", "closed"), RUNTIME).results[0]

    assert result.verdict == "passed"
    assert time.process_time() - began < 15  # and more than a minute if each is compared with all others


BIG = "some text " * 500_000


class AnswersMuch(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        answer = await super().prompt(agent, text)
        return {"message": {**answer["message"], "content": BIG}}  # type: ignore[dict-item]


class DiesOfMuch(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        raise ValueError(BIG)


class DiesOfManyLines(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        raise ValueError("a line\n" * 500_000)


class EmitsMuch(ReferenceDriver):
    async def prompt(self, agent: str, text: str) -> dict[str, Json]:
        for _ in range(3_000):
            if self._host is not None:
                self._host.event(agent, {"type": "AgentStart"})
        return await super().prompt(agent, text)


@pytest.mark.parametrize("options", [["run"], ["run", "-v"], ["run", "-q"], ["show"]], ids=" ".join)
@pytest.mark.parametrize(
    "name, words",
    [
        ("AnswersMuch", "some text some text"),
        ("DiesOfMuch", "ValueError: some text some"),
        ("DiesOfManyLines", "ValueError: a line"),
        ("EmitsMuch", "AgentStart"),
    ],
)
def test_of_megabytes_the_beginning_is_shown(
    tmp_path: Path, options: Sequence[str], name: str, words: str
) -> None:
    (tmp_path / "one.yaml").write_text(AGENT, encoding="utf-8")
    command = [*options, str(tmp_path / "one.yaml"), "--driver", f"python:tests.test_what_drivers_say:{name}"]

    result = CliRunner().invoke(main, command)

    assert result.exit_code == (0 if options == ["show"] else 1), result.output[:1000]
    assert len(result.output) < 150_000
    is_cut = options != ["run", "-q"] and name != "EmitsMuch"
    assert not is_cut or " characters more" in result.output or " lines\n" in result.output
    assert words in " ".join(result.output.split()) or options == ["run", "-q"]


class HasALongName(ReferenceDriver):
    async def start(self, host: Host) -> Any:
        return replace(await super().start(host), name=BIG)


def test_of_a_long_name_the_beginning_is_shown(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(AGENT, encoding="utf-8")
    driver = "python:tests.test_what_drivers_say:HasALongName"

    result = CliRunner().invoke(main, ["run", str(tmp_path / "one.yaml"), "--driver", driver])

    assert result.exit_code == 0
    assert len(result.output) < 30_000
