"""The driver for the package toolnexus, in an environment of its own.

It is a port of what two of the documents describe. What it does not pass is listed beside the driver, each
with its reason; all else passes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.packaging.environments import ROOT, Environment

pytestmark = pytest.mark.network

VERSION = "0.21.0"
FOLDER = ROOT / "tests" / "implementations" / "toolnexus"


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment.make(tmp_path_factory.mktemp("toolnexus"))
    made.install(wheel, f"toolnexus=={VERSION}")
    shutil.copytree(FOLDER, made.cwd, dirs_exist_ok=True)
    return made


def test_it_passes_all_but_what_is_listed(environment: Environment) -> None:
    command = ["runtime", "client", "field", "--driver", "python:driver:Toolnexus"]

    done = environment.run("outlast", "run", *command, "--known-failures", "known-failures.yaml")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"toolnexus {VERSION} (python)\n")


def test_it_says_the_same_when_it_is_run_again(environment: Environment) -> None:
    command = ["runtime", "client", "field", "--driver", "python:driver:Toolnexus"]

    first, again = (environment.run("outlast", "run", *command).stdout for _ in range(2))

    assert first == again
