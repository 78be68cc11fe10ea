"""Faults in what the documents leave open, or only hint at, and the reference has settled in one way."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants.restart import RESTORED, when_restored
from tests.mutants.run import HALTED

AGENT_END = "        self.emit(AgentEnd(tuple(self._added)))\n"
STOP = """\
        run = self._run
        if run is not None:
            run.stop_flag.set()
"""

MUTANTS = [
    Mutant(
        "ToolResolved does not say of a rejection that it is one",
        "run",
        "ToolOutput(item.content, is_error=item.is_error)))",
        "ToolOutput(item.content)))",
        {"agent/inbox/failure-marked": "agent.inbox.failure-marked"},
    ),
    Mutant(
        "the inbox is emptied when the conversation is replaced",
        "agent",
        RESTORED,
        when_restored("[*self._parts.inbox.take_all()]"),
        {"agent/inbox/kept-when-replaced": "agent.inbox.kept-when-replaced"},
    ),
    Mutant(
        "a system message at the end of the conversation is taken for one that wants a reply",
        "conversation",
        'if message.role != "system":',
        "if message is not None:",
        {"agent/resume/needs-reply-system": "agent.resume.needs-reply-system"},
    ),
    Mutant(
        "the failed results of calls that were cut short stand at the end of the conversation",
        "run",
        "self._add(message, partial(self._conversation.append_to_round, call))",
        "self._add(message)",
        {"agent/restart/dangling-place": "agent.restart.dangling-place"},
    ),
    Mutant(
        "a message that is read from JSON is not pinned any more",
        "agent",
        RESTORED,
        RESTORED.replace("(messages,", "((each._replace(pinned=False) for each in messages),"),
        {"agent/restart/marks-kept": "agent.restart.marks-kept"},
    ),
    Mutant(
        "the conversation is replaced under a run that is going on",
        "agent",
        f"self._refuse_if_busy()\n        {RESTORED}",
        RESTORED,
        {"agent/restart/not-during-a-run": "agent.restart.not-during-a-run"},
    ),
    Mutant(
        "an answer of which the model told how many tokens it took is estimated as any other text",
        "draft",
        "self._usage = chunk",
        "pass",
        {"agent/events/token-counts": "agent.events.token-counts"},
    ),
    Mutant(
        "a prompt without text is a user message where something waits in the inbox",
        "agent",
        "return await self._complete(self._new_prompt(text, model, sink), text)",
        'return await self._complete(self._new_prompt(text, model, sink), text or " ")',
        {"agent/run/empty-prompt-with-an-inbox": "agent.run.empty-prompt-with-an-inbox"},
    ),
    Mutant(
        "an agent that is told nothing may have nine rounds of tool calls",
        "agent",
        "max_tool_rounds: int = 8",
        "max_tool_rounds: int = 9",
        {"agent/run/max-rounds-default": "agent.run.max-rounds-default"},
    ),
    Mutant(
        "of what a tool or the model raises only the kind is told",
        "run",
        "return str(failure) or type(failure).__name__",
        "return type(failure).__name__",
        {"agent/run/failure-told": "agent.run.failure-told"},
    ),
    Mutant(
        "the results of the calls that a stop leaves over are no errors",
        "run",
        HALTED,
        HALTED.replace("_STOPPED", "ToolOutput(_STOPPED.content)"),
        {"agent/run/stop-results": "agent.run.stop-results"},
    ),
    Mutant(
        "a run that is stopped while the model writes reads its inbox all the same",
        "run",
        AGENT_END,
        f"        if self.stop_flag.is_set():\n            self._read_inbox()\n{AGENT_END}",
        {"agent/run/stop-drops-the-answer": "agent.run.stop-drops-the-answer"},
    ),
    Mutant(
        "a stop while nothing runs stops the next run",
        "agent",
        STOP,
        """\
        run, new = self._run, self._new_prompt
        if run is not None:
            run.stop_flag.set()
            return

        def stopped(text: str, model: Model, sink: Sink, above: StopFlag | None = None) -> Run:
            del self._new_prompt
            made = new(text, model, sink, above)
            made.stop_flag.set()
            return made

        self._new_prompt = stopped
""",
        {"agent/run/stop-when-idle": "agent.run.stop-when-idle"},
    ),
]
