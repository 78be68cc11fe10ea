"""Checks of one run's event stream: its brackets, the order inside its turns, and what adds up in it.

What is left open is left alone: late results and pushed messages may stand inside a turn or between two, a
turn that was cut short is not judged, and neither is how a stopped child ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter

from conformance.checks.facts import Facts
from conformance.checks.finding import Fault
from conformance.checks.streams import EXECUTION, HEAD, Seen, Stream, Turn, is_whole, value_of
from conformance.patterns import match_events
from conformance.reading import list_at, mapping_at, text_at, tool_result
from conformance.scenario import Json

CALL = "the events of its calls"
"""What every event of a call counts as where only their place in the turn matters."""

_HEAD = ["TurnStart", "ContextBudget+", "MessageDelta*", "GenerationStats+", "MessageEnd"]
# More than one of a kind is for `stats_once` to judge.
_ANSWERING = [*_HEAD, "TurnEnd"]
_CALLING = [*_HEAD, "Calls*", "TurnEnd"]
_NAMES = {"Calls*": CALL, "MessageEnd": "MessageEnd of the assistant message"}


def run_brackets(facts: Facts) -> list[Fault] | None:
    """Runs that end normally: AgentStart first and AgentEnd last, and neither elsewhere."""
    return _brackets(stream for stream in facts.streams if stream.ending == "normal")


def run_brackets_always(facts: Facts) -> list[Fault] | None:
    """The same for runs that are stopped, fail or reach their limit; how a stopped child ends is open."""
    return _brackets(
        stream
        for stream in facts.streams
        if stream.ending in ("failed", "limited") or (stream.ending == "stopped" and stream.parent is None)
    )


def _brackets(streams: Iterable[Stream]) -> list[Fault] | None:
    # A child's run that does not come whole is no run with wrong brackets: see `nested`.
    judged = [stream for stream in streams if stream.parent is None or is_whole(stream)]
    faults = [fault for stream in judged if (fault := _bracket(stream)) is not None]
    return faults if judged else None


def _bracket(stream: Stream) -> Fault | None:
    if not stream.seen:
        return Fault(stream.step, f"{stream.title} emitted nothing", ["AgentStart", "...", "AgentEnd"], [])
    first, last = stream.seen[0], stream.seen[-1]
    if first.type != "AgentStart":
        return Fault(first.step, f"{stream.title} begins with {first.title}", "AgentStart", first.event)
    if last.type != "AgentEnd":
        return Fault(last.step, f"{stream.title} ends with {last.title}", "AgentEnd", last.event)
    for seen in stream.seen[1:-1]:
        if seen.type in ("AgentStart", "AgentEnd"):
            return Fault(seen.step, f"{stream.title} has a second {seen.type}", None, seen.event)
    return None


def turn_order(facts: Facts) -> list[Fault] | None:
    """Answering turns: TurnStart, ContextBudget, deltas, GenerationStats, MessageEnd, TurnEnd."""
    return _each_turn(facts, lambda turn: turn.is_answering, lambda turn: _order(turn, _ANSWERING))


def calling_turn_order(facts: Facts) -> list[Fault] | None:
    """Calling turns: the same to MessageEnd, then the events of the calls, then TurnEnd."""
    return _each_turn(facts, lambda turn: not turn.is_answering, lambda turn: _order(turn, _CALLING))


def _each_turn(
    facts: Facts, concerns: Callable[[Turn], bool], judge: Callable[[Turn], Fault | None]
) -> list[Fault] | None:
    """The first fault of each stream among the turns that may be judged: the rest would be its echoes."""
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        found: Fault | None = None
        for turn in stream.turns:
            if turn.whole and not turn.is_troubled and concerns(turn):
                judged = True
                found = found or judge(turn)
        faults.extend([found] if found is not None else [])
    return faults if judged else None


def _order(turn: Turn, order: list[str]) -> Fault | None:
    """The first event that is out of order. Whether there is one is told by a regular expression, quickly."""
    labels = [_label(seen) for seen in turn.seen]
    if _expression(*order).fullmatch("".join(f"{label} " for label in labels if label)):
        return None
    pattern = list[Json](order)
    mismatch = match_events(pattern, [{"type": label} for label in labels if label], {})
    if mismatch is None or mismatch.index is None:
        return None
    relevant = [seen for seen, label in zip(turn.seen, labels, strict=True) if label]
    options = [_NAMES.get(str(option), str(option).rstrip("+*")) for option in mismatch.possible]
    expected = " or ".join(options) or "nothing more"
    if mismatch.index == len(relevant):
        last = turn.seen[-1]
        message = f"a turn of {turn.title} stops after {last.title}, expected {expected}"
        return Fault(last.step, message, pattern, [seen.type for seen in turn.seen])
    here = relevant[mismatch.index]
    after = f" after {relevant[mismatch.index - 1].title}" if mismatch.index else ""
    message = f"a turn of {turn.title} has {here.title}{after}, expected {expected}"
    return Fault(here.step, message, pattern, [seen.type for seen in turn.seen])


@cache
def _expression(*order: str) -> re.Pattern[str]:
    """What the labels of a turn in that order look like, each followed by a space."""
    return re.compile("".join(re.sub(r"(\w+)(\W?)", r"(?:\1 )\2", name) for name in order))


def _label(seen: Seen) -> str:
    """What an event counts as in the order of a turn; empty for what may stand anywhere."""
    if seen.type in EXECUTION or seen.type == "Nested":
        return "Calls"
    if seen.type in ("MessageStart", "MessageEnd"):
        return seen.type if seen.role == "assistant" else ""
    return seen.type if seen.type in (*HEAD, "TurnStart", "TurnEnd") else ""


def deltas_add_up(facts: Facts) -> list[Fault] | None:
    """The deltas of a turn are its message's text. Where there are none, nothing was streamed."""
    return _each_turn(facts, lambda turn: _deltas(turn) is not None, _deltas_fault)


def _deltas(turn: Turn) -> list[str] | None:
    deltas = [value_of(seen, "delta") for seen in turn.seen if seen.type == "MessageDelta"]
    texts = [delta for delta in deltas if isinstance(delta, str)]
    return texts if turn.answer is not None and texts and len(texts) == len(deltas) else None


def _deltas_fault(turn: Turn) -> Fault | None:
    answer = turn.answer
    content = mapping_at(answer.event, "message").get("content") if answer is not None else None
    streamed = "".join(_deltas(turn) or [])
    if not isinstance(content, str) or streamed == content:
        return None
    message = f"the deltas of a turn of {turn.title} are not together the content of its message"
    return Fault(turn.step, message, content, streamed)


def stats_once(facts: Facts) -> list[Fault] | None:
    """One GenerationStats for each completed generation, before its MessageEnd."""
    return _each_turn(facts, lambda turn: turn.answer is not None, _stats_fault)


def _stats_fault(turn: Turn) -> Fault | None:
    told = [seen for seen in turn.seen if seen.type == "GenerationStats"]
    if len(told) != 1:
        message = f"a turn of {turn.title} has {len(told)} GenerationStats, expected one"
        return Fault(turn.step, message, 1, len(told))
    before = next(seen for seen in turn.seen if seen is told[0] or seen is turn.answer)
    if before is told[0]:
        return None
    return Fault(told[0].step, f"a turn of {turn.title} has GenerationStats after its message's MessageEnd")


def agent_end_complete(facts: Facts) -> list[Fault] | None:
    """AgentEnd carries the assistant messages and tool results that the run announced, in order."""
    judged = False
    faults: list[Fault] = []
    for stream in facts.streams:
        end = stream.seen[-1] if stream.seen else None
        if end is None or end.type != "AgentEnd" or stream.ending not in ("normal", "limited"):
            continue
        carried = value_of(end, "messages")
        if not isinstance(carried, list):
            continue
        judged = True
        announced = [mapping_at(seen.event, "message") for seen in stream.seen if seen.type == "MessageEnd"]
        expected, actual = _produced(stream, announced), _produced(stream, carried)
        if expected != actual:
            message = f"AgentEnd of {stream.title} does not carry what the run added, in its order"
            faults.append(Fault(end.step, message, list[Json](expected), list[Json](actual)))
    return faults if judged else None


def _produced(stream: Stream, messages: Sequence[Json]) -> list[dict[str, Json]]:
    """What the run itself added, in a form that can be compared.

    Results of calls that were left over from before are not: whether those that are marked as failed are
    announced is open. Tool groups may interleave, so results in a row have no order.
    """
    known = stream.calls.union(seen.call_id for seen in stream.seen if seen.type == "ToolResolved")
    produced: list[tuple[str, dict[str, Json]]] = []
    for message in messages:
        content = text_at(message, "content")
        result = tool_result(message)
        if result is not None and result.call_id in known:
            entry: dict[str, Json] = {"role": "tool_result", "of": result.call_id, "content": content}
            produced.append(("" if result.call_id in stream.calls else "late", entry))
        elif text_at(message, "role") == "assistant":
            calls: list[Json] = [text_at(call, "name") for call in list_at(message, "tool_calls")]
            produced.append(("answer", {"role": "assistant", "content": content, "calls": calls}))
    in_order: list[dict[str, Json]] = []
    for kind, row in groupby(produced, key=itemgetter(0)):
        entries = [entry for _, entry in row]
        in_order.extend(entries if kind else sorted(entries, key=lambda entry: str(sorted(entry.items()))))
    return in_order
