"""Whether what crosses fits the protocol's schema, and what is wrong with it where it does not.

Both what an implementation sends and what the suite sends is looked at. Knows the names of the methods and
whose they are, and nothing of when they may be used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from conformance import schemas, words
from conformance.drivers.base import ProtocolError
from conformance.scenario import Json

SUITE_METHODS = frozenset(
    {
        "initialize",
        "agent/create",
        "agent/prompt",
        "agent/resume",
        "agent/stop",
        "agent/messages",
        "agent/replace_messages",
        "agent/pending_calls",
        "agent/needs_reply",
        "inbox/push",
        "inbox/resolve",
        "inbox/reject",
        "inbox/threads",
        "context/run_child",
        "tool/update",
        "runtime/create",
        "runtime/spawn",
        "runtime/post",
        "runtime/wake",
        "runtime/wait",
        "runtime/interrupt",
        "runtime/close",
        "runtime/resume",
        "runtime/list",
        "runtime/inspect",
        "runtime/state_of",
        "runtime/inbox_len",
        "runtime/pool_tokens",
        "runtime/usage_tokens",
        "clock/advance",
        "client/create",
        "client/run",
        "client/ask",
        "client/run_with_answer",
        "client/ask_with_answer",
        "client/stored",
        "reset",
        "shutdown",
    }
)
"""What the suite asks of an implementation."""

IMPLEMENTATION_METHODS = frozenset(
    {"model/generate", "tool/execute", "tool/approve", "host/wait_for", "event", "runtime/moved"}
)
"""What an implementation asks of the suite, or tells it."""

NOTIFICATIONS = frozenset({"event", "runtime/moved"})
"""What has no id and gets no answer."""

_SCHEMA = "protocol"


_ANSWERED_WITH_A_REPLY = frozenset({"agent/prompt", "agent/resume", "context/run_child"})

BARE_REPLY = 'found a message, expected {"message": ...} with that message in it'


def is_bare_reply(result: Json) -> bool:
    """Whether a run was answered with its reply itself, and not with a mapping in which that stands as
    `message`: all its fields would be passed over as unknown ones, and the run have no reply."""
    return isinstance(result, dict) and "message" not in result and result.keys() >= {"role", "content"}


def wrong_request(method: str, message: Json) -> str | None:
    """What is wrong with the line of a request or notification of `method`, if anything is."""
    return None if _fits(method)(message) else _wrong(message, _part(method))


def wrong_result(method: str, result: Json) -> str | None:
    """What is wrong with the result of `method`, if anything is."""
    if method in _ANSWERED_WITH_A_REPLY and is_bare_reply(result):
        return f"result: {BARE_REPLY}"
    return None if _fits(method, "result")(result) else _wrong(result, _part(method, "result"), "result")


def demand_what_can_be_given_back(method: str, params: dict[str, Json]) -> None:
    """See to what of a verb's params is no scenario's, but a transcript or a request that the implementation
    has answered with. Raises ProtocolError where it has not the shape of one."""
    if "pending" not in params:
        return
    wrong = wrong_request(method, {"jsonrpc": "2.0", "id": 0, "method": method, "params": params})
    if wrong is not None:
        raise ProtocolError(f"what it answered cannot be given back to it by {method}: {wrong}")


def wrong_error(method: str, error: Json) -> str | None:
    """What is wrong with the error that answers `method`, if anything is."""
    part = _part(method, "error")
    if schemas.is_valid(_SCHEMA, error, part):
        return None
    # The code says which kind it was meant to be; what is said of all kinds together helps nobody.
    code = error.get("code") if isinstance(error, dict) else None
    kind = {1: "implementationError", 2: "hostError"}.get(code, "error") if type(code) is int else "error"
    return _wrong(error, f"/$defs/{kind}", "error") or _wrong(error, part, "error")


def unknown_method(method: Json) -> str:
    """Why `method` is none that an implementation may ask for."""
    if not isinstance(method, str):
        return f"method: expected text, found {words.describe(method)}"
    if method in SUITE_METHODS:
        return f"{method} is for the suite to ask"
    known = ", ".join(sorted(IMPLEMENTATION_METHODS))
    hint = words.suggestion(method, IMPLEMENTATION_METHODS)
    return f"there is no method {words.plain(method)}{hint or f'; there are {known}'}"


@cache
def _fits(method: str, answer: str = "") -> Callable[[Json], bool]:
    return schemas.validator(_SCHEMA, _part(method, answer))


@cache
def _part(method: str, answer: str = "") -> str:
    escaped = method.replace("/", "~1")
    return f"/$defs/{escaped}/$defs/{answer}" if answer else f"/$defs/{escaped}"


def _wrong(value: Json, part: str, root: str = "") -> str | None:
    if schemas.is_valid(_SCHEMA, value, part):
        return None
    path, message = schemas.explain(_SCHEMA, value, part)[0]
    place = root
    for key in path:
        place += f"[{key}]" if isinstance(key, int) else f".{key}" if place else key
    return f"{place}: {message}" if place else message
