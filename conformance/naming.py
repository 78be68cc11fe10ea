"""What a scenario calls the calls of a play: `$tool#n`, the n-th call of that tool, bound as it is made.

Knows ids and agents, and nothing of how a play goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.scenario import Json

UNKNOWN_CALL_ID = "no-such-call"
"""What `$unknown` stands for: an id that no call has."""


def scripted_call_id(messages: Sequence[Mapping[str, Json]], place: int) -> str:
    """The id of a call where the suite gives them: the call at `place`, from 1, of what the model answers to
    these messages. The same input gives the same ids, as in a turn that is run again."""
    answered = sum(message.get("role") == "assistant" for message in messages)
    return f"call-{answered + 1}-{place}"


@dataclass(slots=True)
class CallNames:
    """The references of one play, in both directions. `ids` maps a reference to the id that it stands for.

    Agents give their calls ids of their own, so that two agents may have the same.
    """

    agents: Collection[str]
    ids: dict[str, str] = field(default_factory=lambda: {"$unknown": UNKNOWN_CALL_ID})
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _requests: dict[str, str] = field(default_factory=dict)

    def bind(self, agent: str, call_id: Json, tool: Json) -> None:
        """Bind the next `$tool#n` to a call that has not been seen before."""
        if not isinstance(call_id, str) or not isinstance(tool, str) or (agent, call_id) in self._names:
            return
        self._counts[tool] = self._counts.get(tool, 0) + 1
        reference = f"${tool}#{self._counts[tool]}"
        self._names[agent, call_id] = reference
        self.ids[reference] = call_id

    def bind_request(self, id: Json) -> None:
        """Bind the next `$request#n` to a request that has not been seen before."""
        if not isinstance(id, str) or id in self._requests:
            return
        self._requests[id] = f"$request#{len(self._requests) + 1}"
        self.ids[self._requests[id]] = id

    def bind_handle(self, name: str, id: str) -> None:
        """Bind `$handle.NAME` to a handle."""
        self.ids[f"$handle.{name}"] = id

    def forget(self, agent: str) -> None:
        """A new agent takes the place of this one, and may begin its ids again."""
        self._names = {key: name for key, name in self._names.items() if key[0] != agent}

    def name(self, agent: str, call_id: str) -> str:
        """The reference for a call of that agent, or else of anyone; the id where that is not clear."""
        return self._name(call_id, {agent})

    def named(self, value: Json, agent: str, *, is_nested: bool = False) -> Json:
        """A value of `agent` in which the ids of calls are references.

        What is nested in an event is a child's, and so is all of it if `is_nested`.
        """
        others = set(self.agents) - {agent}
        return self._walked(value, others if is_nested else {agent}, others)

    def _walked(self, value: Json, agents: set[str], others: set[str]) -> Json:
        if isinstance(value, list):
            return [self._walked(item, agents, others) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            key: self._name(item, agents)
            if isinstance(item, str) and key in ("id", "tool_call_id")
            else self._walked(item, others if key in ("event", "events") else agents, others)
            for key, item in value.items()
        }

    def _name(self, call_id: str, agents: set[str]) -> str:
        for among in (agents, set(self.agents)):
            found = {name for agent in among if (name := self._names.get((agent, call_id))) is not None}
            if found:
                return found.pop() if len(found) == 1 else call_id
        return call_id
