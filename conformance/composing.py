"""YAML text to plain values, and the nodes that know where each of them and each key stands.

The values are JSON's: what YAML has beyond that is refused, or is text. A plain scalar is something else than
text only where it is `true`, `false`, `null`, `~`, nothing at all, or a number as JSON writes it; so `yes`,
`12:30`, `1_000`, `0o7` and dates are text, as in the core schema of YAML 1.2. Tags, directives, merge keys, a
second document, keys that are no text and keys given twice are refused.

No input can do harm: depth and what aliases stand for are bounded, and nothing is ever expanded. The nodes
are libyaml's where it is there, otherwise PyYAML's own; what is read does not depend on it. Knows nothing of
files.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn, Protocol

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent, NodeEvent
from yaml.nodes import MappingNode, Node, ScalarNode
from yaml.tokens import ScalarToken

from conformance.scenario import Json

MAX_DEPTH: Final = 64
"""Lists and mappings inside each other."""
MAX_NODES: Final = 10_000
"""Values in a file, those behind an alias counted wherever it stands."""
MAX_DIGITS: Final = 100

MAX_REASONS: Final = 100
"""So many are told of one text."""

_SHALLOW: Final = 1000
"""So many levels PyYAML's composers are sure to bear, being recursive."""
_MAX_EVENTS: Final = 2 * MAX_NODES
"""More values and keys than a file may hold."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NO_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NON_SPECIFIC_TAG = re.compile(r"(?:&\S+\s+)?!")
_NO_HEADER = re.compile(r"(?:&\S+\s+)?[|>][-+0-9]*#")
_DIRECTIVE = re.compile(r"(?:\A|[\r\n])%")
_BREAK = re.compile("\r\n?|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONSTANTS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBERS_BEGIN: Final = frozenset("-+.0123456789")
_BLOCKS: Final = ("|", ">")
TOO_MANY: Final = f"more than {MAX_NODES} values in one file, those behind aliases counted"
TOO_DEEP: Final = f"more than {MAX_DEPTH} lists and mappings inside each other"


class Mark(Protocol):
    """A place as PyYAML gives it, counting from 0."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a line."""

    line: int = 0
    column: int = 0


class Refused(Exception):
    """The text stands for no value that is allowed; `reasons` are the places, and what is wrong there."""

    def __init__(self, reasons: list[tuple[Mark, str]]) -> None:
        super().__init__("; ".join(reason for _, reason in reasons))
        self.reasons = reasons


def compose(text: str, *, pure: bool = False) -> tuple[Json, Node]:
    """The value that `text` stands for, and the node of which it was made; `pure` leaves libyaml out.

    What an alias repeats is one object and one node. Raises Refused, and yaml.YAMLError where the text is not
    YAML.
    """
    if len(text) > _MAX_EVENTS or _may_be_deeper_than(_SHALLOW, text):
        _check_size(_loader(text, pure))
    node = _loader(text, pure).get_single_node()
    if node is None:
        raise Refused([(Start(), "there is nothing in this file")])
    return _Values(text).of(node), node


class _Untagged:
    """Leaves the tag of what has none open: what a scalar stands for is decided here, not by PyYAML."""

    def resolve(self, kind: type[Node], value: str | None, implicit: object) -> str:
        return ""

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None: ...

    def ascend_resolver(self) -> None: ...


class _Pure(_Untagged, yaml.BaseLoader):
    """PyYAML's own parser, made to take a `?` inside a text between brackets, as libyaml does."""

    _in_text = False

    def scan_plain(self) -> ScalarToken:
        self._in_text = True
        try:
            return super().scan_plain()
        finally:
            self._in_text = False

    def peek(self, index: int = 0) -> str:
        character: str = super().peek(index)
        return "-" if character == "?" and self._in_text else character


if yaml.__with_libyaml__:

    class _Fast(_Untagged, yaml.CBaseLoader):
        """libyaml's parser."""


def _loader(text: str, pure: bool) -> _Pure | _Fast:
    return _Pure(text) if pure or not yaml.__with_libyaml__ else _Fast(text)


def _may_be_deeper_than(levels: int, text: str) -> bool:
    """A quick bound: a level takes a bracket, or a column more than the one around it; or the same column,
    where a list stands right below its key."""
    brackets = text.count("[") + text.count("{")
    return brackets > levels or brackets + 2 * max(map(len, text.split("\n"))) > levels


def _check_size(loader: _Pure | _Fast) -> None:
    """Look at the events one by one, which needs no recursion and no memory."""
    depth = nodes = 0
    while (event := loader.get_event()) is not None:
        nodes += isinstance(event, NodeEvent)
        if nodes > _MAX_EVENTS:
            raise Refused([(event.start_mark or Start(), TOO_MANY)])
        if isinstance(event, CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise Refused([(event.start_mark or Start(), TOO_DEEP)])
        elif isinstance(event, CollectionEndEvent):
            depth -= 1


class _Values:
    """Makes values of nodes. Recursive, but not beyond `MAX_DEPTH`."""

    def __init__(self, text: str) -> None:
        self._reasons: list[tuple[Mark, str]] = []
        self._made: dict[int, Json] = {}
        self._extents: dict[int, tuple[int, int]] = {}
        self._nodes = 0
        self._text = text
        self._tags = "!" in text

    def of(self, node: Node) -> Json:
        """The value of a whole document. Raises Refused."""
        found = _DIRECTIVE.search(self._text) if "%" in self._text else None
        if found:
            line = len(_BREAK.findall(self._text, 0, found.end()))
            self._refuse(Start(line), "a directive has no place here; leave the line out")
        value = self._scalar(node) if isinstance(node, ScalarNode) else self._inner(node, 0)
        if self._reasons:
            raise Refused(self._reasons)
        return value

    def _refuse(self, mark: Mark, reason: str) -> None:
        self._reasons.append((mark, reason))
        if len(self._reasons) >= MAX_REASONS:
            raise Refused(self._reasons)

    def _give_up(self, mark: Mark, reason: str) -> NoReturn:
        raise Refused([*self._reasons, (mark, reason)])

    def _count(self, nodes: int, mark: Mark) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            self._give_up(mark, TOO_MANY)

    def _inner(self, node: Node, depth: int) -> Json:
        """The list or mapping that `node` is, inside `depth` others."""
        known = id(node)
        if known in self._made:
            return self._again(node, depth)
        if depth >= MAX_DEPTH:
            self._give_up(node.start_mark, TOO_DEEP)
        if node.tag or self._tags:
            self._check_tag(node)
        self._count(len(node.value), node.start_mark)
        self._made[known] = None
        made = (
            self._mapping(node, depth + 1) if node.__class__ is MappingNode else self._list(node, depth + 1)
        )
        self._made[known] = made
        return made

    def _list(self, node: Node, depth: int) -> Json:
        return [
            self._scalar(item) if item.__class__ is ScalarNode else self._inner(item, depth)
            for item in node.value
        ]

    def _mapping(self, node: Node, depth: int) -> Json:
        values: dict[str, Json] = {}
        for key_node, item in node.value:
            key = self._scalar(key_node) if key_node.__class__ is ScalarNode else self._inner(key_node, depth)
            value = self._scalar(item) if item.__class__ is ScalarNode else self._inner(item, depth)
            if key.__class__ is not str or (key == "<<" and not key_node.style):
                self._no_key(key, key_node)
            elif key in values:
                self._refuse(key_node.start_mark, f"the key {key!r} stands here twice")
            else:
                values[key] = value
        return values

    def _no_key(self, key: Json, node: Node) -> None:
        if key == "<<":
            self._refuse(node.start_mark, "merge keys (<<) have no place here; write the keys out")
        else:
            self._refuse(node.start_mark, "a key must be text; put it in quotes")

    def _scalar(self, node: Any) -> Json:
        text: str = node.value
        style = node.style
        if node.tag or self._tags:
            self._check_tag(node)
        if not style:
            if text in _CONSTANTS:
                return _CONSTANTS[text]
            if text[0] in _NUMBERS_BEGIN:
                return self._number(text, node.start_mark)
        elif style in _BLOCKS:
            if _NO_HEADER.match(self._text, node.start_mark.index):  # libyaml takes it, PyYAML does not
                self._refuse(node.start_mark, "a comment after | or > needs a space before it")
            return text
        elif not text.isascii() and _SURROGATE.search(text):
            self._refuse(node.start_mark, "half a surrogate pair is no character")
        if (style or " " in text or "\n" in text) and node.start_mark.line != node.end_mark.line:
            self._refuse(node.start_mark, "text over several lines must be written as a block, after | or >")
        return text

    def _number(self, text: str, mark: Mark) -> Json:
        """The number that a plain scalar stands for, or its text if it is none."""
        match = _NUMBER.fullmatch(text)
        if match is None:
            if _NO_JSON.fullmatch(text):
                self._refuse(mark, f"{text} is not a number that JSON has; quote it if it is to be text")
            return text
        if len(text) > MAX_DIGITS:
            self._refuse(mark, f"a number of more than {MAX_DIGITS} digits; quote it if it is to be text")
            return text
        if match.group(1) is None and match.group(2) is None:
            return int(text)
        number = float(text)
        if not math.isfinite(number):
            self._refuse(mark, f"{text} is too large for a number; quote it if it is to be text")
        return number

    def _check_tag(self, node: Node) -> None:
        """Refuse a tag. The tag `!` alone leaves no trace in a node, only in the text."""
        if node.tag or _NON_SPECIFIC_TAG.match(self._text, node.start_mark.index):
            self._refuse(node.start_mark, "a tag has no place here; quote what is to be text")

    def _again(self, node: Node, depth: int) -> Json:
        """The value of a node that has come before: an alias stands for it here."""
        made = self._made[id(node)]
        if made is None:
            self._give_up(node.start_mark, "an alias inside this stands for the whole of it")
        nodes, height = self._extent(node)
        self._count(nodes, node.start_mark)
        if depth + height > MAX_DEPTH:
            self._give_up(node.start_mark, TOO_DEEP)
        return made

    def _extent(self, node: Node) -> tuple[int, int]:
        """How many values a node stands for, and how many levels."""
        if isinstance(node, ScalarNode):
            return 1, 0
        if (known := self._extents.get(id(node))) is not None:
            return known
        inner = [item[1] if isinstance(item, tuple) else item for item in node.value]
        extents = [self._extent(item) for item in inner]
        nodes = 1 + sum(nodes for nodes, _ in extents)
        height = 1 + max((height for _, height in extents), default=0)
        self._extents[id(node)] = nodes, height
        return nodes, height
