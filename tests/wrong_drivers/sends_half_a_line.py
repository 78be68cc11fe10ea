"""Writes half a line and neither reads nor writes any more."""

from typing import Any

from _driver import Driver, wait_for_ever


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        self.write(b'{"jsonrpc":"2.0","id":')
        wait_for_ever()


Wrong().serve()
