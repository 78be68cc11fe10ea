"""Scenario files to scenarios: everything that is wrong with a file is told at once, with its place.

Three looks are taken at a file: whether it is a value at all (`source`), whether the value has the form of a
scenario (`schemas/scenario.schema.json`), and whether its parts fit each other and the register
(`consistency`). Only what passes all of them is built.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from conformance import schemas, source
from conformance.building import build
from conformance.complaint import Complaint
from conformance.consistency import complaints
from conformance.guessing import meant
from conformance.requirements import Register
from conformance.scenario import Position, Scenario
from conformance.source import Problem, Source, SourceError, in_order

__all__ = ["Problem", "ScenarioError", "id_of", "load", "load_all", "load_text", "root_below", "root_of"]

SUFFIX = ".yaml"
REGISTER = "requirements.yaml"
"""The file in a folder of scenarios that is none; where it stands is where the ids of scenarios begin."""
MAX_PROBLEMS = 100
"""So many problems of one file are told."""


class ScenarioError(Exception):
    """A file is no scenario: `problems` says why, in the order of the places."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def load(path: Path, root: Path, register: Register) -> Scenario:
    """The scenario in the file at `path`, whose id is the path below `root` without its suffix.

    `register` has the requirements that it may cover. Raises ScenarioError.
    """
    try:
        read = source.read(path)
    except SourceError as error:
        raise ScenarioError([replace(problem, hides=True) for problem in error.problems]) from error
    return _checked(read, path, id_of(path, root), register)


def load_text(
    text: str | bytes, register: Register, *, id: str = "scenario", path: Path | None = None
) -> Scenario:
    """The scenario that stands in `text`; `path` is what positions name. Raises ScenarioError."""
    path = path or Path(f"{id}.yaml")
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        read = source.parse(data, str(path))
    except SourceError as error:
        raise ScenarioError([replace(problem, hides=True) for problem in error.problems]) from error
    return _checked(read, path, id, register)


def load_all(
    paths: Iterable[Path], register: Register, leave_out: Iterable[Path] = ()
) -> tuple[list[Scenario], list[Problem]]:
    """All scenarios in the files and folders `paths`, sorted by id, and everything that is wrong with them.

    Folders are searched for *.yaml all the way down. A scenario's id is its path without the suffix, below
    the nearest folder that holds a requirements.yaml; else below the scenarios that ship; else below the
    folder that was given, or the file's own. A file that is reached twice is read once. Files to
    `leave_out` are known to be something else.
    """
    scenarios: dict[str, Scenario] = {}
    problems: list[Problem] = []
    for file, root in _found(paths, leave_out, problems):
        try:
            scenario = load(file, root, register)
        except ScenarioError as error:
            problems.extend(error.problems)
            continue
        other = scenarios.setdefault(scenario.id, scenario)
        if other is not scenario:
            problems.append(_problem(file, f"{other.path} has the id {scenario.id} too; read one of them"))
    return sorted(scenarios.values(), key=lambda scenario: scenario.id), sorted(problems, key=in_order)


def id_of(path: Path, root: Path) -> str:
    """The id of the scenario at `path`: where it is below `root`, without the suffix."""
    below = os.path.relpath(path, root)
    return Path(path.name if below.startswith(os.pardir) else below).with_suffix("").as_posix()


def _found(
    paths: Iterable[Path], leave_out: Iterable[Path], problems: list[Problem]
) -> Iterator[tuple[Path, Path]]:
    """Each file once, with the folder below which its id begins."""
    seen = set(map(os.path.realpath, leave_out))
    for given in paths:
        files = sorted(_files(given)) if given.is_dir() else [given]
        if not any(file.suffix == SUFFIX for file in files) and given.is_dir():
            problems.append(_problem(given, f"no scenario is in this folder; expected files named *{SUFFIX}"))
        for file in files:
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            if file.suffix == ".yml" and file != given:
                problems.append(
                    _problem(file, f"a file named .yml is not read from a folder; expected {SUFFIX}")
                )
                continue
            yield file, root_of(_absolute(file), _absolute(given))


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder that are scenarios, or seem to be meant so; what is hidden is left out."""
    for file in folder.rglob("*.y*ml"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if not hidden and file.suffix in (SUFFIX, ".yml") and file.name != REGISTER and not file.is_dir():
            yield file


def root_of(file: Path, given: Path) -> Path:
    """The folder below which the id of a file begins, the file having been reached through `given`."""
    shipped = schemas.scenarios_folder()
    for folder in file.parents:
        if folder == shipped or (folder / REGISTER).is_file():
            return folder
    return file.parent if file == given else given


def root_below(given: Path) -> Path:
    """The folder below which the ids of the files begin that are reached through `given`."""
    return root_of(given / "any.yaml" if given.is_dir() else given, given)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # resolve() would leave the folder that was named, through a link


def _problem(path: Path, message: str) -> Problem:
    return Problem(Position(str(path), 1, 1), message)


def _checked(read: Source, path: Path, id: str, register: Register) -> Scenario:
    document, of_form = meant(read.value)
    problems: dict[Position, Problem] = {}
    for complaint in of_form:
        _note(problems, read, complaint, hides=bool(document.unread))
    of_meaning = filter(document.can_know, complaints(document.parts, register))
    found = [document.as_written(complaint) for complaint in islice(of_meaning, MAX_PROBLEMS)]
    for complaint in _each_mistake_once(found, read):
        _note(problems, read, complaint)
    if problems:
        raise ScenarioError(sorted(problems.values(), key=in_order)[:MAX_PROBLEMS])
    return build(id, path, read, document.parts, register)


def _each_mistake_once(complaints: Sequence[Complaint], read: Source) -> Iterator[Complaint]:
    """The complaints without those about a name that nothing has where it stands for a second time."""
    by_name: dict[str, list[Complaint]] = {}
    for complaint in complaints:
        if complaint.unknown:
            by_name.setdefault(complaint.unknown, []).append(complaint)
        else:
            yield complaint
    for same in by_name.values():
        first = min(same, key=lambda complaint: _position(complaint, read))
        others = {_position(complaint, read) for complaint in same} - {_position(first, read)}
        yield first._replace(message=first.message + _and_elsewhere(first.message, len(others)))


def _and_elsewhere(message: str, count: int) -> str:
    told = f"the name stands in {'one more place' if count == 1 else f'{count} more places'}"
    return "" if not count else f" {told.capitalize()}" if message.endswith("?") else f"; {told}"


def _position(complaint: Complaint, read: Source) -> tuple[int, int]:
    position = _place(complaint, read)
    return position.line, position.column


def _place(complaint: Complaint, read: Source) -> Position:
    return read.key_position(complaint.path) if complaint.at_key else read.position(complaint.path)


def _note(
    problems: dict[Position, Problem], read: Source, complaint: Complaint, *, hides: bool = False
) -> None:
    """Keep a problem unless something has been said of the same place already."""
    position = _place(complaint, read)
    problems.setdefault(position, Problem(position, complaint.message, hides))
