"""Skeletons of drivers: they run as they are written, nothing passes by accident, nothing is overwritten."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from conformance import AgentOptions, load, run
from conformance.cli import main
from conformance.drivers import shapes

PARTS = ["agent/events/turn-order", "agent/resume/needs-reply-false-for-an-empty-conversation"]


def outlast(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def skeleton(folder: Path, *options: str) -> ModuleType:
    """The module that has been written."""
    assert outlast("init-driver", "python", str(folder), *options).exit_code == 0
    spec = importlib.util.spec_from_file_location("written_driver", folder / "driver.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_with_nothing_written_every_scenario_says_so_and_none_passes(tmp_path: Path) -> None:
    report = run(load(), skeleton(tmp_path).create, with_sequence=False)

    ended = {result.message for result in report.scenarios if result.verdict != "unsupported"}
    assert ended == {"create is not written yet, see driver.py"}
    assert report.summary()["protocol-error"] > 100
    assert report.summary()["passed"] == 0


@pytest.mark.parametrize("language", ["python", "javascript"])
@pytest.mark.parametrize(
    "profiles, has, has_not",
    [
        ([], ["prompt", "replace_messages"], ["runtime/", "client/", "perform"]),
        (["agent"], ["prompt", "run_child"], ["runtime/", "client/", "perform"]),
        (
            ["runtime"],
            ["runtime/spawn", "clock/advance", "moved"],
            ["client/", "replace_messages", "children"],
        ),
        (["client"], ["client/run_with_answer", "disk-store"], ["runtime/", "replace_messages", "moved"]),
        (["runtime", "client"], ["runtime/spawn", "client/ask"], ["replace_messages"]),
        (["agent", "runtime", "client"], ["replace_messages", "runtime/spawn", "client/ask"], []),
    ],
)
def test_it_has_the_methods_of_the_profiles_that_are_chosen_and_no_others(
    language: str, profiles: list[str], has: list[str], has_not: list[str], tmp_path: Path
) -> None:
    chosen = [f"--profile={profile}" for profile in profiles]
    result = outlast("init-driver", language, str(tmp_path), *chosen)
    (text,) = (file.read_text(encoding="utf-8") for file in tmp_path.iterdir())

    assert result.exit_code == 0
    assert f"outlast trace {(profiles or ['agent'])[0]}/" in result.output
    assert [word for word in has if word not in text] == []
    assert [word for word in has_not if word in text] == []
    assert re.search(r"^ *(#|//) \[", text, re.MULTILINE) is None
    assert ", ".join(f'"{profile}"' for profile in profiles or ["agent"]) in text


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_every_verb_of_a_profile_is_in_its_skeleton(language: str, tmp_path: Path) -> None:
    outlast("init-driver", language, str(tmp_path), "--profile", "runtime", "--profile", "client")
    (text,) = (file.read_text(encoding="utf-8") for file in tmp_path.iterdir())
    verbs = {verb for verb in shapes.SUITE_METHODS if verb.startswith(("runtime/", "client/", "clock/"))}

    assert len(verbs) > 15
    assert {verb for verb in verbs if f'"{verb}"' not in text} == set()


@pytest.mark.parametrize("profile", ["runtime", "client"])
def test_with_nothing_written_every_scenario_of_another_profile_says_so_too(
    profile: str, tmp_path: Path
) -> None:
    module = skeleton(tmp_path, "--profile", profile)
    report = run(load([profile]), module.create, with_sequence=False)

    ended = {result.message for result in report.scenarios if result.verdict != "unsupported"}
    assert ended == {f"{profile}/create is not written yet, see driver.py"}
    assert report.summary()["protocol-error"] > 5
    assert report.summary()["passed"] == 0


def test_with_only_the_first_method_written_none_passes_either(tmp_path: Path) -> None:
    module = skeleton(tmp_path)

    class Begun(module.MyDriver):  # type: ignore[name-defined, misc]
        async def create(self, agent: str, options: AgentOptions) -> None:
            pass

    report = run(load(), Begun, with_sequence=False)

    verdicts = {result.verdict for result in report.scenarios}
    assert verdicts == {"protocol-error", "unsupported"}


def test_the_python_skeleton_runs_at_once_over_stdio_and_says_what_is_missing(tmp_path: Path) -> None:
    outlast("init-driver", "python", str(tmp_path / "new" / "folder"))
    program = tmp_path / "new" / "folder" / "driver.py"
    driver = f"stdio:{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
    result = outlast("run", *PARTS, "--driver", driver)

    assert result.exit_code == 1
    assert "my agent 0.1 (python)" in result.output
    assert "create is" in result.output
    assert "scenarios: 2 protocol-error" in result.output.splitlines()[-1]


@pytest.mark.node
def test_the_javascript_skeleton_runs_at_once_and_says_what_is_missing(tmp_path: Path) -> None:
    outlast("init-driver", "javascript", str(tmp_path))
    driver = f"stdio:node {shlex.quote(str(tmp_path / 'driver.mjs'))}"
    result = outlast("run", *PARTS, "--driver", driver)

    assert result.exit_code == 1
    assert "my agent 0.1 (javascript)" in result.output
    assert "scenarios: 2 protocol-error" in result.output.splitlines()[-1]


def test_it_says_what_to_do_next_with_commands_that_can_be_copied(tmp_path: Path) -> None:
    result = outlast("init-driver", "javascript", str(tmp_path / "my driver"))

    (doctor,) = (line for line in result.output.splitlines() if "outlast doctor" in line)
    assert shlex.split(shlex.split(doctor)[-1].removeprefix("stdio:")) == [
        "node",
        str(tmp_path / "my driver" / "driver.mjs"),
    ]


@pytest.mark.parametrize("folder", ["my_agent", "my agent", "the agent's", "-agent", "."])
def test_the_commands_that_it_prints_work_as_they_are_written_where_it_was_run(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = outlast("init-driver", "python", "--", folder)
    commands = [shlex.split(line) for line in written.output.splitlines() if line.startswith("  outlast ")]
    doctor = outlast(*commands[0][1:])

    assert [command[1] for command in commands] == ["doctor", "trace", "run"]
    assert len({command[-1] for command in commands}) == 1
    assert (doctor.exit_code, doctor.output.splitlines()[0]) == (1, "my agent 0.1 (python)"), doctor.output


def test_the_command_that_the_python_skeleton_names_works_as_it_is_written_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    outlast("init-driver", "python", ".")
    text = (tmp_path / "driver.py").read_text(encoding="utf-8")
    (command,) = (shlex.split(line) for line in text.splitlines() if line.startswith("    outlast doctor"))
    doctor = outlast(*command[1:])
    sys.modules.pop("driver", None)

    assert "in the folder of this file" in text
    assert (doctor.exit_code, doctor.output.splitlines()[0]) == (1, "my agent 0.1 (python)"), doctor.output


def test_what_is_there_already_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "driver.py").write_text("mine", encoding="utf-8")
    result = outlast("init-driver", "python", str(tmp_path))

    assert (result.exit_code, "exists already" in result.output) == (2, True)
    assert (tmp_path / "driver.py").read_text(encoding="utf-8") == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["driver.py"]


def test_a_folder_that_cannot_be_made_and_another_language_end_with_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    assert "cannot be written" in outlast("init-driver", "python", str(tmp_path / "file" / "in")).output
    assert outlast("init-driver", "python", str(tmp_path / "file" / "in")).exit_code == 2
    assert outlast("init-driver", "cobol", str(tmp_path)).exit_code == 2
