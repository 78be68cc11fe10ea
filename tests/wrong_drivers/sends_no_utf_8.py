"""Writes text in Latin-1."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        self.write('{"jsonrpc":"2.0","method":"event","params":"é"}\n'.encode("latin-1"))


Wrong().serve()
