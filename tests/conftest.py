# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all tests: the captured clips, and the skipping of tests whose optional library is missing."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

# Tests run in as many processes as there are cores. OpenBLAS reads this when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).parents[1]
MOCAP = ROOT.parent / "shared" / "mocap"

NEEDED_BY_MARKER = {"peers": "pinocchio", "blender": "bpy"}
"""The module without which a test with this marker cannot run; `pytest.mark.peers("placo")` names another one."""


def is_installed(module: str) -> bool:
    """Whether the top-level module can be found; it is not imported."""
    return importlib.util.find_spec(module) is not None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose library is missing, or fail it in continuous integration, where none may be missing."""
    for marker, usual in NEEDED_BY_MARKER.items():
        for mark in item.iter_markers(marker):
            missing = [module for module in mark.args or (usual,) if not is_installed(module)]
            if missing and os.environ.get("CI") == "true":
                pytest.fail(f"{', '.join(missing)} must be installed in continuous integration", pytrace=False)
            elif missing:
                pytest.skip(f"{', '.join(missing)} is not installed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which optional parts were present, so that a run with skipped tests is not mistaken for a complete one."""
    present = {
        "mocap": MOCAP.is_dir(),
        **{module: is_installed(module) for module in NEEDED_BY_MARKER.values()},
    }
    words = ", ".join(f"{name} {'present' if there else 'MISSING'}" for name, there in present.items())
    terminalreporter.write_line(f"optional: {words}")


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder of captured clips beside the checkout; the test is skipped where there is none."""
    if not MOCAP.is_dir():
        pytest.skip("the captured clips are not there: this test reads them from ../shared/mocap beside the checkout")
    return MOCAP
