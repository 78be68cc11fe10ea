"""The matrix for a person to read, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from conformance.scenario import Json, Profile
from tests.mutants.matrix import Matrix, Row
from tests.mutants.matrix.judging import idle, of_row, problems, width


def text(matrix: Matrix, *, with_killers: bool = False) -> Iterator[str]:
    """Every mutant below the requirement that it breaks, with the number of scenarios that kill it; then the
    totals and all that is wrong. `with_killers` names these scenarios."""
    for id, rows in _by_requirement(matrix).items():
        yield f"{id} ({matrix.register[id].level})" if id in matrix.register else id
        for row in rows:
            yield f"{len(row.kills()):5}  {row.mutant.breaks}"
            yield from _notes(row, matrix)
            if with_killers:
                yield from (f"         {id}" for id in row.kills())
    yield ""
    yield from totals(matrix)


def _notes(row: Row, matrix: Matrix) -> Iterator[str]:
    if len(row.mutant.requirements) > 1:
        yield f"       breaks {', '.join(row.mutant.requirements[1:])}, too"
    hurt, others = width(row, matrix)
    if row.mutant.not_local:
        yield f"       not local: {hurt} of {others} others, because {row.mutant.not_local}"
    if matrix.served and row.mutant.by_timing:
        yield f"       may be seen one way only, because {row.mutant.by_timing}"
    yield from (f"       WRONG: {problem}" for problem in of_row(row, matrix))


def _by_requirement(matrix: Matrix) -> dict[str, list[Row]]:
    """The rows by the first requirement that they break, in the order of the register."""
    order = {id: place for place, id in enumerate(matrix.register)}
    found: dict[str, list[Row]] = {}
    for row in sorted(matrix.rows, key=lambda row: order.get(row.mutant.requirements[0], len(order))):
        found.setdefault(row.mutant.requirements[0], []).append(row)
    return found


def totals(matrix: Matrix) -> Iterator[str]:
    """How much was played of each profile, and what is wrong."""
    for profile in matrix.profiles():
        yield f"{profile}: {_of_profile(profile, matrix)}"
    if matrix.served:
        yield f"over stdio: {many(len(matrix.served), 'mutant')} once more, each in a process of its own"
    survivors = [row.mutant.breaks for row in matrix.rows if row.survives()]
    yield f"survivors: {_listed(survivors)}"
    idlers = _listed(idle(matrix)) if matrix.is_whole else "not known, since not all mutants were played"
    yield f"scenarios that kill none: {idlers}"
    yield f"wrong: {_listed(problems(matrix))}"


def _of_profile(profile: Profile, matrix: Matrix) -> str:
    rows = [row for row in matrix.rows if profile in row.mutant.profiles]
    scenarios = [it.id for it in matrix.scenarios.values() if it.profile == profile]
    kills = sum(matrix.scenarios[id].profile == profile for row in rows for id in row.kills())
    demanded = {id for id, it in matrix.register.items() if it.profile == profile and it.level != "may"}
    broken = {id for row in rows for id in row.mutant.requirements} & demanded
    plays = sum(matrix.scenarios[cell.scenario].profile == profile for row in rows for cell in row.cells)
    return (
        f"{many(len(rows), 'mutant')}, {many(len(scenarios), 'scenario')}, {many(plays, 'play')},"
        f" {many(kills, 'kill')}; {len(broken)} of its {len(demanded)} musts and shoulds are broken by one"
    )


def many(number: int, what: str) -> str:
    """So many of it."""
    return f"{number} {what}" if number == 1 else f"{number} {what}{'es' if what.endswith('s') else 's'}"


def _listed(what: list[str]) -> str:
    return "none" if not what else "".join([f"{len(what)}", *(f"\n  {each}" for each in what)])


def write(matrix: Matrix, file: Path) -> None:
    """Write the matrix down: each mutant with what it did to each scenario that did not pass, each scenario
    with its number of kills, and all that is wrong."""
    value: Json = {
        "format": 1,
        "mutants": [_row_to_json(row, matrix) for row in matrix.rows],
        "scenarios": [{"id": id, "kills": kills} for id, kills in matrix.kills_of().items()],
        "whole": matrix.is_whole,
        "problems": [*problems(matrix)],
    }
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _row_to_json(row: Row, matrix: Matrix) -> Json:
    hurt, others = width(row, matrix)
    return {
        "breaks": row.mutant.breaks,
        "module": row.mutant.module,
        "requirements": [*row.mutant.requirements],
        "caught_by": {**row.mutant.caught_by},
        "played": len(row.cells),
        "kills": len(row.kills()),
        "others": {"failed": hurt, "played": others, "not_local": row.mutant.not_local},
        "not_passed": {
            cell.scenario: {"verdict": cell.verdict, "names": [*sorted(cell.named)], "message": cell.message}
            for cell in row.cells
            if cell.verdict != "passed"
        },
        "problems": [*of_row(row, matrix)],
    }
