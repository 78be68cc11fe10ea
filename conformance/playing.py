"""Playing one scenario against a driver: the host's part, step by step.

What comes of it is a transcript and the failures of the scenario's own checks. Whether that is a pass is for
`judge` to say. Each profile has a player of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.agent_player import AgentPlayer
from conformance.client_player import ClientPlayer
from conformance.player import Played, Player
from conformance.runtime_player import RuntimePlayer
from conformance.scenario import Profile, Scenario
from conformance.session import Session

__all__ = ["Played", "play"]

_PLAYERS: Mapping[Profile, Callable[[Scenario, Session, float], Player]] = {
    "agent": AgentPlayer,
    "runtime": RuntimePlayer,
    "client": ClientPlayer,
}


async def play(scenario: Scenario, session: Session, timeout: float = 10.0) -> Played:
    """Play `scenario` in a session that has been opened.

    `timeout` is how long, in seconds, the implementation may be silent while the suite waits for it.
    """
    player = _PLAYERS[scenario.profile](scenario, session, timeout)
    session.switch.host = player.script
    try:
        return await player.play()
    finally:
        session.switch.host = None
