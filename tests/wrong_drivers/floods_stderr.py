"""Writes 100 MB to stderr, and is right otherwise."""

import sys
from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        for _ in range(1000):
            sys.stderr.write(100_000 * "x" + "\n")
        self.answer(request, self.run("misbehave"))


Wrong().serve()
