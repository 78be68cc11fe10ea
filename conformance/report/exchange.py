"""The lines of an exchange as a person reads them: a mark for the direction, and what crosses on one line.

`->` goes to the implementation, `<-` comes from it. Requests are numbered by each side for itself; an answer
has the number of its request and names its method. Knows nothing of what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from rich.text import Text

from conformance.drivers import wire
from conformance.reading import mapping_at, text_at
from conformance.report import wording
from conformance.scenario import Json

Direction = Literal["->", "<-"]
_COLOURS = {"->": "cyan", "<-": "green"}


class Exchange:
    """A tap that shows each line at once; `raw` shows it as it crossed, behind its mark."""

    def __init__(self, show: Callable[[Text], None], *, raw: bool = False) -> None:
        self._show = show
        self._raw = raw
        self._asked: dict[tuple[Direction, str], str] = {}

    def __call__(self, direction: Direction, line: bytes) -> None:
        """Tap: one line."""
        mark = Text(f"{direction} ", f"bold {_COLOURS[direction]}")
        text = line.decode("utf-8", "backslashreplace")
        try:
            message: Json = None if self._raw else json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict):
            self._show(Text.assemble(mark, self._said(direction, message)))
        else:
            note = "" if self._raw else " (no JSON object)"
            self._show(Text.assemble(mark, wording.printable(text, keep=""), (note, "bold red")))

    def _said(self, direction: Direction, message: dict[str, Json]) -> Text:
        id, method = message.get("id"), text_at(message, "method")
        number = f"#{wording.flow(id)} " if "id" in message else ""
        if method:
            if "id" in message:
                self._asked[direction, str(id)] = method
            return self._request(number, method, mapping_at(message, "params"))
        other: Direction = "<-" if direction == "->" else "->"
        asked = self._asked.get((other, str(id)), "?")
        if "error" in message:
            return Text.assemble(f"{number}{asked} ", ("failed ", "bold red"), _error(message["error"]))
        return Text.assemble(f"{number}{asked} ", ("= ", "bold"), wording.flow(message.get("result")))

    def _request(self, number: str, method: str, params: dict[str, Json]) -> Text:
        name = wording.printable(method, keep="")
        event = mapping_at(params, "event")
        if method == "event" and event:
            rest = {key: value for key, value in event.items() if key != "type"}
            fields = f" {wording.flow(rest)}" if rest else ""
            agent = wording.flow(params.get("agent"))
            kind = wording.printable(text_at(event, "type"), keep="")
            return Text.assemble(f"event {agent} ", (kind, "bold"), fields)
        if method == "runtime/moved" and params.keys() >= {"runtime", "handle", "before", "after"}:
            words = {key: wording.flow(value) for key, value in params.items()}
            step = f"{words['before']} -> {words['after']}"
            return Text.assemble(f"{name} {words['runtime']} {words['handle']} ", (step, "bold"))
        return Text.assemble(number, (name, "bold"), f" {wording.flow(params)}" if params else "")


def _error(error: Json) -> str:
    """An error on one line; a traceback in it is shown with the verdict, if at all."""
    code = error.get("code") if isinstance(error, dict) else None
    data = error.get("data") if isinstance(error, dict) else None
    if code in (wire.IMPLEMENTATION_ERROR, wire.HOST_ERROR) and text_at(data, "code"):
        return f"{wording.flow(text_at(error, 'message'))} ({wording.flow(text_at(data, 'code'))})"
    said = {key: value for key, value in error.items() if key != "data"} if isinstance(error, dict) else error
    return wording.flow(said)
