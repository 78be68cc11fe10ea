"""What is said of a scenario whose parts do not fit.

Knows nothing of what may be wrong with one.
"""

from __future__ import annotations

from typing import NamedTuple

from conformance.outline import Path


class Complaint(NamedTuple):
    """Something to mend: at the value that `path` leads to or, with `at_key`, at the key itself.

    `lacks` are the parts of the scenario, by their keys on top, in one of which something is lacking that
    would make it right: where such a part cannot be read as a whole, nobody knows whether it is. `unknown` is
    the name that nothing has, with what it would be the name of: all complaints about it are one mistake.
    """

    path: Path
    message: str
    at_key: bool = False
    lacks: tuple[str, ...] = ()
    unknown: str = ""
