"""Calls its model again and again, whatever it answers."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        while True:
            self.asked += 1
            params = {"agent": "main", "messages": []}
            self.send({"jsonrpc": "2.0", "id": self.asked, "method": "model/generate", "params": params})


Wrong().serve()
