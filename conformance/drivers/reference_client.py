"""The reference's clients as an implementation under test: the verbs of the profile `client`.

Each verb takes the params and gives the result that the protocol has for it. Knows of the host only what
`HostAsking` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.drivers.reference_asking import HostAsking
from conformance.drivers.reference_runtime import Verb
from conformance.drivers.wire import Object, objects, texts
from reference import (
    Answer,
    Client,
    ClientOptions,
    Clock,
    Message,
    Request,
    RunResult,
    SqliteStore,
    Toolkit,
    relay_tool,
)

RUNS = frozenset({"client/run", "client/ask", "client/run_with_answer", "client/ask_with_answer"})
"""The verbs that are answered when a run has ended."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A client with its tools, and the file that is to be closed with it."""

    client: Client
    toolkit: Toolkit
    store: SqliteStore | None


class ReferenceClients:
    """Clients by name, and what can be asked of them."""

    def __init__(self, asking: HostAsking, clock: Clock) -> None:
        self._asking = asking
        self._clock = clock
        self._held: dict[str, _Held] = {}
        self.verbs: Mapping[str, Verb] = {
            "client/create": self._create,
            "client/run": self._run,
            "client/ask": self._ask,
            "client/run_with_answer": self._run_with_answer,
            "client/ask_with_answer": self._ask_with_answer,
            "client/stored": self._stored,
        }

    def close(self) -> None:
        """Close all files. Nothing runs any more."""
        for agent in [*self._held]:
            self._forget(agent)

    def _forget(self, agent: str) -> None:
        held = self._held.pop(agent, None)
        if held is not None and held.store is not None:
            held.store.close()

    async def _create(self, params: Object) -> Object:
        """The model's name is the client's own: that is how the host is told whose model is asked. What is
        not there is left out."""
        agent = str(params["agent"])
        self._forget(agent)
        given: dict[str, Any] = {
            "system_prompt": params.get("system_prompt"),
            "wait_for": self._asking.interpreter(agent, is_there=params["interprets"] is True),
            "max_turns": params.get("max_turns"),
        }
        options = ClientOptions(
            agent, clock=self._clock, **{key: value for key, value in given.items() if value is not None}
        )
        own = [self._asking.tool(agent, name) for name in texts(params["tools"])]
        toolkit = Toolkit([*own, *map(relay_tool, texts(params["relays"]))])
        store = SqliteStore(str(params["store"])) if "store" in params else None
        self._held[agent] = _Held(Client(self._asking.generate, options, store=store), toolkit, store)
        return {}

    async def _run(self, params: Object) -> Object:
        held = self._held[str(params["agent"])]
        return _told(await held.client.run(str(params["prompt"]), held.toolkit))

    async def _ask(self, params: Object) -> Object:
        held = self._held[str(params["agent"])]
        return _told(await held.client.ask(str(params["prompt"]), held.toolkit, str(params["conversation"])))

    async def _run_with_answer(self, params: Object) -> Object:
        held = self._held[str(params["agent"])]
        history = [Message.from_json(message) for message in objects(params["history"])]
        return _told(await held.client.run_with_answer(held.toolkit, history, *_answered(params)))

    async def _ask_with_answer(self, params: Object) -> Object:
        held = self._held[str(params["agent"])]
        conversation = str(params["conversation"])
        return _told(await held.client.ask_with_answer(held.toolkit, conversation, *_answered(params)))

    async def _stored(self, params: Object) -> Object:
        store = self._held[str(params["agent"])].client.conversation_store
        messages = store.get(str(params["conversation"]))
        return {"messages": None if messages is None else [message.to_json() for message in messages]}


def _answered(params: Object) -> tuple[Request, Answer]:
    return Request.from_json(params["pending"]), Answer.from_json(params["answer"])


def _told(result: RunResult) -> Object:
    return result.to_json()
