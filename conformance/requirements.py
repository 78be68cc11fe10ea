"""The register of requirements: every statement that an implementation can meet or break.

Knows the file in which they stand, and nothing of the scenarios that cover them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypedDict, cast

from conformance import schemas, source
from conformance.scenario import PROFILES, Level, Profile

Origin = Literal["documented", "derived", "background", "field"]


class RequirementsError(Exception):
    """The register cannot be used: `problems` says why, in the order of their places, and the message has
    a line for each."""

    def __init__(self, problems: Iterable[source.Problem]) -> None:
        self.problems = tuple(sorted(problems, key=source.in_order))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class Requirement:
    """One statement, with its level, its origin and its place in the documents."""

    id: str
    level: Level
    origin: Origin
    text: str
    source: str

    @property
    def profile(self) -> Profile:
        """The first segment of the id."""
        first = self.id.partition(".")[0]
        for profile in PROFILES:
            if profile == first:
                return profile
        raise ValueError(f"{self.id}: a requirement's id begins with agent., runtime. or client.")


@dataclass(frozen=True, slots=True)
class Register(Mapping[str, Requirement]):
    """All requirements by id, in the order of the file."""

    by_id: Mapping[str, Requirement]

    def __getitem__(self, id: str) -> Requirement:
        return self.by_id[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_id)

    def __len__(self) -> int:
        return len(self.by_id)


class _Entry(TypedDict):
    id: str
    level: Level
    origin: Origin
    text: str
    source: str


class _Document(TypedDict):
    format: int
    requirements: list[_Entry]


def read(path: Path, beside: Register | None = None) -> Register:
    """The register that stands in the file at `path`; behind that of `beside`, where it is given.

    Raises RequirementsError with everything that is wrong: a file that cannot be read or is no YAML, what
    does not fit the schema `requirements`, an id that stands there twice or is one of `beside`.
    """
    first = beside or Register(MappingProxyType({}))
    try:
        file = source.read(path)
    except source.SourceError as error:
        raise RequirementsError(error.problems) from error
    problems = [*_misfits(file), *_repeated_ids(file), *_taken_ids(file, first)]
    if problems:
        raise RequirementsError(problems)
    entries = cast("_Document", file.value)["requirements"]
    own = {entry["id"]: Requirement(**entry) for entry in entries}
    return Register(MappingProxyType({**first.by_id, **own}))


def _misfits(file: source.Source) -> Iterator[source.Problem]:
    """What does not fit the schema."""
    for mistake in schemas.mistakes("requirements", file.value):
        find = file.key_position if mistake.at_key else file.position
        yield source.Problem(find(mistake.path), mistake.message)


def _ids(file: source.Source) -> Iterator[tuple[int, str]]:
    """The ids and where they stand in the list, whatever else is wrong with their entries."""
    entries = file.value.get("requirements") if isinstance(file.value, dict) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        id = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(id, str):
            yield index, id


def _repeated_ids(file: source.Source) -> Iterator[source.Problem]:
    """Ids that stand there twice."""
    first: dict[str, int] = {}
    for index, id in _ids(file):
        if id in first:
            line = file.position(("requirements", first[id], "id")).line
            message = f"the id {id} stands in line {line} already; expected one of its own"
            yield source.Problem(file.position(("requirements", index, "id")), message)
        first.setdefault(id, index)


def _taken_ids(file: source.Source, taken: Register) -> Iterator[source.Problem]:
    """Ids that another register has."""
    for index, id in _ids(file):
        if id in taken:
            message = f"the id {id} is that of a requirement that comes with outlast; expected one of its own"
            yield source.Problem(file.position(("requirements", index, "id")), message)
