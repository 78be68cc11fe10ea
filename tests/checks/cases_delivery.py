"""Plays for the checks of the inbox: what was put in comes once, or is dropped."""

from __future__ import annotations

from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.cases_conversation import DANGLING, FAILED, GO, PENDING, RESOLVED, pending
from tests.checks.plays import DONE, Play, assistant, late, placeholder, result, user

HURRY = user("Hurry")


def at_prompt() -> Play:
    """A message is pushed, and then a run begins."""
    return Play().push("Hurry").prompt()


def in_a_tool() -> Play:
    """A message is pushed while a tool executes."""
    return Play().prompt().model(GO, calls=1).push("Hurry").tool("c1")


def stopped() -> Play:
    """A message is pushed, and the run is stopped before the model is called again."""
    return in_a_tool().ends(*FAILED, ending="stopped").prompt("More")


MORE = user("More")
TWO = assistant("", "c1", "c2")

HOLDS = (
    Holds(
        "any-thread",
        "a message pushed from a thread",
        Play().push("Hurry", threaded=True).resume().model(HURRY),
    ),
    Holds("read-at-prompt", "a message pushed before the prompt", at_prompt().model(HURRY, GO)),
    Holds(
        "read-at-prompt",
        "a message and a result",
        pending().push("Hurry").resolve("c1", "out/").prompt("More").model(*RESOLVED, HURRY, MORE),
    ),
    Holds(
        "read-at-prompt",
        "a push, and a prompt with the same text",
        Play().push("Go").prompt("Go").model({**GO, "id": "first"}, GO),
    ),
    Holds("read-at-resume", "a message pushed before the resume", Play().push("Hurry").resume().model(HURRY)),
    Holds(
        "read-at-resume",
        "a result sent before the resume",
        pending().resolve("c1", "out/").resume().model(*RESOLVED),
    ),
    Holds("read-between-calls", "a message pushed while a tool executes", in_a_tool().model(*FAILED, HURRY)),
    Holds(
        "read-between-calls",
        "a result sent while its call still executes",
        Play().prompt().model(GO, calls=1).resolve("c1", "out/").tool("c1", "pending").model(*RESOLVED),
    ),
    Holds("nothing-lost-on-stop", "a message that waits over a stop", stopped().model(*FAILED, HURRY, MORE)),
    Holds(
        "nothing-lost-on-stop",
        "a result that waits over a failure",
        pending()
        .prompt("More")
        .model(*PENDING, DONE, MORE, error="busy")
        .resolve("c1", "out/")
        .ends(ending="failed")
        .resume()
        .model(*PENDING, DONE, MORE, result("c1", "out/")),
    ),
    Holds(
        "from-outside",
        "a message pushed in a run, there once",
        in_a_tool().model(*FAILED, HURRY).ends(*FAILED, HURRY),
    ),
    Holds(
        "from-outside",
        "the same text pushed twice, there twice",
        in_a_tool().push("Hurry").model(*FAILED, HURRY, {**HURRY, "id": "second"}),
    ),
    Holds(
        "dropped-no-event",
        "a result for an id that no call has",
        Play().resolve("none", "x").push("Hurry").resume().model(HURRY),
    ),
    Holds(
        "dropped-no-event",
        "a result for a call that completed",
        Play()
        .prompt()
        .model(GO, calls=1)
        .tool("c1")
        .model(*FAILED)
        .ends(*FAILED, DONE)
        .resolve("c1", "x")
        .prompt("More")
        .model(*FAILED, DONE, MORE),
    ),
    Holds(
        "dropped-no-event",
        "a second result in the same read",
        pending()
        .resolve("c1", "out/")
        .resolve("c1", "again")
        .resume()
        .emit(*late("c1", "out/"))
        .model(*RESOLVED),
    ),
)

BREAKS = (
    Breaks(
        "any-thread",
        "a message pushed from a thread that is not there",
        Play().push("Hurry", threaded=True).resume().model(),
        "pushed in step 0",
    ),
    Breaks("read-at-prompt", "a pushed message that is not there", at_prompt().model(GO), "pushed in step 0"),
    Breaks(
        "read-at-prompt",
        "a push with the prompt's text that is not there",
        Play().push("Go").prompt("Go").model(GO),
        "pushed in step 0",
    ),
    Breaks(
        "read-at-prompt",
        "a push whose text is part of another's and is not there",
        Play().push("Hurry").push("Hurry up").prompt().model(user("Hurry up"), GO),
        "pushed in step 0",
    ),
    Breaks(
        "read-at-prompt",
        "a result that is not there",
        pending().resolve("c1", "out/").prompt("More").model(*PENDING, DONE, MORE),
        "the result of c1 sent in step 1",
        step=2,
    ),
    Breaks(
        "read-at-resume",
        "a pushed message that is not there",
        pending().push("Hurry").resume().model(*PENDING, DONE),
        "pushed in step 1",
        step=2,
    ),
    Breaks(
        "read-at-resume",
        "one result of two that is not there",
        Play()
        .prompt()
        .model(GO, calls=2)
        .tool("c1", "pending")
        .tool("c2", "pending")
        .ends(GO, TWO, placeholder("c1"), placeholder("c2"))
        .resolve("c1", "out/")
        .resolve("c2", "log/")
        .resume()
        .model(GO, TWO, placeholder("c1"), placeholder("c2"), result("c1", "out/")),
        "the result of c2",
        step=2,
    ),
    Breaks(
        "read-between-calls",
        "a message pushed in a tool that is not there",
        in_a_tool().model(*FAILED),
        "pushed in step 1",
    ),
    Breaks(
        "read-between-calls",
        "a message pushed on the move, missing at the second call",
        Play()
        .prompt()
        .model(GO, calls=1)
        .push("Hurry", settled=False)
        .tool("c1")
        .model(*FAILED, calls=1)
        .tool("c2")
        .model(*FAILED),
        "pushed in step 1",
    ),
    Breaks(
        "nothing-lost-on-stop",
        "a message that went with a stopped run",
        stopped().model(*FAILED, MORE),
        "pushed in step 1",
        step=2,
    ),
    Breaks(
        "nothing-lost-on-stop",
        "a result that went with a failed run",
        pending()
        .prompt("More")
        .model(*PENDING, DONE, MORE, error="busy")
        .resolve("c1", "out/")
        .ends(ending="failed")
        .resume()
        .model(*PENDING, DONE, MORE),
        "the result of c1 sent in step 2",
        step=3,
    ),
    Breaks(
        "from-outside",
        "a pushed message that is there twice",
        in_a_tool().model(*FAILED, HURRY, {**HURRY, "id": "again"}),
        "stands 2 times in the conversation and was put in 1 times",
    ),
    Breaks(
        "from-outside",
        "a pushed message that comes again in the next run",
        in_a_tool()
        .model(*FAILED, HURRY)
        .ends(*FAILED, HURRY, DONE)
        .prompt("More")
        .model(*FAILED, HURRY, DONE, {**HURRY, "id": "again"}, MORE),
        "stands 2 times",
        step=2,
    ),
    Breaks(
        "dropped-no-event",
        "a result for an id that no call has, in the conversation",
        Play().resolve("none", "x").push("Hurry").resume().model(HURRY, result("none", "x")),
        "an id that no call has",
    ),
    Breaks(
        "dropped-no-event",
        "ToolResolved for an id that no call has",
        Play().resolve("none", "x").push("Hurry").resume().emit(late("none", "x")[0]).model(HURRY),
        "an id that no call has",
    ),
    Breaks(
        "dropped-no-event",
        "ToolResolved for a call that completed",
        Play()
        .prompt()
        .model(GO, calls=1)
        .resolve("c1", "x")
        .tool("c1")
        .emit(late("c1", "x")[0])
        .model(*FAILED),
        "ToolResolved comes for c1",
    ),
    Breaks(
        "dropped-no-event",
        "ToolResolved twice for one call",
        pending()
        .resolve("c1", "out/")
        .resolve("c1", "again")
        .resume()
        .emit(late("c1", "out/")[0], late("c1", "again")[0])
        .model(*RESOLVED),
        "ToolResolved comes for c1",
        step=2,
    ),
    Breaks(
        "dropped-no-event",
        "a second result in the conversation",
        pending()
        .resolve("c1", "out/")
        .resolve("c1", "again")
        .resume()
        .model(*RESOLVED, result("c1", "again")),
        "a result for c1 that was to be dropped",
        step=2,
        too=("second-dropped-later",),
    ),
)

LEFT_OPEN = (
    LeftOpen(
        "-", "a message without the white space around it", Play().push("  Hurry\n").resume().model(HURRY)
    ),
    LeftOpen(
        "3",
        "several messages merged into one",
        in_a_tool().push("Quick").model(*FAILED, user("Hurry\n\nQuick")),
    ),
    LeftOpen("3", "a message merged with the prompt", at_prompt().model(user("Hurry\n\nGo"))),
    LeftOpen(
        "3",
        "a message merged with the user message before it",
        Play()
        .prompt()
        .model(GO, error="busy")
        .ends(ending="failed")
        .push("Hurry")
        .resume()
        .model(user("Go\n\nHurry")),
    ),
    LeftOpen(
        "3",
        "results first, then messages",
        pending()
        .push("Hurry")
        .resolve("c1", "out/")
        .resume()
        .model(*PENDING, result("c1", "out/"), DONE, HURRY),
    ),
    LeftOpen(
        "5",
        "a message that was read before the end of a stopped run",
        in_a_tool().ends(*FAILED, HURRY, ending="stopped").prompt("More").model(*FAILED, HURRY, MORE),
    ),
    LeftOpen(
        "7",
        "an inbox emptied by replace_messages",
        at_prompt().ends(ending="refused").push("Hurry").holds(GO, fresh=False).resume().model(GO),
    ),
    LeftOpen(
        "7",
        "an inbox kept over replace_messages",
        Play().push("Hurry").holds(GO, fresh=False).resume().model(GO, HURRY),
    ),
    LeftOpen("7", "an empty push", Play().push("").prompt().model(GO)),
    LeftOpen(
        "7",
        "a result that waited over replace_messages",
        pending()
        .resolve("c1", "out/")
        .holds(*PENDING, fresh=False)
        .resume()
        .emit(late("c1", "out/")[0])
        .model(*RESOLVED),
    ),
    LeftOpen(
        "8",
        "a heading around the result",
        pending()
        .resolve("c1", "out/")
        .resume()
        .model(*PENDING, result("c1", "The result of report (c1):\nout/")),
    ),
    LeftOpen(
        "13",
        "a result sent for a call that was left over, and used",
        Play()
        .holds(*DANGLING)
        .resolve("c1", "out/")
        .resume()
        .emit(late("c1", "out/")[0])
        .model(*DANGLING, result("c1", "out/")),
    ),
    LeftOpen(
        "13",
        "a result sent for a call that was left over, and dropped",
        Play().holds(*DANGLING).resolve("c1", "out/").resume().model(*FAILED),
    ),
    LeftOpen(
        "16",
        "a prompt whose run was stopped before the model was called",
        Play().prompt("Never").ends(ending="stopped").push("Never").prompt("Go").model(user("Never"), GO),
    ),
    LeftOpen("-", "what waited when the process died", at_prompt().holds(GO).prompt("More").model(GO, MORE)),
    LeftOpen(
        "-",
        "a message pushed on the move, seen by the first call",
        Play().prompt().model(GO, calls=1).push("Hurry", settled=False).tool("c1").model(*FAILED, HURRY),
    ),
    LeftOpen(
        "-",
        "a message pushed on the move, seen before the push was answered",
        Play()
        .prompt()
        .model(GO, calls=1)
        .tool("c1")
        .model(*FAILED, HURRY, calls=1)
        .push("Hurry", settled=False)
        .tool("c2")
        .model(*FAILED, HURRY),
    ),
    LeftOpen(
        "17",
        "a context from which old messages were pruned",
        Play().prompt().model(GO).ends(GO, DONE).push("Hurry").prompt("More").model(HURRY, MORE),
    ),
)
