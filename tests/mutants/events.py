"""Faults in the stream of events: what is missing in it, comes twice, or comes too early or too late."""

from __future__ import annotations

from tests.mutants import Mutant

EVERY_CALL = "it changes what every turn with calls shows"
EVERY_CHILD = "it changes what every child's run shows"

AGENT_END = "        self.emit(AgentEnd(tuple(self._added)))\n"
STATS = "emit(draft.stats(used))"
MAKE_CALLS = """\
        self.emit(MessageEnd(message))
        for call in message.tool_calls:
            if self.stop_flag.is_set():
                return None
            self._record(call, await self._answer(call))
"""
TOOL_ANSWERED = "        emit(ToolExecEnd(call.id, call.name, output))\n        return output\n"
LATE = "        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))\n"

MUTANTS: list[Mutant] = [
    Mutant(
        "a message is begun under another id than it is ended under",
        "run",
        "        self.emit(MessageStart(message))\n",
        """        begun = Message(
            f"{message.id}-begun", message.role, message.content, message.timestamp, (), message.tool_result
        )
        self.emit(MessageStart(begun))
""",
        {"agent/events/same-message": "agent.events.same-message"},
        not_local="every run tells of a message",
    ),
    Mutant(
        "a late result is begun as if it were the placeholder once more",
        "run",
        "        self._add(self._result_message(call, ToolOutput(headed, is_error=item.is_error)))\n",
        """        message = self._result_message(call, ToolOutput(headed, is_error=item.is_error))
        results = [each for each in self._conversation.view if each.tool_result is not None]
        first = next(each for each in results if each.tool_result.tool_call_id == call.id)
        self.emit(MessageStart(first))
        self._conversation.append(message)
        self.emit(MessageEnd(message))
""",
        {"agent/events/same-message": "agent.events.same-message"},
        not_local="every late result is told of",
    ),
    # The documented sequences.
    Mutant(
        breaks="ToolExecEnd of a placeholder is without the placeholder's text",
        module="run",
        old=TOOL_ANSWERED,
        new="""\
        shown = output._replace(content="") if output.is_pending else output
        emit(ToolExecEnd(call.id, call.name, shown))
        return output
""",
        caught_by={"agent/events/placeholder-default": "agent.events.placeholder-default"},
    ),
    Mutant(
        breaks="Paused comes before its turn has ended, and once more after",
        module="run",
        old="        self._end_turn(message)\n        return message\n",
        new="""\
        if self._parts.config.pause_on_pending and self._leaves_pending(message):
            self.emit(Paused(self._conversation.pending_calls()))
        self._end_turn(message)
        return message
""",
        caught_by={"agent/events/placeholder-pause": "agent.events.placeholder-pause"},
    ),
    # The run.
    Mutant(
        breaks="AgentStart comes again with the second round of calls",
        module="run",
        old="                rounds += 1\n",
        new="""\
                rounds += 1
                if rounds == 2:
                    self.emit(AgentStart())
""",
        caught_by={"agent/events/run-brackets": "agent.events.run-brackets"},
        not_local="it changes what every run of several rounds shows",
    ),
    Mutant(
        breaks="A run that pauses has no AgentEnd",
        module="run",
        old=AGENT_END,
        new="""\
        if not (self._parts.config.pause_on_pending and self._conversation.pending_calls()):
            self.emit(AgentEnd(tuple(self._added)))
""",
        caught_by={"agent/events/run-brackets-paused": "agent.events.run-brackets"},
        not_local="it changes what every run that pauses shows",
    ),
    Mutant(
        breaks="AgentEnd comes with the final answer, and again when what has arrived meanwhile is answered",
        module="run",
        old="            if message.tool_calls:\n",
        new="""\
            if not message.tool_calls and self._parts.inbox:
                self.emit(AgentEnd(tuple(self._added)))
            if message.tool_calls:
""",
        caught_by={"agent/events/run-brackets-prolonged": "agent.events.run-brackets"},
    ),
    Mutant(
        breaks="Nothing comes after an Error",
        module="run",
        old="                    emit(Error(_text_of(failure)))\n",
        new="""\
                    emit(Error(_text_of(failure)))
                    self.emit = lambda event: None
""",
        caught_by={
            "agent/events/run-brackets-always": "agent.events.run-brackets-always",
            "agent/events/run-brackets-always-later-turn": "agent.events.run-brackets-always",
        },
    ),
    Mutant(
        breaks="A run that is stopped has no AgentEnd",
        module="run",
        old=AGENT_END,
        new="""\
        if not self.stop_flag.is_set():
            self.emit(AgentEnd(tuple(self._added)))
""",
        caught_by={
            "agent/events/run-brackets-stopped": "agent.events.run-brackets-always",
            "agent/events/run-brackets-stopped-in-tool": "agent.events.run-brackets-always",
            "agent/run/stop": "agent.run.stop",
        },
    ),
    # The turn.
    Mutant(
        breaks="ContextBudget comes again among the deltas",
        module="run",
        old="                emit(delta)\n",
        new="""\
                emit(delta)
                if delta.tokens_generated == 2:
                    emit(ContextBudget(used, parts.config.max_context_tokens, len(conversation), 0))
""",
        caught_by={
            "agent/events/turn-order": "agent.events.turn-order",
            "agent/events/turn-order-after-tools": "agent.events.turn-order",
        },
    ),
    Mutant(
        breaks="The budget is given in an agent's first run only",
        module="run",
        old="        emit(ContextBudget(used, parts.config.max_context_tokens, len(conversation), 0))\n",
        new="""\
        if len(conversation) < 2 or conversation.view[-1].role != "user":
            emit(ContextBudget(used, parts.config.max_context_tokens, len(conversation), 0))
""",
        caught_by={"agent/events/turn-order-next-run": "agent.events.turn-order"},
        not_local="it changes what every second prompt shows",
    ),
    Mutant(
        breaks="The message of a turn that calls tools is announced after the calls",
        module="run",
        old=MAKE_CALLS,
        new="""\
        for call in message.tool_calls:
            if self.stop_flag.is_set():
                return None
            self._record(call, await self._answer(call))
        self.emit(MessageEnd(message))
""",
        caught_by={"agent/events/calling-turn-order": "agent.events.calling-turn-order"},
        not_local=EVERY_CALL,
    ),
    Mutant(
        breaks="A reply without text has no GenerationStats",
        module="run",
        old=STATS,
        new="emit(draft.stats(used)) if draft._pieces else None",
        caught_by={
            "agent/events/calling-turn-order-without-text": "agent.events.calling-turn-order",
            "agent/events/stats-once-without-text": "agent.events.stats-once",
        },
        not_local=EVERY_CALL,
    ),
    # The calls of a turn.
    Mutant(
        breaks="ToolExecEnd comes when the result is a message already",
        module="run",
        old="""\
            self._record(call, await self._answer(call))
        self._end_turn(message)
""",
        new="""\
            emit, held = self.emit, []
            self.emit = lambda event: held.append(event) if type(event) is ToolExecEnd else emit(event)
            output = await self._answer(call)
            self.emit = emit
            self._record(call, output)
            for event in held:
                emit(event)
        self._end_turn(message)
""",
        caught_by={"agent/events/tool-group": "agent.events.tool-group"},
        not_local=EVERY_CALL,
    ),
    Mutant(
        breaks="A child's AgentEnd comes when its call has ended",
        module="tools",
        old="        self._emit(Nested(self._call.id, event))\n",
        new="""\
        if type(event).__name__ != "AgentEnd":
            self._emit(Nested(self._call.id, event))
            return
        run, sink = self._run, self._run.emit

        def emit(following: Event) -> None:
            run.emit = sink
            sink(Nested(self._call.id, event))
            sink(following)

        run.emit = emit
""",
        caught_by={"agent/events/tool-group-child": "agent.events.tool-group"},
        not_local=EVERY_CHILD,
    ),
    Mutant(
        breaks="TurnEnd comes with the result of the first of several calls, and again with the last",
        module="run",
        old="""\
            self._record(call, await self._answer(call))
        self._end_turn(message)
""",
        new="""\
            self._record(call, await self._answer(call))
            if call is not message.tool_calls[-1] and len(self._results) == 1:
                self.emit(TurnEnd(message, tuple(self._results)))
        self._end_turn(message)
""",
        caught_by={"agent/events/tool-group-two-calls": "agent.events.tool-group"},
        not_local="it changes what every turn with several calls shows",
    ),
    Mutant(
        breaks="The results of a turn become messages only when all its calls have been executed",
        module="run",
        old="""\
            self._record(call, await self._answer(call))
        self._end_turn(message)
""",
        new="""\
            outputs = [(each, await self._answer(each)) for each in message.tool_calls]
            for each, output in outputs:
                self._record(each, output)
            break
        self._end_turn(message)
""",
        caught_by={
            "agent/events/groups-in-order": "agent.events.groups-in-order",
            "agent/events/groups-in-order-mixed": "agent.events.groups-in-order",
        },
    ),
    # What is streamed and counted.
    Mutant(
        breaks="A delta is without the space at its ends",
        module="draft",
        old="return MessageDelta(chunk, count,",
        new="return MessageDelta(chunk.strip(), count,",
        caught_by={"agent/events/deltas-add-up": "agent.events.deltas-add-up"},
    ),
    Mutant(
        breaks="The first delta of a later turn begins with the text of the turns before",
        module="run",
        old="                emit(delta)\n",
        new="""\
                before = "".join(each.content for each in self._added if each.role == "assistant")
                emit(delta if delta.tokens_generated > 1 else delta._replace(delta=before + delta.delta))
""",
        caught_by={"agent/events/deltas-add-up-each-turn": "agent.events.deltas-add-up"},
    ),
    Mutant(
        breaks="GenerationStats comes twice where the model says how many tokens it used",
        module="run",
        old=STATS,
        new="[emit(draft.stats(used)) for _ in range(1 if draft._usage is None else 2)]",
        caught_by={"agent/events/stats-once": "agent.events.stats-once"},
    ),
    # AgentEnd.
    Mutant(
        breaks="AgentEnd has only the first result of each turn",
        module="run",
        old="        self._results.append(message)\n",
        new="""\
        self._results.append(message)
        if len(self._results) > 1:
            self._added.remove(message)
""",
        caught_by={"agent/events/agent-end-complete": "agent.events.agent-end-complete"},
    ),
    Mutant(
        breaks="AgentEnd has the whole conversation",
        module="run",
        old=AGENT_END,
        new="        self.emit(AgentEnd(tuple(self._conversation.view)))\n",
        caught_by={
            "agent/events/agent-end-complete-next-run": "agent.events.agent-end-complete",
            "agent/events/agent-end-complete-child": "agent.events.agent-end-complete",
        },
        not_local="it changes what every run shows but an agent's first",
    ),
    Mutant(
        breaks="AgentEnd of a run whose model fails is empty",
        module="run",
        old="emit(Error(_text_of(failure)))",
        new="emit(Error(_text_of(failure))), self._added.clear()",
        caught_by={"agent/events/agent-end-complete-failed": "agent.events.agent-end-complete"},
    ),
    Mutant(
        breaks="AgentEnd of a run that pauses leaves out the placeholders",
        module="run",
        old=AGENT_END,
        new="""\
        pausing = self._parts.config.pause_on_pending
        results = [(each, each.tool_result) for each in self._added]
        kept = [each for each, result in results if not (pausing and result and result.pending)]
        self.emit(AgentEnd(tuple(kept)))
""",
        caught_by={"agent/events/agent-end-complete-paused": "agent.events.agent-end-complete"},
    ),
    # Ids.
    Mutant(
        breaks="All calls of a message have one id",
        module="draft",
        old='f"{self._message_id}-call-{len(self._calls) + 1}"',
        new='f"{self._message_id}-call-1"',
        caught_by={"agent/events/ids-unique": "agent.events.ids-unique"},
        not_local=EVERY_CALL,
    ),
    Mutant(
        breaks="A late result has the id of the placeholder's message",
        module="run",
        old=LATE,
        new="""\
        message = self._result_message(call, ToolOutput(headed, is_error=item.is_error))
        results = [(each, each.tool_result) for each in self._conversation.view]
        first = next(each for each, result in results if result and result.tool_call_id == call.id)
        self._add(message._replace(id=first.id))
""",
        caught_by={"agent/events/ids-unique-late-result": "agent.events.ids-unique"},
    ),
    # Fields.
    Mutant(
        breaks="ToolExecStart does not show the arguments",
        module="run",
        old="emit(ToolExecStart(call.id, call.name, call.arguments))",
        new="emit(ToolExecStart(call.id, call.name, {}))",
        caught_by={
            "agent/events/schema": "agent.events.schema",
            "agent/events/schema-nested": "agent.events.schema",
        },
    ),
    Mutant(
        breaks="ToolResolved does not say what the result is",
        module="events",
        old="""\
    \"\"\"A pending call's real result has been read from the inbox; `result` is as it was put in.\"\"\"

    tool_call_id: str
    tool_name: str
    result: ToolOutput
""",
        new="""\
    tool_call_id: str
    tool_name: str
    result: ToolOutput

    def to_json(self) -> dict[str, Json]:
        return {"type": "ToolResolved", "tool_call_id": self.tool_call_id, "tool_name": self.tool_name}
""",
        caught_by={"agent/events/schema": "agent.events.schema"},
        not_local="it changes what every late result shows",
    ),
    Mutant(
        breaks="GenerationStats has the model's count as text",
        module="draft",
        old="prompt_tokens, tokens = self._usage.prompt_tokens, self._usage.completion_tokens",
        new="prompt_tokens, tokens = str(self._usage.prompt_tokens), self._usage.completion_tokens",
        caught_by={"agent/events/schema-background": "agent.events.schema-background"},
    ),
    Mutant(
        breaks="An Error does not say what failed",
        module="run",
        old="emit(Error(_text_of(failure)))",
        new='emit(Error(""))',
        caught_by={"agent/events/schema-background-warning": "agent.events.schema-background"},
    ),
    Mutant(
        breaks="Progress does not say which tool makes it",
        module="tools",
        old="ToolExecUpdate(self._call.id, self._call.name, partial)",
        new='ToolExecUpdate(self._call.id, "", partial)',
        caught_by={"agent/events/schema-background-update": "agent.events.schema-background"},
    ),
]
