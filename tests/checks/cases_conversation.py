"""Plays for the checks of the conversation, and of what is executed."""

from __future__ import annotations

from conformance.scenario import Json
from conformance.transcript import Message
from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.plays import CALLING, DONE, Play, assistant, placeholder, result, user

GO = user("Go")
PENDING = [GO, CALLING, placeholder("c1")]
RESOLVED = [*PENDING, result("c1", "out/")]
DANGLING = [GO, CALLING]
FAILED = [*DANGLING, result("c1", "failed", is_error=True)]


def with_id(message: Message, id: str) -> Message:
    """The message under another id."""
    return {**message, "id": id}


def unmarked(messages: list[Message]) -> list[Message]:
    """The messages without marks, as a model may be given them."""

    def bare(message: Message) -> Message:
        inner = message.get("tool_result")
        if not isinstance(inner, dict):
            return message
        kept: dict[str, Json] = {key: value for key, value in inner.items() if key != "pending"}
        return {**message, "tool_result": kept}

    return [bare(message) for message in messages]


def pending() -> Play:
    """A run in which a call is left pending."""
    return Play().prompt().model(GO, calls=1).tool("c1", "pending").model(*PENDING).ends(*PENDING, DONE)


def restored(*messages: Message) -> Play:
    """A fresh agent with a conversation."""
    return Play().holds(*messages)


HOLDS = (
    Holds(
        "dangling-only-missing",
        "a restored conversation that lacks nothing",
        restored(*RESOLVED).prompt("More").model(*RESOLVED, user("More")),
    ),
    Holds(
        "dangling-only-missing",
        "a restored placeholder whose result is sent",
        restored(*PENDING).resolve("c1", "out/").resume().model(*RESOLVED),
    ),
    Holds(
        "dangling-once",
        "a call that is marked failed by the first run",
        restored(*DANGLING).prompt().model(*FAILED).ends(*FAILED).prompt("More").model(*FAILED, user("More")),
    ),
    Holds("ids-unique", "messages and calls with ids of their own", Play().prompt().model(GO).ends(GO, DONE)),
    Holds(
        "ids-unique",
        "the ids of another agent",
        Play()
        .prompt()
        .model(GO, calls=1)
        .model(*FAILED)
        .ends(*FAILED, DONE)
        .prompt(agent="other")
        .model(GO, agent="other")
        .ends(GO, DONE, agent="other"),
    ),
    Holds("well-formed", "a call with its result", Play().prompt().model(GO, calls=1).model(*FAILED)),
    Holds("well-formed", "a call with its placeholder", pending()),
    Holds("placeholder-kept", "a placeholder beside the real result", pending().resume().model(*RESOLVED)),
    Holds(
        "placeholder-kept",
        "another conversation in its place",
        pending().resume().model(*RESOLVED).ends(*RESOLVED).holds(GO, fresh=False).prompt().model(GO),
    ),
    Holds(
        "second-dropped-later",
        "a second result that is dropped",
        pending()
        .resolve("c1", "out/")
        .resume()
        .model(*RESOLVED)
        .resolve("c1", "again")
        .ends(*RESOLVED)
        .prompt()
        .model(*RESOLVED),
    ),
    Holds(
        "dangling-failed",
        "a failed result for a call that was left over",
        restored(*DANGLING).prompt().model(*FAILED),
    ),
    Holds(
        "dangling-failed",
        "a failed result that stands at the end",
        restored(*DANGLING).prompt("More").model(*DANGLING, user("More"), result("c1", "failed")),
    ),
    Holds(
        "never-rerun",
        "a restored call that is not executed again",
        restored(*DANGLING).prompt().model(*FAILED, calls=1).tool("c2").model(*FAILED),
    ),
)

BREAKS = (
    Breaks(
        "dangling-only-missing",
        "a restored call that has a result and is marked failed",
        restored(GO, CALLING, result("c1", "written")).prompt("More").model(*FAILED, result("c1", "written")),
        "real results of c1 in main's conversation: 2",
        step=2,
    ),
    Breaks(
        "dangling-only-missing",
        "a restored placeholder that is marked failed",
        restored(*PENDING).prompt("More").model(*PENDING, result("c1", "failed"), user("More")),
        "real results of c1 in main's conversation: 1, expected 0",
        step=2,
    ),
    Breaks(
        "dangling-once",
        "a call that is marked failed by each run",
        restored(*DANGLING)
        .prompt()
        .model(*FAILED)
        .ends(*FAILED)
        .prompt("More")
        .model(*FAILED, result("c1", "failed again"), user("More")),
        "real results of c1 in main's conversation: 2",
        step=3,
    ),
    Breaks(
        "ids-unique",
        "two messages with one id",
        Play().prompt().model(GO, with_id(DONE, "m1"), with_id(user("More"), "m1")).ends(),
        "2 messages of main's conversation",
    ),
    Breaks(
        "ids-unique",
        "two calls with one id",
        Play().prompt().model(GO).ends(*FAILED, assistant("Again", "c1"), result("c1", "x")),
        "2 calls of main's conversation",
    ),
    Breaks(
        "ids-unique",
        "an id that was restored, given to a new message",
        restored(with_id(GO, "m1")).prompt("More").model(with_id(GO, "m1"), with_id(user("More"), "m1")),
        "the id m1",
        step=2,
    ),
    Breaks(
        "well-formed",
        "a call without a result",
        Play().prompt().model(GO, calls=1).model(*DANGLING),
        "report (c1) has no result",
    ),
    Breaks(
        "well-formed",
        "the second of two calls without one",
        Play().prompt().model(GO, calls=2).model(GO, assistant("", "c1", "c2"), result("c2", "x")),
        "(c1) has no result",
    ),
    Breaks(
        "well-formed",
        "a call of a stopped run without a result",
        Play()
        .prompt()
        .model(GO, calls=1)
        .ends(*DANGLING, ending="stopped")
        .prompt("More")
        .model(*DANGLING, user("More")),
        "(c1) has no result",
        step=2,
    ),
    Breaks(
        "placeholder-kept",
        "a placeholder replaced by the real result",
        pending().resume().model(GO, CALLING, result("c1", "out/")),
        "the placeholder of c1 is no longer",
        step=2,
    ),
    Breaks(
        "placeholder-kept",
        "a placeholder gone from the conversation at the end",
        pending().resume().model(*RESOLVED).ends(GO, CALLING, result("c1", "out/")),
        "the placeholder of c1",
        step=2,
    ),
    Breaks(
        "placeholder-kept",
        "a placeholder with another text",
        pending().resume().model(GO, CALLING, result("c1", "finished", pending=True), result("c1", "out/")),
        "the placeholder of c1",
        step=2,
    ),
    Breaks(
        "second-dropped-later",
        "two real results",
        pending().resume().model(*RESOLVED, result("c1", "again")),
        "real results of c1 in main's conversation: 2",
        step=2,
    ),
    Breaks(
        "second-dropped-later",
        "a second result of a call that completed",
        Play().prompt().model(GO, calls=1).tool("c1").model(*FAILED, result("c1", "again")),
        "real results of c1 in main's conversation: 2",
    ),
    Breaks(
        "dangling-failed",
        "a call that was left over and stays without a result",
        restored(*DANGLING).prompt("More").model(*DANGLING, user("More")),
        "(c1) has no result",
        step=2,
    ),
    Breaks(
        "never-rerun",
        "a restored call that is executed",
        restored(*DANGLING).prompt().tool("c1").model(*FAILED),
        "which nobody has asked for again",
        step=2,
    ),
    Breaks(
        "never-rerun",
        "a restored call that is executed under another id",
        restored(*DANGLING).prompt().tool("c9").model(*FAILED),
        "which nobody has asked for again",
        step=2,
    ),
    Breaks(
        "never-rerun",
        "a call that is executed twice in its turn",
        Play().prompt().model(GO, calls=2).tool("c1").tool("c1"),
        "report is executed for c1",
    ),
    Breaks(
        "never-rerun",
        "a pending call that is executed again at a resume",
        pending().resume().tool("c1").model(*RESOLVED),
        "report is executed for c1",
        step=2,
    ),
)

LEFT_OPEN = (
    LeftOpen(
        "-",
        "two calls of one message with one id",
        Play()
        .prompt()
        .model(GO, calls=2)
        .tool("c1")
        .tool("c1")
        .model(GO, assistant("", "c1", "c1"), result("c1", "a"), result("c1", "b")),
        ("ids-unique",),
    ),
    LeftOpen(
        "7",
        "a result that waited when replace_messages was called, and comes",
        pending().resolve("c1", "out/").holds(*PENDING, fresh=False).resume().model(*RESOLVED),
    ),
    LeftOpen(
        "8",
        "a placeholder that the model is given without its mark",
        Play()
        .prompt()
        .model(GO, calls=1)
        .tool("c1", "pending")
        .model(*unmarked(PENDING))
        .ends(*PENDING, DONE)
        .resolve("c1", "out/")
        .resume()
        .model(*unmarked(RESOLVED))
        .ends(*RESOLVED),
    ),
    LeftOpen(
        "13",
        "a result that was sent for a call that was left over, and used",
        restored(*DANGLING).resolve("c1", "out/").resume().model(*DANGLING, result("c1", "out/")),
    ),
    LeftOpen("17", "a context from which old messages were pruned", pending().resume().model(user("More"))),
    LeftOpen(
        "-",
        "an id that a fresh agent gives again",
        Play()
        .prompt()
        .model(GO, calls=1)
        .tool("c1")
        .model(*FAILED)
        .ends(*FAILED, DONE)
        .holds()
        .prompt()
        .model(GO, calls=1)
        .tool("c1")
        .model(*FAILED),
    ),
    LeftOpen(
        "-",
        "an id that is given again to a call that the model asks for",
        restored(*FAILED)
        .prompt("More")
        .model(*FAILED, user("More"), calls=1)
        .tool("c1")
        .model(*FAILED, user("More"), assistant("More", "c1"), result("c1", "more")),
        ("ids-unique",),
    ),
)
