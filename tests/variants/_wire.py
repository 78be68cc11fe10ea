"""Saying the same in other words: a driver that translates what the one below it tells the suite.

Events and messages keep their meaning. What the suite says to the implementation is passed on as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from conformance.drivers.base import (
    AgentOptions,
    Driver,
    Generation,
    Host,
    Implementation,
    ImplementationError,
    InboxItem,
    Outcome,
)
from conformance.scenario import Json

Object = dict[str, Json]


def _same(value: Object) -> Object:
    return value


def _alone(event: Object) -> list[Object]:
    return [event]


def _all(messages: list[Object]) -> list[Object]:
    return messages


def _answered(method: str, result: Object) -> Object:
    return result


@dataclass(frozen=True, slots=True)
class Translation:
    """`event` is what is emitted in place of an event, the messages in it having been translated; it is asked
    for the innermost of Nested ones. `message` translates messages wherever they are. `conversation` makes
    what is shown of a conversation of all its messages, and `prompt` what a model is given. `call` is for the
    entries of pending_calls, and `chunks` for the pieces in which a model's text comes. `told` is for what
    the verbs of the profiles runtime and client answer, the messages in it having been translated, and
    `refusal` for the texts of errors with which they do."""

    event: Callable[[Object], list[Object]] = _alone
    message: Callable[[Object], Object] = _same
    conversation: Callable[[list[Object]], list[Object]] = _all
    prompt: Callable[[list[Object]], list[Object]] = _all
    call: Callable[[Object], Object] = _same
    chunks: Callable[[tuple[str, ...]], tuple[str, ...]] = tuple
    told: Callable[[str, Object], Object] = _answered
    refusal: Callable[[str], str] = str


class _Translator:
    """Several translations, one after the other."""

    def __init__(self, translations: Sequence[Translation]) -> None:
        self._translations = translations

    def message(self, message: Object) -> Object:
        for translation in self._translations:
            message = translation.message(dict(message))
        return message

    def event(self, event: Object) -> list[Object]:
        inner = event.get("event")
        if event["type"] == "Nested" and isinstance(inner, dict):
            return [{**event, "event": each} for each in self.event(inner)]
        found = [{key: self._inside(value) for key, value in event.items()}]
        for translation in self._translations:
            found = [other for each in found for other in translation.event(each)]
        return found

    def _inside(self, value: Json) -> Json:
        if isinstance(value, list):
            return [self._inside(each) for each in value]
        if isinstance(value, dict) and "role" in value:
            return self.message(value)
        return value

    def conversation(self, messages: Sequence[Object]) -> list[Object]:
        shown = [self.message(message) for message in messages]
        for translation in self._translations:
            shown = translation.conversation(shown)
        return shown

    def prompt(self, messages: Sequence[Object]) -> list[Object]:
        given = self.conversation(messages)
        for translation in self._translations:
            given = translation.prompt(given)
        return given

    def call(self, call: Object) -> Object:
        for translation in self._translations:
            call = translation.call(dict(call))
        return call

    def chunks(self, chunks: tuple[str, ...]) -> tuple[str, ...]:
        for translation in self._translations:
            chunks = translation.chunks(chunks)
        return chunks

    def told(self, method: str, result: Object) -> Object:
        messages = result.get("messages")
        if isinstance(messages, list):
            given = [message for message in messages if isinstance(message, dict)]
            result = {**result, "messages": [*self.conversation(given)]}
        for translation in self._translations:
            result = translation.told(method, dict(result))
        return result

    def refusal(self, text: str) -> str:
        for translation in self._translations:
            text = translation.refusal(text)
        return text

    def reply(self, answer: Object) -> Object:
        message = answer.get("message")
        return {**answer, "message": self.message(message)} if isinstance(message, dict) else answer


class _TranslatedHost:
    def __init__(self, host: Host, translator: _Translator) -> None:
        self._host = host
        self._translator = translator

    async def generate(self, agent: str, messages: Sequence[Object]) -> Generation:
        generation = await self._host.generate(agent, self._translator.prompt(messages))
        return replace(generation, chunks=self._translator.chunks(generation.chunks))

    async def execute(
        self, agent: str, call_id: str, tool: str, arguments: Object, answer: Object | None = None
    ) -> Outcome:
        return await self._host.execute(agent, call_id, tool, arguments, answer)

    async def wait_for(self, agent: str, request: Object) -> Object:
        return await self._host.wait_for(agent, request)

    def moved(self, runtime: str, handle: str, before: str, after: str) -> None:
        self._host.moved(runtime, handle, before, after)

    async def approve(self, agent: str, call_id: str, tool: str, arguments: Object) -> str | None:
        return await self._host.approve(agent, call_id, tool, arguments)

    def event(self, agent: str, event: Object) -> None:
        for each in self._translator.event(event):
            self._host.event(agent, each)


class Translated:
    """The driver below, in other words."""

    def __init__(self, below: Driver, translations: Sequence[Translation]) -> None:
        self._below = below
        self._translator = _Translator(translations)
        self.reset, self.shutdown, self.crash = below.reset, below.shutdown, below.crash
        self.stop, self.needs_reply = below.stop, below.needs_reply
        self.replace_messages, self.update = below.replace_messages, below.update

    async def start(self, host: Host) -> Implementation:
        """Driver.start."""
        return await self._below.start(_TranslatedHost(host, self._translator))

    async def create(self, agent: str, options: AgentOptions) -> None:
        """Driver.create."""
        await self._below.create(agent, options)

    async def prompt(self, agent: str, text: str) -> Object:
        """Driver.prompt."""
        return self._translator.reply(await self._below.prompt(agent, text))

    async def resume(self, agent: str) -> Object:
        """Driver.resume."""
        return self._translator.reply(await self._below.resume(agent))

    async def messages(self, agent: str) -> list[Object]:
        """Driver.messages."""
        return self._translator.conversation(await self._below.messages(agent))

    async def pending_calls(self, agent: str) -> list[Object]:
        """Driver.pending_calls."""
        return [self._translator.call(call) for call in await self._below.pending_calls(agent)]

    async def put(self, agent: str, item: InboxItem) -> None:
        """Driver.put."""
        await self._below.put(agent, item)

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Driver.put_from_threads."""
        await self._below.put_from_threads(agent, threads)

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> Object:
        """Driver.run_child."""
        return self._translator.reply(await self._below.run_child(agent, call_id, child, prompt))

    async def perform(self, method: str, params: Object) -> Object:
        """Driver.perform."""
        try:
            result = await self._below.perform(method, params)
        except ImplementationError as error:
            raise ImplementationError(error.code, self._translator.refusal(error.message)) from error
        return self._translator.told(method, result)
