# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of an answer of the posture tool, from a move of the mouse to the pose that Blender has evaluated."""

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

INSIDE = Path(__file__).with_name("posture_inside_blender.py")
EVENTS = 120
LONGEST = 33.0
"""Largest milliseconds of 95 of 100 answers: a drag at 30 pictures a second."""

HAND, FAR, HIPS, LIMITED = "hand", "hand, out of reach", "hips", "hand, out of reach, anatomical limits"
"""The drags; all but the last without limits. Times are processor times: other work on the machine does not count."""


def posture_drag(walk: PlantedWalk | None = None, events: int = EVENTS) -> Iterator[Figure]:
    """A drag with the posture tool in Blender: feet and balance hold, the ground stops; the walk's armature, alone and
    with fingers."""
    walk = walk or planted_walk()
    python = blender_python()
    if python is None:
        yield Figure(HAND, None, "ms", note="the bpy module is neither here nor in .venv: `make test` puts it there")
        return
    told = _measured(python, walk, events)
    for character in told["characters"]:
        about = f"{character['bones']} bones, {events} events, Blender {told['version']}"
        for drag, times in character["times"].items():
            name = f"{character['bones']} bones, {drag}"
            yield Figure(f"{name}: median", float(np.median(times)), "ms", note=about)
            yield Figure(f"{name}: 95 of 100 within", float(np.percentile(times, 95.0)), "ms", LONGEST)
        yield Figure(f"{character['bones']} bones: a foot moves at most", character["foot"], "sizes", 1e-5)


def _measured(python: str, walk: PlantedWalk, events: int) -> dict[str, Any]:
    from poise import solver

    with tempfile.TemporaryDirectory(prefix="poise-bench-") as folder:
        clip, result = Path(folder) / "walk.bvh", Path(folder) / "result.json"
        solver.write_bvh(walk.clip, clip)
        run = subprocess.run(
            [python, str(INSIDE), str(clip), str(result), str(events)],
            env=os.environ | {"BLENDER_USER_RESOURCES": folder},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if not result.is_file():
            raise RuntimeError(f"Blender did not measure anything:\n{run.stdout}{run.stderr}")
        told: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return told
