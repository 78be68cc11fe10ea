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

Errors are in errors; what a model has to do is in model.

And of the two documents on sub-agents and on the client:

    Handle                 handle for the states and their table, runtime for the views, result for what they
                           and `wait` give
    Runtime.resume         `Runtime.resume` in runtime, the turn that is run again in turn; how it finds its
                           Answer again in rounds, and its children in task_tool
    run_with_answer        client; relay for tools that the host carries out; store for conversations

A host's part in them: definition, budget and clock for what it hands in, answer for what passes to and fro,
toolkit for its tools, generating for its model.

Knows nothing of the suite that checks agents.
"""

from reference._record import Json, MalformedData
from reference.agent import Agent, AgentConfig
from reference.answer import Answer, Request, Suspension, WaitFor, pending
from reference.budget import Budget
from reference.client import Client, ClientOptions
from reference.clock import Clock, ManualClock, Timer, WallClock
from reference.definition import Def, OnTransition, Options
from reference.errors import (
    Aborted,
    AgentError,
    AnswerRejected,
    Busy,
    EmptyPrompt,
    ForeignHandle,
    HandleClosed,
    InboxFull,
    LimitReached,
    ModelFailed,
    NoReply,
    NothingToDo,
    NotIdle,
    StaleAnswer,
    UnknownDefinition,
)
from reference.events import Event, Sink, event_from_json
from reference.generating import Generate, ModelReply, ModelRequest
from reference.handle import Handle, State
from reference.inbox import Inbox
from reference.messages import Message, ToolCall, ToolOutput, ToolResult
from reference.model import CallRequest, Chunk, Model, Usage
from reference.relay import RelayResult, answer_output, relay_answer, relay_tool
from reference.result import HandleView, RunResult, TaskResult
from reference.runtime import Runtime
from reference.store import ConversationStore, MemoryStore, SqliteStore
from reference.toolkit import CallContext, FunctionTool, Toolkit
from reference.tools import Approve, Tool, ToolContext

__all__ = [
    "Aborted",
    "Agent",
    "AgentConfig",
    "AgentError",
    "Answer",
    "AnswerRejected",
    "Approve",
    "Budget",
    "Busy",
    "CallContext",
    "CallRequest",
    "Chunk",
    "Client",
    "ClientOptions",
    "Clock",
    "ConversationStore",
    "Def",
    "EmptyPrompt",
    "Event",
    "ForeignHandle",
    "FunctionTool",
    "Generate",
    "Handle",
    "HandleClosed",
    "HandleView",
    "Inbox",
    "InboxFull",
    "Json",
    "LimitReached",
    "MalformedData",
    "ManualClock",
    "MemoryStore",
    "Message",
    "Model",
    "ModelFailed",
    "ModelReply",
    "ModelRequest",
    "NoReply",
    "NotIdle",
    "NothingToDo",
    "OnTransition",
    "Options",
    "RelayResult",
    "Request",
    "RunResult",
    "Runtime",
    "Sink",
    "SqliteStore",
    "StaleAnswer",
    "State",
    "Suspension",
    "TaskResult",
    "Timer",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolOutput",
    "ToolResult",
    "Toolkit",
    "UnknownDefinition",
    "Usage",
    "WaitFor",
    "WallClock",
    "answer_output",
    "event_from_json",
    "pending",
    "relay_answer",
    "relay_tool",
]
