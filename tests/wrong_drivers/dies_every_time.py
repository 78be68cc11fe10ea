"""Ends with every prompt."""

import sys
from typing import Any

from _driver import Driver


class Wrong(Driver):
    def run(self, text: str) -> dict[str, Any]:
        sys.exit("no memory left")


Wrong().serve()
