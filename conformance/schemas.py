"""The JSON Schemas that ship: where they are, whether a value fits one, and what is wrong where it does not.

Yes or no comes from a compiled validator; only a value that does not fit is looked at again, slowly, to say
why (`mistakes`). Knows nothing of what the schemas describe.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema_rs

from conformance.scenario import Json

if TYPE_CHECKING:
    from conformance.mistakes import Mistake
    from conformance.mistakes import Path as JsonPath

_SUFFIX = ".schema.json"
_LARGE = 20_000
"""Values in a value of which only the first mistake is told, and not in our own words."""
_SHOWN = 200


def folder() -> Path:
    """The folder of the schemas: inside the installed package, or beside it in a checkout."""
    return _shipped("schemas", __file__)


def scenarios_folder() -> Path:
    """The folder of the scenarios that ship, found as `folder` finds the schemas."""
    return _shipped("scenarios", __file__)


@cache
def _shipped(name: str, module: str) -> Path:
    package = Path(module).resolve().parent
    installed = package / "_data" / name
    return installed if installed.is_dir() else package.parent / name


@cache
def load(name: str) -> dict[str, Json]:
    """The schema `name` (`scenario`, `event`, ...). It is shared: do not change it.

    Raises LookupError where there is no such schema.
    """
    file = folder() / f"{name}{_SUFFIX}"
    if not file.is_file():
        known = ", ".join(_names()) or "none"
        raise LookupError(f"there is no schema {name!r}; there are: {known}")
    schema: dict[str, Json] = json.loads(file.read_text(encoding="utf-8"))
    return schema


def is_valid(name: str, instance: Json, part: str = "") -> bool:
    """Whether `instance` fits the schema `name`, or the part of it that the JSON Pointer `part` leads to.

    Raises LookupError where there is no such schema.
    """
    try:
        return validator(name, part)(instance)
    except ValueError:  # what JSON cannot carry: a lone surrogate, a key that is no text, endless nesting
        return False


def validator(name: str, part: str = "") -> Callable[[Json], bool]:
    """`is_valid` for one schema, or part of one, and for what has been read from JSON.

    Raises LookupError as `is_valid` does; the function ValueError for what JSON cannot carry.
    """
    is_valid: Callable[[Json], bool] = _compiled(name, part).is_valid
    return is_valid


def explain(name: str, instance: Json, part: str = "") -> list[tuple[JsonPath, str]]:
    """What keeps `instance` from fitting the schema `name`, or a part of it as in `is_valid`: (path,
    message), in the order of the paths.

    Empty exactly where `is_valid` is true. Where a schema carries an `errorMessage`, that is what is said in
    place of our own words about its oneOf, not, pattern and the like; a `hint` is added to them. Raises
    LookupError as `load` does.
    """
    return [(mistake.path, mistake.message) for mistake in mistakes(name, instance, part)]


def mistakes(name: str, instance: Json, part: str = "") -> list[Mistake]:
    """As `explain`, also saying of each mistake whether it is a key's or a value's."""
    if is_valid(name, instance, part):
        return []
    from conformance import mistakes as slow  # to import, too, and mostly not needed

    if _is_large(instance):
        try:
            _compiled(name, part).validate(instance)
        except jsonschema_rs.ValidationError as first:
            return [slow.Mistake(tuple(first.instance_path), _shortened(first.message), "")]
        except ValueError:  # as in is_valid
            pass
    return slow.find(_part(name, part), [load(other) for other in _names()], instance)


def _is_large(value: Json) -> bool:
    """Whether going through a value slowly takes too long."""
    seen = 0
    waiting = [value]
    while waiting and seen <= _LARGE:
        here = waiting.pop()
        inside = here.values() if isinstance(here, dict) else here if isinstance(here, list) else ()
        seen += len(inside)
        waiting.extend(inside)
    return seen > _LARGE


def _shortened(message: str) -> str:
    return message if len(message) <= _SHOWN else f"{message[: _SHOWN - 3]}..."


def _part(name: str, part: str) -> dict[str, Json]:
    return {"$ref": f"{load(name)['$id']}#{part}"} if part else load(name)


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in folder().glob(f"*{_SUFFIX}")))


@cache
def _registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(str(load(name)["$id"]), load(name)) for name in _names()])


@cache
def _compiled(name: str, part: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(_part(name, part), registry=_registry())
