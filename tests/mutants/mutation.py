"""Faults that no scenario saw when a tool had put them in wherever one can be."""

from __future__ import annotations

from tests.mutants import Mutant

MUTANTS = [
    Mutant(
        "an agent that is given another conversation counts its ids anew",
        "agent",
        "Conversation(messages, number=self._parts.conversation.number)",
        "Conversation(messages)",
        {"agent/events/ids-unique-replaced": "agent.events.ids-unique"},
    ),
]
