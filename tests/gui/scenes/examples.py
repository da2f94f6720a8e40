# SPDX-License-Identifier: GPL-3.0-or-later
"""Two examples of a foot at rest, of which the second refines the first; the noise pattern; Esc, undo; an object."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from driver import (
    MOMENT,
    Shot,
    Steps,
    area,
    armature,
    character,
    hover,
    imported_walk,
    inside,
    look_at_all,
    middle,
    module,
    press,
    region,
    sidebar_tab,
    until,
    window,
)

FOOT = "l_talocrural"
QUIET, LOUD = 2e-4, 6e-3
"""Radians by which the foot trembles in the first half of the walk, and in the second."""
SEED = 5


def play(seen: dict[str, Any]) -> Steps:
    yield from imported_walk()
    tremble()
    stances = left_stances()
    half = bpy.context.scene.frame_end / 2
    seen["plants: quiet"] = sum(end < half for _, end in stances)
    seen["plants: all"] = len(stances)
    yield from look_at_all()
    yield from sidebar_tab()
    yield from choose_the_foot()
    yield from two_examples(seen, stances)
    yield from the_pattern_is_switched(seen)
    yield from escape_stops_a_search(seen)
    yield from an_object(seen)
    yield from saved_and_opened(seen)


def tremble() -> None:
    """Let the left ankle tremble a little at first, and more in the second half."""
    held, rng = armature(), np.random.default_rng(SEED)
    action = held.animation_data.action
    curves = module("bridge.versions").all_curves_of(action)
    half = bpy.context.scene.frame_end / 2
    for curve in curves:
        if f'"{FOOT}"' in curve.data_path and "rotation" in curve.data_path:
            places = np.zeros(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", places)
            noise = np.where(places[::2] < half, QUIET, LOUD)
            places[1::2] += noise * rng.standard_normal(len(noise))
            curve.keyframe_points.foreach_set("co", places)
            curve.update()


def left_stances() -> list[tuple[int, int]]:
    """When the left foot stands flat, as footplants have it."""
    with inside():
        bpy.ops.poise.detect_footplants()
        plants = [item for item in character().found if item.foot == "LEFT"]
        found = [(math.ceil(item.toe_strike), math.floor(item.heel_off)) for item in plants]
        bpy.ops.poise.found_reject_all()
    return [(begin, end) for begin, end in found if end - begin >= 6]


def choose_the_foot() -> Steps:
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
        for bone in armature().pose.bones:
            module("bridge").select(bone, bone.name == FOOT)
        armature().data.bones.active = armature().data.bones[FOOT]
    yield 4 * MOMENT


def show_panel(name: str) -> Steps:
    """Show a panel beside the mouse, as a menu does; closed by moving the mouse away."""
    yield from hover(middle())
    with inside():
        bpy.ops.wm.call_panel(name=name, keep_open=True)
    yield 12 * MOMENT


def hide_panel() -> Steps:
    yield from press("ESC")
    yield 6 * MOMENT


def searched() -> bool:
    return module("workflows.progress").of(armature().name) is None


def find(operator: str = "detect_template") -> Steps:
    with inside():
        getattr(bpy.ops.poise, operator)("INVOKE_DEFAULT")
    yield from until(searched, "the end of a search")
    yield 6 * MOMENT


def plants_found(stances: list[tuple[int, int]]) -> int:
    """How many stances overlap by most of their frames with something found."""
    groups = {item.detected.group: item.detected for item in character().found}
    spans = [(each.begin, each.end) for each in groups.values()]
    return sum(
        any(min(end, last) - max(begin, first) >= 0.6 * (end - begin) for first, last in spans)
        for begin, end in stances
    )


def add_example(begin: int, end: int) -> Steps:
    scene = bpy.context.scene
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = begin, end
    scene.frame_set((begin + end) // 2)
    with inside():
        bpy.ops.view3d.view_all()
        bpy.ops.poise.template_add("INVOKE_DEFAULT")
    yield 4 * MOMENT


def two_examples(seen: dict[str, Any], stances: list[tuple[int, int]]) -> Steps:
    detection = character().detection
    half = bpy.context.scene.frame_end / 2
    yield from add_example(*next(span for span in stances[1:] if span[1] < half))
    yield from find()
    seen["first: examples"], seen["first: found"] = len(detection.templates), plants_found(stances)
    seen["first: threshold"] = detection.templates[0].rotation
    yield Shot("first_example")
    yield from add_example(*next(span for span in stances if span[0] > half + 20))
    yield from find()
    bpy.context.scene.use_preview_range = False
    seen["second: examples"], seen["second: found"] = len(detection.templates), plants_found(stances)
    seen["second: thresholds"] = [template.rotation for template in detection.templates]
    seen["second: drawn"], seen["second: problem"] = drawn()
    yield Shot("second_example")
    before = time.perf_counter()
    detection.templates[1].tolerance = 0.02
    seen["followed: seconds"] = time.perf_counter() - before
    seen["followed: fewer"] = plants_found(stances)
    detection.templates[1].tolerance = 1.0
    seen["followed: back"] = plants_found(stances)
    yield 4 * MOMENT
    yield from show_panel("POISE_PT_examples")
    yield Shot("examples_panel")
    yield from hide_panel()


def drawn() -> tuple[bool, str]:
    """Whether the noise pattern of the active example has been drawn, and what went wrong."""
    plots = module("plots.noise")
    shown = plots._kept.pattern
    return shown is not None and shown.subject.bone == FOOT and len(shown.examples) == 2, plots._problem


def the_pattern_is_switched(seen: dict[str, Any]) -> Steps:
    detection, plots = character().detection, module("plots.noise")
    detection.show_noise = False
    plots._kept.pattern = None
    yield 8 * MOMENT
    seen["switched off"] = plots._kept.pattern is None
    detection.show_noise, detection.noise_place = True, "EDITORS"
    view = area()
    view.type = "GRAPH_EDITOR"
    yield 8 * MOMENT
    with bpy.context.temp_override(window=window(), area=view, region=region(view)):
        bpy.ops.graph.view_all()
    yield 12 * MOMENT
    seen["in the graph editor"], seen["graph problem"] = plots._kept.pattern is not None, plots._problem
    yield Shot("graph_editor")
    view.type = "VIEW_3D"
    yield 8 * MOMENT
    detection.noise_place = "VIEW"
    yield 8 * MOMENT


def escape_stops_a_search(seen: dict[str, Any]) -> Steps:
    names = [item.name for item in character().found]
    with inside():
        seen["escape: begun"] = sorted(bpy.ops.poise.detect_template("INVOKE_DEFAULT"))
    running = not searched()
    yield from press("ESC")
    yield 4 * MOMENT
    seen["escape: ran"], seen["escape: runs"] = running, not searched()
    seen["escape: kept"] = [item.name for item in character().found] == names
    yield from hover(middle())
    with inside():  # what a script calls pushes no step of its own
        bpy.ops.ed.undo_push(message="Two Examples")
        bpy.ops.poise.template_remove("INVOKE_DEFAULT")
        bpy.ops.ed.undo_push(message="Removed")
    yield 2 * MOMENT
    seen["removed"] = len(character().detection.templates)
    yield from press("Z", ctrl=True)
    yield 6 * MOMENT
    seen["removed, undone"] = len(character().detection.templates)


def an_object(seen: dict[str, Any]) -> Steps:
    """A door that waits, opens about its hinge, and waits."""
    mesh = bpy.data.meshes.new("Door")
    mesh.from_pydata([(0, 0, 0), (0.9, 0, 0), (0.9, 0, 2), (0, 0, 2)], [], [(0, 1, 2, 3)])
    door = bpy.data.objects.new("Door", mesh)
    bpy.context.scene.collection.objects.link(door)
    door.location = (0.0, 1.5, 0.0)
    for frame, angle in ((1, 0.0), (60, 0.0), (150, 1.4), (220, 1.4)):
        door.rotation_euler.z = angle
        door.keyframe_insert("rotation_euler", frame=frame)
    character().detection.object = door
    yield from find("detect_object")
    seen["door"] = [(event.kind, event.begin, event.end) for event in character().detection.events]
    bpy.context.scene.frame_set(100)
    with inside():
        bpy.ops.view3d.view_all()
    yield 6 * MOMENT
    yield Shot("door")
    yield from show_panel("POISE_PT_objects")
    yield Shot("objects_panel")
    yield from hide_panel()


def saved_and_opened(seen: dict[str, Any]) -> Steps:
    path = Path(bpy.app.tempdir) / "examples.blend"
    before = [(template.bone, template.begin, template.end) for template in character().detection.templates]
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    yield 20 * MOMENT
    after = [(template.bone, template.begin, template.end) for template in character().detection.templates]
    seen["reopened"] = after == before and len(after) == 2
    seen["reopened: found"] = len(character().found)
    seen["reopened: problem"] = module("plots.noise")._problem
    yield Shot("reopened")
