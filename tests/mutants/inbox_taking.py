"""Faults in what a reading of the inbox takes: in which order, how much, and what is lost."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import (
    ANSWERED,
    AT_BEGIN,
    BETWEEN,
    GIVEN,
    HEARD,
    ITEMS,
    LAST,
    MODEL_FAILED,
    PAUSED,
    PUT,
    RESOLVED,
    STOPPED,
)

FIFO = "agent.inbox.fifo"
ALL_AT_ONCE = "agent.inbox.all-at-once"
SHARED = "agent.inbox.shared-handle"
FROM_OUTSIDE = "agent.inbox.from-outside"
ANY_THREAD = "agent.inbox.any-thread"
NOTHING_LOST = "agent.inbox.nothing-lost-on-stop"

SORTED = """\
        items = list(self._parts.inbox.take_all())
        for item in sorted(items, key=lambda item: {key}):
"""
COPIED = "        return Inbox(self._queue)\n"
TAKEN = "        return Inbox(self._parts.inbox)\n"

ORDER = [
    Mutant(
        breaks="results overtake messages",
        module="run",
        old=ITEMS,
        new=SORTED.format(key="isinstance(item, Pushed)"),
        caught_by={"agent/inbox/fifo": FIFO},
    ),
    Mutant(
        breaks="results are taken in the order of their calls",
        module="run",
        old=ITEMS,
        new=SORTED.format(key="getattr(item, 'call_id', '')"),
        caught_by={"agent/inbox/fifo-results": FIFO},
    ),
    Mutant(
        breaks="what landed last in a turn is taken first",
        module="run",
        old=BETWEEN,
        new="            inbox._items.reverse()\n" + BETWEEN,
        caught_by={"agent/inbox/fifo-during-a-turn": FIFO},
    ),
    Mutant(
        breaks="a message that comes through a copy of the handle overtakes the others",
        module="inbox",
        old=COPIED,
        new="""\
        class Hasty(Inbox):
            def push(self, text: str) -> None:
                self._queue._items.appendleft(Pushed(text))

        return Hasty(self._queue)
""",
        caught_by={"agent/inbox/fifo-across-handles": FIFO},
    ),
]

ONE_ITEM = """\
            if inbox:
                later = list(inbox._items)[1:] if {condition} else []
                for _ in later:
                    inbox._items.pop()
                self._read_inbox()
                inbox._items.extend(later)
"""

AMOUNT = [
    Mutant(
        breaks="a reading ends with the first result",
        module="run",
        old=RESOLVED,
        new=RESOLVED + "                return\n",
        caught_by={
            "agent/inbox/all-at-once": ALL_AT_ONCE,
            "agent/inbox/all-at-once-results": ALL_AT_ONCE,
        },
    ),
    Mutant(
        breaks="a reading ends with the first message",
        module="run",
        old=HEARD,
        new=HEARD.replace("continue", "return"),
        caught_by={"agent/inbox/all-at-once-messages": ALL_AT_ONCE},
    ),
    Mutant(
        breaks="after tools only one item is taken out of the inbox",
        module="run",
        old=BETWEEN,
        new=ONE_ITEM.format(condition="message.tool_calls"),
        caught_by={"agent/inbox/all-at-once-during-tool": ALL_AT_ONCE},
    ),
    Mutant(
        breaks="at a final answer only one item is taken out of the inbox",
        module="run",
        old=BETWEEN,
        new=ONE_ITEM.format(condition="not message.tool_calls"),
        caught_by={"agent/inbox/all-at-once-at-final": ALL_AT_ONCE},
    ),
    Mutant(
        breaks="what a resume has read stays in the inbox and is read again",
        module="run",
        old=AT_BEGIN,
        new=f"""\
        waiting = [] if text else list(self._parts.inbox._items)
{AT_BEGIN}        self._parts.inbox._items.extend(waiting)
""",
        caught_by={"agent/inbox/all-at-once-and-only-once": ALL_AT_ONCE},
    ),
]

HANDLES = [
    Mutant(
        breaks="a copy of the handle has an inbox of its own",
        module="inbox",
        old=COPIED,
        new="        return Inbox(Queue())\n",
        caught_by={
            "agent/inbox/shared-handle": SHARED,
            "agent/inbox/shared-handle-results": SHARED,
            "agent/inbox/shared-handle-in-one-reading": SHARED,
            "agent/inbox/shared-handle-during-a-run": SHARED,
        },
    ),
    Mutant(
        breaks="a second handle that is taken from an agent has an inbox of its own",
        module="agent",
        old=TAKEN,
        new="""\
        taken, self._taken = getattr(self, "_taken", False), True
        return Inbox(Queue() if taken else self._parts.inbox)
""",
        caught_by={
            "agent/inbox/shared-handle": SHARED,
            "agent/inbox/shared-handle-results": SHARED,
            "agent/inbox/shared-handle-in-one-reading": SHARED,
            "agent/inbox/shared-handle-during-a-run": SHARED,
        },
    ),
]

LOST = "self._parts.inbox._items.clear()\n"

LOSSES = [
    Mutant(
        breaks="of what lands while the model writes only the last is kept",
        module="run",
        old=GIVEN,
        new="        for _ in range(len(self._parts.inbox._items) - 1):\n"
        f"            self._parts.inbox._items.popleft()\n{GIVEN}",
        caught_by={"agent/inbox/from-outside": FROM_OUTSIDE},
    ),
    Mutant(
        breaks="what lands during a tool is lost if something else waits",
        module="run",
        old=ANSWERED,
        new="""\
            output = await self._answer(call)
            for _ in range(len(self._parts.inbox._items) - 1):
                self._parts.inbox._items.pop()
            self._record(call, output)
""",
        caught_by={"agent/inbox/from-outside-throughout": FROM_OUTSIDE},
    ),
    Mutant(
        breaks="after a stop the handles that the host has are no longer those of the agent's inbox",
        module="agent",
        old=STOPPED,
        new=f"""\
{STOPPED}            items = self._parts.inbox._items
            self._parts.inbox = Queue()
            self._parts.inbox._items.extend(items)
""",
        caught_by={"agent/inbox/from-outside-after-stop": FROM_OUTSIDE},
    ),
    Mutant(
        breaks="a pause empties the inbox",
        module="run",
        old=PAUSED,
        new=f"{PAUSED}                    {LOST}",
        caught_by={"agent/inbox/from-outside-at-pause": FROM_OUTSIDE},
    ),
    Mutant(
        breaks="a run that reaches its limit empties the inbox",
        module="run",
        old="                if rounds == config.max_tool_rounds:\n",
        new=f"                if rounds == config.max_tool_rounds:\n                    {LOST}",
        caught_by={"agent/inbox/from-outside-at-limit": FROM_OUTSIDE},
    ),
    Mutant(
        breaks="nothing is taken from another thread",
        module="inbox",
        old=PUT,
        new="        import threading\n\n"
        f"        if threading.current_thread() is threading.main_thread():\n    {PUT}",
        caught_by={
            "agent/inbox/any-thread": ANY_THREAD,
            "agent/inbox/any-thread-during-a-run": ANY_THREAD,
        },
    ),
    Mutant(
        breaks="a run that is stopped empties the inbox",
        module="run",
        old=LAST,
        new=f"        if self.stop_flag.is_set():\n            {LOST}{LAST}",
        caught_by={
            "agent/inbox/nothing-lost-on-stop": NOTHING_LOST,
            "agent/inbox/nothing-lost-on-stop-while-writing": NOTHING_LOST,
            "agent/inbox/result-not-lost-on-stop": NOTHING_LOST,
        },
    ),
    Mutant(
        breaks="a run that is stopped before an answer takes back what it had read",
        module="run",
        old=LAST,
        new=f"""\
        if self.stop_flag.is_set() and not self._added:
            self._conversation._messages.clear()
{LAST}""",
        caught_by={"agent/inbox/nothing-lost-on-stop-after-reading": NOTHING_LOST},
    ),
    Mutant(
        breaks="a model that fails empties the inbox",
        module="run",
        old=MODEL_FAILED,
        new=f"{MODEL_FAILED}                {LOST}",
        caught_by={"agent/inbox/nothing-lost-on-failure": NOTHING_LOST},
    ),
    Mutant(
        breaks="a run whose model fails takes back what it had read",
        module="run",
        old=MODEL_FAILED,
        new=f"""\
{MODEL_FAILED}\
                while conversation and conversation.view[-1].role != "assistant":
                    conversation._messages.pop()
""",
        caught_by={
            "agent/inbox/nothing-lost-on-failure-after-reading": NOTHING_LOST,
            "agent/inbox/result-not-lost-on-failure": NOTHING_LOST,
        },
    ),
]

MUTANTS = [*ORDER, *AMOUNT, *HANDLES, *LOSSES]
