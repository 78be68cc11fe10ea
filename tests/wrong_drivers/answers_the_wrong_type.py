"""Answers with a text where a message belongs."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        self.answer(request, {"message": "Hello."})


Wrong().serve()
