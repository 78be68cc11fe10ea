"""Regular expressions: those that JSON Schema has for its `pattern`, and whether one is found in a text.

So `.` is no end of a line, `[\\s\\S]` is any character, `\\w` and `\\d` are those of ASCII, and there are no
flags. They come from files, and are looked for in what implementations send. Neither can make the search
long: where it would have to go back too often it is given up, which does not depend on any clock. Knows
nothing of what they are looked for in.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import jsonschema_rs

LONGEST: Final = 1000
"""Characters in an expression, at most."""

_FLAGS = re.compile(r"(?:[^\\]|\\.)*?\(\?[a-zA-Z-]+[:)]", re.DOTALL)
_LARGEST: Final = 1 << 18
"""Bytes that an expression may take once it has been read."""
_STEPS_BACK: Final = 1_000_000
"""So often a search may go back to try another way."""


class GivenUp(Exception):
    """An expression would have to be tried in too many ways."""


def has_flags(text: str) -> bool:
    """Whether there is a group in a text that is there for flags, like `(?s)` or `(?i:x)`."""
    return _FLAGS.match(text) is not None


def is_expression(text: str) -> bool:
    """Whether a text is an expression, and none that takes too much to look for."""
    try:
        _compiled(text)
    except ValueError:
        return False
    return True


def is_found(expression: str, text: str) -> bool:
    """Whether an expression is found in a text, anywhere. Raises GivenUp, and ValueError where it is none."""
    compiled = _compiled(expression)
    if not _is_unicode(text):
        return False
    if compiled.is_valid(text):
        return True
    exceeded = jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded
    if any(isinstance(error.kind, exceeded) for error in compiled.iter_errors(text)):
        raise GivenUp(expression)
    return False


@lru_cache(maxsize=512)
def _compiled(expression: str) -> jsonschema_rs.Draft202012Validator:
    if len(expression) > LONGEST or has_flags(expression) or not _is_unicode(expression):
        raise ValueError(f"no expression, or one of more than {LONGEST} characters")
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=_STEPS_BACK, size_limit=_LARGEST)
    return jsonschema_rs.Draft202012Validator({"pattern": expression}, pattern_options=options)


def _is_unicode(text: str) -> bool:
    """Whether there is no half of a surrogate pair in a text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
