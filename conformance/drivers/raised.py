"""What an implementation in Python has raised, as a traceback that is its own.

Of the suite's frames, which stand above the implementation's and perhaps below them, nobody who writes an
implementation learns anything; they would take the place of those from which one does.
"""

from __future__ import annotations

import traceback
from pathlib import Path

_SUITE = Path(__file__).resolve().parent.parent
_NOT_THE_SUITES = "reference"
"""How the modules of the driver of the reference begin: what is derived from it is an implementation."""


def traceback_of(error: BaseException) -> str:
    """The traceback of an exception and of those that led to it, without the frames of the suite.

    That in which it was raised stays, whosesoever it is; and all stay where none is the implementation's.
    """
    told = traceback.TracebackException.from_exception(error)
    whole = [told]
    for each in whole:  # those that led to it are added meanwhile: there may be too many for a recursion
        stack = list(each.stack)
        if not all(map(_is_the_suites, stack)):
            kept = [frame for frame in stack if frame is stack[-1] or not _is_the_suites(frame)]
            each.stack = traceback.StackSummary.from_list(kept)
        whole += [led for led in (each.__cause__, each.__context__, *(each.exceptions or ())) if led]
    return "".join(told.format())


def _is_the_suites(frame: traceback.FrameSummary) -> bool:
    file = Path(frame.filename)
    return file.is_relative_to(_SUITE) and not file.name.startswith(_NOT_THE_SUITES)
