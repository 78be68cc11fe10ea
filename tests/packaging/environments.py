"""Virtual environments that have nothing to do with the one that the tests run in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


_MADE = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "dist")
"""What is in a checkout that has been used, and not in a fresh one."""


def copy_checkout(folder: Path) -> Path:
    """A fresh checkout at `folder`."""
    return Path(shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*_MADE)))


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment; commands are run in `cwd`, which holds nothing else."""

    folder: Path
    cwd: Path

    @classmethod
    def make(cls, folder: Path) -> Environment:
        """A fresh one below `folder`."""
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        (folder / "cwd").mkdir()
        return cls(folder / "venv", folder / "cwd")

    def run(self, command: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command of this environment."""
        return subprocess.run(
            [self.folder / "bin" / command, *arguments],
            cwd=self.cwd,
            env={
                name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))
            },
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def install(self, *what: str | Path) -> None:
        """Install something with pip."""
        done = self.run("python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *what)
        if done.returncode != 0:
            raise RuntimeError(f"pip install {' '.join(map(str, what))}:\n{done.stdout}{done.stderr}")
