"""Why a value does not fit a schema, in words that name the real mistake.

A validator reports every keyword that failed; a person wants the one thing to mend. So alternatives (oneOf,
anyOf) are narrowed down to the one that was meant, a misspelt key is not reported as missing as well, and a
value of the wrong type is reported for its type only. Knows nothing of what the schemas describe.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from conformance import expressions, words
from conformance.scenario import Json

Path: TypeAlias = tuple[str | int, ...]

UNKNOWN_KEY = ("additionalProperties", "unevaluatedProperties")
"""The keywords that an unknown key fails."""
_ALTERNATIVES = ("oneOf", "anyOf")
MAX_MISTAKES = 100
"""So many are told of one value."""
_WORD = re.compile(r"[A-Za-z][\w.-]{0,59}")
_UNFIT = "this cannot be looked at: text that is not Unicode, a key that is no text, or too deep a nesting"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing to mend: at the value that `path` leads to or, with `at_key`, at the key itself.

    `keyword` is the keyword of the schema that failed; `keys` are those that are missing, or that an unknown
    one may be a misspelling of.
    """

    path: Path
    message: str
    keyword: str
    at_key: bool = False
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Error:
    """What the validator says: `keyword: limit` of `schema` does not hold for `value` at `path`.

    `below` is the part of the path, and `trail` of the schema's path, from the alternative that the error
    belongs to. `branches` are the errors of each alternative of a oneOf or anyOf.
    """

    path: Path
    below: Path
    trail: Path
    keyword: str
    limit: Any
    value: Json
    schema: Mapping[str, Any]
    message: str
    branches: tuple[tuple[_Error, ...], ...]


def _unique(validator: object, unique: bool, items: object, schema: object) -> Iterator[ValidationError]:
    """`uniqueItems`, saying which element it is, and in a time that does not grow with the square."""
    seen: set[str] = set()
    for index, item in enumerate(items if unique and isinstance(items, list) else ()):
        written = json.dumps(item, sort_keys=True)
        if written in seen:
            yield ValidationError("", path=[index])
        seen.add(written)


def _pattern(validator: object, pattern: str, text: object, schema: object) -> Iterator[ValidationError]:
    """`pattern`, in which an expression means what it means where it is said whether a value fits."""
    if isinstance(text, str) and not expressions.is_found(pattern, text):
        yield ValidationError("")


_Validator = extend(Draft202012Validator, {"uniqueItems": _unique, "pattern": _pattern})  # type: ignore[no-untyped-call]


def find(
    schema: Mapping[str, Json], all_schemas: Iterable[Mapping[str, Json]], instance: Json
) -> list[Mistake]:
    """The mistakes of `instance`, which does not fit `schema`: at least one, in the order of the paths.

    `all_schemas` are those to which `schema` may refer by their `$id`.
    """
    registry = Registry[Any]().with_resources(
        (str(other["$id"]), DRAFT202012.create_resource(dict(other))) for other in all_schemas
    )
    validator = _Validator(dict(schema), registry=registry)
    try:
        found = _tidied(_all(map(_error, validator.iter_errors(cast("Any", instance)))))
    except RecursionError:
        found = []
    return found or [Mistake((), _UNFIT, "")]


def _error(error: ValidationError) -> _Error:
    branches: dict[int, list[_Error]] = {}
    for inner in error.context or ():
        branches.setdefault(int(inner.relative_schema_path[0]), []).append(_error(inner))
    return _Error(
        path=tuple(error.absolute_path),
        below=tuple(error.relative_path),
        trail=tuple(error.relative_schema_path),
        keyword=str(error.validator) if error.validator else "false",
        limit=error.validator_value,
        value=cast("Json", error.instance),
        schema=error.schema if isinstance(error.schema, Mapping) else {},
        message=error.message,
        branches=tuple(tuple(errors) for errors in branches.values()),
    )


def _tidied(mistakes: list[Mistake]) -> list[Mistake]:
    """One mistake for each thing to mend, in the order of the paths."""
    mistyped = {mistake.path for mistake in mistakes if mistake.keyword == "type"}
    unknown = {mistake.path: mistake.keys for mistake in mistakes if mistake.keyword in UNKNOWN_KEY}
    inside: dict[Path, list[frozenset[str]]] = {}
    for path, keys in unknown.items():
        inside.setdefault(path[:-1], []).append(keys)

    crowded = {mistake.path for mistake in mistakes if mistake.keyword == "maxProperties"}

    def stands(mistake: Mistake) -> bool:
        if any(mistake.path[:length] in crowded for length in range(len(mistake.path))):
            return False  # which of the keys that are there is the one meant, is not known
        if mistake.keyword in UNKNOWN_KEY or mistake.keyword == "type":
            return True
        if mistake.at_key:
            return mistake.path not in unknown
        if mistake.keyword in _ALTERNATIVES and mistake.keys:
            return (
                mistake.path not in inside
            )  # the key that is not known is likely to be the one that is missing
        misspelt = any(mistake.keys & keys for keys in inside.get(mistake.path, ()))
        return mistake.path not in mistyped and not misspelt

    kept = {(mistake.path, mistake.message): mistake for mistake in mistakes if stands(mistake)}
    return sorted(kept.values(), key=lambda mistake: (_in_order(mistake.path), mistake.message))


def _in_order(path: Path) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (-1, part) for part in path]


def _all(errors: Iterable[_Error]) -> list[Mistake]:
    return list(islice((mistake for error in errors for mistake in _of(error)), MAX_MISTAKES))


def _of(error: _Error) -> Iterator[Mistake]:
    """The mistakes behind one error. A schema's `errorMessage` goes before our own words, but not where
    those are exact in any case: types, unknown keys, missing keys."""
    said = error.schema.get("patternErrorMessage") if error.keyword == "pattern" else None
    said = said or error.schema.get("errorMessage")
    key = _key_at_fault(error)
    if key is not None:
        yield Mistake((*error.path, key), said or _about(error), error.keyword, at_key=True)
    elif error.keyword in _ALTERNATIVES:
        yield from _alternatives(error, said)
    elif error.keyword in UNKNOWN_KEY:
        yield from _unknown_keys(error)
    elif error.keyword == "required":
        yield from _missing_key(error, _missing(error))
    elif error.keyword == "dependentRequired":
        yield from _missing_beside(error)
    elif error.keyword == "type":
        yield Mistake(error.path, f"{_about(error)}{_hint(error)}", error.keyword)
    elif error.keyword == "false":
        yield Mistake(error.path, said or "this is not allowed here", error.keyword, at_key=True)
    else:
        yield Mistake(error.path, f"{said or _about(error)}{_hint(error)}", error.keyword)


def _hint(error: _Error) -> str:
    """What a schema's `hint` says to do; `@` in it stands for what was found, if that is a single word."""
    hint = str(error.schema.get("hint", ""))
    found = error.value if isinstance(error.value, str) and _WORD.fullmatch(error.value) else None
    if not hint or ("@" in hint and found is None):
        return ""
    return f"; {hint.replace('@', found or '')}"


def _key_at_fault(error: _Error) -> str | None:
    """The key that an error is about, where the schema looks at keys: propertyNames, dependentSchemas."""
    if "propertyNames" in error.trail and isinstance(error.value, str):
        return error.value
    if "dependentSchemas" in error.trail and isinstance(error.value, dict):
        at = len(error.trail) - 1 - error.trail[::-1].index("dependentSchemas")
        key = error.trail[at + 1]
        if isinstance(key, str) and key in error.value and "properties" not in error.trail[at + 2 :]:
            return key
    return None


def _unknown_keys(error: _Error) -> Iterator[Mistake]:
    """One mistake for each key that the schema does not know."""
    parts = [error.schema, *error.schema.get("allOf", ())]
    known = {str(key) for part in parts for key in part.get("properties", {})}
    given = error.value if isinstance(error.value, dict) else {}
    for key in islice((key for key in given if key not in known), MAX_MISTAKES):
        if repr(key) not in error.message:  # known to a patternProperties, or to a subschema
            continue
        close = words.closest(key, known - set(given))
        hint = f"did you mean {close}?" if close else f"known here: {', '.join(sorted(known)) or 'none'}"
        keys = frozenset({close} if close else ())
        yield Mistake((*error.path, key), f"unknown key {key!r}; {hint}", error.keyword, True, keys)


def _missing(error: _Error) -> str:
    given = error.value if isinstance(error.value, dict) else {}
    absent = [str(key) for key in error.limit if key not in given]
    return next((key for key in absent if error.message.startswith(repr(key))), absent[0])


def _missing_key(error: _Error, *keys: str) -> Iterator[Mistake]:
    for key in keys:
        message, wanted = f"the key {key!r} is missing", frozenset({key})
        near = words.closest(key, _free_names(error))
        if near is None:
            yield Mistake(error.path, message, error.keyword, keys=wanted)
        else:
            message = f"{message}; did you mean it by {near}?"
            yield Mistake((*error.path, near), message, error.keyword, at_key=True, keys=wanted)


def _free_names(error: _Error) -> list[str]:
    """The keys of a mapping whose keys are names to be chosen: a missing one may be meant by one of them."""
    if not isinstance(error.schema.get("additionalProperties"), dict) or not isinstance(error.value, dict):
        return []
    return [key for key in error.value if key not in error.schema.get("properties", {})]


def _missing_beside(error: _Error) -> Iterator[Mistake]:
    given = error.value if isinstance(error.value, dict) else {}
    for key, needs in error.limit.items():
        for need in needs if key in given else ():
            if need not in given:
                message = f"{key} needs the key {need!r} beside it"
                yield Mistake((*error.path, key), message, error.keyword, at_key=True)


def _alternatives(error: _Error, said: str | None) -> Iterator[Mistake]:
    """The alternative that was meant, if it can be told; otherwise one sentence about all of them."""
    if not error.branches:
        yield _several_fit(error, said)
        return
    meant = [errors for errors in error.branches if not _rules_itself_out(errors)]
    wanted = [{_missing(inner) for inner in errors} for errors in meant if _only_wants_keys(errors)]
    keys = frozenset(key for some in wanted for key in some)
    if len(meant) == 1:
        yield from _all(meant[0])
    elif not meant and not said:
        yield from _none_fits(error)
    elif said:
        yield Mistake(
            error.path, said, error.keyword, keys=keys if len(wanted) == len(meant) else frozenset()
        )
    elif len(wanted) < len(meant):
        yield from _all(min(meant, key=_distance))
    elif all_want := wanted[0].intersection(*wanted):
        yield from _missing_key(error, *sorted(all_want))
    else:
        message = f"one of these keys is missing: {', '.join(sorted(keys))}"
        yield Mistake(error.path, message, error.keyword, keys=keys)


def _several_fit(error: _Error, said: str | None) -> Mistake:
    """Of alternatives that exclude each other several fit; where each wants a key, the second is at fault."""
    message = said or "this fits more than one of the forms that exclude each other"
    wanted = [key for option in error.limit if isinstance(option, dict) for key in option.get("required", ())]
    given = [key for key in (error.value if isinstance(error.value, dict) else ()) if key in wanted]
    if len(given) > 1:
        return Mistake((*error.path, given[1]), message, error.keyword, at_key=True)
    return Mistake(error.path, message, error.keyword)


def _rules_itself_out(errors: Iterable[_Error]) -> bool:
    """Whether an alternative cannot be the one meant: another type, or another value of its tag."""
    return any(
        (error.keyword == "const" and not error.below[1:] and isinstance(error.limit, str))
        or (not error.below and error.keyword in ("type", "enum", "false"))
        for error in errors
    )


def _only_wants_keys(errors: Iterable[_Error]) -> bool:
    return all(not error.below and error.keyword == "required" for error in errors)


def _distance(errors: Iterable[_Error]) -> tuple[int, int]:
    """How far a value is from an alternative: few errors, and those deep inside it, are near."""
    depths = [len(error.below) for error in errors]
    return (len(depths), -max(depths))


def _none_fits(error: _Error) -> Iterator[Mistake]:
    """All alternatives are ruled out: by the type of the value, or by the value of the same tag."""
    inner = [one for branch in error.branches for one in branch]
    tags = [one for one in inner if one.keyword == "const" and len(one.below) == 1]
    tagged = all(any(one in tags for one in branch) for branch in error.branches)
    if tagged and len({one.below for one in tags}) == 1:
        yield Mistake(tags[0].path, words.not_among([one.limit for one in tags], tags[0].value), "const")
        return
    options: list[str] = []
    for one in inner:
        if one.keyword == "type" and not one.below:
            options += words.types([one.limit] if isinstance(one.limit, str) else one.limit)
        elif one.keyword in ("const", "enum") and not one.below:
            options += [
                words.plain(value) for value in ([one.limit] if one.keyword == "const" else one.limit)
            ]
    if options:
        hint = words.suggestion(error.value, options) if isinstance(error.value, str) else ""
        message = f"expected {words.either(options)}, found {words.describe(error.value)}{hint}"
        yield Mistake(error.path, message, "type")
    else:
        yield from _all(min(error.branches, key=_distance))


def _about(error: _Error) -> str:
    return words.broken_rule(error.keyword, error.limit, error.value) or error.message
