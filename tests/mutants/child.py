"""Faults in how an agent runs another inside a tool call.

Those that many scenarios see change what every child's run shows.
"""

from __future__ import annotations

from tests.mutants import Mutant

EVERY_CHILD = "it changes what every child's run shows"

RUN = """\
        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, self._emit_nested)
        if reply is None:
"""
REPLY = """\
            raise NoReply("the child's run ended without a reply")
        return reply
"""
NEST = """\
        self._emit(Nested(self._call.id, event))
"""

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="A child's AgentStart is not passed on",
        module="tools",
        old=NEST,
        new="""\
        if type(event).__name__ != "AgentStart":
            self._emit(Nested(self._call.id, event))
""",
        caught_by={"agent/child/nested": "agent.child.nested", "agent/events/child": "agent.events.child"},
        not_local=EVERY_CHILD,
    ),
    Mutant(
        breaks="The end of a child's own tool call is not passed on",
        module="tools",
        old=NEST,
        new="""\
        if type(event).__name__ != "ToolExecEnd":
            self._emit(Nested(self._call.id, event))
""",
        caught_by={"agent/child/nested": "agent.child.nested"},
    ),
    Mutant(
        breaks="That a child pauses is not passed on",
        module="tools",
        old=NEST,
        new="""\
        if type(event).__name__ != "Paused":
            self._emit(Nested(self._call.id, event))
""",
        caught_by={"agent/child/nested-pause": "agent.child.nested"},
    ),
    Mutant(
        breaks="A child's events are kept until its run is over",
        module="tools",
        old=RUN,
        new="""\
        kept: list[Event] = []
        try:
            reply = await agent._prompt_below(self._run.stop_flag, prompt, model, kept.append)
        finally:
            for event in kept:
                self._emit_nested(event)
        if reply is None:
""",
        caught_by={
            "agent/child/live": "agent.child.live",
            "agent/child/live-grandchild": "agent.child.live",
            "field/child-with-a-tool": "agent.child.live",
            "field/child-asked-again": "agent.child.live",
        },
    ),
    Mutant(
        breaks="run_child answers with what it was asked instead of the reply",
        module="tools",
        old=REPLY,
        new="""\
            raise NoReply("the child's run ended without a reply")
        return reply._replace(content=prompt)
""",
        caught_by={"agent/child/reply": "agent.child.reply"},
    ),
    Mutant(
        breaks="run_child answers with the first thing that the child says",
        module="tools",
        old=REPLY,
        new="""\
            raise NoReply("the child's run ended without a reply")
        asked = max(place for place, message in enumerate(agent.messages) if message.role == "user")
        return next(message for message in agent.messages[asked:] if message.role == "assistant")
""",
        caught_by={"agent/child/reply-is-the-last-answer": "agent.child.reply"},
    ),
    Mutant(
        breaks="run_child answers with the first reply that the child ever gave",
        module="tools",
        old=REPLY,
        new="""\
            raise NoReply("the child's run ended without a reply")
        return next(each for each in agent.messages if each.role == "assistant" and not each.tool_calls)
""",
        caught_by={"agent/child/reply-of-each-run": "agent.child.reply"},
    ),
    Mutant(
        breaks="A tool that has run a child answers with the child's reply, whatever it wants to say",
        module="run",
        old="output = await tool.execute(call.arguments, ToolContext(self, call))",
        new="""\

                class Watched(ToolContext):
                    async def run_child(self, agent, prompt, model):
                        self.reply = await super().run_child(agent, prompt, model)
                        return self.reply

                context = Watched(self, call)
                output = await tool.execute(call.arguments, context)
                if hasattr(context, "reply"):
                    output = ToolOutput(context.reply.content)""",
        caught_by={"agent/child/reply-in-the-tools-words": "agent.child.reply"},
    ),
    Mutant(
        breaks="A grandchild's events arrive nested once, as if they were the child's",
        module="tools",
        old=NEST,
        new="""\
        self._emit(Nested(self._call.id, event.event if isinstance(event, Nested) else event))
""",
        caught_by={"agent/child/grandchild": "agent.child.grandchild"},
    ),
    Mutant(
        breaks="Nested events carry the id of the first call of the turn",
        module="tools",
        old=NEST,
        new="""\
        self._emit(Nested(self._run._turn.tool_calls[0].id, event))
""",
        caught_by={
            "agent/child/two-children": "agent.child.two-children",
            "field/two-children-in-one-turn": "agent.child.two-children",
            "field/two-children-of-one-tool": "agent.child.two-children",
        },
    ),
    Mutant(
        breaks="Nested events carry the id of the call in which the child was run first",
        module="tools",
        old=RUN,
        new="""\
        first = agent.__dict__.setdefault("_call_id", self._call.id)
        reply = await agent._prompt_below(
            self._run.stop_flag, prompt, model, lambda event: self._emit(Nested(first, event))
        )
        if reply is None:
""",
        caught_by={
            "agent/child/follow-up-id": "agent.child.follow-up-id",
            "agent/child/follow-up-id-next-run": "agent.child.follow-up-id",
        },
    ),
    Mutant(
        breaks="A child does not know of its parent's stop and is cut off where it stands",
        module="tools",
        old=RUN,
        new="""\
        reply = await agent._prompt_below(type(self._run.stop_flag)(), prompt, model, self._emit_nested)
        if reply is None:
""",
        caught_by={
            "agent/child/stop": "agent.child.stop",
            "agent/child/stop-in-the-childs-tool": "agent.child.stop",
        },
    ),
    Mutant(
        breaks="A child runs to its end although its parent was stopped",
        module="tools",
        old=RUN,
        new="""\
        from asyncio import CancelledError, ensure_future, shield

        flag = type(self._run.stop_flag)()
        running = ensure_future(agent._prompt_below(flag, prompt, model, self._emit_nested))
        while not running.done():
            try:
                await shield(running)
            except CancelledError:
                if not self._run.stop_flag.is_set():
                    running.cancel()
                    raise
        reply = running.result()
        if reply is None:
""",
        caught_by={
            "agent/child/stop": "agent.child.stop",
            "agent/child/stop-in-the-childs-tool": "agent.child.stop",
            "field/stopped-while-a-child-writes": "agent.child.stop",
            "field/stopped-while-a-follow-up-writes": "agent.child.stop",
            "field/stopped-while-a-child-writes-after-a-resume": "agent.child.stop",
        },
    ),
    Mutant(
        breaks="run_child does not say that the child was stopped",
        module="agent",
        old="""\
        if run.stop_flag.is_set():
            raise Aborted("the run was stopped")
        return reply
""",
        new="""\
        return reply
""",
        caught_by={
            "agent/child/stop": "agent.child.stop",
            "agent/child/stop-in-the-childs-tool": "agent.child.stop",
        },
    ),
    Mutant(
        breaks="A stop reaches one level down and no further",
        module="stopping",
        old="(self._above is not None and self._above.is_set())",
        new="(self._above is not None and self._above._is_set)",
        caught_by={
            "agent/child/stop-grandchild": "agent.child.stop-grandchild",
            "agent/child/stop-grandchild-in-its-tool": "agent.child.stop-grandchild",
        },
    ),
    Mutant(
        breaks="A child forgets everything before each run",
        module="tools",
        old=RUN,
        new="""\
        agent.replace_messages(())
        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, self._emit_nested)
        if reply is None:
""",
        caught_by={
            "agent/child/keeps-conversation": "agent.child.keeps-conversation",
            "agent/child/keeps-conversation-next-run": "agent.child.keeps-conversation",
        },
    ),
    Mutant(
        breaks="A child that is stopped forgets everything",
        module="agent",
        old="""\
        if run.stop_flag.is_set():
            raise Aborted("the run was stopped")
""",
        new="""\
        if run.stop_flag.is_set():
            self.replace_messages(())
            raise Aborted("the run was stopped")
""",
        caught_by={"agent/child/keeps-conversation-after-stop": "agent.child.keeps-conversation"},
    ),
    Mutant(
        breaks="A child's reply becomes a message of the parent's, too",
        module="tools",
        old=REPLY,
        new="""\
            raise NoReply("the child's run ended without a reply")
        self._run._conversation.append(reply._replace(id=self._run._conversation.next_id()))
        return reply
""",
        caught_by={"agent/child/isolated": "agent.child.isolated"},
    ),
    Mutant(
        breaks="A child begins with what the user said to its parent",
        module="tools",
        old=RUN,
        new="""\
        if not agent.messages:
            agent.replace_messages(each for each in self._run._conversation.view if each.role == "user")
        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, self._emit_nested)
        if reply is None:
""",
        caught_by={"agent/child/isolated": "agent.child.isolated"},
    ),
    Mutant(
        breaks="A child takes its parent's inbox for its own",
        module="tools",
        old=RUN,
        new="""\
        agent._parts.inbox = self._run._parts.inbox
        reply = await agent._prompt_below(self._run.stop_flag, prompt, model, self._emit_nested)
        if reply is None:
""",
        caught_by={
            "agent/child/isolated-from-the-parents-inbox": "agent.child.isolated",
            "agent/child/isolated-from-the-childs-inbox": "agent.child.isolated",
        },
    ),
    Mutant(
        breaks="A stop reaches whatever runs in the process",
        module="stopping",
        old="        self._is_set = True\n",
        new="""\
        for each in __import__("gc").get_objects():
            if type(each) is StopFlag:
                each._is_set = True
""",
        caught_by={
            "agent/child/own-flag-after": "agent.child.own-flag-after",
            "agent/child/background-and-a-stop": "agent.child.background",
        },
    ),
    Mutant(
        breaks="A child answers for good to the stop flag of the run in which it was first run",
        module="agent",
        old="return Run(self._parts, model, sink, StopFlag(above))",
        new="""\
self._first_above = getattr(self, "_first_above", None) or above
        return Run(self._parts, model, sink, StopFlag(self._first_above))""",
        caught_by={
            "agent/child/own-flag-after-same-run": "agent.child.own-flag-after",
            "agent/child/own-flag-after-stop": "agent.child.own-flag-after",
            "agent/child/own-flag-after-next-run": "agent.child.own-flag-after",
        },
    ),
    Mutant(
        breaks="Only one agent at a time can be prompted",
        module="agent",
        old="""\
        self._refuse_if_busy()
        if not text and not self._parts.inbox:
""",
        new="""\
        others = [each for each in __import__("gc").get_objects() if type(each) is Agent]
        if above is None and any(other._run is not None for other in others):
            raise Busy("another agent has a run in progress")
        if not text and not self._parts.inbox:
""",
        caught_by={
            "agent/child/background": "agent.child.background",
            "agent/child/background-during-a-run": "agent.child.background",
        },
    ),
    Mutant(
        breaks="A call that is pending in a child is listed as the parent's",
        module="tools",
        old=NEST,
        new="""\
        self._emit(Nested(self._call.id, event))
        if type(event).__name__ == "ToolExecEnd" and event.result.is_pending:
            call = ToolCall(event.tool_call_id, event.tool_name, {})
            self._run._conversation._pending[call.id] = call
""",
        caught_by={
            "agent/child/pending-inside": "agent.child.pending-inside",
            "agent/child/pending-inside-and-the-parents-inbox": "agent.child.pending-inside",
        },
    ),
    Mutant(
        breaks="A parent pauses because its child has a pending call",
        module="tools",
        old=NEST,
        new="""\
        self._emit(Nested(self._call.id, event))
        if type(event).__name__ == "ToolExecEnd" and event.result.is_pending:
            pausing = {"__slots__": (), "_leaves_pending": lambda run, message: True}
            self._run.__class__ = type("Pausing", (type(self._run),), pausing)
""",
        caught_by={"agent/child/pending-inside-does-not-pause": "agent.child.pending-inside"},
    ),
    Mutant(
        breaks="An agent that is run as a child leaves its inbox unread",
        module="run",
        old="""\
        self._read_inbox()
        if text:
""",
        new="""\
        if self.stop_flag._above is None:
            self._read_inbox()
        if text:
""",
        caught_by={"agent/child/pending-inside-is-resolved-there": "agent.child.pending-inside"},
    ),
]
