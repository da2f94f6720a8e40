# SPDX-License-Identifier: GPL-3.0-or-later
"""The physics in a window: a fit that Esc stops, a fit that ends, footprints moved, a longer result, undo."""

from __future__ import annotations

import os
import sys
from typing import Any

import bpy
from driver import (
    MOMENT,
    Shot,
    Steps,
    area,
    armature,
    character,
    drag,
    hover,
    imported_walk,
    inside,
    module,
    pixel,
    press,
    running,
    sidebar_tab,
    until,
)
from mathutils import Euler

FIRST, LAST = 20, 80
"""A second of the walk, which is fitted to the end."""
LONG = 620
"""Where ten seconds of the walk end: a fit that is not over before Esc is pressed, however fast the machine."""
LONGEST = 300.0
"""Seconds for a fit on a busy machine."""


def play(seen: dict[str, Any]) -> Steps:
    sys.path.append(os.environ["POISE_GUI_PACKAGES"])  # the optimiser, which a plain extension does not bring
    seen["available"] = module("panels.physics").solver.spacetime.is_available()
    if not seen["available"]:
        return
    yield from imported_walk()
    only_physics_panels()
    physics = character().physics
    physics.use_range, physics.begin, physics.end, physics.quality = True, FIRST, LAST, "DRAFT"
    bpy.context.scene.frame_set(48)
    with inside():
        bpy.ops.ed.undo_push(message="Imported")
    yield from sidebar_tab()
    held = armature()
    view = area().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = Euler((1.25, 0.0, 0.9)).to_quaternion()
    view.view_location = held.matrix_world @ held.pose.bones["sacroiliac"].head
    view.view_distance = 4.5
    yield 8 * MOMENT
    yield Shot("fresh")
    yield from a_fit_is_stopped(seen)
    yield from a_motion_is_fitted(seen)
    yield from a_footprint_is_dragged(seen)
    yield from an_edit_is_solved(seen)


def only_physics_panels() -> None:
    """Leave only the panels of the physics in the tab, open."""
    panels, physics = module("panels"), module("panels.physics")
    for found in reversed(panels.classes):
        if issubclass(found, bpy.types.Panel):
            bpy.utils.unregister_class(found)
    for found in panels.classes:
        if issubclass(found, bpy.types.Panel):
            if found in physics.classes:
                found.bl_options = set()
                bpy.utils.register_class(found)
            elif found.__name__ == "POISE_PT_work":
                bpy.utils.register_class(found)


def a_fit_is_stopped(seen: dict[str, Any]) -> Steps:
    character().physics.end = LONG
    with inside():
        bpy.ops.poise.physics_fit("INVOKE_DEFAULT")
    yield from until(lambda: running() is not None and running().label == "Fitting the motion", "it is being fitted")
    yield 10 * MOMENT
    yield Shot("fitting")
    yield from press("ESC")
    yield from until(lambda: running() is None, "the fit is stopped")
    seen["stopped"] = character().physics.fitted == "" and len(character().physics.stances) == 0
    character().physics.end = LAST


def a_motion_is_fitted(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.poise.physics_fit("INVOKE_DEFAULT")
    yield from until(lambda: bool(character().physics.fitted), "the fit is there", LONGEST)
    seen["sentence"] = character().physics.fit_sentence
    seen["stances"] = len(character().physics.stances)
    yield 10 * MOMENT
    yield Shot("fitted")


def a_footprint_is_dragged(seen: dict[str, Any]) -> Steps:
    """By its gizmo, in pose mode, and back by undo."""
    with inside():
        bpy.ops.poise.physics_footprints_add()
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.ed.undo_push(message="Footprints")
    now = bpy.context.scene.frame_current
    stances = character().physics.stances
    index = next(number for number, each in enumerate(stances) if each.begin <= now <= each.end)

    def place() -> Any:
        return character().physics.stances[index].object.matrix_world.translation.copy()

    before = place()
    begin = pixel(before)
    yield from hover(begin)
    yield Shot("footprint")
    yield from drag(begin, (begin[0] + 70, begin[1] + 10))
    seen["dragged"], seen["drag mode"] = list(place() - before), armature().mode
    yield Shot("footprint-dragged")
    yield from press("Z", ctrl=True)
    seen["drag undone"] = (place() - before).length
    with inside():
        bpy.ops.object.mode_set(mode="OBJECT")
    yield 4 * MOMENT


def an_edit_is_solved(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.poise.physics_spread(amount=0.08)
        bpy.ops.poise.physics_obstacle_add(location=armature().matrix_world.translation)
        bpy.ops.poise.physics_limb_add(joint="left_knee")
        bpy.ops.poise.physics_lock_add(joint="right_shoulder")
    character().physics.obstacles[0].object.location = (1.5, -0.5, 0.0)
    character().physics.duration = 1.2
    with inside():
        bpy.ops.ed.undo_push(message="Edited")
    yield 10 * MOMENT
    yield Shot("edited")
    world = module("panels.physics").POISE_PT_physics_world
    bpy.utils.unregister_class(world)  # so that what is below it is seen
    yield 20 * MOMENT
    yield Shot("lists")
    bpy.utils.register_class(world)
    source = armature().animation_data.action.name
    with inside():
        bpy.ops.poise.physics_solve("INVOKE_DEFAULT")
    yield from until(lambda: running() is None, "it is solved", LONGEST)
    yield 10 * MOMENT
    seen["actions"] = [source, armature().animation_data.action.name]
    seen["result"] = character().physics.result_sentence
    yield Shot("solved")
    yield from press("Z", ctrl=True)
    yield 10 * MOMENT
    seen["undone"] = [armature().animation_data.action.name, character().physics.result_sentence]
