# SPDX-License-Identifier: GPL-3.0-or-later
"""A synthetic human who walks, as an armature in the scene."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import bpy

from poise.addon import bridge
from poise.solver import synthetic
from poise.solver.files.bvh import format_bvh

from .bridge.importing import import_bvh


@cache
def _walk_as_bvh() -> str:
    return format_bvh(synthetic.walk(steps=4, fps=30.0).clip)


def walking_armature(folder: Path) -> bpy.types.Object:
    """The armature, active and alone in the scene, whose range is that of the walk."""
    path = folder / "Walker.bvh"
    path.write_text(_walk_as_bvh(), encoding="utf-8")
    armature = import_bvh(path)
    scene = bpy.context.scene
    scene.render.fps = 30
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature.animation_data.action.frame_range)
    return armature


def select_bones(armature: bpy.types.Object, *names: str) -> None:
    """Select these bones and no others, in pose mode; the first is the active one."""
    bpy.context.view_layer.objects.active = armature
    if armature.mode != "POSE":
        bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        bridge.select(bone, bone.name in names)
    if names:
        armature.data.bones.active = armature.data.bones[names[0]]
