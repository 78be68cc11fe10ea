"""Matching a value against a pattern.

Follows the pattern's depth, never the value's: whatever an implementation sends, matching ends. The pattern
must have no `problems`. Knows nothing of event lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.patterns._mismatch import Ids, Mismatch, Path, dotted, shown, subject
from conformance.patterns._operators import (
    HANDLE,
    OPERATORS,
    Unbound,
    accepts_absence,
    is_reference,
    operator_in,
    same,
)
from conformance.patterns._sequence import DOTS, Part, Stuck, parts_of, walk
from conformance.scenario import Json


@dataclass(frozen=True, slots=True)
class Matcher:
    """Matches with the ids that are known; `ids` maps references to them."""

    ids: Ids

    def value(self, pattern: Json, actual: Json, path: Path = ()) -> Mismatch | None:
        """The first difference; raises KeyError for an operator that does not exist."""
        if isinstance(pattern, dict):
            operator = operator_in(pattern)
            if operator is not None:
                name, argument = operator
                return OPERATORS[name].fits(argument, actual, self, path)
            return self._mapping(pattern, actual, path)
        if isinstance(pattern, list):
            return self._list(pattern, actual, path)
        try:
            holds = same(self.resolved(pattern), actual)
        except Unbound:
            holds = False
        return None if holds else self.differs(pattern, actual, path)

    def resolved(self, value: Json) -> Json:
        """The value that a pattern without operators but `$literal` stands for; raises Unbound."""
        if isinstance(value, str):
            if not is_reference(value):
                return value
            if value not in self.ids:
                raise Unbound(value)
            return self.ids[value]
        if isinstance(value, list):
            return [self.resolved(item) for item in value]
        if isinstance(value, dict):
            if value.keys() == {"$literal"}:
                return value["$literal"]
            return {key: self.resolved(item) for key, item in value.items()}
        return value

    def differs(self, pattern: Json, actual: Json, path: Path) -> Mismatch:
        """The mismatch for a value that is there but is not what it should be."""
        message = f"{subject(path)} is {shown(actual)}, expected {self.words(pattern)}"
        return Mismatch(path, pattern, actual, message)

    def words(self, pattern: Json) -> str:
        """What a sentence says for a pattern after "expected"."""
        operator = operator_in(pattern)
        if operator is not None:
            name, argument = operator
            return OPERATORS[name].words(argument, self.words)
        if isinstance(pattern, str) and is_reference(pattern):
            if pattern in self.ids:
                return f"{shown(self.ids[pattern])} ({pattern})"
            return f"the id of {pattern}, a {_referred_to(pattern)} that never came"
        return shown(pattern)

    def _mapping(self, pattern: dict[str, Json], actual: Json, path: Path) -> Mismatch | None:
        if not isinstance(actual, dict):
            return self.differs(pattern, actual, path)
        for key, wanted in pattern.items():
            if key in actual:
                mismatch = self.value(wanted, actual[key], (*path, key))
                if mismatch is not None:
                    return mismatch
            elif not accepts_absence(wanted):
                where = (*path, key)
                message = f"{dotted(where)} is missing, expected {self.words(wanted)}"
                return Mismatch(where, wanted, None, message)
        return None

    def _list(self, pattern: list[Json], actual: Json, path: Path) -> Mismatch | None:
        if not isinstance(actual, list):
            return self.differs(pattern, actual, path)
        items = actual
        parts = list_parts(pattern)
        stuck = walk(
            parts, len(items), lambda element, item: self.value(pattern[element], items[item]) is None
        )
        return None if stuck is None else self._list_mismatch(pattern, items, path, stuck)

    def _list_mismatch(self, pattern: list[Json], items: list[Json], path: Path, stuck: Stuck) -> Mismatch:
        wanted: list[Json] = [pattern[element] for element in stuck.elements]
        words = in_words([self.words(item) for item in wanted], end=stuck.end)
        expected = alternatives(wanted)
        where = (*path, stuck.index)
        if stuck.index == len(items):
            near = self._nearest(wanted[-1], items, path) if stuck.searched and wanted else ""
            message = f"{subject(path)} ends after {counted(len(items), 'element')}, expected {words}{near}"
            return Mismatch(where, expected, None, message)
        actual = items[stuck.index]
        if len(wanted) == 1 and not stuck.end:
            inner = self.value(wanted[0], actual, where)
            if inner is not None:
                return inner
        if not wanted:
            message = f"{subject(path)} has {counted(len(items), 'element')}, expected {stuck.index}"
            return Mismatch(where, None, actual, message)
        return Mismatch(where, expected, actual, f"{dotted(where)} is {shown(actual)}, expected {words}")

    def _nearest(self, wanted: Json, items: list[Json], path: Path) -> str:
        tried = [self.value(wanted, item, (*path, index)) for index, item in enumerate(items)]
        near = nearest(
            wanted, [(mismatch, len(path) + 1) for mismatch in tried if mismatch is not None], least=1
        )
        return "" if near is None else f"; the nearest is there: {near.message}"


def _referred_to(reference: str) -> str:
    if reference.startswith(HANDLE):
        return "handle"
    return "request" if reference.startswith("$request#") else "call"


def list_parts(pattern: list[Json]) -> list[Part]:
    """The chain of parts for a list pattern."""
    return [
        part for index, item in enumerate(pattern) for part in parts_of(index, DOTS if item == DOTS else "")
    ]


def in_words(options: list[str], *, end: bool) -> str:
    """Alternatives as a sentence lists them; `end`: that nothing comes is one of them, too."""
    return " or ".join([*options, "the end"] if end else options)


def counted(number: int, noun: str) -> str:
    """`1 element`, `2 elements`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def alternatives(patterns: Sequence[Json]) -> Json:
    """What is expected where any of these may stand: the one, all of them, or (for none) nothing."""
    if len(patterns) == 1:
        return patterns[0]
    return list(patterns) or None


def nearest(wanted: Json, tried: list[tuple[Mismatch, int]], least: int = 0) -> Mismatch | None:
    """Of failed attempts at one pattern, the last of those that agree with most of it.

    Each attempt comes with the length of the path to the value that was tried. Attempts that agree in fewer
    than `least` fields are no near misses.
    """
    order: dict[Path, int] = {}
    for rank, leaf in enumerate(_leaves(wanted)):
        for cut in range(len(leaf)):
            order.setdefault(leaf[: cut + 1], rank)
    best: Mismatch | None = None
    best_rank = least
    for mismatch, depth in tried:
        inner = mismatch.path[depth:]
        rank = next((order[inner[:cut]] for cut in range(len(inner), 0, -1) if inner[:cut] in order), -1)
        if rank >= best_rank:
            best, best_rank = mismatch, rank
    return best


def _leaves(pattern: Json) -> list[Path]:
    """The paths of a pattern's innermost fields in the order in which matching comes to them."""
    if not isinstance(pattern, dict) or operator_in(pattern) is not None:
        return [()]
    return [(key, *rest) for key, value in pattern.items() for rest in _leaves(value)]
