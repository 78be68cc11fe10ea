"""The faults that users reported of the inbox, as they showed there."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import ANSWERED, BETWEEN, HEARD, ITEMS, PUT, STOPPED

AT_FINAL = "agent.inbox.read-at-final"
FROM_OUTSIDE = "agent.inbox.from-outside"
ANY_THREAD = "agent.inbox.any-thread"
ALL_AT_ONCE = "agent.inbox.all-at-once"
BETWEEN_CALLS = "agent.inbox.read-between-calls"
AFTER_STOP = "agent.inbox.nothing-lost-on-stop"

TAKEN = """\
        for _ in range(len(self._items)):
            yield self._items.popleft()
"""
END = """\
        if self._turn is not None:
            if self.executing is not None:
"""


def skipping(where: str) -> str:
    """A replacement for `ANSWERED`: no call is made once the inbox holds what is waited for by `where`."""
    return f"""\
            if {where}:
                self._record(call, ToolOutput("Skipped: something else has come up.", is_error=True))
                continue
{ANSWERED}"""


AT_THE_END = [
    Mutant(
        "a result that comes while the final answer is written stays unread if its call is of another run",
        "run",
        BETWEEN,
        """\
            made = {call.id for message in self._added for call in message.tool_calls}
            here = [item for item in inbox._items if getattr(item, "call_id", None) in (None, *made)]
            if here or (inbox and message.tool_calls):
                self._read_inbox()
""",
        {
            "field/rejected-while-another-answer-is-written": AT_FINAL,
            "field/resolved-while-a-resumed-run-answers": AT_FINAL,
        },
    ),
]

DELIVERED = [
    Mutant(
        "a reading takes everything from the queue and delivers the first five",
        "inbox",
        TAKEN,
        """\
        taken = list(self._items)
        self._items.clear()
        yield from taken[:5]
""",
        {
            "field/five-results-and-two-messages": FROM_OUTSIDE,
            "field/five-results-and-two-messages-all-over-a-turn": FROM_OUTSIDE,
            "field/five-results-and-two-messages-from-threads": ANY_THREAD,
            "field/five-results-and-two-messages-in-order": "agent.inbox.fifo",
        },
    ),
    Mutant(
        "of several results of one tool a reading delivers the last",
        "run",
        ITEMS,
        """\
        names = {call.id: call.name for call in self._conversation.pending_calls()}
        items = list(self._parts.inbox.take_all())
        last = {names.get(getattr(item, "call_id", ""), item): item for item in items}
        for item in last.values():
""",
        {
            "field/five-results-and-two-messages": FROM_OUTSIDE,
            "field/five-results-and-two-messages-from-threads": ANY_THREAD,
        },
    ),
    Mutant(
        "a reading delivers one thing, so that seven take seven calls of the model",
        "inbox",
        TAKEN,
        """\
        if self._items:
            yield self._items.popleft()
""",
        {"field/five-results-and-two-messages": ALL_AT_ONCE},
    ),
    Mutant(
        "what came before a tool begins to execute is taken from the queue and not delivered",
        "run",
        ANSWERED,
        f"""\
            if len(message.tool_calls) < 5:
                list(self._parts.inbox.take_all())
{ANSWERED}""",
        {"field/five-results-and-two-messages-all-over-a-turn": FROM_OUTSIDE},
    ),
    Mutant(
        "what a thread puts in takes the place of what another has just put in",
        "inbox",
        PUT,
        """\
        import threading

        here, main = threading.get_ident(), threading.main_thread().ident
        if self._items and here not in (main, getattr(Queue, "last", here)):
            self._items.pop()
        Queue.last = here
        self._items.append(item)
""",
        {"field/five-results-and-two-messages-from-threads": ANY_THREAD},
    ),
    Mutant(
        "results are read ahead of messages",
        "run",
        ITEMS,
        """\
        items = sorted(self._parts.inbox.take_all(), key=lambda item: isinstance(item, Pushed))
        for item in items:
""",
        {"field/five-results-and-two-messages-in-order": "agent.inbox.fifo"},
    ),
]

DURING_CALLS = [
    Mutant(
        "calls that have not been made when something comes are skipped",
        "run",
        ANSWERED,
        skipping("self._parts.inbox"),
        {
            "field/message-during-the-first-of-three": BETWEEN_CALLS,
            "field/result-during-the-first-of-three": BETWEEN_CALLS,
            "field/message-before-the-first-of-three": BETWEEN_CALLS,
        },
    ),
    Mutant(
        "calls that have not been made when a message comes are skipped",
        "run",
        ANSWERED,
        skipping("any(isinstance(item, Pushed) for item in self._parts.inbox._items)"),
        {
            "field/message-during-the-first-of-three": BETWEEN_CALLS,
            "field/message-before-the-first-of-three": BETWEEN_CALLS,
        },
    ),
    Mutant(
        "after a turn of several calls the inbox is not read",
        "run",
        BETWEEN,
        """\
            if inbox and len(message.tool_calls) < 2:
                self._read_inbox()
""",
        {
            "field/message-during-the-first-of-three": BETWEEN_CALLS,
            "field/result-during-the-first-of-three": BETWEEN_CALLS,
            "field/message-before-the-first-of-three": BETWEEN_CALLS,
        },
    ),
]

STOPS = [
    Mutant(
        "stopping a run empties the inbox",
        "agent",
        STOPPED,
        f"            list(self._parts.inbox.take_all())\n{STOPPED}",
        {
            "field/message-before-a-stop": AFTER_STOP,
            "field/result-before-a-stop": AFTER_STOP,
            "field/message-before-two-stops": AFTER_STOP,
        },
    ),
    Mutant(
        "what a run has read is gone when it is stopped before the model has answered it",
        "run",
        END,
        f"""\
        view = self._conversation.view
        if self.stop_flag.is_set() and self._turn is None:
            while view and view[-1].role == "user":
                self._conversation._messages.pop()
{END}""",
        {"field/message-before-two-stops": AFTER_STOP},
    ),
    Mutant(
        "what the first reading of a run finds is put back as well, in case the run is stopped",
        "run",
        HEARD,
        """\
                self._hear(item.text)
                texts = [message.content for message in self._conversation.view]
                if not self._added and texts.count(item.text) == 1:
                    self._parts.inbox.put(item)
                continue
""",
        {"field/message-before-a-stop": AFTER_STOP},
    ),
]

MUTANTS: list[Mutant] = [*AT_THE_END, *DELIVERED, *DURING_CALLS, *STOPS]
