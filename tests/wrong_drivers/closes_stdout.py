"""Closes its stdout and lives on."""

import os
from typing import Any

from _driver import Driver, wait_for_ever


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        os.close(1)
        wait_for_ever()


Wrong().serve()
