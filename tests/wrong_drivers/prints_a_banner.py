"""Prints to stdout in the middle of a run."""

from typing import Any

from _driver import Driver


class Wrong(Driver):
    def misbehave(self, request: dict[str, Any]) -> None:
        print("loading the model ...", flush=True)
        self.answer(request, self.run("misbehave"))


Wrong().serve()
