"""One agent's pushed messages, between two replacements of its conversation: which are there, and how often.

Each occurrence of a text in the new user messages is taken for one item, so that a merged message holds
several, and an equal text that was lost is missed. What no item explains may be a repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.reading import text_at
from conformance.transcript import Message


@dataclass(slots=True)
class Item:
    """A text that was put into the inbox.

    `due` is the number of model calls of the agent after which it has to be there; None for what may be
    there and need not: a prompt's own text, and what waited when replace_messages was called. `in_run` says
    that a run was in progress when it was put in, `after_stop` that it was still waiting when a run was
    stopped or failed, `threaded` that it came from a thread of its own.
    """

    text: str
    step: int
    due: int | None
    in_run: bool = False
    after_stop: bool = False
    threaded: bool = False
    is_prompt: bool = False

    def is_due(self, model_calls: int) -> bool:
        """Whether it has to be there at the next model call."""
        return self.due is not None and self.due <= model_calls


@dataclass(frozen=True, slots=True)
class Repeated:
    """A text that stands in more user messages than were put in with it; `step` saw the surplus one."""

    step: int
    text: str
    message: str
    times: int
    put_in: int


@dataclass(slots=True)
class Users:
    """The user messages of a conversation as they were when it was last shown."""

    count: int = 0
    first: str = ""
    last: str = ""

    def see(self, texts: list[str]) -> list[str] | None:
        """Those that are new; None where older ones are no longer as they were (pruned, say)."""
        new: list[str] | None = texts[self.count :]
        if self.count and (len(texts) < self.count or texts[0] != self.first):
            new = None
        elif self.count and new is not None and texts[self.count - 1] != self.last:
            merged = texts[self.count - 1]
            new = [merged.removeprefix(self.last), *new] if merged.startswith(self.last) else None
        if texts:
            self.count, self.first, self.last = len(texts), texts[0], texts[-1]
        return new


@dataclass(slots=True)
class PushedMessages:
    """The items that wait to be delivered, those that were, and the user messages that none explains."""

    waiting: list[Item] = field(default_factory=list)
    _all: list[Item] = field(default_factory=list)
    _delivered: set[str] = field(default_factory=set)
    _spare: list[tuple[int, str]] = field(default_factory=list)
    _users: Users = field(default_factory=Users)
    _latest: Sequence[Message] = ()
    _old: int = 0
    _blurred: bool = False

    @classmethod
    def beside(cls, messages: Sequence[Message]) -> PushedMessages:
        """For an agent that has this conversation already."""
        pushed = cls()
        texts = user_texts(messages)
        pushed._users.see(texts)
        pushed._old = len(texts)
        return pushed

    def put(self, item: Item, *, settled: bool = True) -> None:
        """An item is put in. One that was not settled may have been read before we knew that it was in."""
        if not item.text:
            return
        self._all.append(item)
        ahead = None if settled else next((spare for spare in self._spare if item.text in spare[1]), None)
        if ahead is None:
            self.waiting.append(item)
        else:
            self._spare.remove(ahead)
            self._delivered.add(item.text)

    def show(
        self, step: int, messages: Sequence[Message], model_calls: int, prompt: str
    ) -> tuple[list[Item], list[Item], list[str]]:
        """The model is called: the items that have come, those that are lost, and the new user texts.

        `prompt` is the text that the present run was prompted with, if any.
        """
        texts = user_texts(messages)
        new = self._users.see(texts)
        if new is None:
            self._blurred = True
            new = texts
        self._latest = messages

        def certainty(item: Item) -> int:
            if item.is_prompt:
                return 0 if item.text == prompt else 3
            return 1 if item.is_due(model_calls) else 2

        found, spare = assign(new, sorted(self.waiting, key=certainty))
        self._spare.extend((step, text) for text in spare)
        self._delivered.update(item.text for item in found if not item.is_prompt)
        here = {id(item) for item in found}
        missing = [item for item in self.waiting if id(item) not in here]
        self.waiting = [item for item in missing if not item.is_due(model_calls)]
        return found, [item for item in missing if item.is_due(model_calls)], new

    def repeated(self) -> list[Repeated]:
        """The delivered texts that stand there more often than they were put in, when all has been shown."""
        if self._blurred or not self._spare:
            return []
        there = user_texts(self._latest)[self._old :]
        found: dict[str, Repeated] = {}
        for step, message in self._spare:
            for text in self._delivered:
                if text in message and text not in found:
                    times = sum(text in other for other in there)
                    put_in = sum(text in item.text for item in self._all)
                    if times > put_in:
                        found[text] = Repeated(step, text, message, times, put_in)
        return list(found.values())


def user_texts(messages: Sequence[Message]) -> list[str]:
    """The contents of the user messages, without the white space around them."""
    return [text_at(message, "content").strip() for message in messages if text_at(message, "role") == "user"]


def assign(texts: Sequence[str], items: Sequence[Item]) -> tuple[list[Item], list[str]]:
    """The items that are found in the texts, each in an occurrence of its own, and the texts that hold none.

    Of several items with one text the earlier is found first.
    """
    equal: dict[str, list[int]] = {}
    for index, text in enumerate(texts):
        equal.setdefault(text, []).append(index)
    found: list[Item] = []
    inside: list[Item] = []
    taken: set[int] = set()
    for item in items:
        places = equal.get(item.text)
        if places:
            taken.add(places.pop())
            found.append(item)
        else:
            inside.append(item)
    left = {index: text for index, text in enumerate(texts) if index not in taken}
    # Longest first: what is part of a longer item's text is no occurrence of a shorter one.
    for item in sorted(inside, key=lambda item: -len(item.text)):
        place = next((index for index, text in left.items() if item.text in text), None)
        if place is not None:
            left[place] = left[place].replace(item.text, "\0", 1)
            taken.add(place)
            found.append(item)
    return found, [text for index, text in enumerate(texts) if index not in taken]
