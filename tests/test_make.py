# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of `make` on a machine without the needed Python, and the tests that it runs when others fail."""

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


MADE_UP_PYTHON = """
case "$*" in
*numpy*)  # which kernel runs here
    [ "$OPENBLAS_CORETYPE" != Zen ] && echo "Core: $OPENBLAS_CORETYPE" >&2
    ;;
*)
    echo "$0 $* kernel=$OPENBLAS_CORETYPE" >>calls
    case "$0 $OPENBLAS_CORETYPE" in *${FAILS:-nothing}*) exit 1 ;; esac
    ;;
esac
"""
"""An interpreter that records its arguments, and fails where its path or the kernel contains FAILS."""


@pytest.fixture
def made_up_environments(fresh_checkout: Path) -> Path:
    """A checkout with ready environments, each with an interpreter that only records its arguments."""
    for name in (".venv", ".venv-peers"):
        (fresh_checkout / name / "bin").mkdir(parents=True)
        write_interpreter(fresh_checkout / name / "bin" / "python", MADE_UP_PYTHON)
        (fresh_checkout / name / "ready").touch()
    return fresh_checkout


def calls(folder: Path) -> list[str]:
    """The recorded arguments of the made-up interpreters, in order."""
    return (folder / "calls").read_text().splitlines()


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


@pytest.mark.parametrize(
    ("fails", "message"),
    [
        ("", "With Blender: passed. Against the peers: passed."),
        (".venv/", "With Blender: FAILED. Against the peers: passed."),
        (".venv-peers/", "With Blender: passed. Against the peers: FAILED."),
    ],
)
def test_both_parts_run_whichever_fails(made_up_environments: Path, fails: str, message: str) -> None:
    run = make(made_up_environments, "test", FAILS=fails)
    assert (run.returncode == 0) == (not fails)
    assert message in run.stdout.splitlines()
    assert [line.split()[0] for line in calls(made_up_environments)] == [".venv/bin/python", ".venv-peers/bin/python"]


def test_the_solvers_tests_alone_leave_the_slow_ones_out(made_up_environments: Path) -> None:
    assert make(made_up_environments, "test-solver").returncode == 0
    (call,) = calls(made_up_environments)
    assert "-m not peers and not slow tests/solver" in call


@pytest.mark.parametrize("fails", ["", "Haswell"])
def test_every_kernel_that_runs_here_is_tested(made_up_environments: Path, fails: str) -> None:
    run = make(made_up_environments, "test-kernels", "KERNELS=Prescott Haswell Zen", FAILS=fails)
    assert (run.returncode == 0) == (not fails), run.stdout + run.stderr
    assert "NOT TESTED, since it does not run here: Zen." in run.stdout
    assert ("FAIL under the kernels Haswell" in run.stdout) == bool(fails)
    assert [line.split()[-1] for line in calls(made_up_environments)] == ["kernel=Prescott", "kernel=Haswell"]


def test_continuous_integration_needs_two_kernels(made_up_environments: Path) -> None:
    for kernels, code in (("Prescott Haswell", 0), ("Prescott Zen", 2)):
        assert make(made_up_environments, "test-kernels", f"KERNELS={kernels}", CI="true").returncode == code


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
    left_out = ("MAKE", "MFLAGS", "CI", "OPENBLAS_CORETYPE")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    command = ["make", "--directory", str(folder), "--no-print-directory", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=inherited | environment)
