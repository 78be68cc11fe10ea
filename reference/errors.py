"""What can go wrong that is the agent's answer, in one place.

- `Aborted`: the run was stopped. `ToolContext.run_child` raises it, and a tool may let it pass.
- `NothingToDo`: `resume` with an empty inbox and no reply due. Nothing has been emitted.
- `EmptyPrompt`: `prompt` with no text and an empty inbox. Nothing has been emitted.
- `Busy`: the agent is running, and what was asked needs it idle. Nothing has been changed.
- `NoReply`: a child's run ended without a final answer: it paused, failed or reached its limit.

What a tool or a model raises is no error of the agent's: the first becomes the call's result, the second an
`Error` event. What a sink raises ends the run where it stands and reaches the host.
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
