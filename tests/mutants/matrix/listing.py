"""The list of faults that ships beside the requirements, for `outlast requirements`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tests.mutants import Mutant


def written(mutants: Sequence[Mutant], requirements: Iterable[str]) -> str:
    """What goes wrong, by the requirement that it breaks, in the order of the requirements."""
    faults = {id: sorted({it.breaks for it in mutants if id in it.requirements}) for id in requirements}
    return (
        json.dumps({id: those for id, those in faults.items() if those}, indent=1, ensure_ascii=False) + "\n"
    )
