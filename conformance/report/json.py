"""The report as JSON: `schemas/report.schema.json` describes it."""

from __future__ import annotations

import json
from pathlib import Path

from conformance import version
from conformance.judge import Report, ScenarioResult
from conformance.scenario import Json
from conformance.verdict import Failure

FORMAT = 1


def to_json(report: Report) -> dict[str, Json]:
    """The whole report as plain data. Only `seconds` differs between two runs of the same thing."""
    implementation = report.implementation
    return {
        "format": FORMAT,
        "outlast": version(),
        "implementation": {
            "name": implementation.name,
            "version": implementation.version,
            "language": implementation.language,
            "profiles": [*sorted(implementation.profiles)],
            "capabilities": [*sorted(implementation.capabilities)],
        },
        "summary": {str(verdict): count for verdict, count in report.summary().items()},
        "stopped": report.stopped,
        "known_failures": {
            "used": report.uses_list,
            "count": len(report.known()),
            "problems": [
                {
                    "path": problem.position.path,
                    "line": problem.position.line,
                    "column": problem.position.column,
                    "message": problem.message,
                }
                for problem in report.list_problems
            ],
        },
        "scenarios": [_scenario(result) for result in report.scenarios],
        "requirements": [
            {
                "id": result.requirement.id,
                "level": result.requirement.level,
                "text": result.requirement.text,
                "status": result.status,
                "asked_for": result.requirement.id in report.asked_for,
                "broken_by": [*result.broken_by],
            }
            for result in report.requirements
        ],
        "complete": True,
    }


def _scenario(result: ScenarioResult) -> dict[str, Json]:
    return {
        "id": result.scenario.id,
        "title": result.scenario.title,
        "level": result.scenario.level,
        "outcome": result.verdict,
        "known": result.is_known,
        "requirements": [*result.scenario.covers],
        "message": result.message,
        "detail": result.detail,
        "failures": [_failure(failure) for failure in result.failures],
        "warnings": [_failure(failure) for failure in result.warnings],
        "sequence": [*result.sequence],
        "conversations": {**result.conversations},
        "seconds": round(result.seconds, 6),
    }


def _failure(failure: Failure) -> dict[str, Json]:
    return {
        "check": failure.check,
        "requirements": [*failure.requirements],
        "level": failure.level,
        "step": failure.step,
        "message": failure.message,
        "expected": failure.expected,
        "actual": failure.actual,
        "line": failure.position.line if failure.position else None,
    }


def write(report: Report, path: Path) -> None:
    """Write the report to `path`; a file that stood there is replaced only by a whole one. A device or a pipe
    is written to. Raises OSError."""
    text = json.dumps(to_json(report), indent=1, ensure_ascii=False) + "\n"
    # surrogates can come from an implementation: they are written as they would be escaped
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return
    beside = path.with_name(f".{path.name}.partial")
    beside.write_text(text, encoding="utf-8", errors="backslashreplace")
    beside.replace(path)
