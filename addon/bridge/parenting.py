# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets an object be carried by another one, or by a bone, without a jump."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from . import context
from .sampling import frame_restored, set_frame
from .sources import source_shown


def carry(armature: bpy.types.Object, carried: bpy.types.Object, frame: float, carrier: Any, bone: str = "") -> None:
    """Parent an object to a carrier, or to a bone of the armature `carrier`; at a frame of the scene it stays in place.

    The armature shows its source meanwhile, and the scene returns to its frame.
    """
    scene = context.scene()
    with source_shown(armature), frame_restored(scene):
        set_frame(scene, frame)
        evaluated: Any = carrier.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrix = np.array(evaluated.matrix_world, dtype=np.float64)
        if bone:
            pose_bone = evaluated.pose.bones[bone]
            tail = np.eye(4)
            tail[1, 3] = pose_bone.bone.length  # what is parented to a bone is carried by its tail
            matrix = matrix @ np.array(pose_bone.matrix, dtype=np.float64) @ tail
    held: Any = carried
    held.parent = carrier
    if bone:
        held.parent_type, held.parent_bone = "BONE", bone
    held.matrix_parent_inverse = Matrix(np.linalg.inv(matrix).tolist())
