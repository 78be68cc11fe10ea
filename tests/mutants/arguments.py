"""Faults in what tools are executed with."""

from __future__ import annotations

from tests.mutants import Mutant

EXECUTE = "tool.execute(call.arguments, ToolContext(self, call))"
EXECUTE_HOSTED = "return await tool.execute(call.arguments, CallContext(call.id, answer))"
MAKE = "await self._make(call)"
OFTEN = "what tools are executed with is judged in every play, and many calls have arguments"


SUB_AGENT = {"runtime/handle/tool-arguments": "runtime.handle.tool-arguments"}
FIRST = "next(each.arguments for each in calls if each.name == call.name)"

MUTANTS = [
    Mutant(
        "a tool is executed without arguments",
        "run",
        EXECUTE,
        "tool.execute({}, ToolContext(self, call))",
        {
            "agent/run/arguments": "agent.run.arguments",
            "agent/run/arguments-of-each-call": "agent.run.arguments",
        },
        not_local=OFTEN,
    ),
    Mutant(
        "a tool is executed with the arguments of the first call of it in the turn",
        "run",
        EXECUTE,
        """tool.execute(
                    next(each for each in self._turn.tool_calls if each.name == call.name).arguments,
                    ToolContext(self, call),
                )""",
        {"agent/run/arguments-of-each-call": "agent.run.arguments"},
    ),
    Mutant(
        "what is nested in a call's arguments is not handed over",
        "run",
        EXECUTE,
        """tool.execute(
                    {name: it for name, it in call.arguments.items() if not isinstance(it, dict | list)},
                    ToolContext(self, call),
                )""",
        {"agent/run/arguments": "agent.run.arguments"},
    ),
    Mutant(
        "of a call's arguments those that are null, false, empty or 0 are not handed over",
        "run",
        EXECUTE,
        """tool.execute(
                    {name: it for name, it in call.arguments.items() if it}, ToolContext(self, call)
                )""",
        {"agent/run/arguments": "agent.run.arguments"},
    ),
    Mutant(
        "a tool that is executed again with an Answer has no arguments",
        "rounds",
        EXECUTE_HOSTED,
        "return await tool.execute(call.arguments if answer is None else {}, CallContext(call.id, answer))",
        {"runtime/handle/tool-arguments-with-an-answer": "runtime.handle.tool-arguments"},
    ),
    Mutant(
        "a sub-agent's tool is executed without arguments",
        "rounds",
        EXECUTE_HOSTED,
        "return await tool.execute({}, CallContext(call.id, answer))",
        SUB_AGENT,
        not_local=OFTEN,
    ),
    Mutant(
        "a sub-agent's tool is executed with the arguments of its first call in the turn",
        "rounds",
        MAKE,
        f"""await self._make(
                ToolCall(
                    call.id, call.name, {FIRST}
                )
            )""",
        SUB_AGENT,
    ),
    Mutant(
        "what is nested in a call's arguments reaches a sub-agent's tool as text",
        "rounds",
        EXECUTE_HOSTED,
        """given = {
            name: str(it) if isinstance(it, dict | list) else it for name, it in call.arguments.items()
        }
        return await tool.execute(given, CallContext(call.id, answer))""",
        SUB_AGENT,
    ),
    Mutant(
        "a client's calls lose their arguments before they are made",
        "rounds",
        MAKE,
        "await self._make(ToolCall(call.id, call.name, {}))",
        {"client/run/call-arguments": "client.run.call-arguments"},
        not_local=OFTEN,
    ),
]
