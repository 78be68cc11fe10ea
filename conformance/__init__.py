"""The suite: loads scenarios, plays them against a driver, judges, reports.

What a program may use is described in `conformance.api`, and can be had from here by the same names:
`from conformance import load, run`. It is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# ruff: noqa: F403, F405 - what a type checker sees here is what the API lists
if TYPE_CHECKING:
    from conformance.api import *

__all__ = [
    "REFERENCE",
    "AgentOptions",
    "Call",
    "Crashed",
    "Diagnosis",
    "Driver",
    "DriverFailure",
    "DriverLike",
    "DriverNameError",
    "Failure",
    "Generation",
    "Host",
    "HostError",
    "Implementation",
    "ImplementationError",
    "InboxItem",
    "InputError",
    "KnownFailures",
    "NotStarted",
    "NotWritten",
    "Outcome",
    "PartialDriver",
    "Problem",
    "ProtocolError",
    "Register",
    "Report",
    "Requirement",
    "RequirementResult",
    "Scenario",
    "ScenarioResult",
    "Scenarios",
    "SelectionError",
    "Status",
    "TimedOut",
    "Verdict",
    "doctor",
    "load",
    "load_register",
    "merge",
    "patterns",
    "play",
    "play_async",
    "read_known_failures",
    "run",
    "run_async",
    "trace",
    "version",
]


def version() -> str:
    """The installed version of outlast."""
    from importlib.metadata import version as installed

    return installed("outlast")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """A name of the API, at its first use."""
        import importlib

        if name == "patterns":  # a package beside this: the API itself looks for it here
            return importlib.import_module("conformance.patterns")
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module("conformance.api"), name)
