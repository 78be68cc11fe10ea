"""What a host does with sub-agents and clients, and what comes of it, each in one line.

Knows the words of the profiles `runtime` and `client`, and nothing of when they are said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.reading import mapping_at, text_at
from conformance.report import wording
from conformance.scenario import MAIN, Json, Step
from conformance.transcript import Moved, Performed


def doing(step: Step, whom: str) -> str:
    """What the host does in a step or an action; `whom` is the client, with a space before it, or empty."""
    argument = mapping_at({"": step.argument}, "")
    text = wording.printable(text_at(argument, "text"), keep="")
    match step.word:
        case "spawn":
            return _spawns(step, argument)
        case "find":
            return f"finds {step.handle} in the list{_in(step)}: {wording.said(step.argument)}"
        case "wake" | "start":
            prompt = wording.printable(text_at(argument, "prompt"), keep="")
            held = " (held at its first model call)" if step.word == "start" else ""
            return f"wakes {step.handle}{f': {prompt}' if prompt else ''}{held}"
        case "finish":
            return f"lets {step.handle} go on, and waits for it"
        case "wait":
            return f"waits for {step.handle}{_time(argument)}"
        case "post":
            sender = text_at(argument, "from")
            return f"posts to {step.handle}{f' from {sender}' if sender else ''}: {text}"
        case "interrupt":
            return f"interrupts {step.handle}"
        case "close":
            return f"closes {step.handle}{' by force' if argument.get('force') is True else ''}"
        case "resume_with":
            return f"answers {text_at(argument, 'request')}{_in(step)}: {answer(argument)}"
        case "advance":
            return f"lets {_seconds(step.argument)} go by"
        case "run":
            return f"runs{whom}: {text}"
        case "ask":
            return f"asks{whom} in {text_at(argument, 'conversation')}: {text}"
        case "run_with_answer" | "ask_with_answer":
            return _goes_on(argument, whom)
        case _:
            return f"{step.word}{whom}{'' if step.argument is None else f': {wording.flow(step.argument)}'}"


def _spawns(step: Step, argument: dict[str, Json]) -> str:
    under = text_at(argument, "under")
    budget = mapping_at(argument, "budget")
    where = f"{f' under {under}' if under else ''}{_in(step)}"
    bounds = f", with the budget {wording.flow(budget)}" if budget else ""
    return f"spawns {text_at(argument, 'name')} as {step.handle}{where}{bounds}"


def _goes_on(argument: dict[str, Json], whom: str) -> str:
    request, echo = text_at(argument, "request"), text_at(argument, "echo")
    conversation = text_at(argument, "conversation")
    with_whom = f" with{whom}" if whom else ""
    where = f" in {conversation}" if conversation else ""
    other = f", as if {echo} had been asked" if echo != request else ""
    return f"goes on{with_whom}{where} where {request} was asked: {answer(argument)}{other}"


def _time(argument: dict[str, Json]) -> str:
    """How long a wait is, and how much of the time goes by."""
    timeout, advance = argument.get("timeout"), argument.get("advance")
    most = "" if timeout is None else f", {_seconds(timeout)} at most"
    return most if advance is None else f"{most}, while {_seconds(advance)} go by"


def _in(step: Step) -> str:
    return "" if step.runtime == MAIN else f" in the runtime {step.runtime}"


def _seconds(number: Json) -> str:
    return "1 second" if number == 1 else f"{wording.flow(number)} seconds"


def answer(fields: dict[str, Json]) -> str:
    """An Answer, by what is in it beside its id."""
    data = fields.get("data")
    reason = wording.printable(text_at(fields, "reason"), keep="")
    return (
        f"{'yes' if fields.get('ok') is True else 'no'}{f' ({reason})' if reason else ''}"
        f"{'' if data is None else f', with {wording.flow(data)}'}"
    )


def request(fields: dict[str, Json]) -> str:
    """A Request: what is asked for, and whatever else it says."""
    rest: dict[str, Json] = {key: value for key, value in fields.items() if key not in ("kind", "prompt")}
    asked = f"{text_at(fields, 'kind')}: {wording.printable(text_at(fields, 'prompt'), keep='')}"
    return f"{asked} {wording.flow(rest)}" if rest else asked


def stored(views: Mapping[str, Json]) -> Iterator[tuple[str, list[Json] | None]]:
    """What the store is expected to hold: each conversation in words, with its messages if it has any."""
    for conversation, pattern in views.items():
        name = wording.printable(conversation, keep="")
        yield (
            (f"stored in {name}", pattern)
            if isinstance(pattern, list)
            else (f"nothing stored in {name}", None)
        )


# What came


def moved(entry: Moved, ids: Mapping[str, str]) -> str:
    """That a handle went from one state to another. `ids` maps ids to references."""
    return f"{_named(entry.handle, ids)} goes from {entry.before} to {entry.after}"


def performed(entry: Performed, ids: Mapping[str, str]) -> str | None:
    """What a verb was answered with; None where that tells nothing."""
    word = entry.method.partition("/")[2]
    if entry.error is not None:
        return f"{word}  error {wording.flow(entry.error)}"
    result = mapping_at({"": _tidied(entry.result, ids)}, "")
    if "status" not in result:
        return f"{word}  {wording.flow(result)}" if result else None
    parts = [text_at(result, key) for key in ("status", "limit") if text_at(result, key)]
    if text_at(result, "text"):
        parts.append(wording.quoted(text_at(result, "text")))
    if pending := mapping_at(result, "pending"):
        parts.append(f"waits for {request(pending)}")
    return f"{word}  {', '.join(parts)}"


def _tidied(value: Json, ids: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _named(value, ids)
    if isinstance(value, list):
        return [_tidied(item, ids) for item in value]
    if isinstance(value, dict):
        return {key: _tidied(item, ids) for key, item in value.items()}
    return value


def _named(id: str, ids: Mapping[str, str]) -> str:
    return ids.get(id, id)
