"""The reference agent: the specification's "Long-running work" as code, to be read beside it.

Where to find what the document says:

    Pending results        `ToolOutput.pending` in messages, `pending_calls` in conversation,
                           `AgentConfig.pause_on_pending` in agent, `Run.turns` in run
    The inbox              `Inbox` in inbox; when it is read and what becomes of it: run
    Resuming               `Agent.resume` in agent, `needs_reply` in conversation
    After a restart        `Agent.replace_messages` in agent, `dangling_calls` in conversation,
                           `Run.begin` in run
    Event sequences        events for what they hold, run for their order
    Child agents           `ToolContext.run_child` in tools, `StopFlag` in stopping

Errors are in errors; what a model has to do is in model. Knows nothing of the suite that checks agents.
"""

from reference._record import Json, MalformedData
from reference.agent import Agent, AgentConfig
from reference.errors import Aborted, AgentError, Busy, EmptyPrompt, NoReply, NothingToDo
from reference.events import Event, Sink, event_from_json
from reference.inbox import Inbox
from reference.messages import Message, ToolCall, ToolOutput, ToolResult
from reference.model import CallRequest, Chunk, Model, Usage
from reference.tools import Approve, Tool, ToolContext

__all__ = [
    "Aborted",
    "Agent",
    "AgentConfig",
    "AgentError",
    "Approve",
    "Busy",
    "CallRequest",
    "Chunk",
    "EmptyPrompt",
    "Event",
    "Inbox",
    "Json",
    "MalformedData",
    "Message",
    "Model",
    "NoReply",
    "NothingToDo",
    "Sink",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolOutput",
    "ToolResult",
    "Usage",
    "event_from_json",
]
