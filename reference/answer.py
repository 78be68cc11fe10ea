"""What passes between a tool that needs somebody and the host that answers for them.

A tool suspends by answering with `pending(Request(...))`. The host gives an `Answer`: at once, where somebody
has set an interpreter (`wait_for`), or whenever it has one. Immutable data, whose keys on the wire are fixed.
Knows nothing of who carries it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar, TypeAlias
from uuid import uuid4

from reference._record import Json, Record, record


@record
class Request(Record):
    """What a suspended tool asks for.

    Args:
        kind: what sort of thing, such as `approval`, `input` or `tool_call`; hosts may invent others.
        prompt: for whoever is to answer.
        id: which the Answer repeats. One that is left empty is filled in where the suspension is noticed.
        url: where to go to answer.
        data: whatever else; in the runtime `path` is the suspended handle's id, split at its slashes.
        expires_at: when an Answer will be of no more use, as a text; nobody here acts on it.
    """

    kind: str
    prompt: str
    id: str = ""
    url: str | None = None
    data: Mapping[str, Json] | None = None
    expires_at: str | None = None

    _wire_names: ClassVar[Mapping[str, str]] = {"expires_at": "expiresAt"}

    def filled_in(self, request_id: str, data: Mapping[str, Json] | None) -> Request:
        """The same with that id and data."""
        return Request(self.kind, self.prompt, request_id, self.url, data, self.expires_at)


@record
class Answer(Record):
    """The answer to the Request with that `id`.

    Args:
        ok: the one thing that decides. False: declined, which is data and no error.
        data: what the tool is to have.
        reason: why not, such as `declined`, `cancelled` or `expired`.
    """

    id: str
    ok: bool
    data: Mapping[str, Json] | None = None
    reason: str | None = None


@record
class Suspension(Record):
    """What a tool answers that cannot go on. `is_passed_on`: the request is a child's, on which everybody who
    could answer has been asked."""

    request: Request
    is_passed_on: bool = False


def pending(request: Request) -> Suspension:
    """What a tool returns to suspend."""
    return Suspension(request)


def new_request_id() -> str:
    """An id that no request has had, in this process or another: an old Answer never fits a new request."""
    return uuid4().hex


WaitFor: TypeAlias = Callable[[Request], Awaitable[Answer]]
"""An interpreter: answers inline, so that the suspension does not become durable."""
