# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in a Blender with a window: the tab, the progress of a solve, Esc, undo and redo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from poise import solver
from poise.solver import synthetic

ROOT = Path(__file__).parents[2]
TOOL = ROOT.parent / "shared" / "tools" / "blender-gui"
SUITE = os.environ.get("BLENDER_GUI_SUITE", "trixie")
"""Which Blender: trixie has 4.3, sid the newest."""
LONGEST = 400  # seconds; making the program ready takes two minutes the first time, and a run a quarter of one

pytestmark = pytest.mark.timeout(2 * LONGEST + 60)


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an animator has seen in one run of Blender."""
    if not TOOL.is_file():
        pytest.skip("there is no Blender with a window: these tests start it with ../shared/tools/blender-gui")
    pytest.importorskip("bpy", reason="the extension is built with the bpy module, which is not installed")
    folder = tmp_path_factory.mktemp("window")
    script = ROOT / "scripts" / "build_extension.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True, capture_output=True, timeout=LONGEST)
    (archive,) = folder.glob("*.zip")
    walk, result = folder / "Walker.bvh", folder / "seen.json"
    solver.write_bvh(synthetic.walk(steps=30, fps=60.0).clip, walk)
    inside = Path(__file__).with_name("inside.py")
    command = [TOOL, "--suite", SUITE, "run", "--factory-startup", "--python-use-system-env", "--enable-event-simulate"]
    run = subprocess.run(
        [*command, "--python", inside, "--", archive, walk, result],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        cwd=ROOT,
        env=os.environ | {"BLENDER_USER_RESOURCES": str(folder / "user")},
    )
    assert result.is_file(), run.stdout + run.stderr
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    assert "broken" not in found, found["broken"]
    return found


def test_the_tab_opens(seen: dict[str, Any]) -> None:
    assert seen["category"] == "Poise"


def test_escape_cancels_a_solve_and_nothing_has_changed(seen: dict[str, Any]) -> None:
    assert seen["escape: begun"] == ["RUNNING_MODAL"]
    assert seen["escape: runs"]
    assert not seen["escape: runs after"]
    assert seen["escape: after"] == seen["escape: before"]


def test_a_solve_shows_its_progress_and_ends_with_a_result(seen: dict[str, Any]) -> None:
    shares = seen["solve: shares"]
    assert len(set(shares)) >= 3, f"the window must be drawn while it solves, but saw only {shares}"
    assert shares == sorted(shares)
    assert seen["solve: after"]["action"] == "Walker.poise"
    assert seen["solve: after"]["last_solve"]
    assert seen["solve: missed"]
    assert not any(seen["solve: missed"])


def test_an_armature_is_solved_once_at_a_time(seen: dict[str, Any]) -> None:
    assert not seen["solve: twice"]


def test_undo_and_redo_restore_everything(seen: dict[str, Any]) -> None:
    assert seen["undone"] == seen["solve: before"]
    assert seen["redone"] == seen["solve: after"]


def test_operators_are_found_by_f3(seen: dict[str, Any]) -> None:
    assert seen["found by F3"]


def test_a_landmark_is_set_by_searching_for_its_bone_on_both_sides(seen: dict[str, Any]) -> None:
    assert seen["searched"] == {"left_ankle": "l_subtalar", "right_ankle": "r_subtalar"}


def test_an_error_is_one_sentence_and_changes_nothing(seen: dict[str, Any]) -> None:
    assert seen["error"].startswith("Error: ")
    assert seen["error"].strip().count("\n") == 0
    assert not seen["error: runs"]
    assert seen["error: after"] == seen["error: before"]
