"""Whose fault something is, in the words that a person gets to read. Knows nothing of how it came about."""

from __future__ import annotations

import traceback
from typing import get_args

from conformance.drivers import wire
from conformance.drivers.base import (
    Crashed,
    DriverFailure,
    ErrorCode,
    ImplementationError,
    NotWritten,
    ProtocolError,
)
from conformance.drivers.wire import Object
from conformance.scenario import Json

OPTIONAL_METHODS = {
    "inbox/threads": "threads",
    "context/run_child": "children",
    "tool/update": "updates",
    "clock/advance": "clock",
    "client/run_with_answer": "answers",
    "client/ask_with_answer": "answers",
}
"""The methods that a driver needs only for a capability. To lack one that was claimed is a failure of the
implementation; to lack any other, of the driver."""


class ErrorInWords(ProtocolError):
    """An error answer of which the message says everything: its line would say it once more."""


_CODES: dict[Json, ErrorCode] = {code: code for code in get_args(ErrorCode)}


def error_answer(method: str, error: Object) -> ImplementationError | DriverFailure:
    """What an error that answers `method`, and has the shape of one, is on our side."""
    code, message, data = error["code"], str(error["message"]), error.get("data")
    detail = data if isinstance(data, str) else ""
    if code == wire.IMPLEMENTATION_ERROR:
        return ImplementationError(_CODES[wire.mapping(data)["code"]], message)
    if code == wire.METHOD_NOT_FOUND and method in OPTIONAL_METHODS:
        capability = OPTIONAL_METHODS[method]
        return ImplementationError("other", f"it claims the capability {capability} and has no {method}")
    if code == wire.METHOD_NOT_FOUND:
        return NotWritten(f"the driver has no {method} yet: {message}", detail)
    if code == wire.INTERNAL_ERROR:
        return Crashed(f"{method} was answered with an internal error: {message}", detail)
    said = f"{method} was answered with the error {code} of a broken driver: {message}"
    is_all = data is None or isinstance(data, str)
    return ErrorInWords(said, detail) if is_all else ProtocolError(said, detail)


def our_fault(what: str, detail: str = "") -> ProtocolError:
    """The suite itself is wrong."""
    return ProtocolError(
        f"a fault of outlast's own, not of the implementation: {what}. Please report it", detail
    )


def host_at_fault(error: Exception) -> ProtocolError:
    """The suite's host has raised what it must not raise."""
    return our_fault(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


def again(failure: DriverFailure) -> DriverFailure:
    """The same failure for another who has to be told: a raised exception belongs to one."""
    return type(failure)(failure.message, failure.detail)
