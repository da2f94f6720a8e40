# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make` says on a machine without the Python it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def fresh_checkout(tmp_path: Path) -> Path:
    """A checkout in which no environment has been made."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    return tmp_path


@pytest.mark.parametrize(
    ("interpreter", "sentence"),
    [
        ("python-that-is-not-there", "The Python that PYTHON names, python-that-is-not-there, does not run"),
        ("{folder}/python1.5", "is Python 1.5, but Python 3.11 is needed"),
        ("{folder}/no-venv", "lacks the modules venv and ensurepip"),
    ],
)
@pytest.mark.parametrize("target", ["test", "test-solver", "lint", "demo"])
def test_an_unfit_python_gives_one_sentence(fresh_checkout: Path, target: str, interpreter: str, sentence: str) -> None:
    write_interpreter(fresh_checkout / "python1.5", "echo 1.5")
    write_interpreter(fresh_checkout / "no-venv", 'case "$2" in *ensurepip*) exit 1 ;; esac; echo 3.11')
    run = make(fresh_checkout, target, f"PYTHON={interpreter.format(folder=fresh_checkout)}")
    assert run.returncode != 0
    assert sentence in run.stderr
    assert len((run.stdout + run.stderr).splitlines()) == 1


def test_no_python_at_all_gives_one_sentence(fresh_checkout: Path) -> None:
    tools = fresh_checkout / "tools"
    tools.mkdir()
    for tool in ("bash", "env", "make", "sh"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    run = make(fresh_checkout, "test", PATH=str(tools), HOME=str(fresh_checkout), PYENV_ROOT=str(fresh_checkout))
    assert run.returncode != 0
    assert "Python 3.11 (with its venv module) was not found: install it" in run.stderr
    assert len((run.stdout + run.stderr).splitlines()) == 1


def test_a_named_python_is_taken() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = [str(ROOT / "scripts" / "find-python"), version, sys.executable]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == sys.executable, run.stderr


def write_interpreter(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make as from a shell: not as a part of the make that may be running these tests."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--directory", str(folder), "--no-print-directory", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=inherited | environment)
