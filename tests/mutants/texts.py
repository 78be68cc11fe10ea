"""Faults that spare texts that are short, plain and of one line: elsewhere they strip, cut or lose them."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants._inbox import HEADED, HEARD, ITEMS

OF_A_RESULT = "        content = output.content\n"
RESTORED = "        self._parts.conversation = Conversation(messages, number"
REPLY = "        return ToolOutput(result.text)\n"
PLACEHOLDER = "agent/pending/recorded-whatever-its-text"
RESULT = "agent/inbox/resolve-second-result-whatever-its-text"
REJECTION = "agent/inbox/reject-error-result-whatever-its-text"
PUSHED = "agent/inbox/push-user-turn-of-several-lines"
RESTORES = "agent/restart/json-round-trip-of-odd-messages"
CHILD = "runtime/delegation/one-message-whatever-its-text"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="A placeholder is stripped of the space around it",
        module="run",
        old=OF_A_RESULT,
        new="        content = output.content.strip() if output.is_pending else output.content\n",
        caught_by={PLACEHOLDER: "agent.pending.recorded"},
    ),
    Mutant(
        breaks="A placeholder without a text is no placeholder",
        module="run",
        old=OF_A_RESULT,
        new=OF_A_RESULT
        + """\
        if output.is_pending and not content:
            output = ToolOutput(content)
""",
        caught_by={PLACEHOLDER: "agent.pending.recorded"},
    ),
    Mutant(
        breaks="What is in the inbox for a call has line feeds only",
        module="run",
        old=HEADED,
        new=HEADED + '        headed = headed.replace("\\r", "")\n',
        caught_by={
            RESULT: "agent.inbox.resolve-second-result",
            REJECTION: "agent.inbox.reject-error-result",
        },
    ),
    Mutant(
        breaks="A result or rejection without a text is passed over",
        module="run",
        old=ITEMS,
        new=ITEMS
        + """\
            if not isinstance(item, Pushed) and not item.content:
                continue
""",
        caught_by={
            RESULT: "agent.inbox.resolve-second-result",
            REJECTION: "agent.inbox.reject-error-result",
        },
    ),
    Mutant(
        breaks="A pushed message has line feeds only",
        module="run",
        old=HEARD,
        new=HEARD.replace("item.text", 'item.text.replace("\\r", "")'),
        caught_by={PUSHED: "agent.inbox.push-user-turn"},
    ),
    Mutant(
        breaks="Messages without a text are left out when a conversation is put in place of another",
        module="agent",
        old=RESTORED,
        new="        messages = [each for each in messages if each.content or each.tool_calls]\n" + RESTORED,
        caught_by={RESTORES: "agent.restart.json-round-trip"},
    ),
    Mutant(
        breaks="Of user messages side by side only the last is put in place of a conversation",
        module="agent",
        old=RESTORED,
        new="""\
        all_of_them, messages = [*messages], []
        for each in all_of_them:
            if each.role == "user" and messages and messages[-1].role == "user":
                messages.pop()
            messages.append(each)
"""
        + RESTORED,
        caught_by={RESTORES: "agent.restart.json-round-trip"},
    ),
    Mutant(
        breaks="What a tool answers has one line",
        module="run",
        old="                output = await tool.execute(call.arguments, ToolContext(self, call))\n",
        new="""\
                told = await tool.execute(call.arguments, ToolContext(self, call))
                output = ToolOutput(
                    told.content if told.is_pending else told.content.partition("\\n")[0],
                    told.is_pending,
                    told.is_error,
                )
""",
        caught_by={"agent/child/reply-of-several-lines": "agent.child.reply"},
    ),
    Mutant(
        breaks="A child that is done without a word has failed",
        module="task_tool",
        old='    if result.status == "done":\n',
        new='    if result.status == "done" and result.text:\n',
        caught_by={CHILD: "runtime.delegation.one-message"},
    ),
    Mutant(
        breaks="A child's answer reaches its parent with single spaces",
        module="task_tool",
        old=REPLY,
        new=REPLY.replace("result.text", '" ".join(result.text.split())'),
        caught_by={CHILD: "runtime.delegation.one-message"},
    ),
]
