"""Why a value does not fit a schema, in words that name the real mistake.

A validator reports every keyword that failed; a person wants the one thing to mend. So alternatives (oneOf,
anyOf) are narrowed down to the one that was meant, a misspelt key is not reported as missing as well, and a
value of the wrong type is reported for its type only. Knows nothing of what the schemas describe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from conformance import words
from conformance.scenario import Json

Path: TypeAlias = tuple[str | int, ...]

_UNKNOWN_KEY = ("additionalProperties", "unevaluatedProperties")
_ALTERNATIVES = ("oneOf", "anyOf")
_UNFIT = "this cannot be looked at: text that is not Unicode, a key that is no text, or too deep a nesting"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing to mend: at the value that `path` leads to or, with `at_key`, at the key itself.

    `keyword` is the keyword of the schema that failed; `about` a key that the message speaks of.
    """

    path: Path
    message: str
    keyword: str
    at_key: bool = False
    about: str = ""


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


def find(
    schema: Mapping[str, Json], all_schemas: Iterable[Mapping[str, Json]], instance: Json
) -> list[Mistake]:
    """The mistakes of `instance`, which does not fit `schema`: at least one, in the order of the paths.

    `all_schemas` are those to which `schema` may refer by their `$id`.
    """
    registry = Registry[Any]().with_resources(
        (str(other["$id"]), DRAFT202012.create_resource(dict(other))) for other in all_schemas
    )
    validator = Draft202012Validator(dict(schema), registry=registry)
    try:
        found = _tidied(_all(_error(error) for error in validator.iter_errors(cast("Any", instance))))
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
    misspelt = {(mistake.path[:-1], mistake.about) for mistake in mistakes if mistake.keyword in _UNKNOWN_KEY}
    kept = {
        (mistake.path, mistake.message): mistake
        for mistake in mistakes
        if not (mistake.path in mistyped and mistake.keyword != "type" and not mistake.at_key)
        and not (mistake.keyword == "required" and (mistake.path, mistake.about) in misspelt)
    }
    return sorted(kept.values(), key=lambda mistake: (_in_order(mistake.path), mistake.message))


def _in_order(path: Path) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (-1, part) for part in path]


def _all(errors: Iterable[_Error]) -> list[Mistake]:
    return [mistake for error in errors for mistake in _of(error)]


def _of(error: _Error) -> Iterator[Mistake]:
    """The mistakes behind one error. A schema's `errorMessage` goes before our own words, but not where
    those are exact in any case: types, unknown keys, missing keys."""
    said = error.schema.get("patternErrorMessage") if error.keyword == "pattern" else None
    said = said or error.schema.get("errorMessage")
    key = _key_at_fault(error)
    if error.keyword in _ALTERNATIVES and key is None:
        yield from _alternatives(error, said)
    elif error.keyword in _UNKNOWN_KEY:
        yield from _unknown_keys(error)
    elif key is not None:
        yield Mistake((*error.path, key), said or _about(error), error.keyword, at_key=True)
    elif error.keyword == "required":
        missing = _missing(error)
        yield Mistake(error.path, f"the key {missing!r} is missing", error.keyword, about=missing)
    elif error.keyword == "type":
        yield Mistake(error.path, _about(error), error.keyword)
    elif error.keyword == "false":
        yield Mistake(error.path, said or "this is not allowed here", error.keyword, at_key=True)
    else:
        yield Mistake(error.path, said or _about(error), error.keyword)


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
    unknown = [key for key in given if key not in known and repr(key) in error.message]
    for key in unknown:
        close = words.closest(key, known - set(given))
        hint = f"did you mean {close}?" if close else f"known here: {', '.join(sorted(known)) or 'none'}"
        message = f"unknown key {key!r}; {hint}"
        yield Mistake((*error.path, key), message, error.keyword, at_key=True, about=close or "")


def _missing(error: _Error) -> str:
    given = error.value if isinstance(error.value, dict) else {}
    absent = [str(key) for key in error.limit if key not in given]
    return next((key for key in absent if error.message.startswith(repr(key))), absent[0])


def _alternatives(error: _Error, said: str | None) -> Iterator[Mistake]:
    """The alternative that was meant, if it can be told; otherwise one sentence about all of them."""
    if not error.branches:
        yield Mistake(
            error.path, said or "this fits more than one of the forms that exclude each other", error.keyword
        )
        return
    meant = [errors for errors in error.branches if not _rules_itself_out(errors)]
    if len(meant) == 1 and not _only_wants_keys(meant[0]):
        yield from _all(meant[0])
    elif said:
        yield Mistake(error.path, said, error.keyword)
    elif meant and all(_only_wants_keys(errors) for errors in meant):
        keys = sorted({_missing(inner) for errors in meant for inner in errors})
        yield Mistake(error.path, f"one of these keys is missing: {', '.join(keys)}", error.keyword)
    elif meant:
        yield from _all(min(meant, key=_distance))
    else:
        yield from _none_fits(error)


def _rules_itself_out(errors: Iterable[_Error]) -> bool:
    """Whether an alternative cannot be the one meant: another type, or another value of its tag."""
    return any(
        (not error.below[1:] and error.keyword == "const")
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
        message = f"expected {' or '.join(dict.fromkeys(options))}, found {words.describe(error.value)}"
        yield Mistake(error.path, message, "type")
    else:
        yield from _all(min(error.branches, key=_distance))


def _about(error: _Error) -> str:
    """Our own words for the keywords that speak of one value."""
    limit, found = error.limit, words.describe(error.value)
    match error.keyword:
        case "type":
            expected = words.types([limit] if isinstance(limit, str) else limit)
            return f"expected {' or '.join(expected)}, found {found}"
        case "const":
            return f"expected {words.plain(limit)}, found {found}"
        case "enum":
            return words.not_among(limit, error.value)
        case "minLength" | "minItems" | "minProperties" if limit == 1:
            return "this must not be empty"
        case "minimum":
            return f"expected at least {limit}, found {found}"
        case "maximum":
            return f"expected at most {limit}, found {found}"
        case "pattern":
            return f"expected text that matches {limit}, found {found}"
        case "uniqueItems":
            return "the same element stands here twice"
        case "oneOf" | "anyOf" | "not":
            return "this combination is not allowed"
        case _:
            return error.message
