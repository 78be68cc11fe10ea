"""Is ended by a signal while a tool executes."""

import os
import signal
import sys
from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        print("about to use a bad pointer", file=sys.stderr)
        self.ask("tool/execute", call_id="c1", tool="lookup", arguments={})
        os.kill(os.getpid(), signal.SIGSEGV)


Wrong().serve()
