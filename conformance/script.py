"""The scripted model and tools: what the suite answers when the implementation asks.

Strict: a request that the script does not have fails the check `play` and is answered with an error, so that
the run ends instead of hanging. Host actions in `during` are done while the implementation waits for its
answer; that is what makes every interleaving exact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field

from conformance import patterns
from conformance.drivers.base import Call, Driver, Generation, HostError, ImplementationError, Outcome
from conformance.entries import Entries
from conformance.naming import scripted_call_id
from conformance.reading import text_at
from conformance.requests import request_seen, with_ids
from conformance.scenario import (
    ABSENT,
    Json,
    ModelEntry,
    RunsChild,
    Step,
    ToolEntry,
)
from conformance.stage import Stage, without_system
from conformance.transcript import (
    Asked,
    Event,
    Interpreted,
    ModelAnswered,
    ModelCalled,
    Moved,
    Run,
    ToolAnswered,
    ToolCalled,
)


@dataclass(eq=False, slots=True)
class _Asked:
    """A model call or an execution that has not been answered. `whose` turn it belongs to, empty where that
    cannot be told; `is_stopped` says that this turn has been ended meanwhile."""

    whose: str
    is_stopped: bool = False


@dataclass(eq=False, slots=True)
class _Hold:
    """A model call that is to be kept waiting: the next one of `agent`, which is made in the turn `whose`."""

    agent: str
    whose: str
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)


class Script:
    """The `Host` of one play.

    `act` does host actions; `heard` is called for every sign of life of the implementation; `whose` says in
    whose turn an agent's model or tool is asked for, as far as that can be told from the agent's name.
    """

    def __init__(
        self,
        stage: Stage,
        driver: Driver,
        act: Callable[[Sequence[Step]], Awaitable[None]],
        heard: Callable[[], None],
        whose: Callable[[str], str],
    ) -> None:
        self._stage = stage
        self._driver = driver
        self._act = act
        self._heard = heard
        self._whose = whose
        self.entries = Entries(stage)
        self._asked: list[_Asked] = []
        self._holds: list[_Hold] = []
        self._side_tasks: list[asyncio.Future[None]] = []
        self._rests: list[Callable[[], Awaitable[None]]] = []

    # What the implementation asks

    def event(self, agent: str, event: Event) -> None:
        """Host.event."""
        self._heard()
        self._stage.hear(agent, event)

    async def generate(self, agent: str, messages: Sequence[dict[str, Json]]) -> Generation:
        """Host.generate."""
        self._heard()
        run = self._stage.active.get(agent)
        visible = without_system(messages)
        self._note(ModelCalled(self._stage.step, agent, run, visible))
        hold = self._reached(agent)
        entry = self.entries.of_model(agent, visible)
        with self._asking(agent, hold.whose if hold is not None else self._whose(agent)) as asked:
            try:
                if hold is not None:
                    await hold.released.wait()
                await self._do(entry.during)
                self._refuse_if_stopped(agent, asked)
                return self._generation(agent, run, entry, visible)
            except (asyncio.CancelledError, HostError) as error:
                message = str(error) if isinstance(error, HostError) else "aborted"
                self._note(ModelAnswered(self._stage.step, agent, run, "", (), message, entry.position))
                raise

    async def approve(self, agent: str, call_id: str, tool: str, arguments: dict[str, Json]) -> str | None:
        """Host.approve."""
        self._heard()
        entry = self.entries.denial_of(tool)
        if entry is None:
            return None
        run = self._stage.active.get(agent)
        denied = ToolAnswered(
            self._stage.step, agent, run, call_id, tool, "denied", entry.text, entry.position
        )
        self._note(denied)
        return entry.text

    async def execute(
        self,
        agent: str,
        call_id: str,
        tool: str,
        arguments: dict[str, Json],
        answer: dict[str, Json] | None = None,
    ) -> Outcome:
        """Host.execute."""
        self._heard()
        stage = self._stage
        if call_id:
            stage.names.bind(agent, call_id, tool)
        run = stage.active.get(agent)
        self._note(ToolCalled(stage.step, agent, run, call_id, tool, arguments, answer))
        entry = self.entries.of_tool(agent, tool, answer)
        outcome, text = "aborted", ""
        try:
            with self._asking(agent, self._whose(agent)) as asked:
                for partial in entry.updates:
                    await self._update(agent, call_id, partial, entry)
                await self._do(entry.during)
                self._refuse_if_stopped(agent, asked)
                reply = await self._run_child(agent, call_id, run, entry) if entry.runs_child else ""
            outcome = "returns" if entry.outcome == "reply" else entry.outcome
            text = reply if entry.outcome == "reply" else entry.text
            if entry.outcome == "raises":
                raise HostError(entry.text)
            if entry.request is not None:
                return Outcome("", request={**entry.request})
            return Outcome(text, pending=entry.outcome == "pending")
        finally:
            self._note(ToolAnswered(stage.step, agent, run, call_id, tool, outcome, text, entry.position))

    async def wait_for(self, agent: str, request: dict[str, Json]) -> dict[str, Json]:
        """Host.wait_for."""
        self._heard()
        seen = request_seen(request)
        entry = self.entries.of_interpreter(agent, seen)
        answer: dict[str, Json] | None = None
        try:
            await self._do(entry.during)
            if entry.raises is not None:
                raise HostError(entry.raises)
            answer = {"id": text_at(request, "id"), "ok": entry.ok}
            if entry.data is not None:
                answer["data"] = with_ids({**entry.data}, self._stage.ids)
            if entry.reason is not None:
                answer["reason"] = entry.reason
            return answer
        finally:
            self._note(Interpreted(self._stage.step, agent, seen, answer))

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        """Host.moved."""
        self._heard()
        stage = self._stage
        self._note(Moved(stage.step, runtime, handle, before, after, stage.answering > 0))

    # What the player asks

    def hold(self, agent: str, whose: str) -> asyncio.Event:
        """Keep the next model call of `agent` waiting, and no other one: it is made in the turn of `whose`.
        The event is set when it has come that far."""
        hold = _Hold(agent, whose)
        self._holds.append(hold)
        return hold.reached

    def release(self, whose: str) -> None:
        """Let the model call go on that is held in a turn."""
        for hold in [hold for hold in self._holds if hold.whose == whose]:
            self._holds.remove(hold)
            hold.released.set()

    def stop(self, whose: str) -> None:
        """A turn is being ended: what it is asking for now is of no use to it any more. What comes after this
        is a later turn's."""
        for asked in self._asked:
            asked.is_stopped = asked.is_stopped or asked.whose == whose

    def leave_beside(self, rest: Callable[[], Awaitable[None]]) -> None:
        """The rest of a host action of a `during` for which nobody waits there: `finish_side_tasks` does it,
        so that it is told at the same place however soon it was answered."""
        self._rests.append(rest)

    async def finish_side_tasks(self) -> None:
        """Wait until all host actions that were begun in `during` are done, and the requests answered in
        which they stand; raises what they raised."""
        while self._side_tasks:
            await self._side_tasks.pop()
        while self._rests:
            await self._rests.pop(0)()

    def abandon(self) -> None:
        """Give up what has been begun in `during`, and hold no model call any more: the play is over."""
        for asked in self._asked:
            asked.is_stopped = True
        for hold in self._holds:
            hold.released.set()
        for task in self._side_tasks:
            task.cancel()
        self._side_tasks.clear()
        self._rests.clear()

    # Inside

    def _note(
        self, entry: ModelCalled | ModelAnswered | ToolCalled | ToolAnswered | Interpreted | Moved
    ) -> None:
        self._stage.transcript.entries.append(entry)

    @contextmanager
    def _asking(self, agent: str, whose: str) -> Iterator[_Asked]:
        """While something is answered, the implementation waits for it."""
        waiting, asked = self._stage.waiting, _Asked(whose)
        waiting[agent] = waiting.get(agent, 0) + 1
        self._asked.append(asked)
        try:
            yield asked
        finally:
            waiting[agent] -= 1
            self._asked.remove(asked)

    def _reached(self, agent: str) -> _Hold | None:
        """The hold that was meant for this model call, if one was."""
        waiting = (hold for hold in self._holds if hold.agent == agent and not hold.reached.is_set())
        hold = next(waiting, None)
        if hold is not None:
            hold.reached.set()
        return hold

    async def _do(self, actions: Sequence[Step]) -> None:
        # In a task of its own: stopping a run may cancel the request that these actions stand in.
        if actions:
            task = asyncio.create_task(self._do_all(actions))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            served: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._side_tasks += (served, task)
            try:
                await asyncio.wait({task})
            finally:
                if not served.done():  # what is answered to the request is noted before anybody hears of it
                    served.set_result(None)

    async def _do_all(self, actions: Sequence[Step]) -> None:
        self._stage.during += 1
        try:
            await self._act(actions)
        finally:
            self._stage.during -= 1

    async def _update(self, agent: str, call_id: str, partial: str, entry: ToolEntry) -> None:
        try:
            await self._driver.update(agent, call_id, partial)
        except ImplementationError as error:
            self._stage.fail(
                "error",
                f"update was answered with an error: {error.message}",
                entry.covers,
                expected="no error",
                actual={"code": error.code, "message": error.message},
                position=entry.position,
                agent=agent,
            )

    def _refuse_if_stopped(self, agent: str, asked: _Asked) -> None:
        # Only the run that was stopped itself: a child has to learn of its parent's stop from the
        # implementation, and would be stopped by the suite otherwise.
        if asked.is_stopped or (agent in self._stage.stopping and not self._is_child(agent)):
            raise HostError("aborted", aborted=True)

    def _is_child(self, agent: str) -> bool:
        run = self._stage.active.get(agent)
        return run is not None and run.parent is not None and run.parent.agent in self._stage.stopping

    def _generation(
        self, agent: str, run: Run | None, entry: ModelEntry, messages: Sequence[dict[str, Json]]
    ) -> Generation:
        if entry.raises is not None:
            if run is not None:
                run.ending = "failed"
            raise HostError(entry.raises)
        if entry.calls and run is not None:
            run.rounds += 1
        text = "".join(entry.chunks)
        # A copy is given away: whoever changes it does not change what it is compared with.
        calls = [Call(name=call.name, arguments=deepcopy(call.arguments)) for call in entry.calls]
        if self._stage.scenario.profile != "agent":  # where the model gives the ids
            for place, call in enumerate(calls, start=1):
                call["id"] = scripted_call_id(messages, place)
                self._stage.names.bind(agent, call["id"], call["name"])
        asked = tuple(
            Asked(made.name, made.arguments, call.get("id", ""))
            for made, call in zip(entry.calls, calls, strict=True)
        )
        self._note(ModelAnswered(self._stage.step, agent, run, text, asked, None, entry.position))
        return Generation(entry.chunks, tuple(calls), dict(entry.usage or {}))

    async def _run_child(self, agent: str, call_id: str, parent: Run | None, entry: ToolEntry) -> str:
        child = entry.runs_child
        if child is None:
            raise ValueError("the entry runs no child")
        stage = self._stage
        run = stage.begin(
            Run(0, child.agent, "child", stage.step, child.prompt, parent=parent, parent_call=call_id)
        )
        try:
            run.result = await self._driver.run_child(agent, call_id, child.agent, child.prompt)
        except ImplementationError as error:
            run.error = {"code": error.code, "message": error.message}
        except asyncio.CancelledError:
            if child.error is not ABSENT and child.agent in stage.stopping:
                stage.fail(
                    "error",
                    f"run_child of {child.agent} was cut off and did not answer",
                    entry.covers,
                    expected=child.error,
                    position=entry.position,
                )
            run.ending = "crashed"
            raise
        finally:
            stage.close(run)
        self._check_child(child, run, entry)
        if run.error is not None:
            raise HostError(str(run.error["message"]), aborted=run.error["code"] == "aborted")
        message = (run.result or {}).get("message")
        content = message.get("content") if isinstance(message, dict) else None
        return content if isinstance(content, str) else ""

    def _check_child(self, child: RunsChild, run: Run, entry: ToolEntry) -> None:
        for check, pattern, actual in (
            ("result", child.result, run.result),
            ("error", child.error, run.error),
        ):
            if pattern is not ABSENT:
                found = patterns.match(pattern, actual, self._stage.ids)
                self._stage.mismatch(check, found, entry.covers, pattern, actual, entry.position)
        if run.error is not None and child.error is ABSENT and run.ending == "refused":
            self._stage.fail(
                "error",
                f"run_child of {child.agent} answered with an error that nobody expected",
                entry.covers,
                expected="its reply",
                actual=run.error,
                position=entry.position,
            )
