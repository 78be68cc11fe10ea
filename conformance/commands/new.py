"""`outlast new`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands.common import give_up, read_register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.requirements import Register, Requirement


@click.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option(
    "--covers",
    multiple=True,
    metavar="ID",
    help="The requirement that it is about; may be repeated.",
)
@click.option("--title", metavar="TEXT", help="What holds if it passes, in a sentence.")
def new(scenario: Path, covers: tuple[str, ...], title: str | None) -> None:
    """Write a scenario to begin with, which passes as it stands.

    SCENARIO is the file; nothing that is there already is overwritten. With --covers it has the steps of the
    scenario that comes with outlast and is about the same, and is there to be changed.

    \b
    Example:
      outlast new my_scenarios/late-result.yaml --covers agent.events.late-result
      outlast new my_scenarios/approval.yaml --covers runtime.resume.done
    """
    from conformance import loader, schemas
    from conformance.examples import beside, example
    from conformance.skeleton import DEFAULT_COVERS, skeleton, title_of

    path = scenario if scenario.suffix else scenario.with_suffix(loader.SUFFIX)
    if path.suffix != loader.SUFFIX:
        give_up(f"{path}: a scenario is a file named *{loader.SUFFIX}")
    register = read_register()
    covered = _requirements(covers or (DEFAULT_COVERS,), register)
    ids = [requirement.id for requirement in covered]
    like = example(ids, beside(ids, register)) if covers else None
    schema = schemas.folder() / "scenario.schema.json"
    text = skeleton(path, title if title is not None else title_of(path), covered, schema, like)
    try:
        loader.load_text(text, register, path=path)
    except loader.ScenarioError as error:
        give_up(f"this would be no scenario, and was not written:\n{error}")
    _write(path, text)
    name = shlex.quote(str(path))
    click.echo(f"wrote {path}\n")
    click.echo("What next:")
    click.echo(f"  outlast run {name}    play it; the reference passes it as it is")
    click.echo(f"  outlast lint {name}   tell what is wrong with it, when you have changed it")
    click.echo(
        "\nAn editor with a YAML language server helps with every key, by the schema in its first line."
    )


def _requirements(ids: Sequence[str], register: Register) -> list[Requirement]:
    from conformance import words

    for id in ids:
        if id not in register:
            give_up(f"--covers {id}: there is no such requirement{words.suggestions(id, register)}")
    return [register[id] for id in dict.fromkeys(ids)]


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        if path.exists():
            give_up(f"{path}: this exists already, and is left as it is")
        give_up(f"{path}: this cannot be written: {error.strerror}")
