"""The suite: loads scenarios, plays them against a driver, judges, reports."""

from __future__ import annotations


def version() -> str:
    """The installed version of outlast."""
    from importlib.metadata import version as installed

    return installed("outlast")
