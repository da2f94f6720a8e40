# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in front of a footprint or a point under the mouse, and is meant by a click instead."""

from __future__ import annotations

import math
from typing import Any

import bpy
from mathutils import Vector

from .. import bridge
from .dragging import View

BONE_REACH = 5.0
"""Pixels, at a scale of 1, within which the line from head to tail of a bone is hit."""

BONE_WIDTH = 0.1
"""How wide a bone is drawn at most to each side, as a share of its length."""

MARGIN = 0.02
"""How much nearer than a mark an object must be to be in front of it, as a share of the armature's longest side: the
ground that a foot stands on is not in front of its footprint."""


def bone_under(armature: bpy.types.Object, view: View, pixel: tuple[float, float], scale: float = 1.0) -> str:
    """The visible bone that is drawn nearest to a pixel, if it is drawn there; else empty."""
    pose: Any = armature.pose
    nearest, found = math.inf, ""
    for bone in pose.bones:
        if bridge.is_hidden(bone):
            continue
        ends = [view.pixel(armature.matrix_world @ end) for end in (bone.head, bone.tail)]
        if ends[0] is None or ends[1] is None:
            continue
        distance = _distance_to_segment(pixel, ends[0], ends[1])
        reach = max(BONE_REACH * scale, BONE_WIDTH * math.dist(ends[0], ends[1]))
        if distance <= reach and distance < nearest:
            nearest, found = distance, bone.name
    return found


def _distance_to_segment(at: tuple[float, float], begin: tuple[float, float], end: tuple[float, float]) -> float:
    along = (end[0] - begin[0], end[1] - begin[1])
    length = along[0] ** 2 + along[1] ** 2
    share = ((at[0] - begin[0]) * along[0] + (at[1] - begin[1]) * along[1]) / length if length else 0.0
    share = min(max(share, 0.0), 1.0)
    return math.dist(at, (begin[0] + share * along[0], begin[1] + share * along[1]))


def object_in_front(
    context: bpy.types.Context, view: View, pixel: tuple[float, float], place: Vector, size: float
) -> str:
    """The object whose face is under a pixel and nearer than a place by more than a margin; else empty."""
    scene: Any = context.scene
    begin, direction = view.ray(pixel)
    margin = MARGIN * size
    distance = (place - begin).dot(direction) - margin
    if distance <= 0.0:
        return ""
    depsgraph = context.evaluated_depsgraph_get()
    is_hit, _, _, _, hit, _ = scene.ray_cast(depsgraph, begin, direction, distance=distance)
    return str(hit.name) if is_hit else ""
