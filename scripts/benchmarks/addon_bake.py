# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of the add-on from an armature to a baked action, beside Blender's own baking of the same clip."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .figures import Figure
from .planted_walk import PlantedWalk, planted_walk

ROOT = Path(__file__).resolve().parents[2]
INSIDE = Path(__file__).with_name("inside_blender.py")
ROUNDS = 5
MOST_SECONDS_MORE = 1.0
"""Seconds by which reading, solving and baking may take longer than Blender's baking alone."""
PATIENCE = 300.0
"""Seconds after which a Blender process that does not answer is killed."""

ADDON, BLENDER = "add-on: read, solve and bake", "Blender: nla.bake"


def addon_bake(walk: PlantedWalk | None = None, rounds: int = ROUNDS) -> Iterator[Figure]:
    """The enforced walk in Blender: read from the armature, solved and baked, against Blender's nla.bake of the clip.

    Blender asks for another NumPy than the peers do, so it runs in a Python of its own, by turns there.
    """
    walk = walk or planted_walk()
    python = blender_python()
    if python is None:
        yield Figure(ADDON, None, "s", note="the bpy module is neither here nor in .venv: `make test` puts it there")
        return
    told = _measured(python, walk, rounds)
    about = f"{walk.name}, {walk.clip.frames} frames, {told['bones']} bones, Blender {told['version']}"
    yield Figure(ADDON, told["addon"], "s", note=about)
    for part in ("read", "bake"):
        yield Figure(f"add-on: {part} alone", told[part], "s", note=told["method"] if part == "read" else "")
    yield Figure(BLENDER, told["nla_bake"], "s", note="every bone at every frame")
    yield Figure(f"{ADDON}, longer than {BLENDER}", told["addon"] - told["nla_bake"], "s", MOST_SECONDS_MORE)
    yield Figure("add-on: largest miss of a plant", told["miss"], "sizes")


def blender_python() -> str | None:
    """The Python that has the bpy module: this one, or that of .venv."""
    if importlib.util.find_spec("bpy") is not None:
        return sys.executable
    other = ROOT / ".venv" / "bin" / "python"
    if not other.is_file():
        return None
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('bpy') is None)"
    return str(other) if subprocess.run([other, "-c", asked]).returncode == 0 else None


def _measured(python: str, walk: PlantedWalk, rounds: int) -> dict[str, Any]:
    """The measurements of a Blender process that is started for them."""
    from poise import solver

    with tempfile.TemporaryDirectory(prefix="poise-bench-") as folder:
        clip, constraints, result = (Path(folder) / name for name in ("walk.bvh", "walk.json", "result.json"))
        solver.write_bvh(walk.clip, clip)
        solver.write_constraints(walk.constraints, constraints, walk.clip)
        run = subprocess.run(
            [python, str(INSIDE), str(clip), str(constraints), str(result), str(rounds)],
            env=os.environ | {"BLENDER_USER_RESOURCES": folder},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if not result.is_file():
            raise RuntimeError(f"Blender did not measure anything:\n{run.stdout}{run.stderr}")
        told: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return told
