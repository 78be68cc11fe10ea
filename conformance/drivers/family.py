"""Ending a process with all that it has started, wherever that has gone.

A process group is not enough: what has made itself a session of its own is outside it. On Linux such are
found by their ancestry and by a mark in the environment that they were born with; elsewhere the group is all
that can be reached. Knows nothing of why.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

MARK = "OUTLAST_DRIVER"
"""The environment variable that holds the marks of all families that a process belongs to."""

_PROCESSES = Path("/proc")
_ROUNDS = 20
"""So often the family is looked for again; one that bears children faster than that cannot be caught."""


def with_mark(env: Mapping[str, str], mark: str) -> dict[str, str]:
    """An environment for a family: whoever is born into it belongs to all families of ours, too."""
    return {**env, MARK: ":".join(filter(None, (env.get(MARK), mark)))}


def kill_family(pid: int, mark: str) -> None:
    """End the process `pid`, its group, its descendants, and all that bear `mark`; at once."""
    found = _descendants(pid)  # before the group dies: who has lost its parent is nobody's descendant
    with suppress(ProcessLookupError, PermissionError):  # nobody is there, or nobody but the dead
        os.killpg(pid, signal.SIGKILL)
    killed: set[int] = set()
    for _ in range(_ROUNDS):
        found = (found | _marked(mark)) - killed
        if not found:
            return
        for other in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(other, signal.SIGKILL)
        killed |= found


def _marked(mark: str) -> set[int]:
    name, wanted = f"{MARK}=".encode(), mark.encode()
    return {
        pid
        for pid, content in _each("environ")
        if wanted in content  # mostly not, and this is the quick way to know
        for variable in content.split(b"\0")
        if variable.startswith(name) and wanted in variable.removeprefix(name).split(b":")
    }


def _descendants(pid: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for child, content in _each("stat"):
        # `pid (name) state parent ...`, and there may be anything in a name
        parent = content.rpartition(b")")[2].split()[1:2]
        if parent:
            children.setdefault(int(parent[0]), []).append(child)
    found: set[int] = set()
    below = [pid]
    while below:
        for child in children.get(below.pop(), ()):
            if child not in found:
                found.add(child)
                below.append(child)
    return found


def _each(file: str) -> Iterator[tuple[int, bytes]]:
    """That file of every process that lets us look at it."""
    if not _PROCESSES.is_dir():
        return
    for entry in os.listdir(_PROCESSES):
        if entry.isdigit():
            try:
                yield int(entry), (_PROCESSES / entry / file).read_bytes()
            except OSError:  # gone meanwhile, or somebody else's
                continue
