# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles: a new pin is dragged in pose mode, a footplant moved, turned and raised, a footprint clicked, a point slid
in time, a handle deleted; undo and redo."""

from __future__ import annotations

from typing import Any

import bpy
from driver import (
    MOMENT,
    Shot,
    Steps,
    area,
    armature,
    character,
    click,
    drag,
    event,
    hover,
    imported_walk,
    inside,
    module,
    move,
    pixel,
    press,
    shown_at,
    until,
)
from mathutils import Euler

GIZMO, DIAL = 60, 67
"""Pixels from the middle of a gizmo to the stem of its arrow, and to its dial, at a scale of 1."""
HAND = "l_wrist"
FRAME, BESIDE = 60, 64
"""The frame of the pin, and one beside it that goes along."""
PINNED_VIEW = (1.2, 0.0, 0.9)
"""Angles of the view, in radians: from above, from the front and a little from the left."""


def place(item: Any) -> list[float]:
    """Where the handle of a constraint is."""
    return list(item.points[0].object.matrix_world.translation)


def pose_mode(*bones: str) -> Steps:
    held = armature()
    bpy.context.view_layer.objects.active = held
    held.select_set(True)
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
    select = module("bridge").select
    for bone in held.pose.bones:
        select(bone, bone.name in bones)
    if bones:
        held.data.bones.active = held.data.bones[bones[0]]
    yield MOMENT


def look_at(place: Any, distance: float = 2.5) -> Steps:
    view = area().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = Euler(PINNED_VIEW).to_quaternion()
    view.view_location = place
    view.view_distance = distance
    yield 8 * MOMENT


def pushed(message: str) -> None:
    with inside():
        bpy.ops.ed.undo_push(message=message)


def play(seen: dict[str, Any]) -> Steps:
    yield from imported_walk()
    bpy.context.scene.frame_set(FRAME)
    yield from pose_mode(HAND)
    yield from a_new_pin_is_dragged(seen)
    yield from a_pin_is_dragged_in_live_mode(seen)
    yield from a_footplant_is_dragged(seen)
    yield from a_footprint_is_clicked(seen)
    yield from a_point_slides_in_time(seen)
    yield from a_handle_is_deleted(seen)


def a_new_pin_is_dragged(seen: dict[str, Any]) -> Steps:
    held = armature()
    yield from look_at(held.matrix_world @ held.pose.bones[HAND].head)
    pushed("Before")
    with inside():
        bpy.ops.poise.constraint_add_pin("INVOKE_DEFAULT")
        bpy.ops.ed.undo_push(message="Pin")
    yield 6 * MOMENT
    (pin,) = character().constraints
    handle = pin.points[0].object.name
    seen["pin: name"] = handle
    seen["pin: mode"], seen["pin: active object"] = held.mode, bpy.context.view_layer.objects.active.name
    seen["pin: begin"] = place(pin)
    yield from hover(pixel(pin.points[0].object.location))
    yield Shot("pin")
    begin = pixel(pin.points[0].object.location)
    during: list[list[float]] = []
    yield from drag(
        begin, (begin[0] + 120, begin[1] + 60), during=lambda number: during.append(place(character().constraints[0]))
    )
    seen["pin: during"], seen["pin: end"] = during, place(character().constraints[0])
    seen["pin: mode after"] = armature().mode
    end = pixel(character().constraints[0].points[0].object.location)
    seen["pin: pixels"] = [end[0] - begin[0], end[1] - begin[1]]
    yield Shot("pin-dragged")
    yield from press("Z", ctrl=True)
    yield 6 * MOMENT
    seen["pin: undone"] = place(character().constraints[0])
    yield from press("Z", ctrl=True, shift=True)
    yield 6 * MOMENT
    seen["pin: redone"] = place(character().constraints[0])


def a_pin_is_dragged_in_live_mode(seen: dict[str, Any]) -> Steps:
    """By its gizmo in pose mode; what other frames show is written down during the drag."""
    with inside():
        bpy.ops.poise.live_toggle()
    sessions = module("live.watching").sessions
    yield from until(lambda: armature().name in sessions() and sessions()[armature().name].is_settled, "it settles")
    begin = pixel(character().constraints[0].points[0].object.location)
    before = shown_at(BESIDE)
    changes: list[float] = []
    yield from drag(
        begin,
        (begin[0], begin[1] + 80),
        20,
        lambda number: changes.append(
            max(abs(now - then) for now, then in zip(shown_at(BESIDE), before, strict=False))
        ),
    )
    seen["live: during"] = changes
    yield from until(lambda: sessions()[armature().name].is_settled, "it settles again")
    seen["live: mode"] = armature().mode
    yield Shot("live")
    with inside():
        bpy.ops.poise.live_toggle()
        bpy.ops.poise.source_restore()
        bpy.ops.ed.undo_push(message="Live Mode Left")
    yield 4 * MOMENT


def a_footplant_is_dragged(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.poise.detect_footplants()
        bpy.ops.poise.found_accept_all()
        bpy.ops.ed.undo_push(message="Plants")
    yield MOMENT
    plants = [item for item in character().constraints if item.kind == "FOOTPLANT" and item.begin > FRAME]
    plant = plants[0]
    uid = plant.uid
    frame = int(0.5 * (plant.begin + plant.end))
    bpy.context.scene.frame_set(frame)
    character().active_constraint = 0
    yield from look_at(plant.points[0].object.location, 1.5)
    yield from hover(pixel(plant.points[0].object.location))
    yield Shot("plants")
    begin = pixel(plant.points[0].object.location)
    seen["plant: begin"] = place(plant)
    yield from click(begin)
    seen["plant: clicked"] = character().constraints[character().active_constraint].uid == uid
    seen["plant: after click"] = place(found(uid))
    yield Shot("plant-active")
    yield from drag(begin, (begin[0] + 90, begin[1] + 10))
    seen["plant: end"] = place(found(uid))
    seen["plant: mode"] = armature().mode
    yield Shot("plant-dragged")
    yield from grab(uid, seen, "raise", (0, GIZMO), (0, GIZMO + 50))
    yield from grab(uid, seen, "turn", (DIAL, 0), (DIAL, 40))


def grab(uid: str, seen: dict[str, Any], name: str, begin: tuple[int, int], end: tuple[int, int]) -> Steps:
    """Drag a gizmo that lies some pixels beside its handle, and undo that."""
    at = pixel(found(uid).points[0].object.location)
    seen[f"{name}: begin"] = transform(uid)
    yield from hover((at[0] + begin[0], at[1] + begin[1]))
    yield Shot(f"{name}-hover")
    yield from drag((at[0] + begin[0], at[1] + begin[1]), (at[0] + end[0], at[1] + end[1]))
    seen[f"{name}: end"] = transform(uid)
    yield Shot(name)
    yield from press("Z", ctrl=True)
    yield 6 * MOMENT
    seen[f"{name}: undone"] = transform(uid)


def transform(uid: str) -> list[list[float]]:
    """The matrix of the handle of a constraint."""
    return [list(row) for row in found(uid).points[0].object.matrix_world]


def a_footprint_is_clicked(seen: dict[str, Any]) -> Steps:
    """In pose mode, of plants at other frames than the current one, which have no gizmo."""
    plants = [item for item in character().constraints if item.kind == "FOOTPLANT" and item.begin > FRAME]
    far = max(plants[:6], key=lambda item: item.begin)
    uid, where = far.uid, far.points[0].object.location.copy()
    bpy.context.scene.frame_set(1)
    yield from look_at(where, 2.0)
    yield 1.0  # what is drawn is read after a moment
    before = character().active_constraint
    yield from click(pixel(where))
    seen["footprint: clicked"] = character().constraints[character().active_constraint].uid == uid
    seen["footprint: changed"] = character().active_constraint != before
    seen["footprint: mode"] = armature().mode
    yield Shot("footprint-clicked")


def a_point_slides_in_time(seen: dict[str, Any]) -> Steps:
    bpy.context.scene.frame_set(FRAME)
    character().active_constraint = 0
    pin = character().constraints[0]
    yield from look_at(pin.points[0].object.location)
    begin = pixel(pin.points[0].object.location)
    seen["slide: begin"] = pin.points[0].begin
    yield from hover(begin)
    event("LEFTMOUSE", "PRESS", begin)
    yield 3 * MOMENT
    for value in ("PRESS", "RELEASE"):
        event("T", value, begin)
        yield MOMENT
    end = (begin[0] - 120, begin[1])
    yield from move(begin, end)
    yield Shot("slide")
    event("LEFTMOUSE", "RELEASE", end)
    yield 6 * MOMENT
    seen["slide: end"] = character().constraints[0].points[0].begin
    seen["slide: frame"] = bpy.context.scene.frame_current
    yield from press("Z", ctrl=True)
    yield 6 * MOMENT
    seen["slide: undone"] = character().constraints[0].points[0].begin


def a_handle_is_deleted(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.ed.undo_push(message="Object Mode")
    yield 4 * MOMENT
    pin = character().constraints[0]
    handle = pin.points[0].object.name
    count = len(character().constraints)
    yield from click(pixel(pin.points[0].object.location))
    seen["delete: selected"] = [found.name for found in bpy.context.view_layer.objects.selected]
    seen["delete: handle"] = handle
    yield Shot("object-mode")
    yield from press("DEL")
    yield 6 * MOMENT
    seen["delete: left"] = len(character().constraints) - count
    active = bpy.context.view_layer.objects.active
    seen["delete: active object"] = active.name if active is not None else None
    yield Shot("deleted")
    yield from press("Z", ctrl=True)
    yield 6 * MOMENT
    seen["delete: undone"] = len(character().constraints) - count
    seen["delete: handle back"] = handle in bpy.context.scene.objects
    yield from press("Z", ctrl=True, shift=True)
    yield 6 * MOMENT
    seen["delete: redone"] = len(character().constraints) - count


def found(uid: str) -> Any:
    return next(item for item in character().constraints if item.uid == uid)
