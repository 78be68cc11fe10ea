"""Takes a prompt and does nothing with it."""

import os
import sys
from typing import Any

from _driver import Driver, wait_for_ever


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        print("thinking", file=sys.stderr, flush=True)
        if "TELL" in os.environ:  # somebody wants to know that it has come this far
            with open(os.environ["TELL"], "w", encoding="utf-8") as pipe:
                pipe.write("here")
        wait_for_ever()


Wrong().serve()
