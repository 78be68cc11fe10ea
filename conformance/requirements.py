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


def read(path: Path) -> Register:
    """The register that stands in the file at `path`.

    Raises RequirementsError with everything that is wrong: a file that cannot be read or is no YAML, what
    does not fit the schema `requirements`, an id that stands there twice.
    """
    try:
        file = source.read(path)
    except source.SourceError as error:
        raise RequirementsError(error.problems) from error
    problems = [*_misfits(file), *_repeated_ids(file)]
    if problems:
        raise RequirementsError(problems)
    entries = cast("_Document", file.value)["requirements"]
    return Register(MappingProxyType({entry["id"]: Requirement(**entry) for entry in entries}))


def _misfits(file: source.Source) -> Iterator[source.Problem]:
    """What does not fit the schema."""
    for mistake in schemas.mistakes("requirements", file.value):
        find = file.key_position if mistake.at_key else file.position
        yield source.Problem(find(mistake.path), mistake.message)


def _repeated_ids(file: source.Source) -> Iterator[source.Problem]:
    """Ids that stand there twice. Looks at every entry that has one, whatever else is wrong with it."""
    entries = file.value.get("requirements") if isinstance(file.value, dict) else None
    first: dict[str, int] = {}
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        id = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(id, str):
            continue
        if id in first:
            line = file.position(("requirements", first[id], "id")).line
            message = f"the id {id} stands in line {line} already; expected one of its own"
            yield source.Problem(file.position(("requirements", index, "id")), message)
        first.setdefault(id, index)
