"""What a schema cannot say of a scenario: that its parts fit each other, and the register.

Looks at the outline only, so that it has its say on documents that break the schema as well. Knows nothing of
files and positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance import patterns, words
from conformance.calling import misspelt_calls
from conformance.complaint import Complaint
from conformance.handles import wrong_handles
from conformance.impossible import impossible
from conformance.misspellings import misspelt
from conformance.outline import Action, Entry, Outline, Path, Started, patterns_in, started_after, whose_run
from conformance.profiles import misplaced_words
from conformance.reading import list_at, mapping_at, text_at
from conformance.references import unbound_references
from conformance.relaying import empty_answers
from conformance.requirements import Register
from conformance.scenario import Json, Profile

MAX_EXPRESSIONS = 100
"""Reading more of them may take long."""

_IS_A_REQUEST = "$request#n is a request"
_TAKEN: Mapping[Profile, Mapping[str, str]] = {
    "agent": {},
    "runtime": {"request": _IS_A_REQUEST, "task": "that is the runtime's own, which hands tasks to the team"},
    "client": {"request": _IS_A_REQUEST},
}
"""Names that a tool cannot have, and why not."""


def complaints(scenario: Outline, register: Register) -> Iterator[Complaint]:
    """Everything in a scenario that fits nothing else in it, or in the register."""
    yield from _covers(scenario, register)
    yield from _narrowed_covers(scenario, register)
    yield from _agents(scenario)
    yield from _tools(scenario)
    yield from _taken_names(scenario)
    yield from _patterns(scenario)
    yield from misspelt_calls(scenario)
    yield from unbound_references(scenario)
    yield from _runs(scenario)
    yield from misplaced_words(scenario)
    yield from misspelt(scenario)
    yield from impossible(scenario, MAX_EXPRESSIONS)
    if scenario.profile == "runtime":
        yield from wrong_handles(scenario)
    if scenario.profile == "client":
        yield from _conversations(scenario)
        yield from empty_answers(scenario)


def _texts(items: list[Json]) -> Iterator[tuple[int, str]]:
    return ((index, item) for index, item in enumerate(items) if isinstance(item, str))


def _covers(scenario: Outline, register: Register) -> Iterator[Complaint]:
    """All requirements exist, and have one level and one profile."""
    first = None
    mixed = False
    for index, id in _texts(list_at(scenario.document, "covers")):
        path = ("covers", index)
        if id not in register:
            yield Complaint(path, f"there is no requirement {id!r}{words.suggestions(id, register)}")
            continue
        requirement = register[id]
        first = first or requirement
        if mixed:
            continue
        mixed = (requirement.level, requirement.profile) != (first.level, first.profile)
        if requirement.level != first.level:
            yield Complaint(
                path,
                f"{id} is a {requirement.level} and {first.id} is a {first.level};"
                " all that a scenario covers has one level",
            )
        elif mixed:
            yield Complaint(path, f"{id} and {first.id} belong to two profiles; a scenario belongs to one")


def _narrowed_covers(scenario: Outline, register: Register) -> Iterator[Complaint]:
    """What a part covers is covered by the scenario."""
    whole = [id for _, id in _texts(list_at(scenario.document, "covers"))]
    parts: list[Entry | Action] = [
        *scenario.model_entries,
        *scenario.tool_entries,
        *scenario.interpreter_entries,
        *scenario.actions,
    ]
    if any(id not in register for id in whole):
        return
    for part in parts:
        for index, id in _texts(list_at(part.fields, "covers")):
            if id in whole:
                continue
            if id in register:
                message = f"the scenario does not cover {id}; a part can only narrow what the whole covers"
            else:
                close = words.suggestions(id, whole) or words.suggestions(id, register)
                message = f"there is no requirement {id!r}{close}"
            yield Complaint((*part.path, "covers", index), message, lacks=("covers",))


def _agents(scenario: Outline) -> Iterator[Complaint]:
    """Every agent that is named exists."""
    known = scenario.agents
    for path, name in _named_agents(scenario):
        if isinstance(name, str) and name not in known:
            message = f"there is no agent {name!r} in agents{words.suggestion(name, known)}"
            yield Complaint(path, message, lacks=("agents",), unknown=f"agent {name}")


def _named_agents(scenario: Outline) -> Iterator[tuple[Path, Json]]:
    for action in scenario.actions:
        yield (*action.path, "agent"), action.fields.get("agent")
        if action.word == "spawn" and "error" not in action.fields:
            spawned = action.argument
            path, name = action.at_word, spawned
            if isinstance(spawned, dict):
                path, name = (*path, "name"), spawned.get("name")
            yield path, name
    for entry in scenario.tool_entries:
        child = mapping_at(entry.fields, "runs_child")
        yield (*entry.path, "runs_child", "agent"), child.get("agent")
    for agent, fields in scenario.agents.items():
        yield from (
            (("agents", agent, "team", index), name) for index, name in _texts(list_at(fields, "team"))
        )


def _tools(scenario: Outline) -> Iterator[Complaint]:
    """Every tool that an agent has is scripted, and the other way round."""
    owned: set[str] = set()
    tools = scenario.tools
    for agent, fields in scenario.agents.items():
        for index, tool in _texts(list_at(fields, "tools")):
            owned.add(tool)
            if tool not in tools:
                message = f"the tool {tool!r} has no entries in tools{words.suggestion(tool, tools)}"
                path = ("agents", agent, "tools", index)
                yield Complaint(path, message, lacks=("tools",), unknown=f"tool {tool}")
    relayed = {tool for fields in scenario.agents.values() for _, tool in _texts(list_at(fields, "relays"))}
    misspelt = owned - tools.keys()
    for tool in tools:
        if tool in relayed:
            message = f"{tool!r} is a relay tool, which runs nothing: it has no entries"
            yield Complaint(("tools", tool), message, at_key=True)
        elif tool not in owned and not words.closest(tool, misspelt):
            message = f"no agent has the tool {tool!r}; name it in the tools of an agent"
            yield Complaint(("tools", tool), message, at_key=True, lacks=("agents",))


def _taken_names(scenario: Outline) -> Iterator[Complaint]:
    """No tool has a name that means something else in the profile."""
    for agent, fields in scenario.agents.items():
        for key in ("tools", "relays"):
            for index, tool in _texts(list_at(fields, key)):
                if tool in _TAKEN[scenario.profile]:
                    message = f"a tool cannot be called {tool}: {_TAKEN[scenario.profile][tool]}"
                    yield Complaint(("agents", agent, key, index), message)


def _conversations(scenario: Outline) -> Iterator[Complaint]:
    """Every conversation that the store is asked for is one in which something is asked."""
    known = {text_at(action.argument, "conversation") for action in scenario.actions} - {""}
    for action in scenario.actions:
        for name in mapping_at(mapping_at(action.fields, "check"), "stored"):
            if name not in known:
                message = f"nothing is asked in the conversation {name!r}{words.suggestion(name, known)}"
                path = (*action.path, "check", "stored", name)
                yield Complaint(path, message, at_key=True, lacks=("steps",))


def _patterns(scenario: Outline) -> Iterator[Complaint]:
    expressions = 0
    for path, pattern, kind, _ in patterns_in(scenario):
        for inner in patterns.expressions(pattern):
            expressions += 1
            if expressions > MAX_EXPRESSIONS:
                message = f"more than {MAX_EXPRESSIONS} regular expressions in one scenario"
                yield Complaint((*path, *inner), message, at_key=True)
                return
        for inner, message in patterns.problems(pattern, kind):
            at_key = _is_operator(inner) or (kind == "events" and _is_type(inner))
            yield Complaint((*path, *inner), message, at_key)


def _is_operator(path: Path) -> bool:
    """Whether a path inside a pattern ends at an operator; the key says more than its argument."""
    return bool(path) and str(path[-1]).startswith("$")


def _is_type(path: Path) -> bool:
    """Whether a path inside an event list ends at the type of an element, at any depth of Nested."""
    return len(path) == 2 or path[-3:-2] == ("events",)


def _runs(scenario: Outline) -> Iterator[Complaint]:
    """Runs that are started are finished, and no others; `emitted` is asked for while one goes on."""
    started: Started = {}
    for step in scenario.steps:
        word, agent = step.word, whose_run(step)
        if word == "start" and agent in started:
            message = f"a run of {agent} has been started and not finished yet"
            yield Complaint(step.at_word, message, at_key=True, lacks=("steps",))
        elif word == "finish" and agent not in started:
            message = f"no run of {agent} has been started that could be finished"
            yield Complaint(step.at_word, message, at_key=True, lacks=("steps",))
        elif word == "check" and agent not in started and "emitted" in mapping_at(step.fields, word):
            message = "emitted looks at a run that is going on: between start and finish, or inside during"
            yield Complaint((*step.at_word, "emitted"), message, at_key=True, lacks=("steps",))
        started = started_after(step, started)
    if not any(action.word == "crash" for action in scenario.inner):
        for step in started.values():
            message = "the run that is started here is never finished; expected a finish, or a crash"
            yield Complaint(step.at_word, message, at_key=True, lacks=("steps",))
