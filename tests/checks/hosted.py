"""Writing transcripts of the profiles `runtime` and `client` by hand: verbs with their results, and steps of
handles.

What is written here is right unless a test says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from conformance.scenario import Json, Profile
from conformance.transcript import (
    Asked,
    Interpreted,
    Message,
    ModelAnswered,
    ModelCalled,
    Moved,
    Performed,
    ToolAnswered,
    ToolCalled,
    Transcript,
)

WORKER = "root/worker.1"


def view(state: str = "idle", **other: Json) -> dict[str, Json]:
    """A HandleView of the worker."""
    return {"id": WORKER, "state": state, "tokens": 0, "turns": 0, "inbox": 0, "pending_kind": "", **other}


def request(**other: Json) -> dict[str, Json]:
    """A Request of the worker's."""
    return {"id": "r1", "kind": "approval", "prompt": "Go?", "data": {"path": WORKER}, **other}


def task_result(status: str = "done", **other: Json) -> dict[str, Json]:
    """A TaskResult."""
    return {
        "text": "Done.",
        "is_error": False,
        "status": status,
        "pending": request() if status == "pending" else None,
        "turns": 1,
        "total_tokens": 6,
        "own_tokens": 6,
        "limit": "",
        **other,
    }


def run_result(status: str = "done", **other: Json) -> dict[str, Json]:
    """A RunResult."""
    pending = request() if status == "pending" else None
    return {
        "text": "",
        "messages": [],
        "status": status,
        "pending": pending,
        "limit": "",
        "turns": 1,
        **other,
    }


class HostedPlay:
    """A play under way; each method adds what happened and gives the play back."""

    def __init__(self, profile: Profile = "runtime") -> None:
        self.transcript = Transcript(profile=profile)

    def did(
        self, method: str, result: dict[str, Json], *, step: int = 1, handle: str = WORKER, **params: Json
    ) -> HostedPlay:
        """A verb was answered with a result."""
        runtime = "main" if method.startswith("runtime/") else ""
        addressed = handle if runtime else ""
        self.transcript.entries.append(Performed(step, method, params, runtime, addressed, result))
        return self

    def spawned(self, id: str = WORKER, name: str = "worker", *, step: int = 1, **params: Json) -> HostedPlay:
        """A handle was spawned."""
        return self.did("runtime/spawn", {"handle": id}, step=step, handle="", name=name, **params)

    def seen(self, state: str = "idle", *, step: int = 1, **other: Json) -> HostedPlay:
        """The worker was looked at."""
        return self.did("runtime/inspect", view(state, **other), step=step)

    def waited(self, status: str = "done", *, step: int = 1, **other: Json) -> HostedPlay:
        """The worker was waited for."""
        return self.did("runtime/wait", task_result(status, **other), step=step)

    def went(self, *states: str, step: int = 1, answering: bool = False, id: str = WORKER) -> HostedPlay:
        """The worker, or the handle with that id, went through these states."""
        for before, after in pairwise(states):
            self.transcript.entries.append(Moved(step, "main", id, before, after, answering))
        return self

    def interpreted(self, *, ok: bool | None = True, step: int = 1) -> HostedPlay:
        """The worker's interpreter was asked and answered; None: it failed."""
        answer: dict[str, Json] | None = None if ok is None else {"id": "q1", "ok": ok}
        self.transcript.entries.append(Interpreted(step, "worker", request(), answer))
        return self

    def asked(self, messages: Sequence[Message], *, step: int = 1) -> HostedPlay:
        """The model was given these messages."""
        self.transcript.entries.append(ModelCalled(step, "main", None, messages))
        return self

    def answered(self, *arguments: dict[str, Json], step: int = 1, first: int = 1) -> HostedPlay:
        """The model calls `report` with each of these arguments; the ids are those of its answer `first`."""
        asked = (Asked("report", each, f"call-{first}-{place + 1}") for place, each in enumerate(arguments))
        self.transcript.entries.append(ModelAnswered(step, "main", None, "", tuple(asked), None))
        return self

    def executed(
        self, arguments: dict[str, Json], call: str = "", *, outcome: str = "returns", step: int = 1
    ) -> HostedPlay:
        """The tool `report` is executed, and its execution ends."""
        self.transcript.entries.append(ToolCalled(step, "main", None, call, "report", arguments))
        self.transcript.entries.append(ToolAnswered(step, "main", None, call, "report", outcome, ""))
        return self
