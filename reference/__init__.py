"""The reference agent: the specification's "Long-running work" as code, to be read beside it.

Knows nothing of the suite that checks agents.
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
