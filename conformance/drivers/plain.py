"""Whether a value is JSON: what a driver in this process hands on need not be."""

from __future__ import annotations

import json
import math

from conformance.drivers.base import ProtocolError
from conformance.drivers.jsonlines import MAX_DEPTH, is_too_deep


def refuse_what_is_no_json(what: str, value: object) -> None:
    """Raises ProtocolError where `value` is no JSON; `what` says what it is."""
    try:
        if _is_plain(value):
            return
        if is_too_deep(json.dumps(value, allow_nan=False).encode()):
            raise ProtocolError(f"{what} is nested more than {MAX_DEPTH} deep")
        _demand_texts_as_keys(value)
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
