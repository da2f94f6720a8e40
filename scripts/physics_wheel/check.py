# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs a wheel into an empty folder and solves a small problem with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROBLEM = Path(__file__).with_name("small_problem.py")
LONGEST = 120
"""Seconds; installing and solving take about four."""


class CheckError(Exception):
    """A wheel that cannot be installed, or with which IPOPT does not solve a problem."""


def check(wheel: Path) -> None:
    """Raise a `CheckError` if the wheel does not work by itself, beside NumPy."""
    with tempfile.TemporaryDirectory(prefix="poise-wheel-") as folder:
        # A path, and no index: only the wheel itself can satisfy this.
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
        _run([*install, "--target", folder, str(wheel)], f"pip cannot install {wheel.name}")
        # This path comes before the environment's own packages, among which CasADi may be too.
        _run([str(PROBLEM), folder], f"IPOPT does not work with {wheel.name}", PYTHONPATH=folder)


def _run(arguments: list[str], failure: str, **environment: str) -> None:
    command = [sys.executable, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=os.environ | environment)
    if run.returncode != 0:
        raise CheckError(f"{failure}: {(run.stderr or run.stdout).strip()}")
