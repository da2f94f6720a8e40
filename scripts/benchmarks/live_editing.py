# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of live mode from an edit to new f-curves, without a window."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .addon_bake import PATIENCE, blender_python
from .figures import Figure
from .planted_walk import PlantedWalk, planted_walk

INSIDE = Path(__file__).with_name("inside_live.py")
MOVES = 40
ANSWER = 50.0
"""Milliseconds from an edit to new f-curves, for 95 % of edits: three redraws at 60 a second."""
FAR_RESULT = 150.0
"""Milliseconds to the result of a target that is far out of reach, for 95 % of edits."""
MILLI = 1000.0


def live_editing(walk: PlantedWalk | None = None, moves: int = MOVES) -> Iterator[Figure]:
    """Live mode in Blender: a plant, and a hand far out of reach, are dragged; from each edit to new f-curves.

    In processor time, so that other work on the machine counts less, and in a Python that has the bpy module. Before a
    drag the constraint is active for a moment, as after a click on its handle, so that live mode is prepared.
    """
    walk = walk or planted_walk()
    python = blender_python()
    if python is None:
        yield Figure("plant: first f-curves", None, "ms", note="the bpy module is neither here nor in .venv")
        return
    told = _measured(python, walk, moves)
    about = f"{walk.name}, {told['frames']} frames, {moves} moves, Blender {told['version']}"
    for name, title in (("plant", "plant"), ("far", "hand far out of reach")):
        answers, results = MILLI * np.array(told[name]).T
        yield Figure(f"{title}: first f-curves, 95 %", float(np.percentile(answers, 95)), "ms", ANSWER, note=about)
        yield Figure(f"{title}: first f-curves, first move", float(answers[0]), "ms")
        bound = ANSWER if name == "plant" else FAR_RESULT
        yield Figure(f"{title}: whole result, 95 %", float(np.percentile(results, 95)), "ms", bound)
        yield Figure(f"{title}: whole result, median", float(np.median(results)), "ms")
    for part, seconds in told["around"].items():
        yield Figure(f"around the solver: {part}", MILLI * seconds, "ms")


def _measured(python: str, walk: PlantedWalk, moves: int) -> dict[str, Any]:
    """The measurements of a Blender process that is started for them."""
    from poise import solver

    with tempfile.TemporaryDirectory(prefix="poise-bench-") as folder:
        clip, result = Path(folder) / "walk.bvh", Path(folder) / "result.json"
        solver.write_bvh(walk.clip, clip)
        run = subprocess.run(
            [python, str(INSIDE), str(clip), str(result), str(moves)],
            env=os.environ | {"BLENDER_USER_RESOURCES": folder},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if not result.is_file():
            raise RuntimeError(f"Blender did not measure anything:\n{run.stdout}{run.stderr}")
        told: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return told
