"""What a host hands to a runtime: the definitions of its agents, and the options.

Knows nothing of how they are run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from reference.answer import WaitFor, new_request_id
from reference.budget import Budget
from reference.clock import Clock, WallClock
from reference.generating import Generate
from reference.handle import State
from reference.toolkit import FunctionTool

OnTransition: TypeAlias = Callable[[str, State, State], None]
"""Told of every step of every handle: the id, the state that it left, and the one that it is in now."""


@dataclass(frozen=True, slots=True)
class Def:
    """A kind of sub-agent.

    Args:
        name: as the registry has it.
        does: what it is good for, for a model that may delegate to it.
        model: handed to the model with each request.
        tools: what it can call.
        team: the names of those to whom it can delegate; a team gives it the tool `task`.
        system_prompt: handed to the model beside the messages.
        wait_for: answers what its tools, and those of all below it, ask for.
        budget: what each handle of it may use up.
    """

    name: str
    does: str = ""
    model: str = ""
    tools: tuple[FunctionTool, ...] = ()
    team: tuple[str, ...] = ()
    system_prompt: str = ""
    wait_for: WaitFor | None = None
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class Options:
    """How a runtime behaves.

    Args:
        registry: the definitions, by name.
        generate: the model, which all agents share.
        wait_for: answers what nobody nearer can.
        budget: what all handles together may use up.
        inbox_cap: how many items an inbox holds.
        clock: for the messages' timestamps and for all limits of time.
        new_id: gives the ids of requests that were made without one.
        on_transition: must not raise.
    """

    registry: Mapping[str, Def]
    generate: Generate | None = None
    wait_for: WaitFor | None = None
    budget: Budget = field(default_factory=Budget)
    inbox_cap: int = 8
    clock: Clock = field(default_factory=WallClock)
    new_id: Callable[[], str] = new_request_id
    on_transition: OnTransition | None = None
