"""Answers a request that nobody has made."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        self.answer({"id": 4711}, {})


Wrong().serve()
