"""Answers, and is gone."""

import os
from typing import Any

from _driver import Driver


class Wrong(Driver):
    def take(self, request: dict[str, Any]) -> None:
        super().take(request)
        if request["method"] == "agent/messages" and self.messages[0]["content"] == "misbehave":
            os._exit(4)

    def misbehave(self, request: dict[str, Any]) -> None:
        self.answer(request, self.run("misbehave"))


Wrong().serve()
