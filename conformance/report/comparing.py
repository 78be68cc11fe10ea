"""What was expected beside what came, line by line, with the first difference marked.

What is as expected is kept short, since it is only there to say where one is. Knows comparisons, not how they
came about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from conformance.patterns import Comparison, dotted
from conformance.reading import TIMES, text_at
from conformance.report import wording
from conformance.report.page import Page, indented
from conformance.report.wording import DOTS
from conformance.scenario import Json

CONTEXT = 3
"""So many lines are shown before a difference and after it, on each side."""
MARK = ">"
INSET = 2
BETWEEN = " │ "


@dataclass(frozen=True, slots=True)
class Row:
    """One line of both columns. `agrees` is empty: not compared, `yes`, or `no`."""

    left: str
    right: str
    agrees: str = ""
    count: int = 1
    """How many items the right side stands for."""


def difference(page: Page, comparison: Comparison, indent: int = 0) -> list[Text]:
    """The two sides in columns; one that needs less than half of the page leaves the rest to the other."""
    rows = [*_folded(_before(comparison)), *_there(comparison), *_after(comparison)]
    title = f"came, nested in {comparison.inside}" if comparison.inside else "came"
    widths = _widths(page.width - indent - INSET - len(BETWEEN), [Row("expected", title), *rows])
    head = page.beside(Text("expected", "bold"), Text(title, "bold"), BETWEEN, widths)
    line = Text(f"{'─' * (widths[0] + INSET)}─┼─{'─' * widths[1]}", "dim")
    lines = [*(Text.assemble(" " * INSET, row) for row in head), line]
    for row in rows:
        lines += _drawn(page, row, widths)
    return [indented(text, indent) for text in lines]


def _widths(available: int, rows: Sequence[Row]) -> tuple[int, int]:
    left = max(cell_len(row.left) for row in rows)
    right = max(cell_len(row.right) for row in rows)
    half = available // 2
    if left <= half:
        return left, min(right, available - left)
    if right <= available - half:
        return min(left, available - right), right
    return half, available - half


def _drawn(page: Page, row: Row, widths: tuple[int, int]) -> list[Text]:
    """A row; one that differs is shown whole, others are cut to the columns."""
    differs = row.agrees == "no"
    left = Text(row.left, "green" if differs else "dim")
    right = Text(row.right, "red" if differs else "dim")
    if not differs:
        left, right = page.cut(left, widths[0]), page.cut(right, widths[1])
    sign = Text(f"{MARK} ", "bold red") if differs else Text(" " * INSET)
    lines = page.beside(left, right, BETWEEN, widths)
    return [Text.assemble(" " * INSET if number else sign, line) for number, line in enumerate(lines)]


def _expected(comparison: Comparison, element: int) -> str:
    return wording.expected(comparison.expected[element], is_event=comparison.is_events)


def _before(comparison: Comparison) -> Iterator[Row]:
    """What was as expected, up to the element at which it ends."""
    following = 0
    place = 0
    for taken, group in groupby(comparison.taken):
        for element in range(following, taken):
            yield Row(_expected(comparison, element), "", "yes", 0)
        count = len(list(group))
        items = comparison.actual[place : place + count]
        following, place = taken + 1, place + count
        if not _is_dots(comparison, taken):
            right = wording.item(items[0])
            yield Row(
                _expected(comparison, taken), right if count == 1 else f"{right} … x{count}", "yes", count
            )
        elif place == comparison.at and _is_searched(comparison):
            yield from _looked_through(items)
        else:
            yield Row(DOTS, _counted(items), "yes", count)
    for element in range(following, _main(comparison)):
        yield Row(_expected(comparison, element), "", "yes", 0)


def _is_searched(comparison: Comparison) -> bool:
    """Whether everything up to the end was looked through for something that did not come."""
    main = _main(comparison)
    at_end = comparison.at == len(comparison.actual)
    return at_end and bool(comparison.wanted) and main > 0 and _is_dots(comparison, main - 1)


def _looked_through(items: Sequence[Json]) -> Iterator[Row]:
    """All that came where something was looked for in vain, the middle of it left out."""
    lines = _runs(items)
    if len(lines) > 2 * CONTEXT + 1:
        lines = [*lines[:CONTEXT], f"… {len(lines) - 2 * CONTEXT} more", *lines[-CONTEXT:]]
    for number, line in enumerate(lines):
        yield Row("" if number else DOTS, line, "yes", 0)


def _counted(items: Sequence[Json]) -> str:
    noun = "event" if text_at(items[0], "type") else "message" if text_at(items[0], "role") else "item"
    return f"… {len(items)} {noun}{'s' if len(items) != 1 else ''}"


def _is_dots(comparison: Comparison, element: int) -> bool:
    return comparison.expected[element] == DOTS


def _main(comparison: Comparison) -> int:
    """The element that is shown where it differs: of those that might have stood there, the one akin to what
    came, or else the last, which is the one that had to come."""
    if not comparison.wanted:
        return comparison.taken[-1] + 1 if comparison.taken else 0
    if comparison.at < len(comparison.actual):
        came = comparison.actual[comparison.at]
        kind = text_at(came, "type") if comparison.is_events else text_at(came, "role")
        for element in comparison.wanted:
            name, _ = wording.element(comparison.expected[element], is_event=comparison.is_events)
            if name.rstrip("+*?") == kind:
                return element
    return comparison.wanted[-1]


def _folded(rows: Iterator[Row]) -> Iterator[Row]:
    """The last rows as they are; a long run before them in one."""
    every = list(rows)
    keep = CONTEXT + sum(row.count == 0 for row in every[-2 * CONTEXT - 1 :])
    folded = every[:-keep] if keep < len(every) else []
    if len(folded) > 1:
        yield Row("…", f"… {sum(row.count for row in folded)} more as expected", "yes")
        every = every[len(folded) :]
    yield from every


def _there(comparison: Comparison) -> Iterator[Row]:
    """The first difference; where it is inside an item, field by field."""
    main = _main(comparison)
    place = comparison.at if comparison.nearest is None else comparison.nearest
    if not comparison.wanted:
        yield Row("(nothing more)", wording.item(comparison.actual[place]), "no")
    elif place == len(comparison.actual):
        nothing = "(none of these)" if _is_searched(comparison) and comparison.at else "(nothing more)"
        yield Row(_expected(comparison, main), nothing, "no")
    elif comparison.path:
        yield from _inside(comparison, main, comparison.actual[place])
    else:
        yield Row(_expected(comparison, main), wording.item(comparison.actual[place]), "no")


def _inside(comparison: Comparison, element: int, actual: Json) -> Iterator[Row]:
    """An item of the right kind, one line for each field that is asked for."""
    name, rest = wording.element(comparison.expected[element], is_event=comparison.is_events)
    leaves = wording.leaves(rest) if rest is not None else []  # it has a name, and nothing below it
    wrong = [path for path, _ in leaves if comparison.path[: len(path)] == path]
    if not wrong:
        yield Row(_expected(comparison, element), wording.item(actual), "no")
        return
    near = comparison.nearest
    if name or near is not None:
        kind = text_at(actual, "type") if comparison.is_events else text_at(actual, "role")
        noun = "event" if comparison.is_events else "message"
        which = f" (nearest: {noun} {comparison.numbers[near]})" if near is not None else ""
        yield Row(name, f"{kind}{which}", "yes")
    for path, pattern in leaves:
        there, value = wording.at_path(actual, path)
        unseen = "(a time, which is not shown)" if path and path[-1] in TIMES else "(missing)"
        came = wording.flow(value) if there else unseen
        label = dotted(path) if comparison.is_events else dotted(path).removeprefix("tool_result.")
        agrees = "no" if path == wrong[0] else "yes"
        yield Row(f"  {label} {wording.said(pattern)}", f"  {label} {came}", agrees)


def _after(comparison: Comparison) -> Iterator[Row]:
    """What stands behind the difference on each side; nothing of it has been compared."""
    first = _main(comparison) + 1 if comparison.wanted else len(comparison.expected)
    left = [_expected(comparison, element) for element in range(first, len(comparison.expected))]
    right = _runs(comparison.actual[comparison.at + 1 :])
    sides = [_shortened(left), _shortened(right)]
    for row in range(max(map(len, sides))):
        one, other = (side[row] if row < len(side) else "" for side in sides)
        yield Row(one, other)


def _runs(items: Sequence[Json]) -> list[str]:
    """Items in a line each, those of one kind that follow each other in one line together."""
    lines: list[str] = []
    for _, group in groupby(items, key=lambda item: text_at(item, "type") or id(item)):
        same = [wording.item(item) for item in group]
        lines.append(same[0] if len(same) == 1 else f"{same[0]} … x{len(same)}")
    return lines


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= CONTEXT + 1:
        return lines
    return [*lines[:CONTEXT], f"… {len(lines) - CONTEXT} more"]
