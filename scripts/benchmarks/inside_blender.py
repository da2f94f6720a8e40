# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with the bpy module, for `addon_bake`: `inside_blender.py WALK.bvh CONSTRAINTS.json RESULT.json ROUNDS`."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from poise import addon
from poise.addon import bridge
from poise.addon.workflows import import_export, latest, solve


def main(walk: str, constraints: str, result: str, rounds: str) -> None:
    """Measure, and write medians in seconds."""
    addon.register()
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=walk, update_scene_duration=True, update_scene_fps=True)
    armature: Any = bpy.context.object
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature.animation_data.action.frame_range)
    import_export.load(armature, Path(constraints))
    armature.poise.use_ground = False  # the benchmark's walk stands where it stands
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")

    outcomes: list[solve.SolveResult] = []
    jobs: dict[str, Callable[[], object]] = {
        "addon": lambda: outcomes.append(solved_anew(armature)),
        "nla_bake": lambda: bpy.ops.nla.bake(
            frame_start=scene.frame_start,
            frame_end=scene.frame_end,
            only_selected=True,
            visual_keying=True,
            bake_types={"POSE"},
        ),
        "read": lambda: bridge.read(armature),
        "bake": lambda: bridge.bake(outcomes[0].reading, outcomes[0].deformation.clip),
    }
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    source, slot = armature.animation_data.action, getattr(armature.animation_data, "action_slot", None)
    for counted in [False] + [True] * int(rounds):
        for name, job in jobs.items():
            begin = time.perf_counter()
            job()
            if counted:
                taken[name].append(time.perf_counter() - begin)
            armature.animation_data.action = source  # each begins with the source
            if slot is not None:
                armature.animation_data.action_slot = slot
    last = outcomes[-1]
    size = last.reading.clip.skeleton.size
    told: dict[str, Any] = {name: statistics.median(seconds) for name, seconds in taken.items()}
    told["bones"], told["version"] = len(armature.pose.bones), bpy.app.version_string
    told["method"] = last.reading.reason or "from its keys"
    told["miss"] = max(residual.worst for residual in last.deformation.report.residuals) / size
    Path(result).write_text(json.dumps(told), encoding="utf-8")


def solved_anew(armature: Any) -> solve.SolveResult:
    """The result of a solve that has nothing to reuse."""
    latest.forget()
    return solve.solve(armature)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)  # with classes registered, some Blenders never end
