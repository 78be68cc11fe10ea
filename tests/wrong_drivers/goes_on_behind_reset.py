"""Answers `reset` after it has misbehaved, and goes on at once with what its argument names."""

import os
import sys
from typing import Any

from _driver import Driver


class Wrong(Driver):
    has_misbehaved = False

    def misbehave(self, request: dict[str, Any]) -> None:
        self.has_misbehaved = True
        self.answer(request, self.run("misbehave"))

    def take(self, request: dict[str, Any]) -> None:
        super().take(request)
        if request["method"] == "reset" and self.has_misbehaved:
            self.has_misbehaved = False
            self.go_on(request, sys.argv[1])

    def go_on(self, request: dict[str, Any], what: str) -> None:
        if what == "answer":
            self.answer(request, {})
        elif what == "event":
            self.event("AgentStart")
        elif what == "line":
            self.write(b"Bye.\n")
        else:
            os._exit(3)


Wrong().serve()
