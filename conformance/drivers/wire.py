"""Shapes of the protocol that drivers in other processes are reached by: what both ends share.

`schemas/protocol.schema.json` says what crosses; here it is made into the types of `base`, and back.
Knows nothing of lines and processes, and does not judge: the suite looks at every line (`shapes`), and an
implementation that is served may trust the suite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from conformance.drivers.base import (
    CAPABILITIES,
    AgentOptions,
    Call,
    Generation,
    Handle,
    HostError,
    Implementation,
    InboxItem,
    Outcome,
)
from conformance.scenario import PROFILES, Json

Object: TypeAlias = dict[str, Json]

PROTOCOL_VERSIONS = (1,)
"""The versions that the suite speaks, the best first."""

IMPLEMENTATION_ERROR = 1
"""The code of an error of the implementation's own; `data.code` is one of `ERROR_CODES`."""
HOST_ERROR = 2
"""The code of an error of the host's: a model or tool that failed, or `aborted`."""
METHOD_NOT_FOUND = -32601
"""JSON-RPC's code for a method that the driver does not have."""
INTERNAL_ERROR = -32603
"""JSON-RPC's code where the implementation raised what is no answer."""


# Requests and answers


def request(id: int, method: str, params: Object) -> Object:
    """A request; `id` is what its answer will carry."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def notification(method: str, params: Object) -> Object:
    """What is told and not asked."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def success(id: Json, result: Json) -> Object:
    """The answer to the request `id`."""
    return {"jsonrpc": "2.0", "id": id, "result": result}


def failure(id: Json, code: int, message: str, data: Json = None) -> Object:
    """The answer to the request `id` that could not be served."""
    error: Object = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": id, "error": error}


def host_failure(id: Json, error: HostError) -> Object:
    """The answer to a request of the implementation that the suite cannot serve."""
    return failure(id, HOST_ERROR, error.message, {"code": "aborted" if error.aborted else "failed"})


# The types of `base`, to JSON and back. What is read has the shape that the schema demands.


def implementation_to_json(implementation: Implementation, protocol_version: int) -> Object:
    """The result of initialize."""
    return {
        "protocol_version": protocol_version,
        "name": implementation.name,
        "version": implementation.version,
        "language": implementation.language,
        "profiles": [*sorted(implementation.profiles)],
        "capabilities": [*sorted(implementation.capabilities)],
    }


def implementation_from_json(result: Mapping[str, Json]) -> Implementation:
    """What an implementation says of itself in the result of initialize."""
    return Implementation(
        str(result["name"]),
        str(result["version"]),
        str(result["language"]),
        frozenset(profile for profile in PROFILES if profile in _list(result["profiles"])),
        frozenset(able for able in CAPABILITIES if able in _list(result["capabilities"])),
    )


def options_to_json(agent: str, options: AgentOptions) -> Object:
    """The params of agent/create."""
    params: Object = {
        "agent": agent,
        "tools": [*options.tools],
        "pause_on_pending": options.pause_on_pending,
        "approves": options.approves,
    }
    if options.max_rounds is not None:
        params["max_rounds"] = options.max_rounds
    if options.system_prompt is not None:
        params["system_prompt"] = options.system_prompt
    return params


def options_from_json(params: Mapping[str, Json]) -> AgentOptions:
    """How the agent of agent/create is to be set up."""
    rounds, prompt = params.get("max_rounds"), params.get("system_prompt")
    return AgentOptions(
        tuple(str(name) for name in _list(params["tools"])),
        params["pause_on_pending"] is True,
        rounds if isinstance(rounds, int) else None,
        prompt if isinstance(prompt, str) else None,
        params["approves"] is True,
    )


def item_to_json(item: InboxItem) -> Object:
    """What inbox/push, inbox/resolve and inbox/reject carry beside the agent."""
    call: Object = {} if item.word == "push" else {"call_id": item.call_id}
    return {**call, "text": item.text, "handle": item.handle}


_WORDS: dict[Json, Literal["push", "resolve", "reject"]] = {
    "push": "push",
    "resolve": "resolve",
    "reject": "reject",
}
_HANDLES: dict[Json, Handle] = {"first": "first", "copy": "copy", "second": "second"}


def item_from_json(word: Json, params: Mapping[str, Json]) -> InboxItem:
    """The item that the params of an inbox method, or an entry of inbox/threads, stand for."""
    call_id = str(params.get("call_id", ""))
    return InboxItem(_WORDS[word], str(params["text"]), call_id, _HANDLES[params["handle"]])


def threads_to_json(threads: Sequence[Sequence[InboxItem]]) -> list[Json]:
    """What inbox/threads carries beside the agent."""
    return [[{"word": item.word, **item_to_json(item)} for item in items] for items in threads]


def threads_from_json(threads: Json) -> list[list[InboxItem]]:
    """The items of each thread."""
    return [[item_from_json(item["word"], item) for item in objects(items)] for items in _list(threads)]


def generation_to_json(generation: Generation) -> Object:
    """The result of model/generate."""
    return {
        "chunks": [*generation.chunks],
        "tool_calls": [_call_to_json(call) for call in generation.tool_calls],
        "usage": {**generation.usage},
    }


def _call_to_json(call: Call) -> Object:
    written: Object = {"name": call["name"], "arguments": call["arguments"]}
    return {**written, "id": call["id"]} if "id" in call else written


def _call_from_json(written: Object) -> Call:
    call = Call(name=str(written["name"]), arguments=mapping(written["arguments"]))
    if "id" in written:
        call["id"] = str(written["id"])
    return call


def generation_from_json(result: Mapping[str, Json]) -> Generation:
    """The model's reply."""
    usage = result["usage"] if isinstance(result["usage"], dict) else {}
    return Generation(
        tuple(str(chunk) for chunk in _list(result["chunks"])),
        tuple(map(_call_from_json, objects(result["tool_calls"]))),
        {key: count for key, count in usage.items() if isinstance(count, int)},
    )


def execution_to_json(
    agent: str, call_id: str, tool: str, arguments: Object, answer: Object | None = None
) -> Object:
    """The params of tool/execute, and of tool/approve."""
    params: Object = {"agent": agent, "call_id": call_id, "tool": tool, "arguments": arguments}
    return params if answer is None else {**params, "answer": answer}


def outcome_to_json(outcome: Outcome) -> Object:
    """The result of tool/execute."""
    if outcome.request is not None:
        return {"suspends": outcome.request}
    return {"content": outcome.content, "pending": outcome.pending}


def outcome_from_json(result: Mapping[str, Json]) -> Outcome:
    """What the execution gave."""
    if "suspends" in result:
        return Outcome("", request=mapping(result["suspends"]))
    return Outcome(str(result["content"]), pending=result["pending"] is True)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def texts(value: Json) -> tuple[str, ...]:
    """The texts of a list."""
    return tuple(item for item in _list(value) if isinstance(item, str))


def objects(value: Json) -> list[Object]:
    """The objects of a list."""
    return [item for item in _list(value) if isinstance(item, dict)]


def mapping(value: Json) -> Object:
    """An object."""
    return value if isinstance(value, dict) else {}
