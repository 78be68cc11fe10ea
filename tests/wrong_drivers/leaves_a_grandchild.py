"""Starts a process that keeps the pipes open, in a session of its own if asked so, and dies."""

import os
import subprocess
import sys
from typing import Any

from _driver import Driver

HOLD = "import os; os.read(os.pipe()[0], 1)"


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        subprocess.Popen([sys.executable, "-c", HOLD], start_new_session="session" in sys.argv)
        if "daemon" in sys.argv:  # its parent goes, and it is nobody's child any more
            start = f"subprocess.Popen([sys.executable, '-c', {HOLD!r}], start_new_session=True)"
            parent = f"import subprocess, sys; {start}"
            subprocess.run([sys.executable, "-c", parent], check=True)
        os._exit(1)


Wrong().serve()
