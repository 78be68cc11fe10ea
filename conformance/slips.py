"""The commonest slips in YAML: what was likely meant where a parser has found that a text is none.

A parser tells where it could not go on, which is seldom where something is to be mended. Looks at single
lines only, and knows nothing of scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from conformance.composing import Mark

_SECOND_COLON = "mapping values are not allowed"
_NO_COLON = "could not find expected ':'"
_NO_ELEMENT = ("did not find expected '-'", "<block end>")
_NOT_CLOSED = "expected ',' or"

_KEY = re.compile(r"(?P<key> *(?:- +)*[^\s:#\[\]{}\"']+):(?:\s|$)")
_BARE = re.compile(r"(?P<before> *(?:- +)*)(?P<word>[A-Za-z_][\w-]*)(?P<more>[^:]*?)(?: +#.*)?")
_LONGEST = 1_000
"""So much of a line is looked at: in longer ones a text may take long to be found."""
_FURTHER = "this line goes on with the text above it, being indented further; indent it as that key is"
_CUT_OFF = re.compile(r"(?P<before>.*?\$[^\s#$]+) +(?P<number>#[1-9][0-9]*)")


class Slip(NamedTuple):
    """Something to mend: the line and the column, counted from 0, and what to do."""

    line: int
    column: int
    message: str


def slip(lines: Sequence[str], problem: str, at: Mark, begun: int) -> Slip | None:
    """The slip behind what a parser says of a place, having `begun` with something in another line or the
    same; None where it is none of those that are known here."""
    lines, line = [each[:_LONGEST] for each in lines], at.line
    if _NOT_CLOSED in problem:
        return _cut_off(lines, begun, line)
    if _NO_COLON in problem:
        return _without_colon(lines, begun)
    key = _KEY.match(lines[line]) if line < len(lines) else None
    if key is None or (_SECOND_COLON in problem and key.end("key") != at.column):
        return None
    above = next((above for above in reversed(range(line)) if lines[above].split("#")[0].strip()), None)
    if above is None or _depth(lines[line]) <= _depth(lines[above]):
        return None
    if _SECOND_COLON in problem and _KEY.match(lines[above]):
        return Slip(line, _depth(lines[line]), _FURTHER)
    if _SECOND_COLON in problem or any(part in problem for part in _NO_ELEMENT):
        return _without_colon(lines, above)
    return None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_colon(lines: Sequence[str], line: int) -> Slip | None:
    found = _BARE.fullmatch(lines[line].rstrip())
    if found is None:
        return None
    word = found["word"]
    dash = "- " if "-" in found["before"] else ""
    text = f" {found['more'].strip()}" if found["more"].strip() else ""
    message = f"`{dash}{word}` lacks a colon: it is written `{dash}{word}:{text}`"
    return Slip(line, len(found["before"]), message)


def _cut_off(lines: Sequence[str], first: int, last: int) -> Slip | None:
    """A reference to a call that has become a comment from its number on, so that a bracket stays open."""
    for line in range(first, min(last + 1, len(lines))):
        found = _CUT_OFF.match(lines[line])
        if found is not None:
            reference = f"{found['before'].split('$')[-1]}{found['number']}"
            message = (
                f"` #` begins a comment, in which the bracket's end is too; without the space: ${reference}"
            )
            return Slip(line, len(found["before"]) + 1, message)
    return None
