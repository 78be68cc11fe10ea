"""Answers a request two times."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        result = self.run("misbehave")
        self.answer(request, result)
        self.answer(request, result)


Wrong().serve()
