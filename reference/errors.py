"""What can go wrong that is the agent's answer, in one place.

- `Aborted`: the run was stopped. `ToolContext.run_child` raises it, and a tool may let it pass.
- `NothingToDo`: `resume` with an empty inbox and no reply due. Nothing has been emitted.
- `EmptyPrompt`: `prompt` with no text and an empty inbox. Nothing has been emitted.
- `Busy`: the agent is running, and what was asked needs it idle. Nothing has been changed.
- `NoReply`: a child's run ended without a final answer: it paused, failed or reached its limit.

Of the runtime, whose verbs say so before anything has changed:

- `UnknownDefinition`: `spawn` of a name that the registry does not have.
- `LimitReached`: `spawn` past a budget's limit, which `limit` names.
- `InboxFull`: `post` to an inbox that holds as much as it may.
- `NotIdle`: `wake` of a handle that is running or suspended.
- `HandleClosed`: the handle is closed, or is to close when its turn ends.
- `ForeignHandle`: the handle is another runtime's.
- `StaleAnswer`: `resume` with the Answer to a request that nobody waits for.

Of the client; the store holds what it held before:

- `AnswerRejected`: the Answer is not one to that request, or has nothing in it. The model has not been asked.
- `ModelFailed`: the model raised; also of a run that went on after an Answer.

What a tool raises is no error of anybody's: it becomes the call's result. What a model raises becomes an
`Error` event of the agent's, and a result of the runtime's. What a sink raises ends the run where it stands
and reaches the host.
"""


class AgentError(Exception):
    """The root of them all."""


class Aborted(AgentError):
    """The run was stopped, or the run above it was."""


class NothingToDo(AgentError):
    """There is nothing to resume."""


class EmptyPrompt(AgentError):
    """There is nothing to ask the model."""


class Busy(AgentError):
    """The agent has a run in progress."""


class NoReply(AgentError):
    """A child's run ended before it had a final answer."""


class UnknownDefinition(AgentError):
    """The registry has no definition of that name."""


class LimitReached(AgentError):
    """A budget forbids it. `limit` is the limit's name, as TaskResult.limit has it; the message begins so."""

    def __init__(self, limit: str, why: str) -> None:
        super().__init__(f"{limit}: {why}")
        self.limit = limit


class InboxFull(AgentError):
    """The inbox takes no more until a turn has read it."""


class NotIdle(AgentError):
    """The handle is running, or suspended and waiting for its Answer."""


class HandleClosed(AgentError):
    """The handle takes nothing any more."""


class ForeignHandle(AgentError):
    """The handle was spawned by another runtime."""


class StaleAnswer(AgentError):
    """No suspended handle waits for this Answer."""


class AnswerRejected(AgentError):
    """The Answer cannot be used for the request."""


class ModelFailed(AgentError):
    """The model raised; what it raised is the cause."""
