"""The conversation, which is all the state that an agent has.

Which calls are pending, which were cut off and whether the model is to speak next are functions of the
messages, and stand here first as such. A `Conversation` asks them once, then keeps their values up to date as
it grows, so that a turn costs the same however long the conversation is. Knows nothing of runs, and of no
clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from reference.messages import Message, ToolCall, ToolResult

_NUMBERED = re.compile(r"msg-(\d{1,18})(?:-call-\d+)?")
_CHARACTERS_PER_TOKEN = 4


def results_by_call(messages: Iterable[Message]) -> list[tuple[ToolCall, list[ToolResult]]]:
    """Every call in the order in which calls were made, with the results that it got.

    An id that is used again stands for the newer call.
    """
    calls: dict[str, tuple[ToolCall, list[ToolResult]]] = {}
    for message in messages:
        calls |= {call.id: (call, []) for call in message.tool_calls}
        if message.tool_result is not None and message.tool_result.tool_call_id in calls:
            calls[message.tool_result.tool_call_id][1].append(message.tool_result)
    return list(calls.values())


def pending_calls(messages: Iterable[Message]) -> tuple[ToolCall, ...]:
    """The calls whose real result is still owed: they have a placeholder and nothing else."""
    return tuple(
        call
        for call, results in results_by_call(messages)
        if results and all(result.pending for result in results)
    )


def dangling_calls(messages: Iterable[Message]) -> tuple[ToolCall, ...]:
    """The calls with no result at all, not even a placeholder: they were cut off in the middle."""
    return tuple(call for call, results in results_by_call(messages) if not results)


def needs_reply(messages: Sequence[Message]) -> bool:
    """Whether it is the model's turn to speak: the last message is there, and is not an answer of its own
    without calls. System messages are nobody's turn."""
    for message in reversed(messages):
        if message.role != "system":
            return message.role != "assistant" or bool(message.tool_calls)
    return False


def used_tokens(messages: Iterable[Message]) -> int:
    """About how many tokens the messages take: what they say themselves, else by their length."""
    return sum(map(_tokens, messages))


def _tokens(message: Message) -> int:
    if message.token_count is not None:
        return message.token_count
    return len(message.content) // _CHARACTERS_PER_TOKEN + 1


class MessagesView(Sequence[Message]):
    """The messages of a conversation, to look at. Nothing is copied: it grows as the conversation does."""

    __slots__ = ("_messages",)

    def __init__(self, messages: list[Message]) -> None:
        self._messages = messages

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        return self._messages[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __repr__(self) -> str:
        return f"MessagesView({self._messages!r})"


class Conversation:
    """Messages that are only ever added to, and what follows from them, kept up to date.

    What is added has ids that no message had before, and the results of a round come in the order of its
    calls. `number` is where the counting of messages goes on: past it, and past every number that occurs in
    an id, so that no id is ever used twice.
    """

    __slots__ = ("_dangling", "_messages", "_number", "_pending", "used_tokens", "view")

    def __init__(self, messages: Iterable[Message] = (), *, number: int = 0) -> None:
        self._messages = list(messages)
        self._dangling = {call.id: call for call in dangling_calls(self._messages)}
        self._pending = {call.id: call for call in pending_calls(self._messages)}
        self._number = max((number, *_numbers(self._messages)))
        self.used_tokens = used_tokens(self._messages)
        self.view = MessagesView(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def number(self) -> int:
        """How far messages have been counted."""
        return self._number

    def next_id(self) -> str:
        """The id of a message that is to be added."""
        self._number += 1
        return f"msg-{self._number}"

    def append(self, message: Message) -> None:
        """Add a message at the end."""
        self._messages.append(message)
        self._take_note(message)

    def append_to_round(self, call: ToolCall, message: Message) -> None:
        """Add the result of a dangling call right after the other results of its round.

        That is the end of the conversation, except in one from elsewhere that went on without the result.
        """
        self._messages.insert(self._end_of_round(call), message)
        self._take_note(message)

    def pending_calls(self) -> tuple[ToolCall, ...]:
        """`pending_calls` of the messages."""
        return tuple(self._pending.values())

    def pending_call(self, call_id: str) -> ToolCall | None:
        """The pending call with that id, if there is one."""
        return self._pending.get(call_id)

    def dangling_calls(self) -> tuple[ToolCall, ...]:
        """`dangling_calls` of the messages."""
        return tuple(self._dangling.values())

    def needs_reply(self) -> bool:
        """`needs_reply` of the messages."""
        return needs_reply(self._messages)

    def _take_note(self, message: Message) -> None:
        self.used_tokens += _tokens(message)
        self._dangling |= {call.id: call for call in message.tool_calls}
        result = message.tool_result
        if result is None:
            return
        unanswered = self._dangling.pop(result.tool_call_id, None)
        if not result.pending:
            self._pending.pop(result.tool_call_id, None)
        elif unanswered is not None:
            self._pending[unanswered.id] = unanswered

    def _end_of_round(self, call: ToolCall) -> int:
        """Where the results of the round end in which the call was made."""
        messages = self._messages
        place = len(messages)
        while call not in messages[place - 1].tool_calls:
            place -= 1
        while place < len(messages) and messages[place].role == "tool_result":
            place += 1
        return place


def _numbers(messages: Iterable[Message]) -> Iterator[int]:
    """The numbers that occur in the ids."""
    for message in messages:
        ids = [message.id, *(call.id for call in message.tool_calls)]
        if message.tool_result is not None:
            ids.append(message.tool_result.tool_call_id)
        for numbered in map(_NUMBERED.fullmatch, ids):
            if numbered is not None:
                yield int(numbered[1])


class Branch(Conversation):
    """What a turn adds to a conversation, which stays as it is until `join` adds it there. Whoever never does
    has given it up, which costs nothing however long the conversation is.

    The view shows the conversation and what has been added, everything else is about that alone. Ids are the
    conversation's, so that one that has been given up is not used again.
    """

    __slots__ = ("_trunk",)

    def __init__(self, trunk: Conversation) -> None:
        super().__init__()
        self._trunk = trunk
        self.view = _ViewBehind(trunk.view, self._messages)

    def next_id(self) -> str:
        """The id of a message that is to be added."""
        return self._trunk.next_id()

    def join(self) -> None:
        """Add to the conversation what has been added here."""
        for message in self._messages:
            self._trunk.append(message)


class _ViewBehind(MessagesView):
    """Two views, one behind the other."""

    __slots__ = ("_before",)

    def __init__(self, before: MessagesView, messages: list[Message]) -> None:
        super().__init__(messages)
        self._before = before

    def __len__(self) -> int:
        return len(self._before) + len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        return [*self][index]

    def __iter__(self) -> Iterator[Message]:
        yield from self._before
        yield from self._messages

    def __repr__(self) -> str:
        return f"MessagesView({[*self]!r})"
