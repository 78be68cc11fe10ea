"""The register as a specification to implement from: Markdown, with the statements where they belong.

The text around them stands in `specification.md`, in sections that begin with a comment: `section: general`,
`section: PROFILE` or `section: PROFILE.AREA`. Comments of other names are where something is put in: the
statements of the area, or what the schemas and the scenarios say. Knows nothing of runs.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import schemas
from conformance.reading import list_at, mapping_at, text_at
from conformance.report.telling import event_lines
from conformance.requirements import Register, Requirement
from conformance.scenario import PROFILES, Json, Scenario

GENERAL = "general"
_SECTION = re.compile(r"<!-- section: (\S+) -->\n")
_PLACE = re.compile(r"<!-- ([a-z]+)(?:: (.+?))? -->")
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Specification:
    """Writes it. `chosen` are the requirements that are to be in it; `statuses` what is known of them."""

    register: Register
    chosen: Sequence[Requirement]
    scenarios: Mapping[str, Scenario]
    statuses: Mapping[str, str]

    def text(self) -> str:
        """The whole of it."""
        parts = [self._filled(name, body) for name, body in sections().items() if self._is_wanted(name)]
        known = sections().keys()
        parts += [
            f"## {area}\n\n{self._statements(area)}\n"
            for area in dict.fromkeys(map(area_of, self.chosen))
            if area not in known
        ]
        return "\n".join(part.strip("\n") + "\n" for part in parts)

    def _is_wanted(self, name: str) -> bool:
        areas = {area_of(requirement) for requirement in self.chosen}
        profiles = {requirement.profile for requirement in self.chosen}
        return name == GENERAL or name in areas or name in profiles

    def _filled(self, section: str, body: str) -> str:
        def put_in(place: re.Match[str]) -> str:
            what, argument = place[1], place[2] or ""
            match what:
                case "statements":
                    return self._statements(section)
                case "fields":
                    return "\n".join(_fields(*argument.split()))
                case "events":
                    return "\n".join(_events())
                case "example":
                    return _code(json.dumps(_example(argument), ensure_ascii=False, indent=2), "json")
                case "emits":
                    return self._emits(argument)
                case _:
                    raise ValueError(f"nothing is known to be put in at {place[0]}")

        return _PLACE.sub(put_in, body)

    def _statements(self, area: str) -> str:
        return "\n\n".join(self._statement(it) for it in self.chosen if area_of(it) == area)

    def _statement(self, requirement: Requirement) -> str:
        status = self.statuses.get(requirement.id)
        told = f" [{status.replace('-', ' ')}]" if status is not None else ""
        text = f"- **{requirement.level}**{told} {requirement.text} `{requirement.id}`"
        return textwrap.fill(
            text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )

    def _emits(self, id: str) -> str:
        scenario = self.scenarios.get(id)
        patterns = [step.emits for step in scenario.steps if step.emits] if scenario is not None else []
        return _code("\n".join(event_lines(patterns[-1])), "text") if patterns else f"`outlast show {id}`"


def sections() -> dict[str, str]:
    """The sections of the text around the statements, by name, in order."""
    text = Path(__file__).with_name("specification.md").read_text(encoding="utf-8")
    _, *parts = _SECTION.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def area_of(requirement: Requirement) -> str:
    """The area in which a requirement is: its id without the last word."""
    return requirement.id.rpartition(".")[0]


def title_of(area: str) -> str:
    """The heading of an area's section, or the area where it has none."""
    found = re.search(r"^## (.+)$", sections().get(area, ""), re.MULTILINE)
    return found[1] if found and area not in PROFILES else area


def _code(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


def _example(name: str) -> Json:
    """The example of a schema that has the most in it."""
    return max(list_at(schemas.load(name), "examples"), key=lambda example: len(json.dumps(example)))


def _fields(name: str, part: str = "") -> Iterator[str]:
    """A table of the fields that a schema, or a part of it, describes."""
    schema: Json = schemas.load(name)
    schema = mapping_at(mapping_at(schema, "$defs"), part) if part else schema
    required = list_at(schema, "required")
    yield "| field | type | | meaning |"
    yield "|---|---|---|---|"
    for field, written in mapping_at(schema, "properties").items():
        described = _resolved(written, schemas.load(name))
        need = "required" if field in required else "optional"
        yield f"| `{field}` | {_type(described)} | {need} | {_meaning(described)} |"


def _events() -> Iterator[str]:
    """A table of the fields of every event type; those in the documents are a must."""
    documented, background = _event_fields("event"), _event_fields("event-background")
    yield "| event | field | type | level | meaning |"
    yield "|---|---|---|---|---|"
    for kind, known in background.items():
        musts = documented.get(kind, {})
        for field in {**known, **musts}:
            described = musts.get(field, known.get(field))
            level = "must" if field in musts else "should"
            yield f"| `{kind}` | `{field}` | {_type(described)} | {level} | {_meaning(described)} |"


def _event_fields(name: str) -> dict[str, dict[str, Json]]:
    """The required fields of each event type in a schema of events, those inside them by their paths."""
    schema = schemas.load(name)
    found: dict[str, dict[str, Json]] = {}
    for rule in list_at(schema, "allOf"):
        type_rule = mapping_at(mapping_at(mapping_at(rule, "if"), "properties"), "type")
        kinds = [text_at(type_rule, "const")] if "const" in type_rule else list_at(type_rule, "enum")
        then = mapping_at(rule, "then")
        for field in map(str, list_at(then, "required")):
            described = _resolved(mapping_at(then, "properties").get(field), schema)
            inside = _inside(field, described, schema)
            for kind in map(str, kinds):
                found.setdefault(kind, {}).update({field: described, **inside})
    return found


def _inside(field: str, described: Json, schema: Json) -> dict[str, Json]:
    """The fields of the mapping that a field holds, or of those in the list that it holds."""
    if text_at(described, "title") == "message":
        return {}
    own = {f"{field}.{name}": it for name, it in mapping_at(described, "properties").items()}
    items = mapping_at(mapping_at(described, "items"), "properties")
    every = {**own, **{f"{field}[].{name}": it for name, it in items.items()}}
    return {name: _resolved(it, schema) for name, it in every.items()}


_SHARED: Mapping[str, Json] = {
    "#": {"title": "event"},
    "urn:outlast:schema:message:1": {"title": "message", "description": "The message."},
    "urn:outlast:schema:request:1": {"title": "Request"},
    "#/$defs/message": {"title": "message", "description": "The message."},
}
"""What schemas refer to and this text describes in a place of its own."""


def _resolved(described: Json, schema: Json) -> Json:
    """A field's description with what it refers to put in."""
    reference = text_at(described, "$ref")
    if not reference:
        return described
    name = reference.removeprefix("#/$defs/")
    inside = _SHARED.get(reference) or mapping_at(mapping_at(schema, "$defs"), name)
    own = {key: value for key, value in mapping_at({"": described}, "").items() if key != "$ref"}
    return {**mapping_at({"": inside}, ""), **own}


def _type(described: Json) -> str:
    """The type of a field, in a word or two."""
    fields = mapping_at({"": described}, "")
    if title := text_at(fields, "title"):
        return title.lower()
    if reference := text_at(fields, "$ref"):
        return (
            text_at(_SHARED.get(reference), "title")
            or re.sub(r"([A-Z])", r" \1", reference.rpartition("/")[2]).lower()
        )
    if "enum" in fields:
        return ", ".join(f"`{value}`" for value in list_at(fields, "enum"))
    if choices := list_at(fields, "anyOf"):
        return " or ".join(map(_type, choices))
    kind = fields.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    items = mapping_at(fields, "items")
    return f"list of {_type(items)}s" if kind == "array" and items else str(kind)


def _meaning(described: Json) -> str:
    return text_at(described, "description").replace("|", "\\|")
