"""Writes a line of 50 MB."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        self.write(b'"' + 50_000_000 * b"x" + b'"\n')


Wrong().serve()
