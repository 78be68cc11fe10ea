"""Other ways to execute calls, to stop, to reach a limit, and to run a child."""

from __future__ import annotations

from tests.copies import Edit
from tests.variants import Variant

EXECUTION = "in which order the calls of a turn are executed, and whether at the same time"
STOPPED = "what a run that is stopped leaves and answers"
CALLS = """\
        for call in message.tool_calls:
            if self.stop_flag.is_set():
                return None
            self._record(call, await self._answer(call))
"""
AGENT_END = "        self.emit(AgentEnd(tuple(self._added)))\n"
OPEN_TURN = "            self._end_turn(self._turn)\n"
LIMIT = """\
                    return
            if inbox:
"""

VARIANTS: list[Variant] = [
    Variant(
        "the calls of a turn are executed from the last to the first",
        EXECUTION,
        (Edit("run", CALLS, CALLS.replace("in message.tool_calls", "in reversed(message.tool_calls)")),),
    ),
    Variant(
        "the results of a turn become messages when all its calls have been executed",
        EXECUTION,
        (
            Edit(
                "run",
                CALLS,
                """\
        answers = []
        for call in message.tool_calls:
            if self.stop_flag.is_set():
                return None
            answers.append((call, await self._answer(call)))
        for call, output in answers:
            self._record(call, output)
""",
            ),
        ),
    ),
    Variant(
        "the calls of a turn are executed at the same time",
        EXECUTION,
        (
            Edit(
                "run",
                CALLS,
                """\
        outputs = await asyncio.gather(*map(self._answer, message.tool_calls))
        for call, output in zip(message.tool_calls, outputs):
            self._record(call, output)
""",
            ),
            Edit("tools", "        return self._run.executing is self._call\n", "        return True\n"),
        ),
    ),
    Variant(
        "the calls of a turn are executed at the same time, each result being a message at once",
        EXECUTION,
        (
            Edit(
                "run",
                CALLS,
                """\
        async def execute(call):
            self._record(call, await self._answer(call))

        await asyncio.gather(*map(execute, message.tool_calls))
""",
            ),
            Edit("tools", "        return self._run.executing is self._call\n", "        return True\n"),
        ),
    ),
    Variant(
        "what the model had written when it was stopped is kept",
        STOPPED,
        (
            Edit(
                "run",
                OPEN_TURN,
                OPEN_TURN
                + """\
        elif self.stop_flag.is_set():
            message = Message(self._conversation.next_id(), "assistant", "It was a dark", self._now())
            self._added.append(message)
            self._conversation.append(message)
            self.emit(MessageEnd(message))
            self._end_turn(message)
""",
            ),
        ),
    ),
    Variant(
        "a run that is stopped answers with an error",
        STOPPED,
        (
            Edit(
                "agent",
                "            reply = run.end()\n",
                """\
            reply = run.end()
            if run.stop_flag.is_set():
                raise Aborted("the run was stopped")
""",
            ),
        ),
    ),
    Variant(
        "a run that is stopped says nothing more",
        STOPPED,
        (
            Edit(
                "run",
                "        self.emit(AgentEnd(tuple(self._added)))\n        if self._added and",
                """\
        if not self.stop_flag.is_set():
            self.emit(AgentEnd(tuple(self._added)))
        if self._added and""",
            ),
            Edit(
                "run",
                "        if self._turn is not None:\n            if self.executing",
                """\
        if self._turn is not None:
            if self.stop_flag.is_set():
                self.emit = lambda event: None
            if self.executing""",
            ),
        ),
    ),
    Variant(
        "past the limit of tool rounds the model is asked for a last word",
        "whether the model is asked once more at the limit of tool rounds",
        (
            Edit(
                "run",
                LIMIT,
                """\
                    if inbox:
                        self._read_inbox()
                    self.is_over = True
                    await self._take_turn()
                    return
            if inbox:
""",
            ),
            Edit("run", '        "executing",\n', '        "executing",\n        "is_over",\n'),
            Edit(
                "run",
                "        tool = parts.tools_by_name.get(call.name)\n",
                """\
        tool = parts.tools_by_name.get(call.name)
        if getattr(self, "is_over", False):
            return ToolOutput("There is no time for that.", is_error=True)
""",
            ),
        ),
    ),
    Variant(
        "AgentEnd lists the user messages, too",
        "whether AgentEnd lists user messages",
        (
            Edit(
                "run",
                '        self._add(Message(self._conversation.next_id(), "user", text, self._now()))\n',
                """\
        self._added.append(Message(self._conversation.next_id(), "user", text, self._now()))
        self._add(self._added[-1])
""",
            ),
        ),
    ),
    Variant(
        "run_child answers with the last that the child said where it paused, failed or reached its limit",
        "what run_child answers for a child without a final answer",
        (
            Edit(
                "tools",
                """\
            raise NoReply("the child's run ended without a reply")
        return reply
""",
                """\
            said = [message for message in agent.messages if message.role == "assistant"]
            if not said:
                raise NoReply("the child's run ended without a reply")
            return said[-1]
        return reply
""",
            ),
        ),
    ),
    Variant(
        "stop() outside a run stops the next one",
        "stop() outside a run",
        (
            Edit(
                "agent",
                "        run = self._run\n        if run is not None:\n",
                """\
        run = self._run
        if run is None:
            self._is_to_stop = True
        if run is not None:
""",
            ),
            Edit(
                "agent",
                "        self._run = run\n        try:\n",
                """\
        self._run = run
        if getattr(self, "_is_to_stop", False):
            self._is_to_stop = False
            run.stop_flag.set()
        try:
""",
            ),
        ),
    ),
]
