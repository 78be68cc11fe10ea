"""`outlast init-driver`."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from conformance.commands.common import give_up
from conformance.scenario import PROFILES, Profile

LANGUAGES = {"python": "driver.py", "javascript": "driver.mjs"}
"""The file that is written for each language; templates/ has it in a folder of that name."""
TEMPLATES = Path(__file__).parent.parent / "templates"
FIRST: Mapping[Profile, str] = {
    "agent": "agent/events/turn-order",
    "runtime": "runtime/handle/done",
    "client": "client/halt/pending",
}
"""For each profile a scenario whose lines are worth looking at first."""

_PART = re.compile(r"\s*(?:#|//) \[([a-z ]+)\]")
"""A line of a template behind which it is for these profiles only, or for all."""


@click.command(name="init-driver")
@click.argument("language", type=click.Choice(list(LANGUAGES)))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice(PROFILES),
    default=("agent",),
    show_default=True,
    help="What it is for: its methods are those of this profile. May be repeated.",
)
def init_driver(language: str, folder: Path, profiles: tuple[Profile, ...]) -> None:
    """Write the skeleton of a driver into DIR, to begin with.

    It can be run as it is: it starts, and says of everything else that it is not written yet, so that every
    scenario fails by that. Nothing that is there already is overwritten.

    \b
    Examples:
      outlast init-driver python conformance_driver
      outlast init-driver javascript . --profile client
    """
    from conformance import schemas

    file = folder / LANGUAGES[language]
    template = (TEMPLATES / language / LANGUAGES[language]).read_text(encoding="utf-8")
    _write(file, skeleton(template, profiles))
    driver = _quoted(f"stdio:{shlex.join([_interpreter(language), _as_argument(file)])}")
    click.echo(f"wrote {file}\n")
    click.echo("What next: write its methods, one after the other, and ask each time what is still missing:")
    click.echo(f"  outlast doctor --driver {driver}")
    click.echo("See every line that crosses:")
    click.echo(f"  outlast trace {FIRST[profiles[0]]} --driver {driver}")
    click.echo("And in the end:")
    click.echo(f"  outlast run --driver {driver}")
    click.echo(f"\nEvery method, with examples: {schemas.folder() / 'protocol.schema.json'}")


def skeleton(template: str, profiles: Sequence[str]) -> str:
    """What of a template is for one of these profiles."""
    lines: list[str] = []
    is_wanted = True
    for line in template.splitlines():
        part = _PART.fullmatch(line)
        if part is not None:
            is_wanted = part[1] == "all" or not set(part[1].split()).isdisjoint(profiles)
        elif is_wanted:
            lines.append(line)
    named = ", ".join(f'"{profile}"' for profile in dict.fromkeys(profiles))
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))  # behind a part that is left out
    return text.replace('{"agent"}', f"{{{named}}}").replace('["agent"]', f"[{named}]") + "\n"


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        give_up(f"{file}: this exists already, and is left as it is")
    except OSError as error:
        give_up(f"{file}: this cannot be written: {error.strerror}")


def _as_argument(file: Path) -> str:
    """The file as an interpreter takes it for one."""
    return f"./{file}" if str(file).startswith("-") else str(file)


def _quoted(text: str) -> str:
    """A text as a shell takes it for one word; in double quotes where single ones would be hard to read."""
    if "'" in text and not set(text) & set('"$`\\!'):
        return f'"{text}"'
    return shlex.quote(text)


def _interpreter(language: str) -> str:
    """The program that runs it: for Python the one that has outlast."""
    if language != "python":
        return "node"
    found = shutil.which("python")
    is_ours = found is not None and Path(found).absolute() == Path(sys.executable).absolute()
    return "python" if is_ours else sys.executable
