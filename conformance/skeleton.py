"""The scenario that a person begins with: complete, right, and passed by the reference as it stands.

Knows the form of a scenario, and neither where it is written nor how it or the one that it is like is read.
"""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from conformance.examples import Example
from conformance.requirements import Requirement
from conformance.scenario import Profile

DEFAULT_COVERS = "agent.events.turn-order"
"""What the skeleton is about if nothing else is said."""

_WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z][\w ,.'()/-]*")
_OTHERWISE = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Words that some reader takes for something else than text."""

_AGENT = """\
agents:
  main:
    model:                      # what the model does, one entry for each time that it is called
      - text: Hello.

steps:                          # what the host does, one after the other
  - prompt: Hi
    emits:                      # the events of this run; `...` stands for any number of them
      - AgentStart
      - ...
      - MessageEnd: {message: {role: assistant, content: Hello.}}
      - ...
      - AgentEnd
  - check: {needs_reply: false}
"""
_RUNTIME = """\
agents:                         # the definitions of which handles are spawned
  helper:
    model:                      # what its model does, one entry for each time that it is called
      - text: Hello.

steps:                          # what the host does, one after the other
  - spawn: helper               # this handle is called main; `as: NAME` gives it another name
  - wake: Hi
  - wait:
    result: {status: done, text: Hello.}
  - check: {state: idle}
"""
_CLIENT = """\
agents:                         # the clients
  main:
    relays: [lookup]            # tools that the host carries out: a call of one halts the run
    model:                      # what the model does, one entry for each time that it is called
      - calls: [{lookup: {}}]
      - text: Hello.

steps:                          # what the host does, one after the other
  - run: Hi
    result: {status: pending}   # `$request#1` is the request that it waits on
  - run_with_answer: {request: $request#1, ok: true, data: {output: "42"}}
    result: {status: done, text: Hello.}
"""
_BODIES: Mapping[Profile, str] = {"agent": _AGENT, "runtime": _RUNTIME, "client": _CLIENT}


def skeleton(
    path: Path, title: str, covered: Sequence[Requirement], schema: Path, like: Example | None = None
) -> str:
    """The text of a scenario that is to stand at `path` and covers these requirements, at least one.

    `schema` is the file of the schema, which an editor looks for where the first line says. It is played as
    `like` is, or else does the least that one of its profile can.
    """
    comments = [
        line
        for requirement in covered
        for line in textwrap.wrap(
            f"{requirement.id} ({requirement.level}): {requirement.text}",
            _WIDTH,
            initial_indent="# ",
            subsequent_indent="#   ",
            break_on_hyphens=False,
        )
    ]
    return "\n".join(
        [
            f"# yaml-language-server: $schema={_reference(path, schema)}",
            "format: 1",
            f"title: {_scalar(title)}",
            f"covers: [{', '.join(requirement.id for requirement in covered)}]",
            "",
            *comments,
            *(
                []
                if like is None
                else ["#", f"# What follows is that of {like.id}: change it to what you have in mind."]
            ),
            "",
            _BODIES[covered[0].profile] if like is None else like.body,
        ]
    )


def title_of(path: Path) -> str:
    """A title out of the name of a file: to be replaced by a sentence that says what holds."""
    words = re.sub(r"[-_\s]+", " ", path.stem).strip()
    return (words[:1].upper() + words[1:]) or "Untitled"


def _reference(path: Path, schema: Path) -> str:
    """How the first line of the file at `path` refers to the schema: relative, as an address is written."""
    try:
        relative = os.path.relpath(schema, path.absolute().parent)
    except ValueError:  # on another drive
        return schema.as_uri()
    return quote(Path(relative).as_posix())


def _scalar(text: str) -> str:
    """A text as YAML has it on one line: as it is where no reader could take it for anything else."""
    is_plain = _PLAIN.fullmatch(text) and text == text.strip() and text.lower() not in _OTHERWISE
    return text if is_plain else json.dumps(text, ensure_ascii=not text.isprintable())
