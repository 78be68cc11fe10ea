"""Other words for the same: ids, fields, pieces of text, and what there is beside what the documents name."""

from __future__ import annotations

from conformance.scenario import Json
from tests.copies import Edit
from tests.variants import Variant
from tests.variants._wire import Object, Translation

SPELLING = "how ids are spelled"
BESIDES = "which fields there are beside those that the documents print"
PIECES = "in which pieces a text is streamed"
HEADING = "where the heading of a late result stands, and what it says"

PRINTED = {
    "ToolExecStart": ("tool_call_id", "tool_name", "args"),
    "ToolExecEnd": ("result",),
    "ToolResolved": ("tool_call_id", "tool_name", "result"),
    "MessageStart": ("message",),
    "MessageEnd": ("message",),
    "AgentEnd": ("messages",),
    "Paused": ("pending",),
    "Nested": ("tool_call_id", "event"),
}
"""The fields that the documents print for an event; those of other types are not printed."""


def only_printed(event: Object) -> list[Object]:
    printed = PRINTED.get(str(event["type"]), ())
    return [{"type": event["type"], **{key: event[key] for key in printed if key in event}}]


def amid_others(event: Object) -> list[Object]:
    if event["type"] == "MessageDelta":
        return [event]
    if event["type"] in ("AgentEnd", "TurnEnd", "MessageEnd"):
        return [event, {"type": "CacheHit", "message": "none", "messages": []}]
    return [{"type": "Heartbeat", "beats": 3}, event]


def with_more(value: Object) -> Object:
    """More fields at every depth, but for what the model said."""
    more = {key: _more(each) for key, each in value.items() if key not in ("args", "arguments")}
    return {
        **value,
        **more,
        "revision": 7,
        "metadata": {"role": "metadata", "pending": True, "content": None},
    }


def _more(value: Json) -> Json:
    if isinstance(value, list):
        return [_more(each) for each in value]
    return with_more(value) if isinstance(value, dict) else value


def spelled_out(message: Object) -> Object:
    """Each field that may be missing is there."""
    result = message.get("tool_result")
    if isinstance(result, dict):
        message["tool_result"] = {"pending": False, "is_error": False, **result}
    return {"tool_calls": [], "token_count": 0, "pinned": False, **message}


def results_spelled_out(event: Object) -> list[Object]:
    result = event.get("result")
    return [
        {**event, "result": {"pending": False, "is_error": False, **result}}
        if isinstance(result, dict)
        else event
    ]


def backwards(value: Object) -> Object:
    return {key: _backwards(each) for key, each in reversed(value.items())}


def _backwards(value: Json) -> Json:
    if isinstance(value, list):
        return [_backwards(each) for each in value]
    return backwards(value) if isinstance(value, dict) else value


def told_apart(message: Object) -> Object:
    """The text of a result stands in the result only."""
    return {**message, "content": ""} if message["role"] == "tool_result" else message


def with_the_day(message: Object) -> Object:
    said = str(message["content"])
    return message if message["role"] != "user" or "(" in said else {**message, "content": f"(Monday) {said}"}


def with_the_system_prompt(messages: list[Object]) -> list[Object]:
    if messages and messages[0]["role"] == "system":
        return messages
    system: Object = {"id": "system", "role": "system", "content": "You help.", "timestamp": 0}
    return [system, *messages]


def joined(messages: list[Object]) -> list[Object]:
    """Neighbouring user messages become one."""
    found: list[Object] = []
    for message in messages:
        if found and message["role"] == found[-1]["role"] == "user":
            found[-1] = {**found[-1], "content": f"{found[-1]['content']}\n\n{message['content']}"}
        else:
            found.append(message)
    return found


def bare_results(event: Object) -> list[Object]:
    results = event.get("tool_results")
    if isinstance(results, list):
        event = {**event, "tool_results": [each["tool_result"] for each in results if isinstance(each, dict)]}
    return [event]


def without_user_messages(event: Object) -> list[Object]:
    message = event.get("message")
    is_user = isinstance(message, dict) and message.get("role") == "user"
    return [] if is_user and event["type"] in ("MessageStart", "MessageEnd") else [event]


VARIANTS: list[Variant] = [
    Variant(
        "ids are counted from 100 and spelled m-100 and call-100-x1",
        SPELLING,
        (
            Edit("conversation", r"msg-(\d{1,18})(?:-call-\d+)?", r"(?:msg|m|call)-(\d{1,18})(?:-x\d+)?"),
            Edit("conversation", 'return f"msg-{self._number}"', 'return f"m-{self._number + 99}"'),
            Edit(
                "draft",
                'f"{self._message_id}-call-{len(self._calls) + 1}"',
                'f"call-{self._message_id[2:]}-x{len(self._calls) + 1}"',
            ),
        ),
    ),
    Variant(
        "ids are numbers that all agents of the process share, those of calls as well",
        SPELLING,
        (
            Edit(
                "conversation", "import re\n", "import itertools\nimport re\n\nIDS = itertools.count(100)\n"
            ),
            Edit("conversation", 'return f"msg-{self._number}"', "return str(next(IDS))"),
            Edit("draft", "import Callable\n", "import Callable\n\nfrom reference.conversation import IDS\n"),
            Edit("draft", 'f"{self._message_id}-call-{len(self._calls) + 1}"', "str(next(IDS))"),
        ),
    ),
    Variant(
        "events of other types come between those that are known",
        "what else is emitted",
        says=Translation(event=amid_others),
    ),
    Variant(
        "there are more fields at every depth",
        BESIDES,
        says=Translation(event=lambda event: [with_more(event)], message=with_more, call=with_more),
    ),
    Variant(
        "what is not the case is said to be false, and what is not there to be empty",
        BESIDES,
        says=Translation(event=results_spelled_out, message=spelled_out),
    ),
    Variant(
        "events have no more fields than the documents print, and pending calls have ids only",
        BESIDES,
        says=Translation(event=only_printed, call=lambda call: {"id": call["id"]}),
    ),
    Variant(
        "the keys of every object come in another order",
        "the order of keys",
        says=Translation(event=lambda event: [backwards(event)], message=backwards, call=backwards),
    ),
    Variant(
        "the message of a result has no text of its own",
        HEADING,
        says=Translation(message=told_apart),
    ),
    Variant(
        "the system prompt is the first message of the conversation",
        "whether the system prompt is a message",
        says=Translation(conversation=with_the_system_prompt),
    ),
    Variant(
        "user messages that stand side by side are given to the model as one",
        "whether several messages are one",
        says=Translation(prompt=joined),
    ),
    Variant(
        "a user message says on which day it came",
        "what a user message says beside its text",
        says=Translation(message=with_the_day),
    ),
    Variant(
        "TurnEnd has the results, not their messages",
        "what TurnEnd has of the results",
        says=Translation(event=bare_results),
    ),
    Variant(
        "user messages have neither MessageStart nor MessageEnd",
        "whether user messages have events",
        says=Translation(event=without_user_messages),
    ),
    Variant(
        "a text is streamed word by word, with empty pieces between",
        PIECES,
        says=Translation(chunks=lambda chunks: tuple("".join(chunks).replace(" ", "\0 \0\0").split("\0"))),
    ),
    Variant(
        "a text comes in one piece",
        PIECES,
        says=Translation(chunks=lambda chunks: ("".join(chunks),)),
    ),
    Variant(
        "a text is not streamed",
        PIECES,
        says=Translation(event=lambda event: [] if event["type"] == "MessageDelta" else [event]),
    ),
]
