"""Nothing that is demanded, and nothing that the documents name, is left out.

A profile is looked at as soon as it has scenarios.
"""

from __future__ import annotations

from typing import cast

import pytest

from conformance import api, schemas, source
from conformance.faults import FILE, known_faults
from conformance.loader import load_all
from conformance.requirements import Requirement
from conformance.scenario import PROFILES, Json, Profile
from tests.documented_names import NAMES, shown
from tests.mutants import all_mutants
from tests.mutants.matrix import listing

REGISTER = api.load_register()
SCENARIOS, _ = load_all([schemas.scenarios_folder()], REGISTER)
MUTANTS = all_mutants()
LEVELS = {scenario.id: scenario.level for scenario in SCENARIOS}
PLAYED: list[Profile] = [
    profile for profile in PROFILES if any(scenario.profile == profile for scenario in SCENARIOS)
]


def demanded(profile: Profile) -> list[Requirement]:
    return [it for it in REGISTER.values() if it.profile == profile and it.level in ("must", "should")]


def test_the_profile_agent_has_scenarios() -> None:
    assert "agent" in PLAYED


@pytest.mark.parametrize("profile", PLAYED)
def test_every_must_and_should_is_covered_by_a_scenario(profile: Profile) -> None:
    covered = {id for scenario in SCENARIOS for id in scenario.covers}

    assert [requirement.id for requirement in demanded(profile) if requirement.id not in covered] == []


@pytest.mark.parametrize("profile", PLAYED)
def test_every_must_and_should_has_a_mutant_that_a_scenario_of_its_level_sees(profile: Profile) -> None:
    seen = {
        (requirement, LEVELS[scenario])
        for mutant in MUTANTS
        for scenario, requirement in mutant.caught_by.items()
        if scenario in LEVELS
    }

    assert [it.id for it in demanded(profile) if (it.id, it.level) not in seen] == []


def test_no_scenario_and_no_mutant_is_about_a_requirement_that_is_not_in_the_register() -> None:
    named = {id for scenario in SCENARIOS for id in scenario.covers}
    named |= {id for mutant in MUTANTS for id in mutant.requirements}

    assert sorted(named - set(REGISTER)) == []


def test_the_faults_that_the_command_shows_are_those_of_the_mutants() -> None:
    """`python -m tests.mutants --list` writes them."""
    text = (schemas.scenarios_folder() / FILE).read_text(encoding="utf-8")

    assert text == listing.written(MUTANTS, REGISTER)


@pytest.mark.parametrize("profile", PLAYED)
def test_every_must_and_should_is_shown_with_a_fault(profile: Profile) -> None:
    faults = known_faults()

    assert [requirement.id for requirement in demanded(profile) if not faults.get(requirement.id)] == []


def test_a_mutant_is_about_one_profile_and_its_scenarios_are_of_that() -> None:
    profile_of = {scenario.id: scenario.profile for scenario in SCENARIOS}

    for mutant in MUTANTS:
        assert {profile_of[id] for id in mutant.caught_by} == mutant.profiles, mutant.breaks
        assert len(mutant.profiles) == 1, mutant.breaks


def test_the_names_of_every_profile_are_listed() -> None:
    assert [profile for profile in PROFILES if not NAMES[profile]] == []


@pytest.mark.parametrize("profile", PLAYED)
def test_every_name_in_the_documents_appears_in_a_scenario(profile: Profile) -> None:
    places = {
        place
        for scenario in SCENARIOS
        if scenario.profile == profile
        for place in shown(cast("dict[str, Json]", source.read(scenario.path).value))
    }

    missing = {name: at for name, at in NAMES[profile].items() if places.isdisjoint(at.split(" | "))}
    assert missing == {}


def test_what_a_scenario_shows_is_told_by_places_whatever_its_agents_and_tools_are_called() -> None:
    play = {
        "agents": {"main": {"tools": ["build"], "model": [{"calls": [{"build": {}}], "during": ["stop"]}]}},
        "tools": {
            "build": [{"pending": "Started.", "during": [{"push": {"text": "Hm.", "handle": "copy"}}]}]
        },
        "steps": [
            {"prompt": "Go", "emits": ["AgentStart", {"Nested*": {"events": [{"Paused": {"pending": []}}]}}]},
            {"check": {"pending_calls": {"$contains": {"id": "$build#1"}}, "needs_reply": True}},
            {"resume": None, "error": {"code": "busy"}},
        ],
    }

    places = shown(cast("dict[str, Json]", play))

    assert places >= {
        "agent.tools",
        "model.calls.build",
        "tool.pending",
        "step.push.handle=copy",
        "step.stop",
    }
    assert places >= {"AgentStart", "Nested.events", "Paused.pending"}
    assert places >= {"check.pending_calls.id", "check.needs_reply=true"}
    assert places >= {"step.resume.error", "error.code=busy"}
    assert not places & {"resume.error", "step.prompt.error", "AgentEnd", "build", "step.check.needs_reply"}
