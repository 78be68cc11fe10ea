"""What comes out: of a handle a `TaskResult` or a look at it, of a client a `RunResult`.

Immutable data; on the wire every field is there, whatever its value. Knows nothing of how it came about.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from reference._record import Record, record
from reference.answer import Request
from reference.handle import State
from reference.messages import Message
from reference.model import Usage

TaskStatus: TypeAlias = Literal["done", "pending", "incomplete", "interrupted", "closed", "timeout", "error"]
RunStatus: TypeAlias = Literal["done", "pending", "incomplete"]


@record
class TaskResult(Record):
    """All that crosses a handle's boundary; what goes wrong below it is told here and never raised.

    Args:
        text: the model's last; where `is_error`, what went wrong.
        status: `pending` has its `pending`, `incomplete` and `timeout` their `limit`.
        turns: model round trips of the handle, over its whole life.
        total_tokens: what the handle and all below it have taken, over its whole life.
        own_tokens: the same without those below.
        limit: what stopped it, or an empty text.
    """

    text: str
    is_error: bool
    status: TaskStatus
    pending: Request | None
    turns: int
    total_tokens: int
    own_tokens: int
    limit: str


@record
class HandleView(Record):
    """A handle as it stood at one moment.

    Args:
        id: the handle's.
        state: in which it was.
        tokens: what it and all below it have taken.
        turns: model round trips so far.
        inbox: how many items wait in it.
        pending_kind: the kind of the request that a suspended handle waits for; otherwise an empty text.
    """

    id: str
    state: State
    tokens: int
    turns: int
    inbox: int
    pending_kind: str


@record
class RunResult(Record):
    """How a client's run ended.

    Args:
        text: the model's last.
        messages: the whole transcript. While calls wait for an Answer their results are placeholders.
        status: `pending` has its `pending`, `incomplete` its `limit`.
        turns: model round trips of this run; `usage` is what they took.
    """

    text: str
    messages: tuple[Message, ...]
    status: RunStatus
    pending: Request | None
    limit: str
    turns: int
    usage: Usage
