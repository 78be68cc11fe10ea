"""How values, patterns, events and messages are said in one line of a report.

Whatever an implementation sent is shown by what matters in it; what is cut or wrapped is for the page to say.
Knows nothing of terminals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from conformance.patterns import OPERATORS, Path, dotted, is_reference
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import Json

DOTS = "..."

_BARE = re.compile(r"[^\s,:{}\[\]\"'`#&*!|>%@-]([^,:{}\[\]\"\n]*[^\s,:{}\[\]\"])?")
_LOOKS_OTHERWISE = re.compile(r"true|false|null|~|[-+.\d][\d_.eE+-]*")
_DEEPEST = 40
"""Deeper nesting is not shown; no document asks for as much."""

_SAFE_SPACE = "\n"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def printable(text: str, keep: str = _SAFE_SPACE) -> str:
    """A text that does nothing to a terminal but appear on it: control characters are written as escapes."""

    def escaped(match: re.Match[str]) -> str:
        found = match[0]
        if found in keep:
            return found
        return json.dumps(found)[1:-1] if ord(found) > 0x7F or found in "\n\t\r" else f"\\x{ord(found):02x}"

    return _CONTROL.sub(escaped, text)


def flow(value: Json, depth: int = 0) -> str:
    """A value on one line, as it would be written in a scenario."""
    if depth > _DEEPEST:
        return DOTS
    if isinstance(value, dict):
        return f"{{{', '.join(f'{flow(key)}: {flow(item, depth + 1)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(flow(item, depth + 1) for item in value)}]"
    if isinstance(value, str):
        bare = _BARE.fullmatch(value) and not _LOOKS_OTHERWISE.fullmatch(value)
        return printable(value, keep="") if bare or value == DOTS else quoted(value)
    return json.dumps(value)


def quoted(text: str) -> str:
    """A text in quotes."""
    return printable(json.dumps(text, ensure_ascii=False), keep="")


# Patterns


def operator_of(pattern: Json) -> str | None:
    """The name of the operator that a pattern is, if it is one."""
    if isinstance(pattern, dict) and len(pattern) == 1:
        (name,) = pattern
        return name if name in OPERATORS else None
    return None


def said(pattern: Json) -> str:
    """What a pattern asks for, in words where it is an operator."""
    if isinstance(pattern, dict):
        name = operator_of(pattern)
        if name is not None:
            return _WORDS[name](pattern[name])
        return f"{{{', '.join(f'{flow(key)}: {said(item)}' for key, item in pattern.items())}}}"
    if isinstance(pattern, list):
        return f"[{', '.join(said(item) for item in pattern)}]"
    return flow(pattern)


def _text(pattern: Json) -> str:
    """What is asked of a text: one that is written out is in quotes."""
    return quoted(pattern) if isinstance(pattern, str) and not is_reference(pattern) else said(pattern)


def _alternatives(argument: Json) -> str:
    return " or ".join(said(item) for item in argument) if isinstance(argument, list) else said(argument)


_WORDS: Mapping[str, Callable[[Json], str]] = {
    "$any": lambda _: "anything",
    "$absent": lambda _: "missing",
    "$type": lambda name: f"of type {name}",
    "$regex": lambda text: f"like /{printable(str(text), keep='')}/",
    "$contains": lambda part: f"containing {_text(part)}",
    "$one_of": _alternatives,
    "$unordered": lambda items: f"in any order {said(items)}",
    "$exact": lambda value: f"exactly {flow(value)}",
    "$not_empty": lambda _: "not empty",
    "$below": lambda handle: f"below {said(handle)}",
    "$literal": flow,
}


def leaves(pattern: Json, path: Path = ()) -> list[tuple[Path, Json]]:
    """The innermost patterns of a mapping with the paths to them."""
    if not isinstance(pattern, dict) or operator_of(pattern) is not None:
        return [(path, pattern)]
    return [leaf for key, item in pattern.items() for leaf in leaves(item, (*path, key))]


def element(written: Json, *, is_event: bool) -> tuple[str, Json]:
    """The name of an element of a list pattern, and the rest of it (None: nothing more).

    An event goes by its type, a message by its role; anything else has no name.
    """
    if isinstance(written, str):
        return written, None
    if is_event and isinstance(written, dict) and len(written) == 1:
        ((name, fields),) = written.items()
        return name, fields
    if not isinstance(written, dict) or operator_of(written) is not None:
        return "", written
    role = text_at(written, "role")
    if role:
        return role, {key: item for key, item in written.items() if key != "role"} or None
    return ("tool_result" if "tool_result" in written else ""), written


_UNNAMED = frozenset({"role", "tool_call_id", "tool_name", "content", "delta", "type"})
"""Fields of which the value tells enough, in an event or a message."""
_TEXTS = frozenset({"content", "delta", "partial", "reason", "message"})
"""Fields that hold a text for somebody to read."""
_AROUND = frozenset({"message", "tool_result", "result", "event"})
"""Fields that hold those; their names are left out, too."""


def expected(written: Json, *, is_event: bool) -> str:
    """An element of a list pattern in one line."""
    if isinstance(written, dict) and operator_of(written) == "$one_of":
        return " or ".join(expected(each, is_event=is_event) for each in list_at(written, "$one_of"))
    name, rest = element(written, is_event=is_event)
    if rest is None or rest == {}:
        return name
    if isinstance(rest, dict) and is_event and "events" in rest:
        events = rest["events"]
        count = len(events) if isinstance(events, list) else 0
        rest = {**rest, "events": {"$literal": f"a stream of {count} elements"}}
    if not name:
        return said(rest)
    return f"{name}  {', '.join(_leaf(path, pattern) for path, pattern in leaves(rest))}"


def _leaf(path: Path, pattern: Json) -> str:
    short = path
    while len(short) > 1 and short[0] in _AROUND:
        short = short[1:]
    words = _text(pattern) if short and short[-1] in _TEXTS else said(pattern)
    return words if len(short) == 1 and short[0] in _UNNAMED else f"{dotted(short)} {words}".strip()


# What came


def item(value: Json) -> str:
    """An event, a message, a call or anything else in one line."""
    if text_at(value, "type"):
        return event(value)
    if text_at(value, "role"):
        return message(value)
    return call(value) if text_at(value, "id") and text_at(value, "name") else flow(value)


def event(value: Json, depth: int = 0) -> str:
    """An event: its type, and what matters in it."""
    kind = printable(text_at(value, "type") or "?", keep="")
    if depth > _DEEPEST:
        return kind
    rest = _BRIEF.get(kind, _fields)(value) if kind != "Nested" else _nested(value, depth)
    return f"{kind}  {rest}" if rest else kind


def message(value: Json) -> str:
    """A message: who speaks, and what."""
    if not isinstance(value, dict) or not value:
        return ""
    role = printable(text_at(value, "role") or "?", keep="")
    content = text_at(value, "content")
    result = mapping_at(value, "tool_result")
    if result:
        return f"{role}  {_result(result, text_at(result, 'tool_call_id'), content)}"
    parts = [quoted(content)] if content or not list_at(value, "tool_calls") else []
    parts += [f"calls {call(item)}" for item in list_at(value, "tool_calls")]
    return f"{role}  {', '.join(parts)}"


def call(value: Json) -> str:
    """A tool call: the tool, its arguments, and the call's id."""
    name, id = text_at(value, "name") or "?", text_at(value, "id")
    arguments = mapping_at(value, "arguments")
    shown = f"{printable(name, keep='')} {flow(arguments)}" if arguments else printable(name, keep="")
    return f"{shown} ({flow(id)})" if id else shown


def _result(result: Json, id: str, content: str = "") -> str:
    marks = [mark for mark in ("pending", "is_error") if mapping_at({"": result}, "").get(mark) is True]
    shown = "".join(f", {mark.removeprefix('is_')}" for mark in marks)
    text = text_at(result, "content") or content
    return f"{flow(id)}{shown}: {quoted(text)}" if id else f"{quoted(text)}{shown}"


def _called(value: Json) -> str:
    return flow(text_at(value, "tool_call_id") or text_at(value, "tool_name"))


def _nested(value: Json, depth: int) -> str:
    if isinstance(value, dict) and "events" in value:
        return f"{_called(value)}, a stream of {len(list_at(value, 'events'))}"
    return f"{_called(value)}: {event(mapping_at(value, 'event'), depth + 1)}"


def _fields(value: Json) -> str:
    rest = {key: field for key, field in mapping_at({"": value}, "").items() if key != "type"}
    return flow(rest) if rest else ""


def _count(key: str, noun: str) -> Callable[[Json], str]:
    def words(value: Json) -> str:
        number = len(list_at(value, key))
        return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

    return words


_BRIEF: Mapping[str, Callable[[Json], str]] = {
    "AgentEnd": _count("messages", "message"),
    "TurnEnd": lambda _: "",
    "ContextBudget": lambda _: "",
    "GenerationStats": lambda _: "",
    "MessageStart": lambda value: message(mapping_at(value, "message")),
    "MessageEnd": lambda value: message(mapping_at(value, "message")),
    "MessageDelta": lambda value: quoted(text_at(value, "delta")),
    "ToolExecStart": lambda value: f"{_called(value)} {flow(mapping_at(value, 'args'))}",
    "ToolExecUpdate": lambda value: f"{_called(value)}: {quoted(text_at(value, 'partial'))}",
    "ToolExecEnd": lambda value: _result(mapping_at(value, "result"), text_at(value, "tool_call_id")),
    "ToolResolved": lambda value: _result(mapping_at(value, "result"), text_at(value, "tool_call_id")),
    "ToolDenied": lambda value: f"{_called(value)}: {quoted(text_at(value, 'reason'))}",
    "Paused": lambda value: ", ".join(call(item) for item in list_at(value, "pending")),
    "Warning": lambda value: quoted(text_at(value, "message")),
    "Error": lambda value: quoted(text_at(value, "message")),
}


def at_path(value: Json, path: Path) -> tuple[bool, Json]:
    """Whether something stands at a path inside a value, and what."""
    for key in path:
        match value, key:
            case dict(), str() if key in value:
                value = value[key]
            case list(), int() if key < len(value):
                value = value[key]
            case _:
                return False, None
    return True, value
