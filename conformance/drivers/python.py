"""Drivers that live in this process: `python:package.module:factory`.

The factory is called without arguments and answers a `Driver`. Only exceptions and awaits are guarded here;
an implementation that blocks the loop blocks the suite.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from conformance.drivers.base import Driver, DriverNameError

__all__ = ["DriverNameError", "load_driver"]


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
    except (Exception, SystemExit) as error:
        raise DriverNameError(f"--driver {name}: cannot import {module_name}: {_in_words(error)}") from error
    factory: Callable[[], Driver] | None = getattr(module, attribute, None)
    if factory is None or not callable(factory):
        raise DriverNameError(f"--driver {name}: {module_name} has no function {attribute}")
    return factory


def _in_words(error: BaseException) -> str:
    return str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
