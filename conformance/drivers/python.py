"""Drivers that live in this process: `python:package.module:factory`.

The factory is called without arguments and answers a `Driver`. Only exceptions and awaits are guarded here;
an implementation that blocks the loop blocks the suite.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from conformance.drivers.base import Driver


class DriverNameError(Exception):
    """A driver's name that cannot be understood, or leads nowhere."""


def load_driver(name: str) -> Callable[[], Driver]:
    """The factory that `python:MODULE:FACTORY` names; the current folder is searched too.

    Raises DriverNameError.
    """
    scheme, _, rest = name.partition(":")
    module_name, _, attribute = rest.partition(":")
    if scheme != "python" or not module_name or not attribute:
        raise DriverNameError(f"--driver {name}: expected python:MODULE:FACTORY")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise DriverNameError(f"--driver {name}: cannot import {module_name}: {error}") from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        raise DriverNameError(f"--driver {name}: {module_name} has no function {attribute}")

    def create() -> Driver:
        driver: Driver = factory()
        return driver

    return create
