"""Emits events for ever."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        line = b'{"jsonrpc":"2.0","method":"event","params":{"agent":"main","event":{"type":"Tick"}}}\n'
        while True:
            self.write(1000 * line)


Wrong().serve()
