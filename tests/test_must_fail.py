"""Scenarios that must fail, each beside a twin that passes and differs from it in one place only.

A file in `scenarios_must_fail` begins with the check that fails, the step and how its message begins; its
twin has the same name in `scenarios_must_pass`. What a pattern can be made of, and each check that a scenario
can make, are looked up where the suite has them: one of them without such a pair is found here.
"""

from __future__ import annotations

import ast
import difflib
import re
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance import load_register, play, schemas
from conformance.loader import load
from conformance.patterns import OPERATORS
from conformance.patterns._events import MARKS

TESTS = Path(__file__).parent
MUST_FAIL, MUST_PASS = TESTS / "scenarios_must_fail", TESTS / "scenarios_must_pass"
REGISTER = load_register()


def names(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.yaml"))


def head(name: str) -> tuple[str, int, str]:
    """The check, the step and the beginning of the message that a file names."""
    first = (MUST_FAIL / name).read_text(encoding="utf-8").split("\n", 1)[0]
    found = re.fullmatch(r"# fails: (\w+) in step (\d+): (.+)", first)
    assert found, f"{name} does not say how it fails"
    return found[1], int(found[2]), found[3]


def test_every_scenario_that_must_fail_has_a_twin_that_passes() -> None:
    assert names(MUST_FAIL) == names(MUST_PASS)


@pytest.mark.parametrize("name", names(MUST_FAIL))
def test_a_scenario_that_must_fail_fails_by_that_check_in_that_step_and_by_nothing_else(name: str) -> None:
    check, step, message = head(name)
    scenario = load(MUST_FAIL / name, MUST_FAIL, REGISTER)

    result = play(scenario)

    assert (result.verdict, result.warnings) == ("failed", ())
    [failure] = result.failures
    assert (failure.check, failure.step, failure.requirements) == (check, step, scenario.covers)
    assert failure.message.startswith(message)


@pytest.mark.parametrize("name", names(MUST_PASS))
def test_its_twin_passes_without_a_warning(name: str) -> None:
    result = play(load(MUST_PASS / name, MUST_PASS, REGISTER))

    assert (result.verdict, result.failures, result.warnings) == ("passed", (), ())


@pytest.mark.parametrize("name", names(MUST_FAIL))
def test_the_two_differ_in_one_place_so_that_it_is_this_that_fails(name: str) -> None:
    failing = (MUST_FAIL / name).read_text(encoding="utf-8").splitlines()[1:]
    passing = (MUST_PASS / name).read_text(encoding="utf-8").splitlines()

    compared = difflib.SequenceMatcher(None, failing, passing, autojunk=False).get_opcodes()
    assert len([tag for tag, *_ in compared if tag != "equal"]) == 1


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_has_such_a_pair(operator: str) -> None:
    name = f"operators/{operator.removeprefix('$')}.yaml"

    for folder in (MUST_FAIL, MUST_PASS):
        assert f"{{{operator}: " in (folder / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_behind_an_event_has_such_a_pair(mark: str) -> None:
    for folder in (MUST_FAIL, MUST_PASS):
        texts = [file.read_text(encoding="utf-8") for file in (folder / "marks").glob("*.yaml")]
        assert [text for text in texts if re.search(rf"[A-Z]\w+{re.escape(mark)}, ", text)]


def checks_of_scenarios() -> set[str]:
    """The names under which the suite says that something which a scenario asks for does not hold."""
    definitions: Any = schemas.load("scenario")["$defs"]
    views = [definitions[name]["properties"] for name in ("views", "runtimeViews", "clientViews")]
    found = {view for properties in views for view in properties}
    for file in Path(str(conformance.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                first = node.args[0]
                if node.func.attr in ("fail", "mismatch") and isinstance(first, ast.Constant):
                    found.add(first.value)
    return found


def test_every_check_that_a_scenario_can_make_has_such_a_pair() -> None:
    checks = checks_of_scenarios()

    assert checks >= {"play", "sees", "emits", "result", "error", "conversation"}
    assert checks - {head(name)[0] for name in names(MUST_FAIL)} == set()
