"""A mutant over stdin and stdout, called by what it breaks.

python -m tests.mutants.matrix.serving "Paused names one call only"
"""

from __future__ import annotations

import sys

from conformance import sdk
from tests.mutants import all_mutants, broken


def main(breaks: str) -> None:
    """Serve it until the suite has had enough."""
    (mutant,) = (mutant for mutant in all_mutants() if mutant.breaks == breaks)
    sdk.serve(broken(mutant)())


if __name__ == "__main__":
    main(*sys.argv[1:])
