"""Write into the README what its commands print: `python -m tests.readme`.

Blocks with elided lines are left as they are, and so is what needs a package index or Node.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.readme.walk import ELISION, README, Block, Ran, blocks, follow, is_offline, last_part, run, sandbox


def main() -> None:
    """Follow the README and put in what came."""
    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = sandbox(Path(name))
        ran = follow(folder, is_offline)
        first = next(block for block in blocks(text) if block.language == "sh")
        ran[first] = [run(last_part(first), folder)]
    printed = {block: _output(each) for block, each in ran.items()}
    for block in sorted(printed, key=lambda each: each.start, reverse=True):
        if block.prints is not None and not _is_elided(block.prints):
            start, end = block.prints.start, block.prints.start + len(block.prints.text)
            text = text[:start] + printed[block] + text[end:]
    README.write_text(text, encoding="utf-8")


def _output(ran: list[Ran]) -> str:
    for each in ran:
        if each.status != each.expected_status:
            raise SystemExit(
                f"{each.command}: status {each.status}, not {each.expected_status}\n{each.errors}"
            )
    return "".join(each.output for each in ran)


def _is_elided(block: Block) -> bool:
    return ELISION in block.text.splitlines()


if __name__ == "__main__":
    main()
