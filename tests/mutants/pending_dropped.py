"""Faults in what becomes of a second result for one call."""

from __future__ import annotations

from tests.mutants import Mutant

CALL = "            call = self._conversation.pending_call(item.call_id)\n"
DROPPED = """\
                self.emit(Warning(f"A result for {item.call_id} was dropped: no such call is pending."))
"""
PUT = "        self._items.append(item)\n"

QUEUED = "agent.pending.second-dropped-queued"
LATER = "agent.pending.second-dropped-later"
READ = """\
        for item in self._parts.inbox.take_all():
            if isinstance(item, Pushed):
                self._hear(item.text)
                continue
            call = self._conversation.pending_call(item.call_id)
"""


def once_pending(which: str) -> str:
    """A late result of this kind is taken for a call that has had one, unless the same run has read it."""
    return f"""\
            call = self._conversation.pending_call(item.call_id)
            results = [each.tool_result for each in self._added if each.tool_result]
            if {which} and all(result.tool_call_id != item.call_id for result in results):
                results = [each.tool_result for each in self._conversation.view if each.tool_result]
                once = [result.tool_call_id for result in results if result.pending]
                made = [each for message in self._conversation.view for each in message.tool_calls]
                call = next((each for each in made if each.id == item.call_id and each.id in once), None)
"""


MUTANTS: list[Mutant] = [
    Mutant(
        breaks="all results that one read finds for a call are taken",
        module="run",
        old=READ,
        new="""\
        pending = {call.id: call for call in self._conversation.pending_calls()}
        for item in self._parts.inbox.take_all():
            if isinstance(item, Pushed):
                self._hear(item.text)
                continue
            call = pending.get(item.call_id)
""",
        caught_by={
            "agent/pending/second-dropped-queued": QUEUED,
            "agent/pending/second-dropped-queued-in-a-run": QUEUED,
            "agent/pending/second-dropped-queued-at-prompt": QUEUED,
        },
    ),
    Mutant(
        breaks="a result that is delivered twice over is put in once, and nobody is told",
        module="inbox",
        old=PUT,
        new="""\
        if isinstance(item, Pushed) or item not in self._items:
            self._items.append(item)
""",
        caught_by={"agent/pending/second-dropped-queued-same-text": QUEUED},
    ),
    Mutant(
        breaks="a failure takes the place of a result that waits for the same call",
        module="inbox",
        old=PUT,
        new="""\
        if isinstance(item, Settled) and item.is_error:
            kept = [each for each in self._items if getattr(each, "call_id", "") != item.call_id]
            self._items = deque(kept)
        self._items.append(item)
""",
        caught_by={"agent/inbox/resolve-then-reject": "agent.inbox.reject-like-resolve"},
    ),
    Mutant(
        breaks="a result takes the place of a failure that waits for the same call",
        module="inbox",
        old=PUT,
        new="""\
        if isinstance(item, Settled) and not item.is_error:
            failures = [each for each in self._items if getattr(each, "is_error", False)]
            failures = [each for each in failures if each.call_id == item.call_id]
            self._items = deque(each for each in self._items if each not in failures)
        self._items.append(item)
""",
        caught_by={"agent/inbox/reject-then-resolve": "agent.inbox.reject-like-resolve"},
    ),
    Mutant(
        breaks="a second result is recognized only right behind the first",
        module="run",
        old=READ,
        new="""\
        pending, last = {call.id: call for call in self._conversation.pending_calls()}, ""
        for item in self._parts.inbox.take_all():
            if isinstance(item, Pushed):
                self._hear(item.text)
                continue
            call = None if item.call_id == last else pending.get(item.call_id)
            last = item.call_id
""",
        caught_by={"agent/pending/second-dropped-queued-apart": QUEUED},
    ),
    Mutant(
        breaks="a call that was resolved in an earlier run can be resolved again",
        module="run",
        old=CALL,
        new=once_pending("not item.is_error"),
        caught_by={"agent/pending/second-dropped-later": LATER},
    ),
    Mutant(
        breaks="a call that was resolved in an earlier run can still be rejected",
        module="run",
        old=CALL,
        new=once_pending("item.is_error"),
        caught_by={"agent/pending/second-dropped-later-rejected": LATER},
    ),
    Mutant(
        breaks="a result that is dropped before anything else happens in a run is dropped without a word",
        module="run",
        old=DROPPED,
        new="""\
                if self._added or self._conversation.needs_reply() or self._parts.inbox:
                    self.emit(Warning(f"A result for {item.call_id} was dropped."))
""",
        caught_by={"agent/pending/second-dropped-later-at-resume": LATER},
    ),
]
