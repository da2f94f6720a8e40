# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/batch.py`: the checkout around it is used, and Pythons that cannot run it are told so."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BATCH = ROOT / "scripts" / "batch.py"


def test_the_checkout_around_the_script_is_used_whatever_it_is_called(tmp_path: Path) -> None:
    checkout = tmp_path / "some other-name"
    (checkout / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "__init__.py", checkout)
    shutil.copy(BATCH, checkout / "scripts")
    shutil.copytree(ROOT / "solver", checkout / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import batch; batch.load_poise(); import poise.solver; print(poise.solver.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=checkout / "scripts", capture_output=True, text=True)
    assert done.stdout.strip() == str(checkout / "solver" / "__init__.py"), done.stderr


def test_an_old_python_is_told_in_one_sentence() -> None:
    """Old Pythons can parse the script: nothing in it is newer than 3.4, and it is ASCII for Python 2."""
    ast.parse(BATCH.read_bytes().decode("ascii"), feature_version=(3, 4))
    code = (
        "import runpy, sys\n"
        "sys.version_info = (3, 9, 1)\n"
        "sys.argv = [sys.argv[1], 'captures']\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(BATCH)], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "Poise needs Python 3.11 or later, and this is Python 3.9: run this script with a newer one.\n"
    )


def test_a_python_without_numpy_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", str(BATCH), "captures", "-o", "out"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "Poise needs NumPy" in done.stderr
