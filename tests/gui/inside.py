# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside a Blender with a window: plays an animator and writes down what it sees, for the tests to judge.

blender --enable-event-simulate --python inside.py -- ARCHIVE.zip WALK.bvh RESULT.json
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

ARCHIVE, WALK, RESULT = (Path(argument) for argument in sys.argv[sys.argv.index("--") + 1 :])
MODULE = "bl_ext.user_default.poise"
FIRST_DRAWING = 8.0  # seconds until a software-drawn window has settled
MOMENT = 0.05
ASIDE = 0.04  # metres by which plants are moved, so that there is something to solve

Wait = Iterator[float]
"""Steps of a scene: after each, Blender draws and handles events for so many seconds."""

seen: dict[str, Any] = {}


def view() -> tuple[Any, Any]:
    """The window and its 3D viewport."""
    window = bpy.context.window_manager.windows[0]
    return window, next(area for area in window.screen.areas if area.type == "VIEW_3D")


def region(area: Any, kind: str) -> Any:
    return next(found for found in area.regions if found.type == kind)


def in_view() -> Any:
    window, area = view()
    return bpy.context.temp_override(window=window, area=area, region=region(area, "WINDOW"))


def press(key: str, x: int = 300, y: int = 300) -> Wait:
    window, _ = view()
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type=key, value=value, x=x, y=y)
        yield MOMENT


def click(x: int, y: int) -> Wait:
    window, _ = view()
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    yield 3 * MOMENT
    yield from press("LEFTMOUSE", x, y)
    yield 6 * MOMENT


def armature() -> Any:
    return bpy.context.view_layer.objects.active


def state() -> dict[str, Any]:
    """What solving may change."""
    held = armature()
    return {
        "action": held.animation_data.action.name,
        "actions": sorted(action.name for action in bpy.data.actions),
        "tracks": len(held.animation_data.nla_tracks),
        "last_solve": held.poise.last_solve,
        "residuals": len(held.poise.residuals),
        "frame": bpy.context.scene.frame_current,
        "mode": held.mode,
    }


def progress() -> Any:
    """The solve that the panel shows as running."""
    return importlib.import_module(f"{MODULE}.addon.workflows.progress").of(armature().name)


def prepared() -> Wait:
    """The extension is installed, and a walk is there with all its footplants."""
    bpy.context.preferences.view.show_splash = False
    yield from press("ESC")
    bpy.ops.extensions.package_install_files(filepath=str(ARCHIVE), repo="user_default", enable_on_install=True)
    for held in list(bpy.data.objects):
        bpy.data.objects.remove(held)
    bpy.ops.import_anim.bvh(filepath=str(WALK), rotate_mode="QUATERNION", update_scene_fps=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature().animation_data.action.frame_range)
    with in_view():
        bpy.ops.poise.detect_footplants()
        bpy.ops.poise.found_accept_all()
        for number, plant in enumerate(armature().poise.constraints):
            plant.points[0].object.location.x += ASIDE if number % 2 else -ASIDE
        bpy.ops.ed.undo_push(message="Prepared")
    yield MOMENT


def the_tab_opens() -> Wait:
    _, area = view()
    area.spaces[0].show_region_ui = True
    yield 10 * MOMENT
    sidebar = region(area, "UI")
    for distance in range(20, sidebar.height, 20):  # down along the tabs, until it is ours
        if sidebar.active_panel_category == "Poise":
            break
        yield from click(sidebar.x + sidebar.width - 12, sidebar.y + sidebar.height - distance)
    seen["category"] = sidebar.active_panel_category
    yield 10 * MOMENT


def escape_cancels() -> Wait:
    before = state()
    with in_view():
        seen["escape: begun"] = sorted(bpy.ops.poise.solve("INVOKE_DEFAULT"))
    seen["escape: runs"] = progress() is not None
    yield from press("ESC")
    yield 4 * MOMENT
    seen["escape: runs after"] = progress() is not None
    seen["escape: before"], seen["escape: after"] = before, state()


def solving_shows_its_progress() -> Wait:
    seen["solve: before"] = state()
    with in_view():
        bpy.ops.poise.solve("INVOKE_DEFAULT")
        seen["solve: twice"] = bool(bpy.ops.poise.solve.poll())
    shares = []
    for _ in range(1000):
        running = progress()
        if running is None:
            break
        shares.append(running.share)
        yield 0.01
    seen["solve: shares"] = shares
    seen["solve: after"] = state()
    seen["solve: missed"] = [residual.misses for residual in armature().poise.residuals]
    yield 4 * MOMENT


def undo_and_redo() -> Wait:
    with in_view():
        bpy.ops.ed.undo()
    yield 4 * MOMENT
    seen["undone"] = state()
    with in_view():
        bpy.ops.ed.redo()
    yield 4 * MOMENT
    seen["redone"] = state()


def type_in(text: str) -> Wait:
    window, _ = view()
    for letter in text:
        key = "SPACE" if letter == " " else letter.upper()
        window.event_simulate(type=key, value="PRESS", unicode=letter, x=300, y=300)
        window.event_simulate(type=key, value="RELEASE", x=300, y=300)
        yield MOMENT
    yield 4 * MOMENT
    yield from press("RET")
    yield 6 * MOMENT


def an_operator_is_searched_for() -> Wait:
    yield from press("F3")
    yield 6 * MOMENT
    yield from type_in("find footplants")
    seen["found by F3"] = len(armature().poise.found)


def a_bone_is_searched_for() -> Wait:
    with in_view():
        bpy.ops.poise.bone_choose("INVOKE_DEFAULT", field="landmark", mark="left_ankle")
    yield 6 * MOMENT
    yield from type_in("subtalar")
    seen["searched"] = {landmark.mark: landmark.bone for landmark in armature().poise.landmarks}


def errors_change_nothing() -> Wait:
    held = armature()
    held.poise.use_range, held.poise.begin, held.poise.end = True, 30, 20
    before = state()
    with in_view():
        try:
            bpy.ops.poise.solve("INVOKE_DEFAULT")
        except RuntimeError as error:
            seen["error"] = str(error)
    yield 4 * MOMENT
    seen["error: runs"] = progress() is not None
    seen["error: before"], seen["error: after"] = before, state()


def all_of_it() -> Wait:
    for scene in (
        prepared,
        the_tab_opens,
        escape_cancels,
        solving_shows_its_progress,
        undo_and_redo,
        a_bone_is_searched_for,
        an_operator_is_searched_for,
        errors_change_nothing,
    ):
        yield from scene()


steps = all_of_it()


def play() -> float | None:
    """Called by Blender's timer; ends Blender after the last step, or where something breaks."""
    try:
        return next(steps)
    except StopIteration:
        pass
    except BaseException:
        seen["broken"] = traceback.format_exc()
    RESULT.write_text(json.dumps(seen), encoding="utf-8")
    bpy.ops.wm.quit_blender()
    return None


bpy.app.timers.register(play, first_interval=FIRST_DRAWING)
