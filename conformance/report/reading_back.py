"""A JSON report read back: what is known of each requirement after a run.

What cannot be used is told in one line. Knows the report's schema, and nothing of how reports come about.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from conformance import schemas
from conformance.patterns import dotted
from conformance.reading import list_at, mapping_at, text_at
from conformance.scenario import Json
from conformance.verdict import STATUSES, Status


class ReportError(Exception):
    """A file is no report: the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a report says of one requirement."""

    status: Status
    is_asked_for: bool
    broken_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SavedReport:
    """What a report says of requirements. `subject` is what was run; `stopped` says why it ended early."""

    subject: str
    scenarios: int
    stopped: str
    requirements: Mapping[str, Known]


def read_report(path: Path) -> SavedReport:
    """The report in a file that `outlast run --json` wrote. Raises ReportError."""
    data = _parsed(path)
    if not isinstance(data, dict) or "requirements" not in data or "implementation" not in data:
        raise ReportError(f"{path}: this is JSON, but no report of outlast run --json")
    if data.get("format") != 1:
        raise ReportError(f"{path}: its format is {data.get('format')!r}; this version of outlast reads 1")
    if data.get("complete") is not True:
        raise ReportError(f"{path}: the report has no end; the run that wrote it was cut short")
    if not schemas.is_valid("report", data):
        where, why = schemas.explain("report", data)[0]
        raise ReportError(f"{path}: this is no report of outlast: {dotted(where) or 'it'}: {why}")
    it = mapping_at(data, "implementation")
    return SavedReport(
        f"{text_at(it, 'name')} {text_at(it, 'version')} ({text_at(it, 'language')})",
        len(list_at(data, "scenarios")),
        text_at(data, "stopped"),
        {text_at(entry, "id"): _known(entry) for entry in list_at(data, "requirements")},
    )


def _parsed(path: Path) -> Json:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReportError(f"{path}: this cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ReportError(f"{path}: this is no text, and so no report") from error
    except ValueError as error:  # a name that no file can have
        raise ReportError(f"{path}: this cannot be read: {error}") from error
    try:
        data: Json = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        lines = len(text.rstrip().splitlines())
        if text.lstrip().startswith("{") and error.lineno >= lines:
            raise ReportError(f"{path}: the report is cut off in line {lines}") from error
        raise ReportError(f"{path}: this is no JSON: {error.msg} in line {error.lineno}") from error
    except ValueError as error:
        raise ReportError(f"{path}: a number in this is too large for a report") from error
    except RecursionError as error:
        raise ReportError(f"{path}: this is nested too deeply for a report") from error
    return data


def _no_number(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is no number in JSON", name, 0)


def _known(entry: Json) -> Known:
    found = text_at(entry, "status")
    status = next(status for status in STATUSES if status == found)
    asked_for = mapping_at({"": entry}, "").get("asked_for") is True
    return Known(status, asked_for, tuple(map(str, list_at(entry, "broken_by"))))
