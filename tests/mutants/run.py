"""Faults in what a run does when a tool, a model or the host does not do as hoped."""

from __future__ import annotations

from tests.mutants import Mutant

NO_PROMPT = "if not text and not self._parts.inbox:"
FAILED = "emit(Error(_text_of(failure)))"
HALTED = "for call in self._conversation.dangling_calls():\n                self._record(call, _STOPPED)"

MUTANTS = [
    # Tools that fail, or do not exist.
    Mutant(
        "the result of a tool that failed is not marked as an error",
        "run",
        "output = ToolOutput(_text_of(failure), is_error=True)",
        "output = ToolOutput(_text_of(failure))",
        {"agent/run/tool-error": "agent.run.tool-error"},
    ),
    Mutant(
        "a call that comes out as an error ends the run after its turn",
        "run",
        "            self._record(call, await self._answer(call))\n        self._end_turn(message)\n",
        """            self._record(call, await self._answer(call))
        self._end_turn(message)
        if any(result.tool_result.is_error for result in self._results):
            return None
""",
        {
            "agent/run/tool-error": "agent.run.tool-error",
            "agent/run/unknown-tool": "agent.run.unknown-tool",
        },
    ),
    Mutant(
        "a call that comes out as an error keeps the later calls of its turn from being executed",
        "run",
        "            self._record(call, await self._answer(call))\n",
        """            broken = any(result.tool_result.is_error for result in self._results)
            self._record(call, _STOPPED if broken else await self._answer(call))
""",
        {
            "agent/run/tool-error-others-run": "agent.run.tool-error",
            "agent/run/unknown-tool-beside-known": "agent.run.unknown-tool",
            "agent/run/denied-beside-allowed": "agent.run.denied",
        },
    ),
    Mutant(
        "the result of a call of a tool that does not exist is not marked as an error",
        "run",
        'output = ToolOutput(f"There is no tool called {call.name}.", is_error=True)',
        'output = ToolOutput(f"There is no tool called {call.name}.")',
        {"agent/run/unknown-tool": "agent.run.unknown-tool"},
    ),
    Mutant(
        "an agent has the tools of other agents, too",
        "agent",
        "by_name = {tool.name: tool for tool in tools}\n",
        """by_name = {tool.name: tool for tool in tools}
        by_name = globals().setdefault("_TOOLS", by_name)
        by_name.update({tool.name: tool for tool in tools})
""",
        {"agent/run/unknown-tool-of-another": "agent.run.unknown-tool"},
    ),
    # Nothing to ask the model.
    Mutant(
        "an empty prompt begins a run in a conversation that has begun",
        "agent",
        NO_PROMPT,
        "if not text and not self._parts.inbox and not self._parts.conversation.view:",
        {"agent/run/empty-prompt": "agent.run.empty-prompt"},
    ),
    Mutant(
        "an empty prompt leaves a user message behind although it is refused",
        "agent",
        NO_PROMPT,
        """if not text and not self._parts.inbox:
            Run(self._parts, model, lambda event: None, StopFlag())._hear(text)""",
        {"agent/run/empty-prompt": "agent.run.empty-prompt"},
    ),
    Mutant(
        "an empty prompt is refused after the run has begun",
        "agent",
        NO_PROMPT,
        """if not text and not self._parts.inbox:
            Run(self._parts, model, sink, StopFlag()).end()""",
        {
            "agent/run/empty-prompt": "agent.run.empty-prompt",
            "agent/run/empty-prompt-at-first": "agent.run.empty-prompt",
        },
    ),
    Mutant(
        "an empty prompt begins a run where there is no conversation yet",
        "agent",
        NO_PROMPT,
        "if not text and not self._parts.inbox and self._parts.conversation.view:",
        {"agent/run/empty-prompt-at-first": "agent.run.empty-prompt"},
    ),
    Mutant(
        "an empty prompt goes on with a conversation that waits for something",
        "agent",
        NO_PROMPT,
        "if not text and not self._parts.inbox and not self.needs_reply():",
        {"agent/run/empty-prompt-after-pause": "agent.run.empty-prompt"},
    ),
    # A model that fails.
    Mutant(
        "a model that fails ends the run without Error",
        "run",
        FAILED,
        "pass",
        {"agent/run/model-error": "agent.run.model-error"},
    ),
    Mutant(
        "what the run has added is taken back when its model fails",
        "run",
        FAILED,
        """emit(Error(_text_of(failure)))
                    kept = [message for message in conversation.view if message not in self._added]
                    parts.conversation = Conversation(kept, number=conversation.number)""",
        {"agent/run/model-error-keeps-results": "agent.run.model-error"},
    ),
    # Too many rounds.
    Mutant(
        "the limit of tool rounds is one round late",
        "run",
        "if rounds == config.max_tool_rounds:",
        "if rounds > config.max_tool_rounds:",
        {"agent/run/max-rounds": "agent.run.max-rounds"},
    ),
    Mutant(
        "too many tool rounds end the run without a Warning",
        "run",
        "if rounds == config.max_tool_rounds:\n",
        """if rounds == config.max_tool_rounds:
                    return
                if rounds > config.max_tool_rounds:
""",
        {"agent/run/max-rounds": "agent.run.max-rounds"},
    ),
    Mutant(
        "the limit of tool rounds counts calls",
        "run",
        "rounds += 1",
        "rounds = min(rounds + len(message.tool_calls), config.max_tool_rounds)",
        {"agent/run/max-rounds-not-calls": "agent.run.max-rounds"},
    ),
    Mutant(
        "the limit of tool rounds counts those of earlier runs",
        "run",
        "rounds = 0",
        "rounds = sum(bool(message.tool_calls) for message in conversation.view)",
        {"agent/run/max-rounds-each-run": "agent.run.max-rounds"},
    ),
    # Progress, and refusals.
    Mutant(
        "progress goes unreported",
        "tools",
        "self._emit(ToolExecUpdate(self._call.id, self._call.name, partial))",
        "pass",
        {"agent/run/update": "agent.run.update"},
    ),
    Mutant(
        "progress is reported for the first call of the conversation, whichever call made it",
        "tools",
        "self._emit(ToolExecUpdate(self._call.id, self._call.name, partial))",
        """calls = (call for message in self._run._conversation.view for call in message.tool_calls)
        self._emit(ToolExecUpdate(next(calls).id, self._call.name, partial))""",
        {"agent/run/update-own-call": "agent.run.update"},
    ),
    Mutant(
        "a call that is refused is announced as an execution",
        "run",
        "emit(ToolDenied(call.id, call.name, refusal))",
        """emit(ToolExecStart(call.id, call.name, call.arguments))
                emit(ToolDenied(call.id, call.name, refusal))""",
        {"agent/run/denied": "agent.run.denied"},
    ),
    Mutant(
        "the result of a call that is refused is not marked as an error",
        "run",
        'return ToolOutput(f"The call was refused: {refusal}", is_error=True)',
        'return ToolOutput(f"The call was refused: {refusal}")',
        {"agent/run/denied": "agent.run.denied"},
    ),
    Mutant(
        "a tool that was refused once is gone",
        "run",
        "emit(ToolDenied(call.id, call.name, refusal))",
        """emit(ToolDenied(call.id, call.name, refusal))
                del parts.tools_by_name[call.name]""",
        {"agent/run/denied-then-allowed": "agent.run.denied"},
    ),
    Mutant(
        "a run that is resumed asks nobody whether it may make a call",
        "agent",
        "        return await self._complete(Run(self._parts, model, sink, StopFlag()))\n",
        """        from dataclasses import replace
        parts = replace(self._parts, approve=None)
        return await self._complete(Run(parts, model, sink, StopFlag()))
""",
        {"agent/run/denied-in-a-resumed-run": "agent.run.denied"},
    ),
    # A run that is stopped.
    Mutant(
        "a run that is stopped goes on",
        "agent",
        "run.stop_flag.set()",
        "pass",
        {"agent/run/stop-in-tool": "agent.run.stop"},
    ),
    Mutant(
        "the call that a stop interrupts is left without a result",
        "run",
        HALTED,
        HALTED.replace("dangling_calls()", "dangling_calls()[1:]"),
        {"agent/run/stop-in-tool": "agent.run.stop"},
    ),
    Mutant(
        "the calls after the one that a stop interrupts are left without a result",
        "run",
        HALTED,
        HALTED.replace("dangling_calls()", "dangling_calls()[:1]"),
        {"agent/run/stop-other-calls": "agent.run.stop"},
    ),
    Mutant(
        "a stop flag that has been set stops the later runs of the agent as well",
        "run",
        "self.stop_flag = stop_flag",
        'self.stop_flag = parts.tools_by_name.setdefault("", stop_flag)',
        {
            "agent/run/stop": "agent.run.stop",
            "agent/run/stop-only-this-run": "agent.run.stop",
        },
    ),
]
