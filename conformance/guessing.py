"""What a scenario was meant to be where a key in it is misspelt, so that what follows from it is not told.

A misspelt key hides all that is behind it: without `spwan` there is no handle, without `cvoers` no profile.
The rest is therefore looked at with the key as it was likely meant. What is guessed is never played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from conformance import schemas
from conformance.complaint import Complaint
from conformance.mistakes import MAX_MISTAKES, UNKNOWN_KEY, Mistake
from conformance.outline import Outline, Path, named_profile, outline
from conformance.profiles import count_foreign, foreign_words
from conformance.reading import list_at
from conformance.scenario import PROFILES, Json, Profile

_ROUNDS = 6
"""Behind a key that is misspelt there may be another one, and a guess may be wrong; but hardly more often."""
_MIXED = 2
"""With so many words of another profile, it is they that are wrong, and not what the scenario covers."""
_PARTS = ("covers", "agents", "tools", "steps")
"""In these something may be lacking."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A document as it may have been meant. `renamed` are the keys that are written otherwise, by their paths
    in it; `unread` the parts of which not everything could be read."""

    parts: Outline
    renamed: Mapping[Path, str | int]
    unread: frozenset[str] = frozenset()

    def can_know(self, complaint: Complaint) -> bool:
        """Whether what a complaint finds lacking could not be in what was not read."""
        return self.unread.isdisjoint(complaint.lacks)

    def as_written(self, complaint: Complaint) -> Complaint:
        """A complaint about this as one about what is written."""
        path = complaint.path
        keys = (self.renamed.get(path[: place + 1], key) for place, key in enumerate(path))
        return complaint._replace(path=tuple(keys))

    def with_keys(self, keys: Mapping[Path, str]) -> Meant:
        """This with other keys in place of those at these paths."""
        document: Json = self.parts.document
        renamed = dict(self.renamed)
        for path, key in keys.items():
            document = _with_key(document, path, key)
            written = renamed.pop(path, path[-1])
            if written != key:
                renamed[*path[:-1], key] = written
        return Meant(_outline(document), renamed)


def meant(document: Json) -> tuple[Meant, list[Complaint]]:
    """What a document was likely meant to be, and what is wrong with the form in which it is written: what
    tells most comes first."""
    now = Meant(_outline(document), {})
    told: list[Complaint] = []
    hardly_meant: set[Path] = set()
    for rounds_left in reversed(range(_ROUNDS)):
        foreign = list(islice(foreign_words(now.parts), MAX_MISTAKES))
        mistakes = _mistakes(now.parts.document if now.renamed else document, now.parts.profile)
        wrong = {mistake.path for mistake in mistakes if not mistake.at_key} & now.renamed.keys()
        guesses = {path: str(now.renamed[path]) for path in wrong}  # a value of another kind: as it was
        hardly_meant |= wrong
        if not guesses:
            known = {complaint.path for complaint in foreign}
            likely = [it for it in mistakes if it.keyword in UNKNOWN_KEY and it.keys and it.path not in known]
            guesses = {
                it.path: key
                for it in likely
                if (*it.path[:-1], key := next(iter(it.keys))) not in hardly_meant
            }
            told += [now.as_written(_complaint(it)) for it in likely if it.path in guesses]
        if not guesses or not rounds_left:
            break
        now = now.with_keys(guesses)
    other_profile = list(_other_profile(now.parts))
    unread = frozenset([*_unread(mistakes), *(["covers"] if other_profile else [])])
    of_form = [*other_profile, *foreign, *map(_complaint, mistakes)]
    return replace(now, unread=unread), [*told, *map(now.as_written, of_form)]


def _outline(document: Json) -> Outline:
    """The outline of a document. Its profile is the one that is named by what it covers, if any, unless all
    else has the words of another."""
    parts = outline(document)
    named = named_profile(parts.document)
    if named is not None and count_foreign(parts, named) <= _MIXED:
        return parts
    likely = min(PROFILES, key=lambda profile: count_foreign(parts, profile))
    is_clear = named is None or count_foreign(parts, likely) == 0
    return replace(parts, profile=likely) if is_clear else parts


def _other_profile(parts: Outline) -> Iterator[Complaint]:
    """That what a document covers belongs to another profile than all of its words."""
    named = named_profile(parts.document)
    if named is not None and named != parts.profile:
        covers = list_at(parts.document, "covers")
        first = next(place for place, id in enumerate(covers) if str(id).startswith(f"{named}."))
        words_of = f"and the words below to the profile {parts.profile}"
        yield Complaint(("covers", first), f"{covers[first]} belongs to the profile {named}, {words_of}")


def _mistakes(document: Json, profile: Profile) -> list[Mistake]:
    """What the schema says; where what a document covers does not name this profile, all else is looked at as
    if it did."""
    mistakes = schemas.mistakes("scenario", document)
    if not isinstance(document, dict) or named_profile(document) == profile:
        return mistakes
    supposed: Json = {**document, "covers": [f"{profile}.some.requirement"]}
    about_covers = [it for it in mistakes if it.path[:1] == ("covers",) or "covers" in it.keys]
    return [*about_covers, *schemas.mistakes("scenario", supposed)]


def _unread(mistakes: Sequence[Mistake]) -> Iterator[str]:
    """The parts of a scenario of which not everything could be read."""
    for mistake in mistakes:
        if len(mistake.path) > 1 or (mistake.path and not mistake.at_key):
            yield str(mistake.path[0])
        elif mistake.path or not mistake.keys:  # an unknown key on top may be any of them
            yield from _PARTS
        else:
            yield from mistake.keys


def _complaint(mistake: Mistake) -> Complaint:
    return Complaint(mistake.path, mistake.message, mistake.at_key)


def _with_key(document: Json, path: Path, key: str) -> Json:
    """A copy in which the entry at `path` has another key, at the same place among the others."""
    first, *rest = path
    if isinstance(document, list) and isinstance(first, int):
        return [
            _with_key(item, tuple(rest), key) if place == first else item
            for place, item in enumerate(document)
        ]
    if not isinstance(document, dict):
        return document
    if not rest:
        return {key if name == first else name: item for name, item in document.items()}
    return {
        name: _with_key(item, tuple(rest), key) if name == first else item for name, item in document.items()
    }
