"""The page on which reports are written: as wide as the terminal, coloured where that is wanted.

Lines are made as `rich` texts and printed as they are. Knows nothing of what they say.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

NARROWEST = 40
WIDEST_PROSE = 100
"""Longer lines of prose are hard to read, however wide the terminal is."""

_PLAIN = str.maketrans({"│": "|", "─": "-", "┼": "+", "…": "~", "·": "-", "→": "->"})

LONGEST = 20_000
"""Characters of one text that are shown: an implementation may say megabytes, which nobody reads."""


class Page:
    """Where lines go.

    `width` is in columns: the terminal's, or what COLUMNS says, or 80. Colours are used on a terminal, unless
    NO_COLOR is set to something.
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or _console()
        self.width = max(self.console.width, NARROWEST)
        self.prose = min(self.width, WIDEST_PROSE)

    @property
    def is_terminal(self) -> bool:
        """Whether somebody is looking on as it is printed."""
        return self.console.is_terminal and self.console.file.isatty()

    def print(self, *lines: Text | str) -> None:
        """Print each line as it is, up to `LONGEST`; it is left to the terminal to break it."""
        plain = not self.console.encoding.startswith("utf")
        for line in lines:
            text = _shortened(line if isinstance(line, Text) else Text(line))
            if plain:
                text = _replaced(text)
            self.console.print(text, soft_wrap=True)

    def wrapped(self, text: Text | str, indent: int = 0, hanging: int = 0, width: int = 0) -> list[Text]:
        """A text broken into lines of `width` (default: that of prose), the first less deep by `hanging`."""
        text = text if isinstance(text, Text) else Text(text)
        text = _shortened(text)  # to break a text of megabytes takes minutes
        width = width or self.prose
        first = text.wrap(self.console, max(width - indent, 1))
        lines = [indented(line, indent) for line in first[:1]]
        if len(first) > 1:
            rest = _stripped(text[len(first[0].plain) :])
            following = rest.wrap(self.console, max(width - indent - hanging, 1))
            lines += [indented(line, indent + hanging) for line in following]
        return lines or [Text(" " * indent)]

    def cut(self, text: Text | str, width: int) -> Text:
        """A text on one line of at most `width` columns."""
        text = text.copy() if isinstance(text, Text) else Text(text)
        text.truncate(max(width, 1), overflow="ellipsis")
        return text

    def beside(self, left: Text, right: Text, between: str, widths: tuple[int, int]) -> list[Text]:
        """Two texts in columns of these widths, as many lines as the longer one needs."""
        sides = [
            self.wrapped(side, hanging=_leading(side) + 2, width=max(width, 1))
            for side, width in zip((left, right), widths, strict=True)
        ]
        lines: list[Text] = []
        for row in range(max(map(len, sides))):
            one, other = (side[row] if row < len(side) else Text() for side in sides)
            one.truncate(widths[0], pad=True)
            line = Text.assemble(one, (between, "dim"), other)
            line.rstrip()
            lines.append(line)
        return lines


def indented(line: Text, by: int) -> Text:
    """A line moved to the right."""
    line.rstrip()
    return Text.assemble(" " * by, line) if by else line


def joined(parts: Iterable[Text | str], separator: str = ", ") -> Text:
    """Texts with something between them."""
    return Text(separator).join(part if isinstance(part, Text) else Text(part) for part in parts)


def _shortened(text: Text) -> Text:
    """A text without what is beyond `LONGEST` of it, but for how much that is."""
    left_out = len(text) - LONGEST
    return text[:LONGEST] + Text(f"… {left_out:,} characters more") if left_out > 0 else text


def _leading(text: Text) -> int:
    return len(text.plain) - len(text.plain.lstrip(" "))


def _stripped(text: Text) -> Text:
    start = _leading(text)
    return text[start:] if start < len(text.plain) else Text()


def _replaced(text: Text) -> Text:
    """A text without the few signs that only some encodings have, each of them replaced by one other."""
    replaced = text.copy()
    replaced.plain = text.plain.translate(_PLAIN)
    return replaced


def _console() -> Console:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    wants_none = os.environ.get("NO_COLOR", "") != ""
    return Console(color_system=None if wants_none else "auto", highlight=False, markup=False, emoji=False)
