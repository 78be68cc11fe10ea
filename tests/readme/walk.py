"""The README's blocks of code, and what comes of following them from top to bottom.

A block is a file where the line above it ends with the file's name and a colon. A block of `sh` is commands,
one a line, each of which ends with status 0 unless `# exit status N` stands behind it; a block of `text`
right behind it is what they print, where a line `...` stands for any number of lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
ELISION = "..."

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_FILE_ABOVE = re.compile(r"`([\w./-]+)`:\n\n\Z")
_STATUS = re.compile(r"# exit status (\d+)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code. `file` is what it is called, where it is a file; `prints` is the text right behind."""

    language: str
    text: str
    start: int
    file: str = ""
    prints: Block | None = None

    @property
    def commands(self) -> list[str]:
        """The commands in it."""
        return self.text.splitlines() if self.language == "sh" else []

    @property
    def needs_index(self) -> bool:
        """Whether it takes something from a package index."""
        return "pip install" in self.text

    @property
    def needs_node(self) -> bool:
        """Whether it runs something in Node."""
        return "stdio:node" in self.text

    @property
    def is_the_test_command(self) -> bool:
        """Whether it is what runs all tests."""
        return "-m pytest" in self.text


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    command: str
    status: int
    output: str
    errors: str

    @property
    def expected_status(self) -> int:
        """The status that stands behind the command."""
        found = _STATUS.search(self.command)
        return int(found[1]) if found else 0


def blocks(text: str) -> list[Block]:
    """All blocks of a README, in their order."""
    return list(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    found = list(_BLOCK.finditer(text))
    for match, after in zip(found, [*found[1:], None], strict=True):
        above = _FILE_ABOVE.search(text[: match.start()])
        prints = None
        if after is not None and after[1] == "text" and text[match.end() : after.start()] == "\n":
            prints = Block(after[1], after[2], after.start(2))
        yield Block(match[1], match[2], match.start(2), above[1] if above else "", prints)


def sandbox(folder: Path) -> Path:
    """What of a checkout the commands need, in a folder where they may write."""
    for name, target in {
        ".venv": Path(sys.prefix),
        "tests": ROOT / "tests",
        "schemas": ROOT / "schemas",
    }.items():
        (folder / name).symlink_to(target)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The environment of a reader who has activated `.venv` in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    path = os.pathsep.join([str(folder / ".venv" / "bin"), os.environ["PATH"]])
    return kept | {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}


def run(command: str, folder: Path, extra: Mapping[str, str] | None = None) -> Ran:
    """Run one command in `folder`, as it stands."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(folder) | dict(extra or {}),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return Ran(command, done.returncode, done.stdout, done.stderr)


def follow(folder: Path, wanted: Callable[[Block], bool]) -> dict[Block, list[Ran]]:
    """Write the files and run the commands of those blocks of the README that are wanted."""
    ran: dict[Block, list[Ran]] = {}
    for block in blocks(README.read_text(encoding="utf-8")):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "sh" and wanted(block):
            ran[block] = [run(command, folder) for command in block.commands]
    return ran


def is_offline(block: Block) -> bool:
    """Whether the block can be followed wherever the tests can."""
    return not (block.needs_index or block.needs_node or block.is_the_test_command)


def last_part(block: Block) -> str:
    """The last of the commands that are chained in the block's first line."""
    return block.commands[0].rpartition("&& ")[2]


def matches(expected: str, output: str) -> bool:
    """Whether the output is what is expected, elided lines aside."""
    parts = [re.escape(part) for part in re.split(rf"^{re.escape(ELISION)}\n", expected, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), output) is not None
