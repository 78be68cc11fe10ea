"""Every name that the documents print for somebody to call, read or match, and where a scenario shows it.

On the left is the name as a reader of the documents knows it, on the right its place in a scenario's file:
`step.` what a host does, `check.` what it looks at, `result.` and `error.` what it is answered, `agent.`,
`runtime.`, `model.`, `tool.` and `interpreter.` what is scripted, and an event by its type. A value stands
behind `=`, and one of several is enough where ` | ` is between them. `shown` finds the places in a file.

What is printed in the examples only to get them to run, as a crate or a macro, is no such name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.scenario import Json, Profile

AGENT = {
    # Long-running work
    "Agent::prompt": "step.prompt",
    "AgentConfig::system_prompt": "agent.system_prompt",
    "AgentConfig::pause_on_pending": "agent.pause_on_pending",
    "agent.pending_calls()": "check.pending_calls",
    "the id of a call in pending_calls()": "check.pending_calls.id",
    "Tool::execute": "agent.tools",
    "ToolContext::call_id": "step.resolve.call",
    "ToolOutput::new": "tool.returns",
    "ToolOutput::pending": "tool.pending",
    # The inbox
    "agent.inbox()": "step.push.handle=second",
    "Inbox::clone": "step.push.handle=copy",
    "inbox.push": "step.push",
    "inbox.resolve": "step.resolve",
    "inbox.reject": "step.reject",
    # Resuming
    "agent.resume": "step.resume",
    "agent.needs_reply()": "check.needs_reply",
    "Err, of resume": "step.resume.error",
    "replace_messages": "step.replace_messages",
    # Event sequences
    "AgentStart": "AgentStart",
    "AgentEnd": "AgentEnd",
    "AgentEnd { messages }": "AgentEnd.messages",
    "TurnStart": "TurnStart",
    "TurnEnd": "TurnEnd",
    "ContextBudget": "ContextBudget",
    "MessageStart": "MessageStart",
    "MessageDelta": "MessageDelta",
    "MessageEnd": "MessageEnd",
    "GenerationStats": "GenerationStats",
    "ToolExecStart { tool_call_id }": "ToolExecStart.tool_call_id",
    "ToolExecStart { tool_name }": "ToolExecStart.tool_name",
    "ToolExecStart { args }": "ToolExecStart.args",
    "ToolExecEnd { result: { pending } }": "ToolExecEnd.result.pending",
    "ToolExecEnd { result: { content } }": "ToolExecEnd.result.content",
    "ToolResolved { tool_call_id }": "ToolResolved.tool_call_id",
    "ToolResolved { tool_name }": "ToolResolved.tool_name",
    "ToolResolved { result }": "ToolResolved.result",
    "Paused { pending }": "Paused.pending",
    "Nested { tool_call_id }": "Nested.tool_call_id",
    "Nested { event }": "Nested.event",
    "Warning": "Warning",
    # Child agents
    "ToolContext::run_child": "tool.runs_child",
    "the content of its reply": "tool.runs_child.result.message.content",
    "the parent's stop flag": "step.stop",
    "CoreError::Aborted": "tool.runs_child.error.code=aborted",
}

RUNTIME = {
    # The six verbs, and what they are given
    "Def::name": "step.spawn",
    "Def::does": "agent.does",
    "Def::tools": "agent.tools",
    "Def::wait_for": "agent.wait_for",
    "Options::wait_for": "runtime.wait_for",
    "Budget": "agent.budget",
    "Runtime::spawn": "step.spawn",
    "its parent": "step.spawn.under",
    "Runtime::wake": "step.wake",
    "Runtime::wait": "step.wait",
    "its timeout": "step.wait.timeout",
    "Runtime::post": "step.post",
    "Runtime::resume": "step.resume_with",
    "the call of task": "model.calls.task",
    # The views
    "Runtime::list": "check.list",
    "Runtime::inspect": "check.inspect",
    "Runtime::state_of": "check.state",
    "Runtime::inbox_len": "check.inbox_len",
    "Runtime::pool_tokens": "check.pool_tokens",
    "Runtime::usage_tokens": "check.usage_tokens",
    "State::Idle": "check.state=idle | check.inspect.state=idle",
    "State::Running": "check.state=running | check.inspect.state=running",
    "State::Suspended": "check.state=suspended | check.inspect.state=suspended",
    "State::Closed": "check.state=closed | check.inspect.state=closed",
    "Handle::id": "result.id",
    "HandleView::id": "check.inspect.id",
    "HandleView::state": "check.inspect.state",
    "HandleView::tokens": "check.inspect.tokens",
    "HandleView::turns": "check.inspect.turns",
    "HandleView::inbox": "check.inspect.inbox",
    "HandleView::pending_kind": "check.inspect.pending_kind",
    "HandleView::id, in list()": "check.list.id",
    "HandleView::state, in list()": "check.list.state",
    # TaskResult: the words of status and limit are those of the requirements
    "TaskResult::text": "result.text",
    "TaskResult::is_error": "result.is_error",
    "TaskResult::status": "result.status",
    "TaskResult::pending": "result.pending",
    "TaskResult::turns": "result.turns",
    "TaskResult::total_tokens": "result.total_tokens",
    "TaskResult::own_tokens": "result.own_tokens",
    "TaskResult::limit": "result.limit",
    "done": "result.status=done",
    "pending": "result.status=pending",
    "incomplete": "result.status=incomplete",
    "interrupted": "result.status=interrupted",
    "closed": "result.status=closed",
    "timeout": "result.status=timeout",
    "error": "result.status=error",
    "maxTurns": "result.limit=maxTurns",
    "maxTokens": "result.limit=maxTokens",
    # Suspending
    "pending(Request)": "tool.suspends",
    "Request::kind": "tool.suspends.kind",
    "Request::prompt": "tool.suspends.prompt",
    "Request::id": "result.pending.id",
    "Request::data.path": "result.pending.data.path",
    "Answer::id": "step.resume_with.request",
    "Answer::ok": "step.resume_with.ok",
    "Answer::reason": "step.resume_with.reason=declined",
    "ctx.answer": "tool.with_answer",
    "ToolResult::ok": "tool.returns",
    "InProcessUsage::prompt_tokens": "model.usage.prompt_tokens",
    "InProcessUsage::completion_tokens": "model.usage.completion_tokens",
    "InProcessUsage::total_tokens": "model.usage.total_tokens",
}

CLIENT = {
    "Client::run": "step.run",
    "Client::run_with_answer": "step.run_with_answer",
    "its pending": "step.run_with_answer.request",
    "Client::ask": "step.ask",
    "its id": "step.ask.conversation",
    "Client::ask_with_answer": "step.ask_with_answer",
    "the id of ask_with_answer": "step.ask_with_answer.conversation",
    "conversation_store().get": "check.stored",
    "a second client": "step.new",
    "relay_tool": "agent.relays",
    "pending(Request)": "tool.suspends",
    "ctx.answer": "tool.with_answer",
    "answer_output": "step.run_with_answer.data.output",
    "relay_answer": "step.run_with_answer.data.results",
    "Answer::id": "step.run_with_answer.echo",
    "Answer::ok": "step.run_with_answer.ok=true",
    "an answer that is not ok": "step.run_with_answer.ok=false",
    "RunResult::text": "result.text",
    "RunResult::messages": "result.messages",
    "RunResult::status": "result.status",
    "RunResult::pending": "result.pending",
    "Request::id": "result.pending.id",
    "Request::kind": "result.pending.kind",
    "Request::prompt": "result.pending.prompt",
    "pending": "result.status=pending",
    "done": "result.status=done",
    "Err, of run_with_answer": "step.run_with_answer.error",
    "does not echo": "error.message",
}

NAMES: Mapping[Profile, Mapping[str, str]] = {"agent": AGENT, "runtime": RUNTIME, "client": CLIENT}


ELSEWHERE = {
    "agent.model": "model",
    "agent.wait_for": "interpreter",
    "runtime.wait_for": "interpreter",
    "model.during": "step",
    "tool.during": "step",
    "interpreter.during": "step",
    "step.check": "check",
    "step.result": "result",
    "step.error": "error",
    "step.emits": "",
    "check.emitted": "",
    "Nested.events": "",
}
"""Where what stands below has places of its own."""


def shown(scenario: Mapping[str, Json]) -> set[str]:
    """All places of a scenario's file at which something stands, and the values."""
    tops = {"runtime": "runtime", "agents": "agent.*", "tools": "tool.*", "steps": "step"}
    return {it for key, top in tops.items() for it in _below(top, scenario.get(key))}


def _below(place: str, value: Json) -> Iterator[str]:
    """The place, the places below it, and the values. Lists, operators and names that a scenario gives to
    agents and tools take no part in a place."""
    if isinstance(value, list):
        for each in value:
            yield from _below(place, each)
    elif isinstance(value, dict):
        yield place
        for key, below in value.items():
            here = _at(place, key)
            if here in ("step.result", "step.error"):
                yield from (f"step.{word}.{key}" for word in value)  # of which word it is the result
            yield here
            yield from _below(ELSEWHERE.get(here, here), below)
    else:
        yield place
        yield f"{place}={str(value).lower() if isinstance(value, bool) else value}"
        if place in ("step", ""):  # a word alone, or a type of event
            yield _at(place, str(value))


def _at(place: str, key: str) -> str:
    if key.startswith("$"):
        return place
    if place.endswith(".*"):
        return place.removesuffix(".*")
    key = key.rstrip("+*?")
    return f"{place}.{key}" if place else key
