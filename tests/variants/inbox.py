"""Other ways with what is put into the inbox: when it is read, what becomes of it, and what is said of it."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant
from tests.variants.saying import HEADING

AT_THE_END = "what becomes of an item that waits when a run ends early"
WARNING = "when a dropped result is warned of, and how often"
EMPTY_PROMPT = "an empty prompt with a filled inbox"

BETWEEN_TURNS = """\
            if inbox:
                self._read_inbox()
"""
TURN_START = """\
        self.emit(_TURN_START)
"""
LAST_OF_TURN = """\
            self._record(call, await self._answer(call))
        self._end_turn(message)
"""
HEADED = """\
        what = "Failure" if item.is_error else "Result"
        headed = f"{what} of the earlier call {call.id} of {call.name}:\\n{item.content}"
        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))
"""
DROPPED = 'self.emit(Warning(f"A result for {item.call_id} was dropped: no such call is pending."))'
TAKEN = """\
        for _ in range(len(self._items)):
            yield self._items.popleft()
"""

PUT = """\
    def _put(self, agent: str, item: InboxItem) -> None:
"""
WARN = """\
        held = self._held[agent].agent
        conversation, inbox = held._parts.conversation, held._parts.inbox
        calls = [call.id for call in (*conversation.dangling_calls(), *conversation.pending_calls())]
        waits = any(getattr(each, "call_id", None) == item.call_id for each in inbox._items)
        is_child = held._run is not None and held._run.stop_flag._above is not None
        if item.word != "push" and not is_child and (item.call_id not in calls or waits):
            self._host.event(agent, {"type": "Warning", "message": "That is of no use."})
            inbox.warned.append(item.call_id)
"""
UNLESS_WARNED = """\
                if item.call_id in self._parts.inbox.warned:
                    self._parts.inbox.warned.remove(item.call_id)
                else:
                    self.emit(Warning("That was of no use."))
"""

VARIANTS: list[Variant] = [
    Variant(
        "what lands during a turn with calls is read in the next turn",
        "where a reading between two model calls stands",
        (
            Edit(
                "run", BETWEEN_TURNS, BETWEEN_TURNS.replace("if inbox", "if inbox and not message.tool_calls")
            ),
            Edit("run", TURN_START, TURN_START + "        self._read_inbox()\n"),
        ),
    ),
    Variant(
        "what lands during a final answer is read before its TurnEnd",
        "where the reading at a final answer stands",
        (
            Edit(
                "run",
                LAST_OF_TURN,
                """\
            self._record(call, await self._answer(call))
        if not message.tool_calls and not self.stop_flag.is_set():
            self._read_inbox()
        self._end_turn(message)
""",
            ),
        ),
    ),
    Variant(
        "results are taken before messages, whichever came first",
        "in which order a reading takes what it finds",
        (
            Edit(
                "inbox",
                TAKEN,
                """\
        taken = [self._items.popleft() for _ in range(len(self._items))]
        yield from sorted(taken, key=lambda item: isinstance(item, Pushed))
""",
            ),
        ),
    ),
    Variant(
        "pushed messages that wait side by side become one message",
        "whether several messages are one",
        (
            Edit(
                "run",
                "        for item in self._parts.inbox.take_all():\n",
                """\
        items = []
        for item in self._parts.inbox.take_all():
            if items and isinstance(items[-1], Pushed) and isinstance(item, Pushed):
                item = Pushed(f"{items.pop().text}\\n{item.text}")
            items.append(item)
        for item in items:
""",
            ),
        ),
    ),
    Variant(
        "the messages that a prompt finds are part of its own message",
        "whether several messages are one",
        (
            Edit(
                "run",
                "        self._read_inbox()\n        if text:\n",
                """\
        items = list(self._parts.inbox.take_all())
        for item in items:
            if not (text and isinstance(item, Pushed)):
                self._parts.inbox.put(item)
        self._read_inbox()
        if text:
            text = "\\n".join([*(item.text for item in items if isinstance(item, Pushed)), text])
""",
            ),
        ),
    ),
    Variant(
        "a dropped result is warned of twice",
        WARNING,
        (Edit("run", DROPPED, f"{DROPPED}; self.emit(Warning('It was of no use.'))"),),
    ),
    Variant(
        "a result that is of no use is warned of when it is put in",
        WARNING,
        (
            Edit("inbox", '__slots__ = ("_items",)', '__slots__ = ("_items", "warned")'),
            Edit(
                "inbox",
                "        self._items: deque[Item] = deque()\n",
                "        self._items: deque[Item] = deque()\n        self.warned = []\n",
            ),
            Edit("driver", PUT, PUT + WARN),
            Edit("run", f"                {DROPPED}\n", UNLESS_WARNED),
        ),
    ),
    Variant(
        "a result for a call that is not pending is put in with an error",
        "what putting in a result answers",
        (
            Edit(
                "driver",
                '        """Driver.put."""\n        self._put(agent, item)\n',
                """\
        agent_ = self._held[agent].agent
        conversation = agent_._parts.conversation
        calls = [call.id for call in (*conversation.dangling_calls(), *conversation.pending_calls())]
        self._put(agent, item)
        if item.word != "push" and item.call_id not in calls:
            raise ImplementationError("other", "no such call is pending")
""",
            ),
        ),
    ),
    Variant(
        "a reading that finds only results to drop is followed by a model call",
        "what follows a reading that finds only results to drop",
        (
            Edit(
                "run",
                "        while conversation.needs_reply() and not is_stopped():\n",
                """\
        self.heard = getattr(self, "heard", False)
        while (conversation.needs_reply() or self.heard) and not is_stopped():
""",
            ),
            Edit(
                "run",
                "        draft = await self._generate()\n",
                "        self.heard = False\n        draft = await self._generate()\n",
            ),
            Edit("run", '        "emit",\n', '        "emit",\n        "heard",\n'),
            Edit(
                "run",
                "        for item in self._parts.inbox.take_all():\n",
                "        for item in self._parts.inbox.take_all():\n            self.heard = True\n",
            ),
        ),
    ),
    Variant(
        "what waits when a run ends early is read before its AgentEnd",
        AT_THE_END,
        (
            Edit(
                "run",
                "        self.emit(AgentEnd(tuple(self._added)))\n",
                "        self._read_inbox()\n        self.emit(AgentEnd(tuple(self._added)))\n",
            ),
        ),
    ),
    Variant(
        "replace_messages empties the inbox",
        "whether replace_messages empties the inbox",
        (
            Edit(
                "agent",
                "        self._refuse_if_busy()\n        self._parts.conversation = ",
                "        self._refuse_if_busy()\n        self._parts.inbox._items.clear()\n"
                "        self._parts.conversation = ",
            ),
        ),
    ),
    Variant(
        "an empty push is no message",
        "an empty push",
        (
            Edit(
                "inbox",
                "        self._queue.put(Pushed(text))\n",
                "        if text:\n            self._queue.put(Pushed(text))\n",
            ),
        ),
    ),
    Variant(
        "an empty prompt is refused also where something waits in the inbox",
        EMPTY_PROMPT,
        (Edit("agent", "if not text and not self._parts.inbox:", "if not text:"),),
    ),
    Variant(
        "a late result is followed by words of the agent's, which name no call",
        HEADING,
        (
            Edit(
                "run",
                HEADED,
                """\
        headed = f"{item.content}\\n\\nThat is what became of something that was begun earlier."
        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))
""",
            ),
        ),
    ),
    Variant(
        "the heading of a late result stands in its message, and the result has the bare text",
        HEADING,
        (
            Edit(
                "run",
                HEADED,
                """\
        message = self._result_message(call, ToolOutput(item.content, is_error=item.is_error))
        self._added[-1] = message._replace(content=f"News of {call.name}: {item.content}")
        self._add(self._added[-1])
""",
            ),
        ),
    ),
    Variant(
        "the heading of a late result stands in the result, and its message has the bare text",
        HEADING,
        (
            Edit(
                "run",
                HEADED,
                """\
        headed = f"News of {call.name}: {item.content}"
        message = self._result_message(call, ToolOutput(headed, is_error=item.is_error))
        self._added[-1] = message._replace(content=item.content)
        self._add(self._added[-1])
""",
            ),
        ),
    ),
    Variant(
        "ToolResolved has the heading, too",
        "whether ToolResolved has the heading",
        (
            Edit(
                "run",
                "self.emit(ToolResolved(call.id, call.name, ToolOutput(item.content, ",
                "self.emit(ToolResolved(call.id, call.name, ToolOutput(f'News: {item.content}', ",
            ),
        ),
    ),
]
