"""What a driver in this process hands on, as JSON: it need not be, and may be changed behind our back."""

from __future__ import annotations

import json
import marshal
import math
import re
from typing import TypeVar

from conformance.drivers.base import ProtocolError
from conformance.drivers.jsonlines import MAX_DEPTH, is_too_deep

T = TypeVar("T")

_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")
"""Half of a pair, or something else that only looks like it."""


def as_json(what: str, value: T) -> T:
    """A copy of `value`, as if it had come over a pipe: nobody else has it. `what` says what it is.

    Raises:
        ProtocolError: it is no JSON.
    """
    try:
        if _is_plain(value):
            data = marshal.dumps(value, 2)  # type: ignore[arg-type]  # what is plain can be
            if not _SURROGATE.search(data):
                return marshal.loads(data)  # type: ignore[no-any-return]
        text = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        if is_too_deep(text):
            raise ProtocolError(f"{what} is nested more than {MAX_DEPTH} deep")
        _demand_texts_as_keys(value)
        return json.loads(text)  # type: ignore[no-any-return]
    except UnicodeEncodeError:
        raise ProtocolError(f"{what} has half a surrogate pair in it, which is no text") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"{what} is no JSON: {error}") from None


def _demand_texts_as_keys(value: object) -> None:
    """Raises TypeError. `json` would make texts of numbers, true, false and None."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"keys must be texts, not {key!r}")
            _demand_texts_as_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _demand_texts_as_keys(item)


_PLAIN = frozenset({str, bool, type(None)})
_LARGE = 1 << 64
"""Beyond this an integer may have more digits than can be written."""


def _is_plain(value: object, levels: int = MAX_DEPTH) -> bool:
    """Whether a value is certain to be JSON. Whatever else it may be is for `json` to judge, which takes
    several times as long; `all` with a generator would take twice as long."""
    if type(value) is dict:
        if not levels:
            return False
        for key, item in value.items():
            if type(key) is not str or not (type(item) in _PLAIN or _is_plain(item, levels - 1)):
                return False
        return True
    if type(value) is list:
        if not levels:
            return False
        for item in value:  # noqa: SIM110
            if not (type(item) in _PLAIN or _is_plain(item, levels - 1)):
                return False
        return True
    if type(value) is int:
        return -_LARGE < value < _LARGE
    return type(value) in _PLAIN or (type(value) is float and math.isfinite(value))


def kind(value: object) -> str:
    """What a value is, in words, where it should have been something else."""
    return "nothing" if value is None else f"a value of the type {type(value).__name__}"
