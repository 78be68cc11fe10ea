"""Faults that show only where several things come together: in a later run, after one that ended badly, or in
a child."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import BETWEEN, DROPPED, LAST, MODEL_FAILED

LISTED = "agent.pending.listed"
NOTHING_LOST = "agent.inbox.nothing-lost-on-stop"

FORGETS = "self._conversation._pending.clear()\n"
LIMIT = "                if rounds == config.max_tool_rounds:\n"
PAUSES = "                if config.pause_on_pending and self._leaves_pending(message):\n"
HEARS = "        if text:\n            self._hear(text)\n"
BADLY = "agent/pending/listed-after-other-runs-ended-badly"

OWED = [
    Mutant(
        breaks="a model that fails makes the run forget the calls that are waited for",
        module="run",
        old=MODEL_FAILED,
        new=f"{MODEL_FAILED}                {FORGETS}",
        caught_by={BADLY: LISTED},
    ),
    Mutant(
        breaks="a run that is stopped forgets the calls that are waited for",
        module="run",
        old=LAST,
        new=f"        if self.stop_flag.is_set():\n            {FORGETS}{LAST}",
        caught_by={BADLY: LISTED},
    ),
    Mutant(
        breaks="a run that reaches its limit forgets the calls that are waited for",
        module="run",
        old=LIMIT,
        new=f"{LIMIT}                    {FORGETS}",
        caught_by={BADLY: LISTED},
    ),
    Mutant(
        breaks="a prompt past a pause forgets the calls that paused the run",
        module="run",
        old=HEARS,
        new=f"{HEARS}            if self._parts.config.pause_on_pending:\n                {FORGETS}",
        caught_by={"agent/pending/listed-after-a-prompt-past-a-pause": LISTED},
    ),
]

PAUSING = [
    Mutant(
        breaks="an agent that was given messages does not pause",
        module="agent",
        old="        self._refuse_if_busy()\n        self._parts.conversation = Conversation(",
        new="""\
        self._refuse_if_busy()
        from dataclasses import replace
        self._parts.config = replace(self._parts.config, pause_on_pending=False)
        self._parts.conversation = Conversation(""",
        caught_by={"agent/pending/pause-after-a-restart": "agent.pending.pause"},
    ),
    Mutant(
        breaks="a run does not pause any more once it is in its fourth round",
        module="run",
        old=PAUSES,
        new=PAUSES.replace("if config", "if rounds < 4 and config"),
        caught_by={"agent/pending/pause-after-a-restart": "agent.pending.pause"},
    ),
]

RESUMES = "        return await self._complete(Run(self._parts, model, sink, StopFlag()))\n"


def _resumes_and_empties(condition: str) -> str:
    """A resume that empties the inbox in the end if this holds of it."""
    return f"""\
        run = Run(self._parts, model, sink, StopFlag())
        reply = await self._complete(run)
        if {condition}:
            self._parts.inbox._items.clear()
        return reply
"""


LOSSES = [
    Mutant(
        breaks="a resumed run whose model fails empties the inbox",
        module="agent",
        old=RESUMES,
        new=_resumes_and_empties("reply is None and not run._results and not run.stop_flag.is_set()"),
        caught_by={"agent/inbox/nothing-lost-in-resumed-runs": NOTHING_LOST},
    ),
    Mutant(
        breaks="a resumed run that is stopped empties the inbox",
        module="agent",
        old=RESUMES,
        new=_resumes_and_empties("run.stop_flag.is_set()"),
        caught_by={"agent/inbox/nothing-lost-in-resumed-runs": NOTHING_LOST},
    ),
    Mutant(
        breaks="a run that is stopped loses the rejections that have come",
        module="run",
        old=LAST,
        new=f"""\
        if self.stop_flag.is_set():
            for item in list(self._parts.inbox._items):
                if getattr(item, "is_error", False):
                    self._parts.inbox._items.remove(item)
{LAST}""",
        caught_by={"agent/inbox/nothing-lost-in-resumed-runs": NOTHING_LOST},
    ),
    Mutant(
        breaks="a model that fails makes the run lose the results that have come",
        module="run",
        old=MODEL_FAILED,
        new=f"""\
{MODEL_FAILED}\
                for item in list(self._parts.inbox._items):
                    if not isinstance(item, Pushed):
                        self._parts.inbox._items.remove(item)
""",
        caught_by={"agent/inbox/nothing-lost-in-resumed-runs": NOTHING_LOST},
    ),
    Mutant(
        breaks="a resumed run that reaches its limit empties the inbox",
        module="agent",
        old=RESUMES,
        new=_resumes_and_empties("reply is None and run._results and not run.stop_flag.is_set()"),
        caught_by={"agent/inbox/from-outside-at-limit-of-a-resume": "agent.inbox.from-outside"},
    ),
]

READINGS = [
    Mutant(
        breaks="the inbox is not read any more once the model has been asked six times in a run",
        module="run",
        old=BETWEEN,
        new=BETWEEN.replace("if inbox", 'if sum(it.role == "assistant" for it in self._added) < 6 and inbox'),
        caught_by={"agent/inbox/read-at-final-many-times": "agent.inbox.read-at-final-repeats"},
    ),
    Mutant(
        breaks="the inbox is not read at a final answer that has no text",
        module="run",
        old=BETWEEN,
        new=BETWEEN.replace("if inbox", "if (message.content or message.tool_calls) and inbox"),
        caught_by={"agent/inbox/read-at-final-without-a-text": "agent.inbox.read-at-final"},
    ),
    Mutant(
        breaks="a useless result is not warned of while a call is waited for",
        module="run",
        old=DROPPED,
        new=f"                if not self._conversation.pending_calls():\n    {DROPPED}",
        caught_by={"agent/inbox/unknown-dropped-beside-pending": "agent.inbox.unknown-dropped"},
    ),
]

MUTANTS = [*OWED, *PAUSING, *LOSSES, *READINGS]
