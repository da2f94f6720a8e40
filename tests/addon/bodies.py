# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with given motions in the scene: as an object, or as the only bone of an armature."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from poise.solver import MovingObject

FIRST = 1
"""The frame of the scene in which motions begin."""
BONE = "hand"


def _key(animated: Any, body: MovingObject) -> None:
    animated.rotation_mode = "QUATERNION"
    before = None
    pairs = zip(np.asarray(body.positions), np.asarray(body.rotations), strict=True)
    for frame, (place, rotation) in enumerate(pairs, start=FIRST):
        # Of the two quaternions of a rotation the one next to the last, so that no frame in between turns round.
        before = rotation if before is None or before @ rotation >= 0.0 else -rotation
        animated.location, animated.rotation_quaternion = place.tolist(), before.tolist()
        animated.keyframe_insert("location", frame=frame)
        animated.keyframe_insert("rotation_quaternion", frame=frame)


def _set_range(body: MovingObject) -> None:
    scene = bpy.context.scene
    scene.render.fps = 30
    scene.frame_start, scene.frame_end = FIRST, FIRST + len(body.positions) - 1


def box(name: str, side: float = 1.0) -> Any:
    """A cube about its origin, at rest."""
    corners = [Vector((x, y, z)) * 0.5 * side for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6)])
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


def moving_box(name: str, body: MovingObject, side: float = 1.0) -> Any:
    """A cube that moves as a body does."""
    made = box(name, side)
    _key(made, body)
    return made


def one_bone(body: MovingObject) -> Any:
    """An armature, active, with a bone as long as the unit that moves as a body does, over the scene's frames."""
    armature = bpy.data.objects.new("Body", bpy.data.armatures.new("Body"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new(BONE)
    bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    _key(armature.pose.bones[BONE], body)
    _set_range(body)
    return armature
