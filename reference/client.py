"""The plain client: a model and tools, one run at a time, and no handles.

    run    a user message, then rounds until        done, incomplete; or
               a tool suspends, and nobody answers  pending: the run halts. Each call that waits has a
                                                    placeholder for its result
    run_with_answer                                 the placeholders give way to results, and the rounds go on

All that a run needs to go on is its transcript and the request, both of which are JSON: any client will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from reference.answer import Answer, Request, WaitFor, new_request_id
from reference.budget import MAX_TURNS
from reference.clock import Clock, WallClock, milliseconds
from reference.conversation import Conversation, pending_calls
from reference.errors import Busy, NothingToDo
from reference.generating import Generate
from reference.messages import Message, ToolCall, ToolOutput
from reference.model import Usage
from reference.relay import KIND, check_answer, relay_request, results_of
from reference.result import RunResult
from reference.rounds import Halted, Mind, Rounds, declined, result_message
from reference.store import ConversationStore, MemoryStore
from reference.toolkit import Toolkit


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How a client behaves.

    Args:
        model, system_prompt: handed to the model with each request.
        wait_for: answers what a tool asks for, so that no run halts.
        max_turns: how many times one run may ask the model; None: no limit.
        clock: for the messages' timestamps.
        new_id: gives the ids of requests that were made without one.
    """

    model: str = ""
    system_prompt: str = ""
    wait_for: WaitFor | None = None
    max_turns: int | None = None
    clock: Clock = field(default_factory=WallClock)
    new_id: Callable[[], str] = new_request_id


class Client:
    """Runs a model with tools.

    Args:
        generate: the model.
        options: how it behaves; as `ClientOptions()` if there are none.
        store: where `ask` keeps conversations; in memory unless it is given.
    """

    __slots__ = ("_asked", "_generate", "_options", "_store")

    def __init__(
        self,
        generate: Generate,
        options: ClientOptions | None = None,
        *,
        store: ConversationStore | None = None,
    ) -> None:
        self._generate = generate
        self._options = options or ClientOptions()
        self._store: ConversationStore = MemoryStore() if store is None else store
        self._asked: set[str] = set()

    @property
    def conversation_store(self) -> ConversationStore:
        """Where `ask` keeps conversations."""
        return self._store

    async def run(self, prompt: str, toolkit: Toolkit, history: Iterable[Message] = ()) -> RunResult:
        """Ask, as a user message behind the history, and make the calls of the answers until one is final.

        Raises:
            ModelFailed: the model raised.
        """
        passage = _Passage(self._generate, self._options, toolkit, Conversation(history))
        passage.rounds.hear(prompt)
        return await passage.play()

    async def run_with_answer(
        self, toolkit: Toolkit, history: Iterable[Message], pending: Request, answer: Answer
    ) -> RunResult:
        """Go on with a run that has halted. No user message is added.

        Args:
            history: the transcript of the halted run, which is not changed.
            pending: its request.
            answer: an ok one has the results of the calls that wait, a declined one makes them fail.

        Raises:
            AnswerRejected: the Answer does not echo the request's id, or is ok and has no result in it.
            NothingToDo: no call of the transcript waits for an Answer.
            ModelFailed: the model raised.
        """
        check_answer(pending, answer)
        messages = _answered(tuple(history), answer, self._now)
        return await _Passage(self._generate, self._options, toolkit, Conversation(messages)).play()

    async def ask(self, prompt: str, toolkit: Toolkit, conversation_id: str) -> RunResult:
        """`run` with a conversation of the store as its history, which then has its transcript.

        Raises:
            Busy: this client is at that conversation already.
            ModelFailed: the model raised. The store has what it had.
        """
        with self._conversation(conversation_id) as history:
            return self._kept(conversation_id, await self.run(prompt, toolkit, history))

    async def ask_with_answer(
        self, toolkit: Toolkit, conversation_id: str, pending: Request, answer: Answer
    ) -> RunResult:
        """`run_with_answer` with a conversation of the store, which then has the transcript.

        Raises:
            Busy: this client is at that conversation already.
            AnswerRejected, NothingToDo, ModelFailed: as `run_with_answer`. The store has what it had.
        """
        with self._conversation(conversation_id) as history:
            result = await self.run_with_answer(toolkit, history, pending, answer)
            return self._kept(conversation_id, result)

    @contextmanager
    def _conversation(self, conversation_id: str) -> Iterator[tuple[Message, ...]]:
        """A stored conversation, for one run at a time: the later of two would undo the earlier."""
        if conversation_id in self._asked:
            raise Busy(f"the conversation {conversation_id!r} has a run in progress")
        self._asked.add(conversation_id)
        try:
            yield self._store.get(conversation_id) or ()
        finally:
            self._asked.remove(conversation_id)

    def _kept(self, conversation_id: str, result: RunResult) -> RunResult:
        self._store.put(conversation_id, result.messages)
        return result

    def _now(self) -> int:
        return milliseconds(self._options.clock)


class _Passage:
    """One run, from its first model call to its end or its halt: the owner of its rounds."""

    __slots__ = ("_conversation", "_options", "_spent", "_turns", "rounds")

    def __init__(
        self, generate: Generate, options: ClientOptions, toolkit: Toolkit, conversation: Conversation
    ) -> None:
        mind = Mind(generate, options.model, options.system_prompt)
        self._options = options
        self._conversation = conversation
        self._turns = 0
        self._spent = Usage(0, 0, 0)
        self.rounds = Rounds(mind, toolkit, conversation, self)

    async def play(self) -> RunResult:
        ending = await self.rounds.play()
        request = self._request_for(ending.halted) if ending.halted else None
        messages = tuple(self._conversation.view)
        return RunResult(
            ending.text, messages, ending.status, request, ending.limit, self._turns, self._spent
        )

    def _request_for(self, halted: Sequence[Halted]) -> Request:
        """The first call's request. If that is relayed, it tells of all relayed calls of the turn."""
        first = halted[0].request
        if first.kind != KIND:
            return first
        data = relay_request([each.call for each in halted if each.request.kind == KIND]).data
        return first.filled_in(first.id, data)

    # What the rounds ask of their owner.

    @property
    def wait_for(self) -> WaitFor | None:
        return self._options.wait_for

    def limit_of_turns(self) -> str:
        most = self._options.max_turns
        return MAX_TURNS if most is not None and self._turns >= most else ""

    def limit_of_calls(self) -> str:
        return ""

    def count(self, usage: Usage | None) -> None:
        self._turns += 1
        if usage is not None:
            spent = self._spent
            self._spent = Usage(
                spent.prompt_tokens + usage.prompt_tokens,
                spent.completion_tokens + usage.completion_tokens,
                spent.total + usage.total,
            )

    def complete(self, request: Request) -> Request:
        if request.id:
            return request
        new_id = self._options.new_id()
        return request.filled_in(new_id, request.data)

    def now(self) -> int:
        return milliseconds(self._options.clock)


def _answered(history: tuple[Message, ...], answer: Answer, now: Callable[[], int]) -> list[Message]:
    """The transcript with a result for each call that waits, in the place of its placeholder.

    The halted turn is the last in which calls wait; of an earlier one the host has thought better.
    """
    unanswered = {call.id for call in pending_calls(history)}
    waiting_at = [
        (place, calls)
        for place, message in enumerate(history)
        if (calls := [call for call in message.tool_calls if call.id in unanswered])
    ]
    if not waiting_at:
        raise NothingToDo("no call of the transcript waits for an answer")
    place, waiting = waiting_at[-1]
    outputs = results_of(answer, waiting) if answer.ok else [declined(answer)] * len(waiting)
    given = {call.id: (call, output) for call, output in zip(waiting, outputs, strict=True)}
    return [*history[:place], *(_without_placeholder(message, given, now) for message in history[place:])]


def _without_placeholder(
    message: Message, given: dict[str, tuple[ToolCall, ToolOutput]], now: Callable[[], int]
) -> Message:
    result = message.tool_result
    if result is None or result.tool_call_id not in given:
        return message
    call, output = given[result.tool_call_id]
    return result_message(message.id, call, output, now())
