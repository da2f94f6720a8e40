# SPDX-License-Identifier: GPL-3.0-or-later
"""Which handles have gizmos in the 3D view now, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Matrix

from ..bridge.placing import world_matrix
from ..properties import armature_in, character_of, handles

MOST = 24
"""The most gizmos beside those of the active constraint."""

MODES = ("OBJECT", "POSE")
TRANSFORM_TOOLS = ("builtin.move", "builtin.rotate", "builtin.transform")
"""Tools with gizmos of their own at the active object."""


@dataclass(frozen=True)
class ShownHandle:
    """A handle with a gizmo."""

    uid: str
    point: int
    kind: str
    aim: str
    is_active: bool
    """Whether it is the active point of the active constraint, with the whole gizmo."""
    matrix: Matrix
    """(4, 4) in the world, without scale."""


def poll(context: bpy.types.Context) -> bool:
    """Whether there may be gizmos of handles in the context."""
    if context.mode not in MODES:
        return False
    armature = armature_in(context)
    if armature is None:
        return False
    character: Any = character_of(armature)
    return bool(character.display.show and character.display.gizmos and len(character.constraints))


def shown_handles(context: bpy.types.Context, kinds: Sequence[str]) -> list[ShownHandle]:
    """The handles with gizmos, of constraints of some kinds: the active one first, with all its points, then those of
    the current frame, the nearest in time first."""
    armature, scene = armature_in(context), context.scene
    if armature is None or scene is None:
        return []
    character = character_of(armature)
    now = scene.frame_current_final
    active = _at(character.constraints, character.active_constraint)
    there = handles.objects_in_scene()
    found = _points_of(active, True, context, there) if active is not None and active.kind in kinds else []
    others: list[tuple[float, ShownHandle]] = []
    for item in character.constraints:
        if item.kind in kinds and item.enabled and item != active and item.begin <= now <= item.end:
            distances = [max(point.begin - now, now - point.end, 0.0) for point in item.points]
            others += [(distances[each.point], each) for each in _points_of(item, False, context, there)]
    others.sort(key=lambda pair: pair[0])
    return found + [each for _, each in others[: max(MOST - len(found), 0)]]


def _at(items: Any, index: int) -> Any:
    return items[index] if 0 <= index < len(items) else None


def _points_of(
    item: Any, is_active: bool, context: bpy.types.Context, there: frozenset[bpy.types.Object]
) -> list[ShownHandle]:
    """The points of a constraint whose handles are there, in the scene."""
    chosen = min(item.active_point, len(item.points) - 1)
    found = []
    for index, point in enumerate(item.points):
        if point.object not in there:
            continue
        if is_active and index == chosen and has_own_gizmo(context, point.object):
            continue
        matrix = world_matrix(point.object)
        bare = Matrix.LocRotScale(matrix.translation, matrix.to_quaternion(), None)
        found.append(ShownHandle(item.uid, index, item.kind, item.aim, is_active and index == chosen, bare))
    return found


def has_own_gizmo(context: bpy.types.Context, handle: bpy.types.Object) -> bool:
    """Whether one of Blender's transform tools shows its gizmo at a handle already."""
    view_layer, workspace = context.view_layer, context.workspace
    if context.mode != "OBJECT" or view_layer is None or view_layer.objects.active != handle or workspace is None:
        return False
    tool: Any = workspace.tools.from_space_view3d_mode(context.mode)
    return tool is not None and tool.idname in TRANSFORM_TOOLS
