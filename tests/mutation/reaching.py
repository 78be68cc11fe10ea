"""Which scenarios reach which lines of the reference: only those can see a fault there."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

from tests.copies import FOLDER
from tests.mutation.faults import Fault, path_of

Lines: TypeAlias = Set[tuple[str, int]]


@contextmanager
def listening() -> Iterator[set[tuple[str, int]]]:
    """The lines of the reference that are executed for as long as this is open, in this thread and in those
    that it starts: each with the file in which it is."""
    lines = set[tuple[str, int]]()

    def entered(frame: FrameType, event: str, argument: object) -> Any:
        return executed if frame.f_code.co_filename.startswith(_FOLDER) else None

    def executed(frame: FrameType, event: str, argument: object) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return executed

    before = sys.gettrace()
    threading.settrace(entered)
    sys.settrace(entered)
    try:
        yield lines
    finally:
        sys.settrace(before)
        threading.settrace(before)  # type: ignore[arg-type]  # which may be None


_FOLDER = f"{FOLDER}/"


def reaching(fault: Fault, lines_by_scenario: Mapping[str, Lines], at_import: Lines) -> list[str]:
    """The scenarios that execute the statement in which the fault is; all of them where it is executed when
    the reference is imported."""
    statement = _statement(fault)
    if statement is None:
        return list(lines_by_scenario)
    path = str(path_of(fault.module))
    places = {(path, line) for line in range(statement.lineno, (statement.end_lineno or 0) + 1)}
    if not places.isdisjoint(at_import):
        return list(lines_by_scenario)
    return [id for id, lines in lines_by_scenario.items() if not places.isdisjoint(lines)]


def _statement(fault: Fault) -> ast.stmt | None:
    """The smallest statement of a function's body around the fault."""
    tree = ast.parse(path_of(fault.module).read_text(encoding="utf-8"))
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = [
        node
        for function in functions
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.stmt) and node.lineno <= fault.line <= (node.end_lineno or node.lineno)
    ]
    return min(inside, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)
