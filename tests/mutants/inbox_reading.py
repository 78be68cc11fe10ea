"""Faults in when an agent reads its inbox."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import (
    ANSWERED,
    AT_BEGIN,
    BETWEEN,
    CALL,
    GIVEN,
)

AT_PROMPT = "agent.inbox.read-at-prompt"
AT_RESUME = "agent.inbox.read-at-resume"
BETWEEN_CALLS = "agent.inbox.read-between-calls"
AT_FINAL = "agent.inbox.read-at-final"
REPEATS = "agent.inbox.read-at-final-repeats"
WAITS = "agent.inbox.waits-when-idle"

BEGINNINGS = [
    Mutant(
        breaks="a prompt's text goes into the conversation before the inbox is read",
        module="run",
        old=AT_BEGIN,
        new="""\
        if text:
            self._hear(text)
        self._read_inbox()
""",
        caught_by={
            "agent/inbox/read-at-prompt": AT_PROMPT,
            "agent/inbox/read-at-prompt-message": AT_PROMPT,
        },
    ),
    Mutant(
        breaks="the events of late results are kept back until the prompt's message is out",
        module="run",
        old=AT_BEGIN,
        new="""\
        kept = []
        self.emit, sink = kept.append, self.emit
        self._read_inbox()
        self.emit = sink
        if text:
            self._hear(text)
        for event in kept:
            self.emit(event)
""",
        caught_by={"agent/inbox/late-order-at-prompt": "agent.inbox.late-order-at-prompt"},
    ),
    Mutant(
        breaks="a resume that has something to answer does not read the inbox first",
        module="run",
        old=AT_BEGIN,
        new="""\
        if text or not self._conversation.needs_reply():
            self._read_inbox()
        if text:
            self._hear(text)
""",
        caught_by={
            "agent/inbox/read-at-resume": AT_RESUME,
            "agent/inbox/read-at-resume-message": AT_RESUME,
        },
        not_local="a resume after a pause is for what has come meanwhile",
    ),
]


def _between(condition: str) -> str:
    return f"            if inbox and ({condition}):\n                self._read_inbox()\n"


BETWEEN_MODEL_CALLS = [
    Mutant(
        breaks="the inbox is not read after tools, only at a final answer",
        module="run",
        old=BETWEEN,
        new=_between("not message.tool_calls"),
        caught_by={
            "agent/inbox/read-between-calls": BETWEEN_CALLS,
            "agent/inbox/push-during-first-tool": BETWEEN_CALLS,
            "agent/inbox/push-during-last-tool": BETWEEN_CALLS,
            "agent/inbox/push-during-later-round": BETWEEN_CALLS,
            "agent/inbox/push-while-the-model-calls": BETWEEN_CALLS,
            "agent/inbox/result-during-tool": BETWEEN_CALLS,
            "agent/inbox/rejection-during-tool": BETWEEN_CALLS,
            "agent/inbox/result-during-tool-of-same-turn": BETWEEN_CALLS,
        },
    ),
    Mutant(
        breaks="what lands during any but the last tool of a turn is lost",
        module="run",
        old=ANSWERED,
        new="""\
            output = await self._answer(call)
            if call is not message.tool_calls[-1]:
                self._parts.inbox._items.clear()
            self._record(call, output)
""",
        caught_by={"agent/inbox/push-during-first-tool": BETWEEN_CALLS},
    ),
    Mutant(
        breaks="what lands during the last of several tools of a turn is lost",
        module="run",
        old=ANSWERED,
        new="""\
            output = await self._answer(call)
            if len(self._results) and call is message.tool_calls[-1]:
                self._parts.inbox._items.clear()
            self._record(call, output)
""",
        caught_by={"agent/inbox/push-during-last-tool": BETWEEN_CALLS},
    ),
    Mutant(
        breaks="the inbox is read after the first round of tools and after no other",
        module="run",
        old=BETWEEN,
        new=_between("rounds < 2 or not message.tool_calls"),
        caught_by={"agent/inbox/push-during-later-round": BETWEEN_CALLS},
    ),
    Mutant(
        breaks="a message that lands while the model decides on its calls is lost",
        module="run",
        old=GIVEN,
        new="        items = self._parts.inbox._items\n"
        "        for item in [item for item in items if message.tool_calls and isinstance(item, Pushed)]:\n"
        f"            items.remove(item)\n{GIVEN}",
        caught_by={"agent/inbox/push-while-the-model-calls": BETWEEN_CALLS},
    ),
    Mutant(
        breaks="after tools the inbox is read only for messages",
        module="run",
        old=BETWEEN,
        new=_between("not message.tool_calls or any(isinstance(item, Pushed) for item in inbox._items)"),
        caught_by={
            "agent/inbox/result-during-tool": BETWEEN_CALLS,
            "agent/inbox/rejection-during-tool": BETWEEN_CALLS,
            "agent/inbox/result-during-tool-of-same-turn": BETWEEN_CALLS,
        },
    ),
    Mutant(
        breaks="a rejection waits for a final answer",
        module="run",
        old=BETWEEN,
        new=_between("not message.tool_calls or not getattr(inbox._items[0], 'is_error', False)"),
        caught_by={"agent/inbox/rejection-during-tool": BETWEEN_CALLS},
    ),
    Mutant(
        breaks="a result for a call of the turn that has just ended waits for the next reading",
        module="run",
        old=CALL,
        new=f"""\
            if any(message.tool_result.tool_call_id == item.call_id for message in self._results):
                self._parts.inbox.put(item)
                continue
{CALL}""",
        caught_by={"agent/inbox/result-during-tool-of-same-turn": BETWEEN_CALLS},
    ),
]

FINALS = "sum(each.role == 'assistant' and not each.tool_calls for each in self._added)"
HAS_MESSAGE = "any(isinstance(item, Pushed) for item in inbox._items)"

FINAL_ANSWERS = [
    Mutant(
        breaks="the inbox is not read at a final answer",
        module="run",
        old=BETWEEN,
        new=_between("message.tool_calls"),
        caught_by={
            "agent/inbox/read-at-final": "agent.inbox.read-at-final",
            "agent/inbox/read-at-final-result": "agent.inbox.read-at-final",
            "agent/inbox/read-at-final-rejection": "agent.inbox.read-at-final",
            "agent/inbox/read-at-final-after-tools": "agent.inbox.read-at-final",
            "agent/inbox/read-at-final-repeats": "agent.inbox.read-at-final-repeats",
            "agent/inbox/read-at-final-repeats-with-results": "agent.inbox.read-at-final-repeats",
            "agent/inbox/read-at-final-then-tools": "agent.inbox.read-at-final-repeats",
            "field/resolved-while-the-answer-is-written": "agent.inbox.read-at-final",
            "field/rejected-while-another-answer-is-written": "agent.inbox.read-at-final",
            "field/resolved-while-a-resumed-run-answers": "agent.inbox.read-at-final",
        },
    ),
    Mutant(
        breaks="a final answer is followed by another only for a message, not for a result",
        module="run",
        old=BETWEEN,
        new=_between(f"message.tool_calls or {HAS_MESSAGE}"),
        caught_by={
            "agent/inbox/read-at-final-result": AT_FINAL,
            "agent/inbox/read-at-final-rejection": AT_FINAL,
        },
    ),
    Mutant(
        breaks="a final answer is not followed by another for a rejection",
        module="run",
        old=BETWEEN,
        new=_between("message.tool_calls or not getattr(inbox._items[0], 'is_error', False)"),
        caught_by={"agent/inbox/read-at-final-rejection": AT_FINAL},
    ),
    Mutant(
        breaks="once tools have been called in a run, a final answer ends it",
        module="run",
        old=BETWEEN,
        new=_between("message.tool_calls or not rounds"),
        caught_by={"agent/inbox/read-at-final-after-tools": AT_FINAL},
    ),
    Mutant(
        breaks="the inbox is read at the first final answer of a run and at no other",
        module="run",
        old=BETWEEN,
        new=_between(f"message.tool_calls or {FINALS} == 1"),
        caught_by={
            "agent/inbox/read-at-final-repeats": REPEATS,
            "agent/inbox/read-at-final-repeats-with-results": REPEATS,
            "agent/inbox/read-at-final-then-tools": REPEATS,
        },
    ),
    Mutant(
        breaks="at the second final answer of a run results are no longer looked for",
        module="run",
        old=BETWEEN,
        new=_between(f"message.tool_calls or {FINALS} == 1 or {HAS_MESSAGE}"),
        caught_by={"agent/inbox/read-at-final-repeats-with-results": REPEATS},
    ),
    Mutant(
        breaks="a run that went on with tools after a final answer ends at the next one",
        module="run",
        old=BETWEEN,
        new=_between(f"message.tool_calls or {FINALS} == 1 or not rounds or not {HAS_MESSAGE}"),
        caught_by={"agent/inbox/read-at-final-then-tools": REPEATS},
    ),
]

SEEN = "        return self._parts.conversation.view\n"
MADE = "        self._parts = Parts(config, tools, by_name, approve, clock, timer, Queue(), Conversation())\n"

IDLE = [
    Mutant(
        breaks="the inbox is read between runs, when somebody looks at the conversation",
        module="agent",
        old=SEEN,
        new=f"""\
        if self._run is None:
            Run(self._parts, None, lambda event: None, StopFlag())._read_inbox()
{SEEN}""",
        caught_by={
            "agent/inbox/waits-when-idle": WAITS,
            "agent/inbox/waits-before-first-run": WAITS,
            "agent/inbox/waits-for-its-own-agent": WAITS,
        },
    ),
    Mutant(
        breaks="an agent that has not run yet records messages as they come",
        module="agent",
        old=SEEN,
        new=f"""\
        if self._run is None and not self._parts.conversation.number:
            Run(self._parts, None, lambda event: None, StopFlag())._read_inbox()
{SEEN}""",
        caught_by={"agent/inbox/waits-before-first-run": WAITS},
    ),
    Mutant(
        breaks="agents that are made together share one inbox",
        module="agent",
        old=MADE,
        new=f"""\
{MADE}        last, Agent._last = getattr(Agent, "_last", None), self._parts
        if last is not None and not last.inbox and not last.conversation.number:
            self._parts.inbox = last.inbox
""",
        caught_by={"agent/inbox/waits-for-its-own-agent": WAITS},
    ),
]

MUTANTS = [*BEGINNINGS, *BETWEEN_MODEL_CALLS, *FINAL_ANSWERS, *IDLE]
