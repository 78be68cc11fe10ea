"""The pytest plugin: scenarios as tests, where that is asked for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from click.testing import CliRunner

import conformance.pytest_scenarios  # noqa: F401 - so that it is there for every pytest that is run in here
from conformance import load
from conformance.cli import main
from conformance.drivers.base import Host, Implementation, NotStarted
from conformance.drivers.reference import ReferenceDriver

pytest_plugins = ["pytester"]

PASSING = """\
format: 1
title: The model answers
covers: [agent.events.turn-order]
agents:
  main:
    model: [text: Hello.]
steps:
  - prompt: Hi
"""
FAILING = PASSING.replace("answers", "says goodbye") + "    emits: [AgentStart]\n"
SHOULD = FAILING.replace("agent.events.turn-order", "agent.events.stats-once")


class Limited(ReferenceDriver):
    """Has no profile."""

    async def start(self, host: Host) -> Implementation:
        return Implementation("limited", "1", "python", frozenset(), frozenset())


class Counted(ReferenceDriver):
    """Notes each start and each end."""

    life = ""

    async def start(self, host: Host) -> Implementation:
        Counted.life += "started "
        return await super().start(host)

    async def shutdown(self) -> None:
        Counted.life += "ended "
        await super().shutdown()


class OutOfOrder(ReferenceDriver):
    """Cannot be started."""

    async def start(self, host: Host) -> Implementation:
        raise NotStarted("out of order", "the whole story")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with a test and two scenarios, one of which fails."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:syrupy")  # they take long to load
    for name in ("CI", "BUILD_NUMBER"):  # with these, pytest says everything twice
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(test_plain="def test_plain(): pass")
    folder = pytester.mkdir("plays")
    (folder / "good.yaml").write_text(PASSING, encoding="utf-8")
    (folder / "bad.yaml").write_text(FAILING, encoding="utf-8")
    return pytester


def asked(project: pytest.Pytester, *lines: str) -> None:
    project.makeini("\n".join(["[pytest]", "outlast_paths = plays", *lines]))


def printed(result: pytest.RunResult) -> str:
    return "\n".join(result.outlines)


def test_it_is_silent_until_it_is_asked(project: pytest.Pytester) -> None:
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_loading_it_costs_nothing_until_it_is_asked() -> None:
    code = (
        "import sys, pytest, conformance.pytest_plugin;"
        "print(sorted(sys.modules.keys() & {'yaml', 'rich', 'jsonschema_rs', 'conformance.api'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize("arguments", [(), ("plays", "test_plain.py")], ids=["all", "as named"])
def test_each_scenario_below_the_configured_paths_is_a_test(
    arguments: Sequence[str], project: pytest.Pytester
) -> None:
    asked(project)

    project.runpytest_inprocess(*arguments).assert_outcomes(passed=2, failed=1)


def test_the_option_alone_plays_what_is_collected(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--outlast").assert_outcomes(passed=2, failed=1)
    project.runpytest_inprocess("--outlast", "plays/good.yaml").assert_outcomes(passed=1)


def test_the_option_alone_plays_what_outlast_is_configured_to(project: pytest.Pytester) -> None:
    project.mkdir("others").joinpath("good.yaml").write_text(PASSING)
    project.makefile(".toml", outlast="paths = ['others']")

    project.runpytest_inprocess("--outlast").assert_outcomes(passed=2)


def test_the_header_names_what_is_played_against_and_where_that_is_said(project: pytest.Pytester) -> None:
    ours = "python:tests.test_pytest_plugin"
    (project.path / "outlast.toml").write_text(f"driver = '{ours}:Limited'\npaths = ['plays']\n")

    def shown(*options: str) -> str:
        return printed(project.runpytest_inprocess("--outlast", "--collect-only", *options))

    assert f"outlast: scenarios are played against {ours}:Limited (outlast.toml)\n" in shown()
    assert f"played against {ours}:Counted\n" in shown("--outlast-driver", f"{ours}:Counted")


def test_configured_paths_are_collected_beside_other_test_paths_unless_something_is_named(
    project: pytest.Pytester,
) -> None:
    asked(project, "testpaths = test_plain.py")

    project.runpytest_inprocess().assert_outcomes(passed=2, failed=1)
    project.runpytest_inprocess("test_plain.py").assert_outcomes(passed=1)


def test_scenarios_that_come_with_outlast_go_by_their_ids(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\noutlast_paths = agent/child/live agent/resume\n")
    result = project.runpytest_inprocess("-k", "live or plain")

    assert result.ret == 0
    assert result.parseoutcomes()["passed"] >= 2


@pytest.mark.parametrize(
    "names", [("agent/child/live", "agent/run"), ("plays/good.yaml", "client/halt/pending")]
)
@pytest.mark.parametrize("ini", ["", "outlast_paths = plays"], ids=["nothing", "a folder"])
def test_scenarios_are_named_as_for_the_command_whatever_is_configured(
    ini: str, names: Sequence[str], project: pytest.Pytester
) -> None:
    project.makeini(f"[pytest]\n{ini}\n")
    asked_for = load(names)

    project.runpytest_inprocess("--outlast", *names).assert_outcomes(passed=len(asked_for))


def test_a_folder_that_is_named_beside_the_option_is_played_though_another_is_configured(
    project: pytest.Pytester,
) -> None:
    deep = project.mkdir("others") / "deep"
    deep.mkdir()
    deep.joinpath("good.yaml").write_text(PASSING)
    project.makefile(".toml", outlast="paths = ['plays']")
    result = project.runpytest_inprocess("--outlast", "others", "-v")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*others/deep/good.yaml::deep/good PASSED*"]
    )  # its id, as `run others` has it
    project.runpytest_inprocess("--outlast", "test_plain.py").assert_outcomes(passed=1)


def test_named_scenarios_are_dealt_out_to_the_processes_of_xdist(project: pytest.Pytester) -> None:
    project.runpytest_subprocess("--outlast", "agent/child/live", "plays", "-n", "2").assert_outcomes(
        passed=2, failed=1
    )


def test_a_name_that_is_nearly_a_scenario_ends_pytest_with_what_may_have_been_meant(
    project: pytest.Pytester,
) -> None:
    result = project.runpytest_inprocess("--outlast", "agent/inbox/read-at-finale")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "did you mean agent/inbox/read-at-final?" in "\n".join(result.errlines)


def test_scenarios_are_chosen_by_requirement_and_by_profile_and_other_tests_stay(
    project: pytest.Pytester,
) -> None:
    (project.path / "plays" / "bad.yaml").write_text(
        "format: 1\ntitle: A client answers\ncovers: [client.halt.pending]\n"
        "agents: {main: {model: [text: Hello.]}}\nsteps: [{run: Hi}]\n"
    )
    asked(project)

    project.runpytest_inprocess("--outlast-profile", "client").assert_outcomes(passed=2, deselected=1)
    project.runpytest_inprocess("--outlast-requirement", "agent.events").assert_outcomes(
        passed=2, deselected=1
    )
    project.runpytest_inprocess(
        "--outlast-requirement", "client.halt", "--outlast-requirement=agent", "--outlast-profile", "runtime"
    ).assert_outcomes(passed=1, deselected=2)


def test_a_requirement_that_there_is_not_ends_pytest_in_the_words_of_the_command(
    project: pytest.Pytester,
) -> None:
    result = project.runpytest_inprocess("--outlast", "--outlast-requirement", "agent.inbx")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no requirement agent.inbx; did you mean agent.inbox?" in "\n".join(result.errlines)


def test_a_failure_reads_as_that_of_the_command(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    asked(project)
    shown = printed(project.runpytest_inprocess())
    command = CliRunner().invoke(main, ["run", "plays/bad.yaml"]).output
    of_the_command = command[command.index("breaks ") : command.index("\n\nnote: ")]

    assert "again: outlast run" in of_the_command
    assert of_the_command in shown


def test_a_file_that_is_wrong_is_an_error_of_collecting_in_the_words_of_the_command(
    project: pytest.Pytester,
) -> None:
    (project.path / "plays" / "bad.yaml").write_text(PASSING.replace("steps:", "stpes:"))
    asked(project)
    result = project.runpytest_inprocess()

    result.assert_outcomes(errors=1)
    for line in CliRunner().invoke(main, ["lint", "plays/bad.yaml"]).output.splitlines()[:-1]:
        assert line in result.outlines


def test_a_file_that_is_not_yaml_at_all_is_such_an_error_where_it_has_format_on_top(
    project: pytest.Pytester,
) -> None:
    (project.path / "plays" / "bad.yaml").write_text("format: 1\ntitle: 'never closed\n")
    asked(project)
    result = project.runpytest_inprocess()

    result.stdout.fnmatch_lines(["plays/bad.yaml:2:8: *the quotes that begin here are never closed"])


@pytest.mark.parametrize(
    "text",
    [
        "kind: workflow\n",
        "about:\n  format: 1\n",
        "!tagged {format: 1}\n",
        "- format: 1\n",
        "",
        "format",
        "\x00format",
    ],
)
def test_other_yaml_files_are_never_touched(text: str, project: pytest.Pytester) -> None:
    (project.path / "plays" / "bad.yaml").write_text(text)
    asked(project)

    project.runpytest_inprocess().assert_outcomes(passed=2)


def test_neither_is_a_register_of_requirements_nor_what_is_named_yml_nor_what_is_elsewhere(
    project: pytest.Pytester,
) -> None:
    plays = project.path / "plays"
    (plays / "bad.yaml").rename(plays / "bad.yml")
    (project.path / "elsewhere.yaml").write_text(FAILING)
    (plays / "requirements.yaml").write_text("format: 1\n")
    (plays / "own.yaml").write_text(
        "format: 1\nrequirements:\n"
        "  - {id: agent.house.rule, level: may, origin: derived, text: So., source: us}\n"
    )
    project.makefile(".toml", outlast="requirements = 'plays/own.yaml'")
    asked(project)

    project.runpytest_inprocess().assert_outcomes(passed=2)


def test_scenarios_are_chosen_by_id_and_by_title_and_by_having_failed(project: pytest.Pytester) -> None:
    asked(project)

    project.runpytest_inprocess("-k", "goodbye").assert_outcomes(failed=1, deselected=2)
    project.runpytest_inprocess("-k", "good and not goodbye").assert_outcomes(passed=1, deselected=2)
    project.runpytest_inprocess("--lf").assert_outcomes(failed=1)


def test_they_are_dealt_out_to_the_processes_of_xdist(project: pytest.Pytester) -> None:
    asked(project)
    result = project.runpytest_subprocess("-n", "2")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["breaks agent.events.turn-order (must): *"])


def test_what_is_not_supported_is_skipped_and_why_is_said(project: pytest.Pytester) -> None:
    asked(project)
    result = project.runpytest_inprocess("-rs", "--outlast-driver", "python:tests.test_pytest_plugin:Limited")

    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED*the implementation lacks the profile agent"])


def test_a_should_that_is_not_met_is_no_failure_unless_that_is_wanted(project: pytest.Pytester) -> None:
    (project.path / "plays" / "bad.yaml").write_text(SHOULD)
    asked(project)
    result = project.runpytest_inprocess("-rx")

    result.assert_outcomes(passed=2, xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL plays/bad.yaml::bad - *a should that is not met*"])
    project.runpytest_inprocess("--outlast-strict").assert_outcomes(passed=2, failed=1)


def test_a_known_failure_is_expected_and_one_that_is_none_any_more_fails(project: pytest.Pytester) -> None:
    project.makefile(".toml", outlast="known_failures = 'known.yaml'")
    known = project.path / "known.yaml"
    known.write_text("- {id: bad, outcome: failed, reason: It is young.}\n")
    asked(project)
    expected = project.runpytest_inprocess("-rx")
    (project.path / "plays" / "bad.yaml").write_text(PASSING)
    stale = project.runpytest_inprocess()

    expected.assert_outcomes(passed=2, xfailed=1)
    expected.stdout.fnmatch_lines(["XFAIL plays/bad.yaml::bad - *known failure: It is young.*"])
    stale.assert_outcomes(passed=2, failed=1)
    stale.stdout.fnmatch_lines(["*known.yaml:1:8: bad is stale: it ends as passed, not as failed"])


def test_a_list_of_known_failures_that_has_grown_old_is_an_error_of_its_own(project: pytest.Pytester) -> None:
    project.makefile(".toml", outlast="known_failures = 'known.yaml'")
    (project.path / "known.yaml").write_text(
        "- {id: bad, outcome: failed, reason: It was young., expires: 2020-01-01}\n"
    )
    asked(project)
    result = project.runpytest_inprocess("-k", "good")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*known.yaml:1:8: bad has expired: on 2020-01-01"])


UNMATCHED = "known.yaml:2:8: bda is unmatched: there is no such scenario; did you mean bad?"


def list_one_that_there_is_not(project: pytest.Pytester) -> None:
    project.makefile(".toml", outlast="known_failures = 'known.yaml'")
    (project.path / "known.yaml").write_text(
        "- {id: bad, outcome: failed, reason: It is young.}\n"
        "- {id: bda, outcome: failed, reason: It is young.}\n",
        encoding="utf-8",
    )


@pytest.mark.parametrize("arguments", [(), ("plays/good.yaml",), ("test_plain.py",), ("-k", "plain")])
def test_a_known_failure_that_matches_nothing_is_an_error_whatever_is_played(
    arguments: Sequence[str], project: pytest.Pytester
) -> None:
    list_one_that_there_is_not(project)
    asked(project)
    result = project.runpytest_inprocess(*arguments)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (told,) = (line for line in result.outlines if "unmatched" in line)
    assert "known.yaml:2:8: bda is unmatched: there is no such scenario" in told


def test_it_is_told_in_the_words_of_the_command(project: pytest.Pytester) -> None:
    list_one_that_there_is_not(project)
    asked(project)
    result = project.runpytest_inprocess()
    command = CliRunner().invoke(main, ["run", "plays"])

    assert command.exit_code == 1
    assert UNMATCHED in command.output.replace("\n", "")
    assert any(line.endswith(UNMATCHED) for line in result.outlines)


def test_it_is_told_once_when_the_scenarios_are_dealt_out_to_the_processes_of_xdist(
    project: pytest.Pytester,
) -> None:
    list_one_that_there_is_not(project)
    result = project.runpytest_subprocess("--outlast", "plays", "-n", "2")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [line for line in result.outlines if line.endswith(UNMATCHED)] != []
    assert printed(result).count("bda is unmatched") == 1


def test_where_no_scenario_is_collected_nothing_is_said_of_the_known_failures(
    project: pytest.Pytester,
) -> None:
    list_one_that_there_is_not(project)

    assert project.runpytest_inprocess("--outlast", "test_plain.py").ret == pytest.ExitCode.OK


def test_one_session_with_the_implementation_serves_all_scenarios(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counted, "life", "")
    project.makefile(".toml", outlast="driver = 'python:tests.test_pytest_plugin:Counted'")
    asked(project)
    project.runpytest_inprocess().assert_outcomes(passed=2, failed=1)

    assert Counted.life == "started ended "


def test_an_implementation_that_cannot_be_started_fails_each_scenario_and_the_story_is_told_once(
    project: pytest.Pytester,
) -> None:
    asked(project)
    result = project.runpytest_inprocess("--outlast-driver", "python:tests.test_pytest_plugin:OutOfOrder")

    result.assert_outcomes(passed=1, failed=2)
    assert printed(result).count("the whole story") == 1
    assert "--driver python:tests.test_pytest_plugin:OutOfOrder: out of order" in result.outlines


@pytest.mark.parametrize(
    "ini, toml, message",
    [
        ("outlast_paths = nowhere", "", "outlast_paths: there is no nowhere; expected a scenario, a folder"),
        ("outlast_paths = plays", "drivr = 1", "outlast.toml: drivr: unknown key; did you mean driver?"),
        ("outlast_paths = plays", "requirements = 'no.yaml'", "no.yaml:1:1: this cannot be read"),
        ("outlast_paths = plays", "known_failures = 'no.yaml'", "no.yaml:1:1: this cannot be read"),
    ],
)
def test_a_wrong_configuration_ends_pytest_at_once(
    ini: str, toml: str, message: str, project: pytest.Pytester
) -> None:
    project.makeini(f"[pytest]\n{ini}\n")
    project.makefile(".toml", outlast=toml)
    result = project.runpytest_inprocess()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in "\n".join(result.errlines)


def test_a_driver_that_cannot_be_found_fails_with_the_words_of_the_command(project: pytest.Pytester) -> None:
    asked(project)
    result = project.runpytest_inprocess("plays/good.yaml", "--outlast-driver", "elsewhere")

    assert "--driver elsewhere: expected python:MODULE:FACTORY or stdio:COMMAND" in result.outlines
