# SPDX-License-Identifier: GPL-3.0-or-later
"""Shoes for an armature: a mesh that it moves, whose soles lie below all bones, as those of game characters do."""

from __future__ import annotations

import bpy
import numpy as np

from poise.addon import bridge

from ..solver.grounds import box, joined


def in_shoes(armature: bpy.types.Object, thick: float) -> bpy.types.Object:
    """Skin a box to each foot whose bottom is so far below the lowest landmarks of the foot at rest."""
    scene = bpy.context.scene
    skeleton = bridge.read(armature, scene.frame_start, scene.frame_start).clip.skeleton
    marks, inverse = skeleton.landmarks, np.linalg.inv(np.array(armature.matrix_world))
    shoes, bones = [], []
    for side in ("left", "right"):
        points = [getattr(marks, f"{side}_{mark}") for mark in ("ankle", "heel", "ball")]
        places = np.stack([skeleton.rest_place(point) for point in points])
        low, high = places.min(axis=0) - 0.02, places.max(axis=0) + 0.02
        low[2], high[2] = places[:, 2].min() - thick, places[0, 2] + 0.05
        vertices, triangles = box(low, high)
        shoes.append((vertices @ inverse[:3, :3].T + inverse[:3, 3], triangles))
        bones.append(skeleton.names[int(marks.require(f"{side}_ankle"))])
    vertices, triangles = joined(*shoes)
    mesh = bpy.data.meshes.new("Shoes")
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    held = bpy.data.objects.new("Shoes", mesh)
    scene.collection.objects.link(held)
    held.parent = armature
    for number, bone in enumerate(bones):
        held.vertex_groups.new(name=bone).add(list(range(8 * number, 8 * number + 8)), 1.0, "REPLACE")
    held.modifiers.new("Armature", "ARMATURE").object = armature
    bpy.context.view_layer.update()
    return held
