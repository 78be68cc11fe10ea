"""The register of requirements: every statement that an implementation can meet or break."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.scenario import PROFILES, Level, Profile

Origin = Literal["documented", "derived", "background", "field"]


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
