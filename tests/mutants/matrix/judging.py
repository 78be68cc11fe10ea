"""What is wrong with a matrix: with the mutants, with the scenarios, and with how the two fit."""

from __future__ import annotations

from collections.abc import Iterator

from tests.mutants.matrix import Cell, Matrix, Row

MOST = 10
"""A mutant is local where it hurts at most one in so many of the scenarios that are not about it."""
NEEDLESS = 2 * MOST
"""It need not say why it is not where it hurts at most one in so many. In between a scenario more decides."""
_JUDGED = ("passed", "failed")


def problems(matrix: Matrix) -> list[str]:
    """All that is wrong, in words that name where; empty where the suite proves itself."""
    found = [f"{row.mutant.breaks!r}: {problem}" for row in matrix.rows for problem in of_row(row, matrix)]
    found += [f"{id}: it kills no mutant" for id in idle(matrix)]
    found += [f"{row.mutant.breaks!r}, over stdio: {row.lost}" for row in matrix.served if row.lost]
    return [*found, *differences(matrix)]


def of_row(row: Row, matrix: Matrix) -> list[str]:
    """What is wrong with one mutant."""
    mutant = row.mutant
    found = [f"there is no requirement {id}" for id in mutant.requirements if id not in matrix.register]
    if row.lost:
        return [*found, row.lost]
    if row.survives():
        found.append("it survives")
    found += [
        f"{cell.scenario} {cell.verdict}: {cell.message}" for cell in row.cells if cell.verdict not in _JUDGED
    ]
    return [*found, *_unseen(row, matrix), *_wide(row, matrix)]


def _unseen(row: Row, matrix: Matrix) -> Iterator[str]:
    """The scenarios that must kill it and do not, or name something else; and where none of those that are
    to name a requirement is about it."""
    cells, caught_by = row.by_scenario(), row.mutant.caught_by
    for id, requirement in caught_by.items():
        cell = cells.get(id)
        if cell is None:
            yield f"{id} is no scenario of its profile"
        elif cell.verdict == "passed":
            yield f"{id} does not see it"
        elif cell.is_kill and requirement not in cell.named:
            yield f"{id} names {', '.join(sorted(cell.named))} and not {requirement}"
    for requirement in row.mutant.requirements:
        by = [matrix.scenarios[id] for id, it in caught_by.items() if it == requirement and id in cells]
        if by and not any(requirement in scenario.covers for scenario in by):
            yield f"none of the scenarios that are to name {requirement} covers it"


def _wide(row: Row, matrix: Matrix) -> Iterator[str]:
    hurt, others = width(row, matrix)
    if hurt * MOST > others and not row.mutant.not_local:
        yield f"it is not local, and does not say why: {hurt} of the {others} other scenarios fail"
    if hurt * NEEDLESS <= others and row.mutant.not_local:
        yield f"it says why it is not local, and is: {hurt} of the {others} other scenarios fail"


def width(row: Row, matrix: Matrix) -> tuple[int, int]:
    """How many of the scenarios that are not about the mutant fail by it, and how many those are."""
    others = [*matrix.others(row)]
    return sum(cell.is_kill for cell in others), len(others)


def idle(matrix: Matrix) -> list[str]:
    """The scenarios that kill no mutant. Where not all mutants were played nobody knows."""
    return [id for id, kills in matrix.kills_of().items() if not kills] if matrix.is_whole else []


def differences(matrix: Matrix) -> Iterator[str]:
    """Where a mutant ends otherwise over stdio than in this process, and does not say why."""
    for here, there in zip(matrix.rows, matrix.served, strict=bool(matrix.served)):
        for one, other in zip(here.cells, there.cells, strict=False):
            if (one.verdict, one.named) != (other.verdict, other.named) and not _by_timing(here, other):
                yield (
                    f"{here.mutant.breaks!r}: {one.scenario} ends as {_said(one)} in this process and as"
                    f" {_said(other)} over stdio"
                )


def _by_timing(row: Row, cell: Cell) -> bool:
    mutant = row.mutant
    return bool(mutant.by_timing and cell.verdict in _JUDGED and cell.scenario not in mutant.caught_by)


def _said(cell: Cell) -> str:
    return " ".join([cell.verdict, *sorted(cell.named)])
