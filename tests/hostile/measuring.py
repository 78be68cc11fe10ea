"""What reading each hostile file costs: a process of its own for each, with limits that it cannot pass.

    python -m tests.hostile.measuring FOLDER

prints a line of JSON for each file: what kind and which it is, how it came out, the seconds of processor time
that it took and the most memory that the process had, in MiB, with all that Python needs. The files are
written to FOLDER.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from conformance import InputError, load_register, read_known_failures
from conformance.configuration import ConfigurationError, find
from conformance.drivers.jsonlines import NotJson, decode
from conformance.loader import ScenarioError, load
from conformance.report.reading_back import ReportError, read_report
from conformance.requirements import RequirementsError
from conformance.requirements import read as read_requirements
from tests.hostile import other_files, scenario_files

SECONDS = 2
MEBIBYTES = 256
_KILLED_AFTER = 4 * SECONDS
_PER_MEBIBYTE = 1 << 20 if sys.platform == "darwin" else 1 << 10


class Kind(NamedTuple):
    """Files of one kind: how they are called, how they are read, and the error that refuses them."""

    name: str
    read: Callable[[Path], object]
    refuses: type[Exception]
    files: Iterable[tuple[str, bytes]]


class Cost(NamedTuple):
    """What reading one file has cost."""

    kind: str
    file: str
    outcome: str
    seconds: float
    mebibytes: int


def kinds() -> list[Kind]:
    """All kinds."""
    register = load_register()

    def scenario(file: Path) -> object:
        return load(file, file.parent, register)

    def configuration(file: Path) -> object:
        return find(file.parent)

    def line(file: Path) -> object:
        return decode(file.read_bytes())

    return [
        Kind("yaml.yaml", scenario, ScenarioError, scenario_files.yaml_files()),
        Kind("scenario.yaml", scenario, ScenarioError, scenario_files.scenario_files()),
        Kind("known.yaml", read_known_failures, InputError, other_files.known_failures()),
        Kind("requirements.yaml", read_requirements, RequirementsError, other_files.requirements()),
        Kind("outlast.toml", configuration, ConfigurationError, other_files.configurations()),
        Kind("report.json", read_report, ReportError, other_files.reports()),
        Kind("line.json", line, NotJson, other_files.json_texts()),
    ]


def cost(kind: Kind, name: str, file: Path) -> Cost:
    """Read a file in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(_read(kind, name, file)).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if not told:
        return Cost(kind.name, name, f"ended with {status}", _KILLED_AFTER, 0)
    return Cost(*json.loads(told))


def _read(kind: Kind, name: str, file: Path) -> Cost:
    resource.setrlimit(resource.RLIMIT_CPU, (_KILLED_AFTER, _KILLED_AFTER))
    with contextlib.suppress(ValueError, OSError):  # there are systems that do not know this limit
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    began = time.process_time()
    try:
        kind.read(file)
        outcome = "read"
    except kind.refuses:
        outcome = "refused"
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what came out
        outcome = f"{type(error).__name__}: {error}"[:200]
    seconds = time.process_time() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _PER_MEBIBYTE
    return Cost(kind.name, name, outcome, round(seconds, 3), most)


def main(folder: Path) -> None:
    """Read all files, one after the other."""
    for kind in kinds():
        for name, data in kind.files:
            file = folder / kind.name
            file.write_bytes(data)
            del data
            print(json.dumps(cost(kind, name, file)), flush=True)
            file.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
