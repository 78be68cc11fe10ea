"""Lines of the protocol: JSON as bytes, and what is wrong with those that are none.

Knows nothing of what is said in them.
"""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from typing import NoReturn

from conformance.scenario import Json

MAX_DEPTH = 100
"""How deeply what is in one line may be nested."""

_QUOTED = 120
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A text, or the beginning of one that does not end. It never goes back: a line may be long."""
_SHALLOW = 8
"""Levels that are looked for quickly: most lines have fewer."""
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class NotJson(ValueError):
    """A line that is no JSON; says so in words, and quotes it."""


def quoted(line: bytes) -> str:
    """A line as it is shown to a person: shortened, and with what is no text escaped."""
    text = line[: _QUOTED * 4].decode("utf-8", "backslashreplace")
    shown = repr(text[:_QUOTED])
    rest = "" if len(text) <= _QUOTED and len(line) <= _QUOTED * 4 else f"... ({len(line):,} bytes)"
    return shown + rest


def _no_number(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is no number in JSON", name, 0)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


class _SaidTwice(ValueError):
    """A key that an object has twice: who reads it would have to choose what was meant."""


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        for key, _ in pairs:
            if key not in value:
                raise _SaidTwice(key)
            del value[key]
    return value


def is_too_deep(line: bytes) -> bool:
    """Whether more than `MAX_DEPTH` lists and objects are inside each other in a line, or seem to be where it
    is no JSON."""
    brackets = line.translate(None, _NO_BRACKETS)
    for _ in range(_SHALLOW):  # each time round, one level or two are taken off from inside
        inside = brackets
        brackets = inside.replace(b"[]", b"").replace(b"{}", b"")
        if not brackets:
            return False
        if brackets == inside:  # there are brackets in texts, or it is no JSON
            break
    brackets = _TEXT.sub(b"", line).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH


_decoder = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_object)


def _value(text: str) -> Json:
    value: Json
    try:
        value, end = _decoder.scan_once(text, 0)  # type: ignore[attr-defined]
    except StopIteration:
        end = -1
    if end != len(text):  # there is space around it, or something else
        value = _decoder.decode(text)
    return value


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def decode(line: bytes) -> Json:
    """The value of one line. Raises NotJson."""
    try:
        if line.count(b"[") + line.count(b"{") > MAX_DEPTH and is_too_deep(line):
            raise RecursionError
        value = _value(line.decode())
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as error:
        raise NotJson(f"a line with half a surrogate pair, which is no text: {quoted(line)}") from error
    except UnicodeDecodeError as error:
        what = f"byte 0x{line[error.start]:02x} at position {error.start}"
        raise NotJson(f"a line that is not UTF-8 ({what}): {quoted(line)}") from error
    except RecursionError as error:
        raise NotJson(f"a line whose JSON is nested more than {MAX_DEPTH} deep: {quoted(line)}") from error
    except json.JSONDecodeError as error:
        raise NotJson(f"a line that is not JSON: {quoted(line)} (stray print? use stderr)") from error
    except _SaidTwice as error:
        key = quoted(str(error).encode("utf-8", "backslashreplace"))
        raise NotJson(f"a line with the key {key} twice in one object: {quoted(line)}") from error
    except ValueError as error:
        raise NotJson(f"a line with a number that is too large: {quoted(line)}") from error


def encode(message: dict[str, Json]) -> bytes:
    """One line with its end. Raises ValueError or TypeError for what JSON cannot carry."""
    return _encode(message).encode() + b"\n"
