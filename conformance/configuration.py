"""What a project says once for all commands: in outlast.toml, or in [tool.outlast] of pyproject.toml.

The nearest folder upwards that has either is asked; where it has both, outlast.toml is. What is said on the
command line goes before. Knows what may stand there, and nothing of what becomes of it.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from conformance import words

FILE = "outlast.toml"
SHARED_FILE = "pyproject.toml"
_PREFIX = "tool.outlast."
KEYS = ("driver", "paths", "known_failures", "requirements")
MAX_BYTES = 1 << 18
MAX_MISTAKES = 100
"""So many are told of one file."""

_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")
"""A key of more parts than anybody writes: the time in which keys are read grows with the square of them."""

Toml: TypeAlias = "str | int | float | bool | datetime.date | datetime.time | list[Toml] | dict[str, Toml]"


class ConfigurationError(Exception):
    """The configuration is wrong. The message has a line for each mistake: the file, the key, what was
    expected."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is configured.

    `folder` is where `file` stands, which all names in it are relative to; the folder that was asked for
    where there is none. `paths` are scenarios and folders of them, or ids of those that ship, as on
    the command line. `requirements` is a file of requirements of one's own.
    """

    folder: Path
    file: Path | None = None
    driver: str | None = None
    paths: tuple[str, ...] = ()
    known_failures: Path | None = None
    requirements: Path | None = None

    def scenarios(self, shipped: Path) -> tuple[str, ...]:
        """`paths` as they are to be read from where we are. `shipped` is the folder of the scenarios that
        ship, whose ids are left as they are. Raises ConfigurationError for one that leads nowhere."""
        here = self.folder == Path.cwd()
        found: list[str] = []
        for index, path in enumerate(self.paths):
            if (self.folder / path).exists():
                found.append(path if here else str(self.folder / path))
            elif (shipped / path).exists() or (shipped / f"{path}.yaml").exists():
                found.append(path)
            else:
                expected = "expected a scenario, a folder of them, or an id of those that come with outlast"
                raise ConfigurationError(f"{self.key('paths')}[{index}]: there is no {path}; {expected}")
        return tuple(found)

    def key(self, name: str) -> str:
        """Where a key stands, for a message: the file, and the key's whole name."""
        prefix = _PREFIX if self.file is not None and self.file.name == SHARED_FILE else ""
        return f"{self.file}: {prefix}{name}"


def find(folder: Path) -> Configuration:
    """The configuration that holds in `folder`. Raises ConfigurationError."""
    folder = folder.absolute()
    for candidate in (folder, *folder.parents):
        found = _in_folder(candidate)
        if found is not None:
            return found
    return Configuration(folder)


def _in_folder(folder: Path) -> Configuration | None:
    own, shared = folder / FILE, folder / SHARED_FILE
    if own.is_file():
        return _Table(own, "", _parsed(own, _bytes(own))).configuration()
    if not shared.is_file():
        return None
    data = _bytes(shared)
    if b"outlast" not in data:  # what is wrong with a file that is not about us is not for us to say
        return None
    tool = _parsed(shared, data).get("tool")
    table = tool.get("outlast") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise ConfigurationError(f"{shared}: tool.outlast: expected a table, found {_described(table)}")
    return _Table(shared, _PREFIX, table).configuration()


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file}: this cannot be read: {error.strerror}") from error


def _parsed(file: Path, data: bytes) -> Mapping[str, Toml]:
    if len(data) > MAX_BYTES:
        raise ConfigurationError(f"{file}: this is larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8")
        if _LONG_KEY.search(text):
            raise ConfigurationError(f"{file}: a key in this has more than 64 parts")
        parsed: dict[str, Toml] = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file}: this is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file}: this is not TOML: {error}") from error
    except ValueError as error:
        raise ConfigurationError(f"{file}: a number in this is too large") from error
    except RecursionError as error:
        raise ConfigurationError(f"{file}: this is nested too deeply") from error
    return parsed


class _Table:
    """One table, whose keys are known by `prefix`; what is wrong with it is taken down."""

    def __init__(self, file: Path, prefix: str, values: Mapping[str, Toml]) -> None:
        self._file = file
        self._prefix = prefix
        self._values = values
        self._mistakes: list[str] = []

    def configuration(self) -> Configuration:
        """What it says. Raises ConfigurationError with all that is wrong."""
        for key in self._values:
            if key not in KEYS:
                hint = words.suggestion(key, KEYS) or f"; known here: {', '.join(KEYS)}"
                self._note(key, f"unknown key{hint}")
        found = Configuration(
            self._file.parent,
            self._file,
            driver=self._text("driver"),
            paths=self._texts("paths"),
            known_failures=self._path("known_failures"),
            requirements=self._path("requirements"),
        )
        if self._mistakes:
            raise ConfigurationError("\n".join(self._mistakes[:MAX_MISTAKES]))
        return found

    def _note(self, key: str, message: str) -> None:
        self._mistakes.append(f"{self._file}: {self._prefix}{key}: {message}")

    def _text(self, key: str) -> str | None:
        value = self._values.get(key)
        return None if value is None else self._as_text(key, value)

    def _as_text(self, key: str, value: Toml) -> str:
        if isinstance(value, str) and value.strip():
            return value
        self._note(key, f"expected a text that is not empty, found {_described(value)}")
        return ""

    def _path(self, key: str) -> Path | None:
        text = self._text(key)
        return None if text is None else self._file.parent / text

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._values.get(key)
        if isinstance(value, list) and value:
            return tuple(self._as_text(f"{key}[{index}]", item) for index, item in enumerate(value))
        if value is not None:
            self._note(key, f"expected a list of texts that is not empty, found {_described(value)}")
        return ()


def _described(value: Toml) -> str:
    if isinstance(value, datetime.date | datetime.time):
        return "a date or time"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return words.describe(value)
