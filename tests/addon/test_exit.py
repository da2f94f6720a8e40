# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of tests inside Blender ends by itself, with its output whole and the exit code of its tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LEAVES_A_CLASS_REGISTERED = """
import bpy

class Forgotten(bpy.types.Menu):
    bl_idname = "POISE_MT_forgotten"
    bl_label = "Forgotten"

    def draw(self, context):
        pass

def test_registers():
    bpy.utils.register_class(Forgotten)
    assert {outcome}
"""
A_HANG_IS_LONGER = 60  # seconds; the run takes about two


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one process", "two workers"])
@pytest.mark.parametrize(("outcome", "code", "message"), [(True, 0, "1 passed"), (False, 1, "1 failed")])
def test_a_forgotten_class_neither_hangs_nor_hides_the_outcome(
    tmp_path: Path, outcome: bool, code: int, message: str, processes: tuple[str, ...]
) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = blender\n")
    (tmp_path / "test_forgotten.py").write_text(LEAVES_A_CLASS_REGISTERED.format(outcome=outcome))
    # Rewritten assertions happen to keep the class alive, and then Blender would end well even without our help.
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--assert=plain", *processes, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=A_HANG_IS_LONGER,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert run.returncode == code, run.stdout + run.stderr
    assert message in run.stdout.splitlines()[-1]
