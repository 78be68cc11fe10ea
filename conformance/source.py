"""A YAML file as a value whose parts know where they stand, or as the problems that keep it from being one.

What may be written, and how it is read, is said in `composing`. Here are the file and its encoding, the
positions and the words for what is not YAML at all. Knows nothing of scenarios.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from conformance.composing import TOO_DEEP, Mark, Refused, Start, compose
from conformance.scenario import Json, Position
from conformance.slips import slip

MAX_BYTES: Final = 1 << 20

Key: TypeAlias = str | int

_UNWRITABLE = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_BREAK = re.compile("\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to mend in a file. As text: `path:line:column: what is wrong and what was expected`."""

    position: Position
    message: str
    hides: bool = False
    """Whether there is something that can only be looked at when this is mended."""

    def __str__(self) -> str:
        return f"{self.position}: {self.message}"


def in_order(problem: Problem) -> tuple[str, int, int, str]:
    """The key by which problems are sorted: their places."""
    position = problem.position
    return (position.path, position.line, position.column, problem.message)


class SourceError(Exception):
    """A file holds no value that could be read; `problems` says why, in the order of the places."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(sorted(problems, key=in_order))


@dataclass(frozen=True, slots=True)
class Source:
    """What a file holds. What an alias repeats is one object in `value`: do not change it."""

    path: str
    value: Json
    _root: Node
    _entries: dict[int, dict[str, tuple[Node, Node]]] = field(default_factory=dict, repr=False)
    """The entries of the mappings that have been looked into, by the identity of their nodes."""

    def position(self, path: tuple[Key, ...]) -> Position:
        """Where the value that `path` leads to stands; where it leads nowhere, the last that it reaches.

        What an alias stands for is where its anchor is, and a value that is left out is where its key is.
        """
        before = node = self._root
        for key in path:
            found = self._inside(node, key)
            if found is None:
                return _at(self.path, node.start_mark)
            before, node = found
        left_out = isinstance(node, ScalarNode) and not node.value and not node.style
        return _at(self.path, (before if left_out else node).start_mark)  # parsers differ on where nothing is

    def key_position(self, path: tuple[Key, ...]) -> Position:
        """Where the last key of `path` stands; for an element of a list, the element."""
        before = node = self._root
        for key in path:
            found = self._inside(node, key)
            if found is None:
                return _at(self.path, node.start_mark)
            before, node = found
        return _at(self.path, before.start_mark)

    def _inside(self, node: Node, key: Key) -> tuple[Node, Node] | None:
        """The nodes of the key and of the value that `key` leads to; in a list that of the element, twice."""
        if isinstance(node, MappingNode):
            entries = self._entries.get(id(node))
            if entries is None:
                entries = self._entries[id(node)] = {entry[0].value: entry for entry in node.value}
            return entries.get(str(key))
        if isinstance(node, SequenceNode) and isinstance(key, int) and 0 <= key < len(node.value):
            return node.value[key], node.value[key]
        return None


def _at(path: str, mark: Mark) -> Position:
    return Position(path, mark.line + 1, mark.column + 1)


def read(path: Path) -> Source:
    """What the file at `path` holds. Raises SourceError, also where it cannot be opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _refused(str(path), "this is not a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _refused(str(path), f"this cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a name that no file can have
        raise _refused(str(path), f"this cannot be read: {error}") from error
    return parse(data, str(path))


def parse(data: bytes, path: str) -> Source:
    """What `data` holds, the contents of the file at `path`. Raises SourceError."""
    text = _decoded(data, path)
    _check_characters(text, path)
    try:
        value, root = compose(text)
    except Refused as error:
        problems = [Problem(_at(path, mark), reason) for mark, reason in error.reasons]
        raise SourceError(problems) from error
    except yaml.MarkedYAMLError as error:
        raise SourceError([_explained(error, text, path)]) from error
    except yaml.YAMLError as error:
        raise _refused(path, f"this is not YAML: {error}") from error
    return Source(path, value, root)


def _refused(path: str, reason: str) -> SourceError:
    return SourceError([Problem(Position(path, 1, 1), reason)])


def _decoded(data: bytes, path: str) -> str:
    """The text of a file, without the mark that some editors put before it."""
    if len(data) > MAX_BYTES:
        raise _refused(path, f"the file is larger than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise SourceError([Problem(_after(before, path), "this is not UTF-8")]) from error


def _check_characters(text: str, path: str) -> None:
    """Refuse what an editor does not show, or what some readers take for the end of a line or an indentation
    where others do not."""
    problems = [
        Problem(_after(text[: found.start()], path), _unwritable(found.group()))
        for found in islice(_UNWRITABLE.finditer(text), 10)
    ]
    if problems:
        raise SourceError(problems)


def _unwritable(character: str) -> str:
    code = ord(character)
    what = "a tab" if character == "\t" else f"the character U+{code:04X}"
    hint = "indent with spaces; " if character == "\t" else ""
    return f'{what} cannot stand here as it is; {hint}in double quotes it is written "\\u{code:04x}"'


def _after(before: str, path: str) -> Position:
    """The position that follows the text `before`."""
    lines = _BREAK.split(before)
    return Position(path, len(lines), len(lines[-1]) + 1)


_HINTS: Final = (
    ("mapping values are not allowed", "a second ': ' in one line; put the text in quotes"),
    ("could not find expected ':'", "a key without its ':'; or text that goes on where no text may"),
    ("unexpected end of stream", "the quotes that begin here are never closed"),
    ("<block end>", "expected another key or element, or the end of the block; check the indentation"),
    ("did not find expected key", "expected another key, or the end of the block; check the indentation"),
    ("did not find expected '-'", "expected another '- ', or the end of the list; check the indentation"),
    ("did not find expected ',' or", "expected ',' or the bracket's end"),
    ("expected ',' or", "expected ',' or the bracket's end"),
    ("Unicode character escape", "this escape stands for no character"),
)
"""What PyYAML or libyaml says of what is not YAML, and what to do about it."""

_LIMITS: Final = (
    ("another document", "a second document begins here; a file holds one"),
    ("undefined alias", "no anchor before this has the name of this alias"),
    ("second occurrence", "the name of this anchor is already taken"),
    ("maximum nesting depth", TOO_DEEP),
)
"""What they say of what is YAML and no value all the same."""


def _explained(error: yaml.MarkedYAMLError, text: str, path: str) -> Problem:
    """What is wrong, in words that say what to do where that is known."""
    problem = error.problem or error.context or "unknown"
    mark = error.problem_mark or error.context_mark
    if "end of stream" in problem and error.context_mark and "quoted" in (error.context or ""):
        mark = error.context_mark
    at: Mark = mark or Start()
    position = _at(path, at)
    for part, message in _LIMITS:
        if part in problem:
            return Problem(position, message)
    likely = slip(_BREAK.split(text), problem, at, (error.context_mark or at).line)
    if likely is not None:
        return Problem(_at(path, Start(likely.line, likely.column)), f"this is not YAML: {likely.message}")
    hint = next((hint for part, hint in _HINTS if part in problem), problem)
    if "cannot start any token" in problem:
        found = _character(text, position)
        hint = f"text that begins with {found} must be quoted"
    return Problem(position, f"this is not YAML: {hint}")


def _character(text: str, position: Position) -> str:
    lines = _BREAK.split(text)
    return lines[position.line - 1][position.column - 1 : position.column]
