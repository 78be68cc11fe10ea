"""How an implementation is reached: in this process, or as a subprocess.

`load_driver` is the one place that knows what the name of a driver may look like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.drivers.base import Driver
    from conformance.drivers.life import StdioOptions


def load_driver(name: str, options: StdioOptions | None = None) -> Callable[[], Driver]:
    """The factory of the driver called `name`: `python:MODULE:FACTORY` or `stdio:COMMAND`.

    `options` say how a subprocess is treated. The factory can be pickled where what it names, and the
    options, can. Raises DriverNameError (of `drivers.base`).
    """
    from conformance.drivers.base import DriverNameError

    scheme, _, command = name.partition(":")
    if scheme == "python":
        from conformance.drivers import python

        if options is not None and (options.env or options.cwd is not None):
            raise DriverNameError(f"--driver {name}: --env and --cwd are for stdio:COMMAND")
        return python.load_driver(name)
    if scheme == "stdio":
        from conformance.drivers import stdio

        return stdio.load_driver(command, options)
    raise DriverNameError(f"--driver {name}: expected python:MODULE:FACTORY or stdio:COMMAND")
