# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's walk through the add-on, step by step; its pictures are those of docs/pictures."""

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
    event,
    hover,
    imported_walk,
    inside,
    live_rests,
    module,
    move,
    pixel,
    press,
    sidebar_tab,
)
from mathutils import Euler

FRAME = 100
HAND = "r_wrist"


def looks_at(place: Any, distance: float) -> Steps:
    """The view from the front, the side and above."""
    view = area().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = Euler((1.15, 0.0, 0.7)).to_quaternion()
    view.view_location = place
    view.view_distance = distance
    yield 8 * MOMENT


def play(seen: dict[str, Any]) -> Steps:
    yield from imported_walk()
    held = armature()
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(FRAME)
    yield from sidebar_tab()
    yield from looks_at(held.matrix_world @ held.pose.bones["sacroiliac"].head, 4.0)
    with inside():
        bpy.ops.poise.detect_footplants()
    seen["found"] = len(character().found)
    yield Shot("found")
    with inside():
        bpy.ops.poise.found_accept_all()
        bpy.ops.ed.undo_push(message="Accepted")
        bpy.ops.poise.live_toggle()
    yield from live_rests()
    seen["live"] = character().live
    yield from a_plant_is_dragged(seen)
    yield from a_hand_is_pulled_away(seen)


def a_plant_is_dragged(seen: dict[str, Any]) -> Steps:
    plant = next(item for item in character().constraints if item.kind == "FOOTPLANT" and item.begin > FRAME)
    uid, handle = plant.uid, plant.points[0].object.name
    at = pixel(bpy.data.objects[handle].matrix_world.translation)
    yield from click(at)
    seen["plant: active"] = character().constraints[character().active_constraint].uid == uid
    begin = list(bpy.data.objects[handle].location)
    yield from hover(at)
    event("LEFTMOUSE", "PRESS", at)
    yield 3 * MOMENT
    end = (at[0] - 80, at[1] - 40)
    yield from move(at, end, moves=12)
    yield Shot("live")
    event("LEFTMOUSE", "RELEASE", end)
    yield from live_rests()
    seen["plant: moved"] = [now - before for now, before in zip(bpy.data.objects[handle].location, begin, strict=True)]
    seen["plant: missed"] = any(residual.misses for residual in character().residuals)


def a_hand_is_pulled_away(seen: dict[str, Any]) -> Steps:
    held = armature()
    select = module("bridge").select
    for bone in held.pose.bones:
        select(bone, bone.name == HAND)
    held.data.bones.active = held.data.bones[HAND]
    yield from press("Y", shift=True)
    yield from live_rests()
    pin = character().constraints[character().active_constraint]
    seen["pin: bone"] = pin.bone
    pin.points[0].object.location.z += 1.0
    pin.points[0].object.location.x -= 0.4
    yield 4 * MOMENT
    yield from live_rests()
    seen["pin: advice"] = len(character().advice)
    yield Shot("advice")
    yield from press("J")
    seen["hidden"] = module("bridge").is_result_hidden(armature())
    yield Shot("source")
    yield from press("J")
    seen["hidden again"] = module("bridge").is_result_hidden(armature())
