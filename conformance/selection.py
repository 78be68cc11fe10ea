"""Which scenarios are meant: by path or id, profile, requirement and an expression over their names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from conformance import words
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
            hint = words.suggestions(name, [*sorted(areas), *register])
            raise SelectionError(f"there is no requirement {name}{hint}")
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

    Raises SelectionError for names that lead nowhere.
    """
    if not paths:
        return [shipped]
    found = [_found(text, shipped) for text in paths]
    lost = [text for text, path in zip(paths, found, strict=True) if path is None]
    if lost:
        hints = (nearest(text, shipped) or "; see: outlast list" for text in lost)
        raise SelectionError(
            "\n".join(
                f"there is no scenario, file or folder {text}{hint}"
                for text, hint in zip(lost, hints, strict=True)
            )
        )
    return [path for path in found if path is not None]


PROBES = Path(__file__).parent / "probes"
"""Scenarios that `outlast doctor` plays and nothing else: they are found by what `probe_name` calls them."""


def probe_name(path: Path) -> str | None:
    """What a scenario of `PROBES` is called in a command, wherever outlast is installed; None for others."""
    return f"{PROBES.name}/{path.stem}" if path.absolute().parent == PROBES.absolute() else None


def _found(text: str, shipped: Path) -> Path | None:
    candidates = [Path(text), shipped / text, shipped / f"{text}.yaml"]
    if text.startswith(f"{PROBES.name}/"):
        candidates.append(PROBES.parent / f"{text}.yaml")
    try:
        return next((path for path in candidates if path.exists() or path.is_symlink()), None)
    except OSError as error:
        raise SelectionError(f"{text} cannot be read: {error.strerror}") from error


def nearest(text: str, shipped: Path) -> str:
    """`; did you mean A or B?` for a name that leads nowhere: an id of the scenarios that ship or the
    beginning of one, or a file or folder beside the one that is missing. Nothing where none is near."""
    name = text.rstrip("/").removesuffix(".yaml")
    files = [file.relative_to(shipped).with_suffix("") for file in sorted(shipped.rglob("*/*.yaml"))]
    folders = dict.fromkeys(folder for file in files for folder in reversed(file.parents[:-1]))
    known = [path.as_posix() for path in (*folders, *files)]
    ending = [id for id in known if id.endswith(f"/{name}") or name.endswith(f"/{id}")]
    if ending:
        return words.did_you_mean(ending)
    path = Path(text)
    beside = [str(each) for each in _beside(path)]
    return words.suggestion(text, beside) or words.suggestions(name, known) or _same_end(name, known)


def _beside(path: Path) -> list[Path]:
    """The scenarios and folders that stand where `path` would."""
    try:
        return [each for each in path.parent.iterdir() if each.suffix == ".yaml" or each.is_dir()]
    except OSError:
        return []


def _same_end(name: str, known: Sequence[str]) -> str:
    """Those of `known` whose last part is the one that is very near to the last part of `name`."""
    by_end: dict[str, list[str]] = {}
    for id in known:
        by_end.setdefault(id.rpartition("/")[2], []).append(id)
    close = difflib.get_close_matches(name.rpartition("/")[2], by_end, n=1, cutoff=0.8)
    return words.did_you_mean(by_end[close[0]] if close else [])
