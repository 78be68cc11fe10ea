"""Of whom an implementation may speak, and when: agents while a run of theirs is open, definitions and
clients at any time from their creation to the reset. Knows nothing of what is said."""

from __future__ import annotations

from conformance.drivers.base import ProtocolError
from conformance.drivers.wire import Object, mapping


class Known:
    """The names that one process has been given."""

    def __init__(self) -> None:
        self.agents: set[str] = set()
        self.standing: set[str] = set()
        """Definitions and clients. An empty name is a runtime's own interpreter."""
        self.runtimes: set[str] = set()
        self.running: dict[int, str] = {}
        """The agents that have a run open, by the ids of the requests for their runs."""

    def forget(self) -> None:
        """All names are those of another play."""
        self.agents.clear()
        self.standing.clear()
        self.runtimes.clear()
        self.running.clear()

    def hear_of(self, method: str, params: Object) -> None:
        """A request of the suite's names somebody: from now on, and not only when it has been answered."""
        if method == "agent/create":
            self.agents.add(str(params["agent"]))
        elif method == "client/create":
            self.standing.add(str(params["agent"]))
        elif method == "runtime/create":
            self.runtimes.add(str(params["runtime"]))
            self.standing |= {"", *mapping(params["definitions"])}

    def demand(self, method: str, params: Object) -> None:
        """Raises ProtocolError where the implementation may not ask or tell this of whom it does."""
        if method == "runtime/moved":
            if params["runtime"] not in self.runtimes:
                raise ProtocolError(f"{method} of {params['runtime']}, and no runtime is called so")
            return
        agent = str(params["agent"])
        if agent in self.running.values() or (agent in self.standing and method not in _OF_AGENTS):
            return
        if agent not in self.agents | self.standing:
            raise ProtocolError(f"{method} of {agent or repr(agent)}, and no agent is called so")
        raise ProtocolError(
            f"{method} of {agent} while no run of it is open (the answer to a run is the last of it)"
        )


_OF_AGENTS = frozenset({"event", "tool/approve"})
"""What there is only in the profile `agent`."""
