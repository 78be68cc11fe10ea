"""The reference's runtimes as an implementation under test: the verbs of the profile `runtime`.

Each verb takes the params and gives the result that the protocol has for it. Handles cross as their ids; here
is which handle an id stands for. Knows of the host only what `HostAsking` does.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.drivers.reference_asking import HostAsking
from conformance.drivers.wire import Object, mapping, texts
from conformance.scenario import Json
from reference import Answer, Budget, Clock, Def, Handle, Options, Runtime

Verb: TypeAlias = Callable[[Object], Coroutine[object, None, Object]]

AWAITED = frozenset({"runtime/wait", "runtime/resume"})
"""The verbs that are answered when a turn has ended; all others are at once."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A runtime, and its handles by their ids."""

    runtime: Runtime
    handles: dict[str, Handle] = field(default_factory=dict)


class ReferenceRuntimes:
    """Runtimes by name, and what can be asked of them."""

    def __init__(self, asking: HostAsking, clock: Clock) -> None:
        self._asking = asking
        self._clock = clock
        self._held: dict[str, _Held] = {}
        self.verbs: Mapping[str, Verb] = {
            "runtime/create": self._create,
            "runtime/spawn": self._spawn,
            "runtime/post": self._post,
            "runtime/wake": self._wake,
            "runtime/wait": self._wait,
            "runtime/interrupt": self._interrupt,
            "runtime/close": self._close,
            "runtime/resume": self._resume,
            "runtime/list": self._list,
            "runtime/inspect": _view(lambda at, handle: at.inspect(handle).to_json(), self._held),
            "runtime/state_of": _view(lambda at, handle: {"state": at.state_of(handle).value}, self._held),
            "runtime/inbox_len": _view(lambda at, handle: {"inbox": at.inbox_len(handle)}, self._held),
            "runtime/pool_tokens": _view(lambda at, handle: {"tokens": at.pool_tokens(handle)}, self._held),
            "runtime/usage_tokens": _view(lambda at, handle: {"tokens": at.usage_tokens(handle)}, self._held),
        }

    def close(self) -> None:
        """Close all, now. What runs is cancelled."""
        for held in self._held.values():
            held.runtime.close(held.runtime.root(), force=True)
        self._held.clear()

    async def _create(self, params: Object) -> Object:
        name, definitions = str(params["runtime"]), mapping(params["definitions"])
        given: dict[str, Any] = {
            "wait_for": self._asking.interpreter("", is_there=params["interprets"] is True),
            "budget": _budget(params["budget"]) if params["budget"] else None,
            "inbox_cap": params.get("inbox_cap"),
        }
        options = Options(
            registry={each: self._definition(each, mapping(found)) for each, found in definitions.items()},
            generate=self._asking.generate,
            clock=self._clock,
            on_transition=self._asking.observer(name),
            **{key: value for key, value in given.items() if value is not None},
        )
        older = self._held.pop(name, None)
        if older is not None:
            older.runtime.close(older.runtime.root(), force=True)
        self._held[name] = _Held(Runtime(options))
        return {}

    def _definition(self, name: str, found: Object) -> Def:
        """The model's name is the definition's own: that is how the host is told whose model is asked. What
        is empty is left out."""
        given: dict[str, Any] = {
            "does": str(found["does"]),
            "tools": tuple(self._asking.tool(name, tool) for tool in texts(found["tools"])),
            "team": texts(found["team"]),
            "system_prompt": str(found.get("system_prompt", "")),
            "wait_for": self._asking.interpreter(name, is_there=found["interprets"] is True),
            "budget": found["budget"] and _budget(found["budget"]),
        }
        return Def(name, model=name, **{key: value for key, value in given.items() if value})

    async def _spawn(self, params: Object) -> Object:
        held = self._held[str(params["runtime"])]
        parent = held.handles[str(params["under"])] if "under" in params else held.runtime.root()
        budget = _budget(params["budget"]) if "budget" in params else None
        handle = held.runtime.spawn(parent, str(params["name"]), budget)
        held.handles[handle.id] = handle
        return {"handle": handle.id}

    async def _post(self, params: Object) -> Object:
        runtime, handle = _addressed(self._held, params)
        sender = self._held[str(params["runtime"])].handles[str(params["from"])] if "from" in params else None
        runtime.post(handle, str(params["text"]), sender)
        return {}

    async def _wake(self, params: Object) -> Object:
        runtime, handle = _addressed(self._held, params)
        runtime.wake(handle, *([str(params["prompt"])] if params["prompt"] else []))
        return {}

    async def _wait(self, params: Object) -> Object:
        runtime, handle = _addressed(self._held, params)
        seconds = params.get("timeout")
        return (await runtime.wait(handle, seconds if isinstance(seconds, int | float) else None)).to_json()

    async def _interrupt(self, params: Object) -> Object:
        runtime, handle = _addressed(self._held, params)
        runtime.interrupt(handle)
        return {}

    async def _close(self, params: Object) -> Object:
        runtime, handle = _addressed(self._held, params)
        if params["force"] is True:
            runtime.close(handle, force=True)
        else:
            runtime.close(handle)
        return {}

    async def _resume(self, params: Object) -> Object:
        runtime = self._held[str(params["runtime"])].runtime
        return (await runtime.resume(Answer.from_json(params["answer"]))).to_json()

    async def _list(self, params: Object) -> Object:
        runtime = self._held[str(params["runtime"])].runtime
        return {"views": [view.to_json() for view in runtime.list()]}


def _addressed(held: Mapping[str, _Held], params: Object) -> tuple[Runtime, Handle]:
    """The runtime and the handle that the params name."""
    found = held[str(params["runtime"])]
    return found.runtime, found.handles[str(params["handle"])]


def _view(look: Callable[[Runtime, Handle], Object], held: Mapping[str, _Held]) -> Verb:
    async def view(params: Object) -> Object:
        return look(*_addressed(held, params))

    return view


def _budget(limits: Json) -> Budget:
    return Budget(**{name: most for name, most in mapping(limits).items() if isinstance(most, int)})
