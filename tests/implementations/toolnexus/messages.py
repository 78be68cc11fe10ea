"""The messages and results of toolnexus in the form that the suite has everywhere, and the model's reply as
toolnexus wants it.

Its messages are those of the OpenAI API. They have neither ids nor times, and a tool's does not say whether
the call waits: so neither does what is made of it here.
"""

import json


def neutral(messages, failed):
    """A transcript in the form that schemas/message.schema.json describes. `failed` are the calls that have,
    by their ids and what came of them."""
    names, found = {}, []
    for place, message in enumerate(messages):
        made = {"id": f"m{place}", "role": message["role"], "content": message.get("content") or ""}
        if message["role"] == "tool":
            made["role"] = "tool_result"
            made["tool_result"] = {
                "tool_call_id": message["tool_call_id"],
                "tool_name": names.get(message["tool_call_id"], ""),
                "content": made["content"],
                "is_error": (message["tool_call_id"], made["content"]) in failed,
            }
        calls = [call_of(call) for call in message.get("tool_calls") or ()]
        if calls:
            made["tool_calls"] = calls
            names |= {call["id"]: call["name"] for call in calls}
        found.append(made | {"timestamp": 0})
    return found


def call_of(call):
    function = call["function"]
    return {"id": call["id"], "name": function["name"], "arguments": json.loads(function["arguments"])}


def reply(generation):
    """What a model in the process gives back."""
    return {
        "content": "".join(generation.chunks),
        "tool_calls": list(generation.tool_calls),
        "usage": dict(generation.usage),
    }


def request_of(request):
    """A Request; what it does not have is not there."""
    return {name: value for name, value in vars(request).items() if value is not None}


def task_result(result):
    return {
        "text": result.text,
        "is_error": result.is_error,
        "status": result.status,
        "pending": None if result.pending is None else request_of(result.pending),
        "turns": result.turns,
        "total_tokens": result.total_tokens,
        "own_tokens": result.own_tokens,
        "limit": result.limit or "",
    }


def run_result(result, messages):
    return {
        "text": result.text,
        "messages": messages,
        "status": result.status,
        "pending": None if result.pending is None else request_of(result.pending),
        "limit": result.limit or "",
        "turns": result.turns,
        "usage": result.usage,
    }
