"""`survivors.yaml`: the faults that no scenario sees, each with the reason why none does.

The list may not grow old unnoticed: a survivor that it does not have, an entry for a fault that is seen or
that nothing makes any more, and a line number that is not that of the fault are errors of the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.scenario import Json, Position
from conformance.source import Key, Problem, Source, SourceError, read
from tests.mutation.faults import Fault, Outcome, modules

LIST = Path(__file__).parent / "survivors.yaml"
_LINE = re.compile(r"line (\d+)")
KINDS = ("equivalent", "open")


@dataclass(frozen=True, slots=True)
class Survivor:
    """One entry: the fault that makes `text` of what stands at `line` of `module`, and why none sees it.

    `kind` is one of KINDS. `why` says why nothing comes of it, or names what is left open.
    """

    module: str
    line: int
    text: str
    kind: str
    why: str
    position: Position


def listed(path: Path = LIST) -> tuple[Survivor, ...]:
    """The entries of the list, in its order. Raises SourceError."""
    reader = _Reader(read(path))
    found = tuple(reader.survivors())
    if reader.problems:
        raise SourceError(reader.problems)
    return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """The list beside what has been played: what agrees, and what is wrong with the list.

    `explained` are the entries for survivors. `moved` are those whose fault stands at another line now, with
    that line.
    """

    explained: tuple[Survivor, ...]
    moved: tuple[tuple[Survivor, int], ...]
    problems: tuple[str, ...]


def compared(survivors: Iterable[Survivor], outcomes: Iterable[Outcome]) -> Comparison:
    """Hold the entries for some modules against what came of every fault in them."""
    left = sorted(outcomes, key=lambda outcome: outcome.fault.line)
    explained, moved, problems = list[Survivor](), list[tuple[Survivor, int]](), list[str]()
    unplaced = list[Survivor]()
    for survivor in survivors:
        found = next((it for it in left if _is_at(survivor, it.fault)), None)
        if found is None:
            unplaced.append(survivor)
            continue
        left.remove(found)
        explained.append(survivor)
        if not found.survived:
            problems.append(_seen(survivor, found))
    for survivor in unplaced:
        found = next((it for it in left if _is_same(survivor, it.fault)), None)
        if found is None:
            problems.append(f"{survivor.position}: there is no such fault in {survivor.module}")
            continue
        left.remove(found)
        if found.survived:
            moved.append((survivor, found.fault.line))
        else:
            problems.append(_seen(survivor, found))
    problems += [f"nothing says why this survives: {it.fault}" for it in left if it.survived]
    return Comparison(tuple(explained), tuple(moved), tuple(problems))


def _seen(survivor: Survivor, outcome: Outcome) -> str:
    return f"{survivor.position}: this fault is seen by {outcome.seen_by}"


def _is_same(survivor: Survivor, fault: Fault) -> bool:
    return survivor.module == fault.module and survivor.text == fault.text


def _is_at(survivor: Survivor, fault: Fault) -> bool:
    return _is_same(survivor, fault) and survivor.line == fault.line


def renumber(moved: Iterable[tuple[Survivor, int]], path: Path = LIST) -> None:
    """Write the line numbers into the list that the faults have now."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for survivor, line in moved:
        place, column = survivor.position.line - 1, survivor.position.column - 1
        rest = lines[place][column:].removeprefix(f"line {survivor.line}")
        lines[place] = f"{lines[place][:column]}line {line}{rest}"
    path.write_text("".join(lines), encoding="utf-8")


class _Reader:
    """Goes through the list; what is wrong with it gathers in `problems`."""

    def __init__(self, source: Source) -> None:
        self.problems: list[Problem] = []
        self._source = source
        content = source.value if isinstance(source.value, dict) else {}
        if content.keys() != {"left_open", "survivors"}:
            self._refuse((), "expected the keys left_open and survivors")
        self._points = _mapping(content.get("left_open"))
        self._content = _mapping(content.get("survivors"))

    def survivors(self) -> Iterator[Survivor]:
        """Every entry."""
        used = set[str]()
        for module, groups in self._content.items():
            if module not in modules():
                self._refuse(("survivors", module), "the reference has no such module")
            for n, group in enumerate(groups if isinstance(groups, list) else []):
                for survivor in self._group(module, n, _mapping(group)):
                    used.add(survivor.why)
                    yield survivor
        for point in self._points.keys() - used:
            self._refuse(("left_open", point), "no survivor refers to this")

    def _group(self, module: str, n: int, group: Mapping[str, Json]) -> Iterator[Survivor]:
        place: tuple[Key, ...] = ("survivors", module, n)
        kinds = [kind for kind in KINDS if kind in group]
        faults = group.get("faults")
        if len(kinds) != 1 or len(group) != 2 or not isinstance(faults, list) or not faults:
            self._refuse(place, f"expected one of {', '.join(KINDS)}, and a list of faults")
            return
        kind, why = kinds[0], group[kinds[0]]
        if not isinstance(why, str) or not why:
            self._refuse((*place, kind), "expected a reason")
            return
        if kind == "open" and why not in self._points:
            self._refuse((*place, kind), "left_open does not say what that is")
        for m, fault in enumerate(faults):
            for key, text in _mapping(fault).items():
                where, line = (*place, "faults", m, key), _LINE.fullmatch(key)
                if line is None or not isinstance(text, str) or len(_mapping(fault)) != 1:
                    self._refuse(where, "expected `line N`, and the text that the fault has from there on")
                    continue
                position = self._source.key_position(where)
                yield Survivor(module, int(line[1]), text.strip(), kind, why, position)

    def _refuse(self, path: tuple[Key, ...], message: str) -> None:
        self.problems.append(Problem(self._source.key_position(path), message))


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}
