# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a constraint or a proposal the active one, selects its handle, and goes to it in time and in the view."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Vector

from .. import bridge
from ..bridge.placing import world_matrix
from ..properties import PoiseConstraint, active_constraint, character_of, constraint_list, handles, selecting
from ..translation import TranslationError

NEAREST, FARTHEST = 1.0, 4.0
"""The distances of the view from what it is centred on, in longest sides of the armature: the whole character can be
seen, and the foot or the hand too."""


def activate(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    uid: str = "",
    point: int = -1,
    jump: bool = False,
    extend: bool = False,
) -> PoiseConstraint:
    """Make the constraint or proposal with a uid the active one and return it; without a uid, the active one.

    `point` becomes its active point, unless it is negative. Its handle is selected, with `extend` in addition to
    what is selected. With `jump` the scene goes to its frame, and the view is centred on it.
    """
    shown = active_constraint(armature)
    found = constraint_list.find(armature, uid or (shown.uid if shown is not None else ""))
    if found is None:
        raise TranslationError(f"There is no such constraint of {armature.name!r} any more: choose another.")
    name, index = found
    item: PoiseConstraint = getattr(character_of(armature), name)[index]
    if point >= len(item.points):
        raise TranslationError(f"{item.name}: there is no point {point + 1}; it has {len(item.points)}.")
    with selecting.paused():
        if point >= 0 and item.active_point != point:
            item.active_point = point
    constraint_list.activate(armature, name, index)
    selecting.select_handle(context, selecting.handle_of(item), extend)
    if jump:
        jump_to(context, armature, item)
    return item


def select_active(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Select the handle of the active constraint."""
    item = active_constraint(armature)
    if item is not None:
        selecting.select_handle(context, selecting.handle_of(item))


# Going there ---------------------------------------------------------------------------------------------------------


def jump_to(context: bpy.types.Context, armature: bpy.types.Object, item: PoiseConstraint) -> None:
    """Go to the frame of a constraint, unless the current frame is in it, and centre the view on it."""
    go_to_frame(context, item)
    place = place_of(armature, item)
    if place is not None:
        centre_view(context, place, handles.longest_side(armature))


def go_to_frame(context: bpy.types.Context, item: PoiseConstraint) -> None:
    """Go to the frame of a constraint, unless the current frame is in it."""
    scene = context.scene
    assert scene is not None
    begin, end = span_of(item)
    if not begin <= scene.frame_current_final <= end:
        bridge.set_frame(scene, begin)


def active_point(item: PoiseConstraint) -> Any:
    """The active point of a constraint; None where it has no points."""
    return item.points[min(item.active_point, len(item.points) - 1)] if len(item.points) else None


def handle_in_scene(item: PoiseConstraint) -> bpy.types.Object | None:
    """The handle of the active point of a constraint; None where there is none in the scene."""
    point = active_point(item)
    return point.object if point is not None and handles.is_in_scene(point.object) else None


def span_of(item: PoiseConstraint) -> tuple[float, float]:
    """The frames of the active point of a constraint; of the whole constraint where it has no points."""
    shown = active_point(item) or item
    return float(shown.begin), float(max(shown.begin, shown.end))


def place_of(armature: bpy.types.Object, item: PoiseConstraint) -> Vector | None:
    """Where a constraint is in the world: its handle, the home of its point, or its bone; None where it is nowhere."""
    point = active_point(item)
    if point is not None:
        return place_of_point(point)
    pose: Any = armature.pose
    bone = pose.bones.get(item.bone)
    return armature.matrix_world @ bone.head if bone is not None else None


def place_of_point(point: Any) -> Vector:
    """Where a point is in the world: its handle, or its home where it has none."""
    return world_matrix(point.object).translation if handles.is_in_scene(point.object) else Vector(point.home)


def place_of_uid(armature: bpy.types.Object, uid: str, point: int) -> Vector | None:
    """Where a point of the constraint or proposal with a uid is in the world; None where there is none."""
    found = constraint_list.find(armature, uid)
    points = getattr(character_of(armature), found[0])[found[1]].points if found is not None else []
    return place_of_point(points[point]) if 0 <= point < len(points) else None


def centre_view(context: bpy.types.Context, place: Vector, size: float) -> bool:
    """Centre a 3D view on a place, at a distance of some sizes, and return whether there is one to centre.

    It is the view of the context, or else the largest of its window. A view through a camera, or one that is locked to
    an object, stays.
    """
    area = _view_area(context)
    space: Any = area.spaces.active if area is not None else None
    view: Any = getattr(space, "region_3d", None)
    if view is None or view.view_perspective == "CAMERA" or space.lock_object is not None or space.lock_cursor:
        return False
    view.view_location = place
    view.view_distance = min(max(view.view_distance, NEAREST * size), FARTHEST * size)
    return True


def _view_area(context: bpy.types.Context) -> Any:
    area: Any = getattr(context, "area", None)
    if area is not None and area.type == "VIEW_3D":
        return area
    window: Any = getattr(context, "window", None)
    areas = [each for each in window.screen.areas if each.type == "VIEW_3D"] if window is not None else []
    return max(areas, key=lambda each: each.width * each.height, default=None)
