"""Patterns: how a scenario says what it expects of a value, of a list, or of a stream of events.

- A mapping fits what has at least those fields, at every depth; a scalar fits what is equal, where true is
  not 1 and 1 is 1.0.
- A list fits element by element; `...` in it stands for any number of elements.
- A mapping with one key that begins with `$` is an operator; they stand in the table `OPERATORS`.
- A text that begins with `$` is a reference to an id: `$tool#n` to a call's, `$request#n` to a request's,
  `$handle.NAME` to a handle's, `$unknown` to none.
- In an event list an element is `...`, a type, or a type with the fields of the event. `+ * ?` behind a type
  repeat it. `Nested: {tool_call_id: ..., events: [...]}` is all Nested events of that call, as one stream
  that stands where the first of them stands. Events of types that are neither in the documents nor named in
  the list are passed over.

`problems` is asked when a scenario is read. Matching wants a pattern that has none. Nothing here knows of
scenarios, runs or verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.patterns._comparison import Comparison, compare_events, compare_list
from conformance.patterns._events import EVENTS, NESTED, match_events, type_of
from conformance.patterns._mismatch import Ids, Mismatch, Path, dotted, shown
from conformance.patterns._operators import (
    HANDLE,
    OPERATORS,
    UNKNOWN,
    Operator,
    accepts_absence,
    is_reference,
    operator_in,
)
from conformance.patterns._problems import Kind, Problem, expressions, problems, references
from conformance.patterns._sequence import DOTS
from conformance.patterns._values import Matcher
from conformance.scenario import Json

__all__ = [
    "DOTS",
    "EVENTS",
    "HANDLE",
    "NESTED",
    "OPERATORS",
    "UNKNOWN",
    "Comparison",
    "Ids",
    "Kind",
    "Mismatch",
    "Operator",
    "Path",
    "Problem",
    "accepts_absence",
    "compare_events",
    "compare_list",
    "dotted",
    "expressions",
    "is_reference",
    "match",
    "match_events",
    "match_list",
    "operator_in",
    "problems",
    "references",
    "shown",
    "type_of",
]


def match(pattern: Json, actual: Json, ids: Ids) -> Mismatch | None:
    """The first difference between a value and a pattern for it, or None.

    `ids` maps references to the ids that they stand for; a reference that is not in it fits nothing.
    """
    return Matcher(ids).value(pattern, actual)


def match_list(pattern: list[Json], actual: Sequence[Json], ids: Ids) -> Mismatch | None:
    """The same for a list, such as a conversation."""
    return Matcher(ids).value(pattern, list(actual))
