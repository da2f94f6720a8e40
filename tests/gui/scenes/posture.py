# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool with a pinned foot: a hand is dragged far, the wheel changes what moves, Esc restores, auto-key."""

from __future__ import annotations

from typing import Any

import bpy
from driver import (
    HOVER,
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
    middle,
    module,
    move,
    pixel,
    press,
    window,
)

HAND, FOOT = "l_wrist", "r_talocrural"
FRAME = 40
FAR = 260
"""Pixels that the hand is dragged: out of its reach."""


def pose() -> dict[str, list[float]]:
    """All channels of the pose, to the bit."""
    return {bone.name: [*bone.location, *bone.rotation_quaternion, *bone.scale] for bone in armature().pose.bones}


def place(bone: str) -> list[float]:
    held = armature()
    return list(held.matrix_world @ held.pose.bones[bone].head)


def middle_of(bone: str) -> Any:
    held = armature()
    return held.matrix_world @ held.pose.bones[bone].center


def keys() -> dict[str, int]:
    """How many keys the action has at the current frame beside those of the walk, and in all."""
    curves = list(module("bridge.versions").all_curves_of(armature().animation_data.action))
    return {"curves": len(curves), "keys": sum(len(curve.keyframe_points) for curve in curves)}


def running() -> list[str]:
    return [found.bl_idname for found in window().modal_operators]


def grab(seen: dict[str, Any], bone: str) -> Steps:
    """Click a bone and begin to drag it."""
    at = pixel(middle_of(bone))
    yield from click(at)
    seen["clicked"] = armature().data.bones.active.name
    yield from hover(at)
    event("LEFTMOUSE", "PRESS", at)
    yield HOVER


def play(seen: dict[str, Any]) -> Steps:
    yield from imported_walk()
    bpy.context.scene.frame_set(FRAME)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.wm.tool_set_by_id(name="poise.posture")
    yield 10 * MOMENT
    view = area().spaces.active.region_3d
    view.view_location, view.view_distance = place("HumanoidRoot"), 3.5
    character().posture.feet_stay = False
    yield 10 * MOMENT
    seen["tool"] = bpy.context.workspace.tools.from_space_view3d_mode("POSE").idname
    for bone in armature().pose.bones:
        module("bridge").select(bone, bone.name == FOOT)
    armature().data.bones.active = armature().data.bones[FOOT]
    yield from press("P")
    seen["pinned"] = [(pin.bone, pin.hold) for pin in character().posture.pins]
    yield Shot("pinned")
    yield from a_drag_keeps_the_foot(seen)
    yield from escape_restores(seen)
    yield from auto_key_keys(seen)


def a_drag_keeps_the_foot(seen: dict[str, Any]) -> Steps:
    before, foot, hand = pose(), place(FOOT), place(HAND)
    yield from grab(seen, HAND)
    begin = pixel(hand)
    end = (begin[0] + FAR, begin[1] + FAR // 2)
    yield from move(begin, end, 15)
    seen["drag: runs"] = running()
    yield 10 * MOMENT
    seen["drag: hand"] = [hand, place(HAND)]
    seen["drag: foot"] = [foot, place(FOOT)]
    seen["drag: moved"] = [name for name, channels in pose().items() if channels != before[name]]
    yield Shot("dragged")
    for _ in range(20):
        event("WHEELDOWNMOUSE", "PRESS", end)
        yield MOMENT
    for _ in range(2):
        event("WHEELUPMOUSE", "PRESS", end)
        yield MOMENT
    yield 10 * MOMENT
    seen["wheel: level"] = [character().posture.use_all, character().posture.recruit_level]
    seen["wheel: foot"] = place(FOOT)
    seen["wheel: hips"] = [before["HumanoidRoot"], pose()["HumanoidRoot"]]
    yield Shot("wheel")
    event("LEFTMOUSE", "RELEASE", end)
    yield 6 * MOMENT
    released = pose()
    seen["released: runs"] = running()
    seen["released: changed"] = released != before
    seen["released: keys"] = keys()
    with inside():
        bpy.ops.ed.undo()
    yield 6 * MOMENT
    seen["undone: as before"] = pose() == before
    seen["undone: pins"] = len(character().posture.pins)
    with inside():
        bpy.ops.ed.redo()
    yield 6 * MOMENT
    seen["redone: as released"] = pose() == released


def escape_restores(seen: dict[str, Any]) -> Steps:
    character().posture.use_all = True
    before, hand = pose(), place(HAND)
    yield from grab(seen, HAND)
    begin = pixel(hand)
    yield from move(begin, (begin[0] - FAR // 2, begin[1]), 8)
    seen["escape: changed"] = pose() != before
    event("ESC", "PRESS", (begin[0] - FAR // 2, begin[1]))
    yield 4 * MOMENT
    event("LEFTMOUSE", "RELEASE", (begin[0] - FAR // 2, begin[1]))
    yield 4 * MOMENT
    seen["escape: as before"] = pose() == before
    seen["escape: runs"] = running()


def auto_key_keys(seen: dict[str, Any]) -> Steps:
    bpy.context.scene.frame_set(FRAME)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    hand = place(HAND)
    yield from grab(seen, HAND)
    begin = pixel(hand)
    yield from move(begin, (begin[0], begin[1] + 60), 8)
    event("LEFTMOUSE", "RELEASE", (begin[0], begin[1] + 60))
    yield 6 * MOMENT
    keyed = place(HAND)
    bpy.context.scene.frame_set(FRAME + 1)
    bpy.context.scene.frame_set(FRAME)
    yield 2 * MOMENT
    seen["keyed: hand"] = [hand, keyed, place(HAND)]
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    yield Shot("keyed")
    yield from hover(middle())
