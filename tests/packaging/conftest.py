"""What is built once for all tests here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.environments import Environment, copy_checkout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh checkout."""
    return copy_checkout(tmp_path_factory.mktemp("checkout") / "outlast")


@pytest.fixture(scope="session")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    builder = Environment.make(folder)
    builder.install("build")
    done = builder.run("python", "-m", "build", "--outdir", folder / "dist", checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "dist"


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    """The wheel."""
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def stranger(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment in which nothing is installed but the wheel and what it needs."""
    environment = Environment.make(tmp_path_factory.mktemp("stranger"))
    environment.install(wheel)
    return environment
