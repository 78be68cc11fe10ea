"""Whether tools are executed with what the model's calls have, compared as JSON.

An execution belongs to the call whose id it is given. Where nothing certain is known of that id, it may be
any call of its tool in its turn: which is executed first is left open. How often a call is executed is for
others to judge, so only an execution is at fault for which there is a call that lacks one like it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.checks.streams import Stream, Turn
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import Json
from conformance.transcript import (
    Asked,
    Began,
    Entry,
    ModelAnswered,
    Replaced,
    ToolAnswered,
    ToolCalled,
)

Key: TypeAlias = str
"""Arguments in a form in which equal ones are the same text."""

_EXACT = 2**53
"""Up to here, whole numbers are the same in every implementation of JSON."""


class _Told(NamedTuple):
    """A call in the implementation's own message, and how often each arguments are in that message's calls of
    the same tool."""

    arguments: Key
    beside: Counter[Key]


@dataclass(slots=True)
class _Turn:
    """What a model has asked for, by tool, and which executions came of it."""

    asked: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    executed: dict[str, list[ToolCalled]] = field(default_factory=lambda: defaultdict(list))

    def ask(self, calls: Iterable[Asked]) -> None:
        """The model makes these calls."""
        for call in calls:
            self.asked[call.name].append(call)


def of_agents(facts: Facts) -> list[Fault] | None:
    """agent.run.arguments: in each turn, as the model said."""
    told = _told_in(facts.streams)
    judged = False
    faults: list[Fault] = []
    for turn in _turns(facts.entries):
        for tool, executed in turn.executed.items():
            asked = turn.asked.get(tool, [])
            judged = judged or bool(asked)
            faults.extend(_faults_by_id(asked, executed, told))
    return sorted(faults, key=lambda fault: fault.step) if judged else None


def of_hosted(entries: Sequence[Entry]) -> list[Fault] | None:
    """runtime.handle.tool-arguments and client.run.call-arguments: as a model of that name has said.

    Handles may share a definition, and with it the name and the calls' ids. A turn that a tool has suspended
    is run again, with the model asked again or not: there an execution may repeat any that was asked for.
    """
    plays: dict[str, _Turn] = defaultdict(_Turn)
    suspended: set[str] = set()
    for entry in entries:
        if isinstance(entry, ModelAnswered):
            plays[entry.agent].ask(entry.calls)
        elif isinstance(entry, ToolCalled):
            plays[entry.agent].executed[entry.tool].append(entry)
        elif isinstance(entry, ToolAnswered) and entry.outcome == "suspends":
            suspended.add(entry.agent)
    judged = False
    faults: list[Fault] = []
    for agent, play in plays.items():
        for tool, executed in play.executed.items():
            asked = play.asked.get(tool, [])
            judged = judged or bool(asked)
            faults.extend(_faults_by_given_id(asked, executed, repeats=agent in suspended))
    return sorted(faults, key=lambda fault: fault.step) if judged else None


def _turns(entries: Sequence[Entry]) -> Iterator[_Turn]:
    """The turns of a play, each when it is over."""
    turns: dict[str, _Turn] = {}
    for entry in entries:
        match entry:
            case Began(run=run):
                yield turns.pop(run.agent, _Turn())
            case Replaced():
                yield turns.pop(entry.agent, _Turn())
            case ModelAnswered():
                yield turns.pop(entry.agent, _Turn())
                turns[entry.agent] = _Turn()
                turns[entry.agent].ask(entry.calls)
            case ToolCalled() if entry.agent in turns:
                turns[entry.agent].executed[entry.tool].append(entry)
            case _:
                pass
    yield from turns.values()


def _told_in(streams: Iterable[Stream]) -> Mapping[tuple[int, str], _Told]:
    """The calls in the messages of each run, by its number and their ids; none that has its id twice."""
    told: dict[tuple[int, str], _Told] = {}
    twice: set[tuple[int, str]] = set()
    for stream in streams:
        for turn in stream.turns if stream.run is not None else ():
            beside: dict[str, Counter[Key]] = defaultdict(Counter)
            for call, arguments in _calls_told(turn):
                name = text_at(call, "name")
                beside[name][arguments] += 1
                place = (stream.run.number if stream.run is not None else 0, text_at(call, "id"))
                if place in told:
                    twice.add(place)
                told[place] = _Told(arguments, beside[name])
    return {place: call for place, call in told.items() if place not in twice}


def _calls_told(turn: Turn) -> Iterator[tuple[Json, Key]]:
    """The calls in the message of a turn, with their arguments."""
    if turn.answer is not None:
        for call in list_at(mapping_at(turn.answer.event, "message"), "tool_calls"):
            yield call, _key(call.get("arguments") if isinstance(call, dict) else None)


def _faults_by_id(
    asked: Sequence[Asked], executed: Sequence[ToolCalled], told: Mapping[tuple[int, str], _Told]
) -> Iterator[Fault]:
    """The faults among the executions of one tool in one turn.

    An id says which call it is where the message that gave it out has the calls that the model made: what
    other messages have may not be the arguments at all.
    """
    by_key = {_key(call.arguments): call for call in asked}
    wanted = Counter(_key(call.arguments) for call in asked)
    left, others = Counter(wanted), list[ToolCalled]()
    is_right: dict[int, bool] = {}
    for execution in executed:
        call = told.get((execution.run.number if execution.run is not None else 0, execution.call_id))
        if call is None or not is_right.setdefault(id(call.beside), call.beside == wanted):
            others.append(execution)
            continue
        left[call.arguments] -= 1
        if _key(execution.arguments) != call.arguments:
            yield _fault(execution, by_key[call.arguments])
    yield from _faults_among(left, by_key, others, repeats=False)


def _faults_by_given_id(
    asked: Sequence[Asked], executed: Sequence[ToolCalled], *, repeats: bool
) -> Iterator[Fault]:
    """The same where the model gives the ids, of which one may come again with other arguments."""
    by_id: dict[str, dict[Key, Asked]] = defaultdict(dict)
    for call in asked:
        by_id[call.id][_key(call.arguments)] = call
    others: list[ToolCalled] = []
    for execution in executed:
        calls = by_id.get(execution.call_id) if execution.call_id else None
        if calls is None:
            others.append(execution)
        elif _key(execution.arguments) not in calls:
            yield _fault(execution, next(reversed(calls.values())))
    by_key = {_key(call.arguments): call for call in asked}
    wanted = Counter(_key(call.arguments) for call in asked)
    yield from _faults_among(wanted, by_key, others, repeats=repeats)


def _faults_among(
    wanted: Counter[Key], by_key: Mapping[Key, Asked], executed: Sequence[ToolCalled], *, repeats: bool
) -> Iterator[Fault]:
    """The executions that are of no call, each beside a call that has no execution. `repeats` says that a
    call may have more than one."""
    left = Counter(wanted)
    wrong: list[ToolCalled] = []
    for execution in executed:
        key = _key(execution.arguments)
        if left[key] > 0:
            left[key] -= 1
        elif not (repeats and key in by_key):
            wrong.append(execution)
    lacking = (by_key[key] for key in left if left[key] > 0 for _ in range(left[key]))
    for execution, call in zip(wrong, lacking, strict=False):
        yield _fault(execution, call)


def _fault(execution: ToolCalled, call: Asked) -> Fault:
    which = f" ({execution.call_id})" if execution.call_id else ""
    message = (
        f"{execution.agent} executes {execution.tool}{which} with other arguments than the model's call has"
    )
    return Fault(execution.step, message, call.arguments, execution.arguments)


def _key(value: Json) -> Key:
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    """The value with its numbers as JSON knows them: 1.0 is 1, and of large ones only what a double holds."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _EXACT:
        try:
            return float(value)
        except OverflowError:
            return value
    return value
