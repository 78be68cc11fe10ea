"""Which scenarios are meant: by path or id, profile, requirement and an expression over their names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from conformance.requirements import Register
from conformance.scenario import Profile, Scenario

Predicate = Callable[[str], bool]


class SelectionError(Exception):
    """What was asked for does not exist or cannot be understood."""


def expression(text: str) -> Predicate:
    """A predicate over a name for words joined by and, or, not and brackets; a word is in the name or not.

    Raises SelectionError.
    """
    tokens = re.findall(r"[()]|[^\s()]+", text)
    predicate, rest = _either(tokens, text)
    if rest:
        raise SelectionError(f"-k {text!r}: expected the end or and/or, found {rest[0]!r}")
    return predicate


def _either(tokens: Sequence[str], text: str) -> tuple[Predicate, Sequence[str]]:
    left, rest = _both(tokens, text)
    if rest and rest[0] == "or":
        right, rest = _either(rest[1:], text)
        return (lambda name: left(name) or right(name)), rest
    return left, rest


def _both(tokens: Sequence[str], text: str) -> tuple[Predicate, Sequence[str]]:
    left, rest = _one(tokens, text)
    if rest and rest[0] == "and":
        right, rest = _both(rest[1:], text)
        return (lambda name: left(name) and right(name)), rest
    return left, rest


def _one(tokens: Sequence[str], text: str) -> tuple[Predicate, Sequence[str]]:
    if not tokens or tokens[0] in ("and", "or", ")"):
        found = repr(tokens[0]) if tokens else "the end"
        raise SelectionError(f"-k {text!r}: expected a word, not or an opening bracket, found {found}")
    first, rest = tokens[0], tokens[1:]
    if first == "not":
        inner, rest = _one(rest, text)
        return (lambda name: not inner(name)), rest
    if first == "(":
        inner, rest = _either(rest, text)
        if not rest or rest[0] != ")":
            raise SelectionError(f"-k {text!r}: a bracket is not closed")
        return inner, rest[1:]
    word = first.lower()
    return (lambda name: word in name.lower()), rest


def requirement_ids(wanted: Iterable[str], register: Register) -> frozenset[str]:
    """The requirements that are named, each by its id or by the beginning of one (`agent.inbox`).

    Raises SelectionError for a name that no requirement has.
    """
    found: set[str] = set()
    for name in wanted:
        ids = {id for id in register if id == name or id.startswith(f"{name}.")}
        if not ids:
            areas = {id.rpartition(".")[0] for id in register}
            close = difflib.get_close_matches(name, [*register, *sorted(areas)], n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise SelectionError(f"--requirement {name}: there is no such requirement{hint}")
        found |= ids
    return frozenset(found)


def select(
    scenarios: Iterable[Scenario],
    *,
    profiles: frozenset[Profile] | None = None,
    requirements: frozenset[str] | None = None,
    name: Predicate | None = None,
) -> list[Scenario]:
    """Those that have one of `profiles`, cover one of `requirements`, and whose id or title matches."""
    return [
        scenario
        for scenario in scenarios
        if (profiles is None or scenario.profile in profiles)
        and (requirements is None or not requirements.isdisjoint(scenario.covers))
        and (name is None or name(f"{scenario.id} {scenario.title}"))
    ]


def resolve(paths: Sequence[str], shipped: Path) -> list[Path]:
    """The files and folders that are named: as they stand, or below the scenarios that ship.

    A name that is neither is left as it stands for the loader to complain of.
    """
    if not paths:
        return [shipped]
    found = []
    for text in paths:
        candidates = (Path(text), shipped / text, shipped / f"{text}.yaml")
        found.append(next((path for path in candidates if path.exists()), Path(text)))
    return found
