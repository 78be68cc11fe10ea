"""Lives on after shutdown, also when its stdin is closed."""

from typing import Any

from _driver import Driver, wait_for_ever


class Wrong(Driver):
    def take(self, request: dict[str, Any]) -> None:
        if request["method"] == "shutdown":
            wait_for_ever()
        super().take(request)

    def misbehave(self, request: dict[str, Any]) -> None:
        self.answer(request, self.run("misbehave"))


Wrong().serve()
