"""What had come, and what came then, where a play left its script: the lines around that moment.

Knows the numbered sequence of a play, not what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from conformance.reading import mapping_at, text_at
from conformance.report import wording
from conformance.report.comparing import INSET, MARK
from conformance.report.page import Page
from conformance.scenario import Json
from conformance.verdict import Failure

AROUND = 8
"""So many lines of what happened are shown."""


def what_happened(
    page: Page, sequence: Sequence[dict[str, Json]], failure: Failure, indent: int
) -> list[Text]:
    """What happened in the step of a failure, or in the last one in which anything did, with the failure
    where it was noticed: of many lines those around it, for what comes afterwards may be long."""
    if not sequence:
        return []
    step = _step(sequence, failure)
    first = next(place for place, entry in enumerate(sequence) if entry["step"] == step)
    of_step = [entry for entry in sequence if entry["step"] == step]
    at = len(of_step) if failure.seen is None else min(max(failure.seen - first, 0), len(of_step))
    is_alone = len({entry["agent"] for entry in of_step}) == 1
    before = list(_lines(of_step[:at], is_alone=is_alone))
    after = list(_lines(of_step[at:], is_alone=is_alone))
    width = page.width - indent - INSET
    lines = [Text(f"{' ' * indent}what happened in step {step}:", "dim")]
    shown_before, shown_after = _shares(len(before), len(after))
    lines += _drawn(page, _end(before, shown_before), indent, width)
    if after:
        lines.append(_here(page, failure, indent, width))
    return lines + _drawn(page, _beginning(after, shown_after), indent, width)


def _step(sequence: Sequence[dict[str, Json]], failure: Failure) -> Json:
    """The step that is shown. What goes on in the background may belong to a later one than that in which it
    was noticed."""
    steps = [entry["step"] for entry in sequence]
    if failure.seen:
        last = steps[min(failure.seen, len(steps)) - 1]
        if isinstance(last, int) and last > failure.step > 0:
            return last
    return failure.step if failure.step in steps else steps[-1]


def _lines(entries: Sequence[dict[str, Json]], *, is_alone: bool) -> Iterator[str]:
    """A line for each thing, or for several of one kind that follow each other."""
    for _, group in groupby(entries, key=lambda it: (it["agent"], text_at(it["event"], "type"))):
        same = list(group)
        agent = "" if is_alone else f"{same[0]['agent']}: "
        more = f" … x{len(same)}" if len(same) > 1 else ""
        yield f"{agent}{wording.event(mapping_at(same[0], 'event'))}{more}"


def _shares(before: int, after: int) -> tuple[int, int]:
    """How many lines of each side are shown: half of them, or what the other side leaves."""
    half = AROUND // 2
    later = min(after, max(half, AROUND - before))
    return min(before, AROUND - later), later


def _end(lines: Sequence[str], count: int) -> list[str]:
    left_out = len(lines) - count
    return [f"… {left_out} more", *lines[left_out:]] if left_out > 1 else [*lines]


def _beginning(lines: Sequence[str], count: int) -> list[str]:
    left_out = len(lines) - count
    return [*lines[:count], f"… {left_out} more"] if left_out > 1 else [*lines]


def _drawn(page: Page, lines: Sequence[str], indent: int, width: int) -> list[Text]:
    inset = " " * (indent + INSET)
    return [Text.assemble(inset, page.cut(Text(line, "dim"), width)) for line in lines]


def _here(page: Page, failure: Failure, indent: int, width: int) -> Text:
    said = page.cut(Text(wording.printable(failure.message, keep=""), "red"), width)
    return Text.assemble(" " * indent, (f"{MARK} ", "bold red"), said)
