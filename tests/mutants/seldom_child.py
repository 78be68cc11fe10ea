"""Faults that show only in a child's run, in the conversation of a restart or in a call that went wrong."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import BETWEEN, CALL

NEST = "        self._emit(Nested(self._call.id, event))\n"
IS_CHILD = "self.stop_flag._above is not None"


def _passes_on_all_but(kind: str) -> str:
    return f'        if type(event).__name__ != "{kind}":\n    {NEST}'


CHILDREN = [
    Mutant(
        breaks="a child does not read its inbox at its final answer",
        module="run",
        old=BETWEEN,
        new=BETWEEN.replace("if inbox", f"if inbox and not ({IS_CHILD} and not message.tool_calls)"),
        caught_by={"agent/child/reads-its-inbox": "agent.inbox.read-at-final"},
    ),
    Mutant(
        breaks="a child leaves calls that were cut off without a result",
        module="run",
        old="        self._fail_dangling_calls()\n",
        new=f"        if not ({IS_CHILD}):\n            self._fail_dangling_calls()\n",
        caught_by={"agent/child/restored-with-a-call-cut-off": "agent.restart.dangling-failed"},
    ),
    Mutant(
        breaks="the progress of a child's tool is not passed on",
        module="tools",
        old=NEST,
        new=_passes_on_all_but("ToolExecUpdate"),
        caught_by={"agent/child/nested-update": "agent.run.update"},
    ),
    Mutant(
        breaks="that a child's model fails is not passed on",
        module="tools",
        old=NEST,
        new=_passes_on_all_but("Error"),
        caught_by={"agent/child/nested-failure": "agent.run.model-error"},
    ),
    Mutant(
        breaks="that a child's call is refused is not passed on",
        module="tools",
        old=NEST,
        new=_passes_on_all_but("ToolDenied"),
        caught_by={"agent/child/nested-refusal": "agent.run.denied"},
    ),
    Mutant(
        breaks="a child that has worked before is not stopped with its parent's run",
        module="tools",
        old="agent._prompt_below(self._run.stop_flag, ",
        new="agent._prompt_below(type(self._run.stop_flag)() if agent.messages else self._run.stop_flag, ",
        caught_by={"agent/child/stop-in-a-follow-up": "agent.child.stop"},
    ),
    *(
        Mutant(
            breaks=f"a resumed run does not pass on {what}",
            module="agent",
            old="        return await self._complete(Run(self._parts, model, sink, StopFlag()))\n",
            new=f"""\
        def filtered(event):
            if type(event).__name__ != "{kind}":
                sink(event)

        return await self._complete(Run(self._parts, model, filtered, StopFlag()))
""",
            caught_by={scenario: requirement},
        )
        for what, kind, scenario, requirement in [
            (
                "what its children do",
                "Nested",
                "agent/resume/same-loop-with-a-child",
                "agent.resume.same-loop",
            ),
            (
                "the progress of its tools",
                "ToolExecUpdate",
                "agent/resume/update",
                "agent.run.update",
            ),
        ]
    ),
]


def _takes_also(text: str) -> str:
    """A late result is taken also for a call whose only result is an error with this text."""
    return f"""\
{CALL}\
            if call is None:
                from reference.conversation import results_by_call
                for failed, results in results_by_call(self._conversation.view):
                    if failed.id == item.call_id and len(results) == 1 and results[0].is_error:
                        call = failed if {text!r} in results[0].content else None
"""


LATE = [
    Mutant(
        breaks="a late result is taken for a call whose tool has failed",
        module="run",
        old=CALL,
        new=_takes_also("exit 2"),
        caught_by={"agent/run/failed-call-late-result": "agent.run.tool-error"},
    ),
    Mutant(
        breaks="a late result is taken for a call of a tool that does not exist",
        module="run",
        old=CALL,
        new=_takes_also("There is no tool"),
        caught_by={"agent/run/failed-call-late-result": "agent.run.unknown-tool"},
    ),
    Mutant(
        breaks="a late result is taken for a call in which the run was stopped",
        module="run",
        old=CALL,
        new=_takes_also("The run was stopped"),
        caught_by={"agent/run/stopped-call-late-result": "agent.run.stop"},
    ),
    Mutant(
        breaks="a late result is taken for a call that was refused",
        module="run",
        old=CALL,
        new=_takes_also("The call was refused"),
        caught_by={"agent/run/denied-late-result": "agent.run.denied"},
    ),
]

RESTORED = (
    "        self._parts.conversation = Conversation(messages, number=self._parts.conversation.number)\n"
)

RESTARTS = [
    Mutant(
        breaks="of calls that were cut off only three are marked failed",
        module="run",
        old="""\
        for call in self._conversation.dangling_calls():
            self.emit(Warning(""",
        new="""\
        for call in self._conversation.dangling_calls()[:3]:
            self.emit(Warning(""",
        caught_by={"agent/restart/dangling-failed-of-many": "agent.restart.dangling-failed"},
    ),
    Mutant(
        breaks="a restored call is not owed any more if two prompts have come since",
        module="agent",
        old=RESTORED,
        new=f"""\
{RESTORED}\
        if sum(message.role == "user" for message in self.messages) > 2:
            self._parts.conversation._pending.clear()
""",
        caught_by={"agent/restart/pending-since-long-ago": "agent.restart.pending-from-messages"},
    ),
    Mutant(
        breaks="restored calls are listed by their ids, as texts",
        module="agent",
        old=RESTORED,
        new=f"""\
{RESTORED}\
        conversation = self._parts.conversation
        conversation._pending = dict(sorted(conversation._pending.items()))
""",
        caught_by={"agent/pending/order-after-a-restart": "agent.pending.order"},
    ),
    Mutant(
        breaks="counting goes on past the ids of restored messages only, not of their calls",
        module="conversation",
        old="""\
        ids = [message.id, *(call.id for call in message.tool_calls)]
        if message.tool_result is not None:
""",
        new="""\
        ids = [message.id]
        if False:
""",
        caught_by={"agent/restart/ids-fresh-beside-foreign-ids": "agent.restart.ids-fresh"},
    ),
    Mutant(
        breaks="an empty prompt that is refused makes the agent forget the calls that are waited for",
        module="agent",
        old="        if not text and not self._parts.inbox:\n",
        new="""\
        if not text and not self._parts.inbox:
            self._parts.conversation._pending.clear()
""",
        caught_by={"agent/run/empty-prompt-after-pause": "agent.run.empty-prompt"},
    ),
]

MUTANTS = [*CHILDREN, *LATE, *RESTARTS]
