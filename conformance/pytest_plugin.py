"""Scenarios as tests of pytest; silent until asked by `outlast_paths` in its configuration or `--outlast`.

This module is loaded by every pytest beside which outlast is installed, so it does no more than offer the
options; `pytest_scenarios` does the rest, once it is asked for.
"""

from __future__ import annotations

import pytest

from conformance.scenario import PROFILES


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("outlast", "scenarios of outlast as tests")
    group.addoption(
        "--outlast",
        action="store_true",
        help="Play scenarios (YAML files with `format` on top), each as a test: those that are named as for"
        " `outlast run` (files, folders, ids of those that come with outlast, or beginnings as agent/inbox),"
        " or else those that outlast.toml or [tool.outlast] names, or else what is collected. -k looks at"
        " their ids and titles.",
    )
    group.addoption(
        "--outlast-driver",
        metavar="DRIVER",
        help="The implementation that they are played against: python:MODULE:FACTORY or stdio:COMMAND"
        " (default: what is configured, or the reference).",
    )
    group.addoption(
        "--outlast-profile",
        action="append",
        choices=PROFILES,
        default=[],
        help="Of the scenarios, only what belongs to this profile; may be repeated.",
    )
    group.addoption(
        "--outlast-requirement",
        action="append",
        metavar="ID",
        default=[],
        help="Of the scenarios, only what is about this requirement, or one below it (agent.inbox); may be"
        " repeated.",
    )
    group.addoption(
        "--outlast-strict",
        action="store_true",
        help="A scenario that is a should fails like one that is a must.",
    )
    parser.addini(
        "outlast_paths",
        "Scenarios, folders of them, or ids of scenarios that come with outlast (agent/inbox): each scenario"
        " is a test.",
        type="args",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Take part, if that is wanted."""
    if config.getoption("outlast") or config.getini("outlast_paths"):
        from conformance.pytest_scenarios import take_part

        take_part(config)
