# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode: handles are dragged and other frames change during the drag; undo, redo, a solve that leaves the window
free, saving and opening."""

from __future__ import annotations

import time
from typing import Any

import bpy
from driver import (
    MOMENT,
    WALK,
    Shot,
    Steps,
    area,
    armature,
    character,
    event,
    hover,
    imported_walk,
    inside,
    live_rests,
    live_session,
    look_at_all,
    middle,
    module,
    planted_walk,
    running,
    shown_at,
    sidebar_tab,
    state,
    until,
)

BONE, FRAME, BESIDE = "l_wrist", 60, 66
"""The pinned bone, its frame, and one beside it that goes along."""
MOVES = 24
CAPTURED = WALK.with_name("captured.bvh")
"""The captured walk of 344 frames, where it is there."""


def grabbed(handle: Any) -> Steps:
    """The handle alone, selected and about to be dragged."""
    with inside():
        bpy.ops.object.select_all(action="DESELECT")
        handle.select_set(True)
        bpy.context.view_layer.objects.active = handle
        bpy.ops.ed.undo_push(message="Selected")
    yield 4 * MOMENT


def dragged(handle: Any, far: tuple[int, int], seen: dict[str, Any], name: str, is_shot: bool = False) -> Steps:
    """Drag a handle with G, and write down what other frames show during that."""
    begin = middle()
    yield from hover(begin)
    event("G", "PRESS", begin)
    event("G", "RELEASE", begin)
    yield 4 * MOMENT
    before, changes, places = shown_at(BESIDE), [], []
    for number in range(1, MOVES + 1):
        at = (begin[0] + far[0] * number // MOVES, begin[1] + far[1] * number // MOVES)
        event("MOUSEMOVE", "NOTHING", at)
        yield MOMENT
        changes.append(max(abs(now - then) for now, then in zip(shown_at(BESIDE), before, strict=False)))
        places.append(list(handle.location))
        if is_shot and number == MOVES // 2:
            yield Shot(f"{name}-during")
    seen[f"{name}: during"], seen[f"{name}: places"] = changes, places
    seen[f"{name}: samples during"] = module("bridge.samples").has_samples(armature())
    for value in ("PRESS", "RELEASE"):
        event("LEFTMOUSE", value, (begin[0] + far[0], begin[1] + far[1]))
        yield MOMENT
    yield 4 * MOMENT


def play(seen: dict[str, Any]) -> Steps:
    yield from planted_walk()
    with inside():
        bpy.ops.poise.constraint_add_pin(bone=BONE, frame=FRAME)
        bpy.ops.ed.undo_push(message="Pinned")
    yield from sidebar_tab()
    yield from look_at_all()
    yield from a_solve_leaves_the_window_free(seen)
    yield from live_begins(seen)
    yield from a_pin_is_dragged(seen)
    yield from undone_and_redone(seen)
    yield from while_it_plays(seen)
    yield from saved_and_opened(seen)
    yield from captured_walk(seen)


def a_solve_leaves_the_window_free(seen: dict[str, Any]) -> Steps:
    for plant in character().constraints:
        plant.points[0].object.location.x += 0.04
    with inside():
        bpy.ops.ed.undo_push(message="Moved")
    before = state()
    view, scene = area().spaces.active.region_3d, bpy.context.scene
    looks, frame = view.view_rotation.copy(), scene.frame_current
    with inside():
        bpy.ops.poise.solve("INVOKE_DEFAULT")
    at = middle()
    for value in ("PRESS",):
        event("MIDDLEMOUSE", value, at)
    for number in range(1, 9):
        event("MOUSEMOVE", "NOTHING", (at[0] + 15 * number, at[1] + 8 * number))
        yield 0.01
        if running() is not None and (view.view_rotation - looks).magnitude > 0.01:
            seen["orbit: during"] = True
    event("MIDDLEMOUSE", "RELEASE", (at[0] + 120, at[1] + 64))
    yield 0.01
    event("RIGHT_ARROW", "PRESS", at)
    event("RIGHT_ARROW", "RELEASE", at)
    yield 0.02
    seen["orbit: runs"] = running() is not None
    seen["scrub: during"] = running() is not None and scene.frame_current != frame
    yield Shot("solving")
    event("ESC", "PRESS", at)
    event("ESC", "RELEASE", at)
    yield 6 * MOMENT
    seen["escape: runs"] = running() is not None
    scene.frame_set(frame)
    seen["escape: before"], seen["escape: after"] = before, state()


def live_begins(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.poise.live_toggle("INVOKE_DEFAULT")
    yield from until(lambda: character().live, "live mode begins")
    yield from live_rests()
    seen["live: action"] = armature().animation_data.action.name
    bpy.context.scene.frame_set(FRAME)
    yield 4 * MOMENT
    with inside():
        bpy.context.view_layer.objects.active = armature()
        armature().select_set(True)
        bpy.ops.view3d.view_selected()
    yield 6 * MOMENT
    yield Shot("begun")


def pin() -> Any:
    return next(item for item in character().constraints if item.kind == "SHAPE")


def a_pin_is_dragged(seen: dict[str, Any]) -> Steps:
    handle = pin().points[0].object
    yield from grabbed(handle)
    seen["pin: first place"], seen["pin: first curves"] = list(handle.location), shown_at(BESIDE)
    yield from dragged(handle, (120, 60), seen, "pin", is_shot=True)
    yield from live_rests()
    seen["pin: second place"], seen["pin: second curves"] = list(handle.location), shown_at(BESIDE)
    seen["pin: samples after"] = module("bridge.samples").has_samples(armature())
    seen["pin: stale"] = module("workflows.latest").is_stale(armature())
    seen["pin: problem"] = character().live_state.problem
    yield Shot("dragged")


def undone_and_redone(seen: dict[str, Any]) -> Steps:
    for name in ("undo", "redo"):
        with inside():
            getattr(bpy.ops.ed, name)()
        yield 4 * MOMENT
        yield from live_rests()
        handle = pin().points[0].object
        seen[f"{name}: place"], seen[f"{name}: curves"] = list(handle.location), shown_at(BESIDE)
        seen[f"{name}: samples"] = module("bridge.samples").has_samples(armature())
        seen[f"{name}: live"] = character().live
        yield Shot(name)


def while_it_plays(seen: dict[str, Any]) -> Steps:
    handle = pin().points[0].object
    yield from grabbed(handle)
    with inside():
        bpy.ops.screen.animation_play()
    yield 4 * MOMENT
    yield from dragged(handle, (-80, 40), seen, "playing")
    with inside():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    yield from live_rests()


def saved_and_opened(seen: dict[str, Any]) -> Steps:
    handle = pin().points[0].object
    handle.location.z += 0.05
    yield 4 * MOMENT
    path = str(WALK.with_name("live.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    seen["saved: samples"] = module("bridge.samples").has_samples(armature())
    seen["saved: curves"] = shown_at(BESIDE)
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 1.0
    seen["opened: live"], seen["opened: curves"] = character().live, shown_at(BESIDE)
    yield from live_rests()
    handle = pin().points[0].object
    yield from grabbed(handle)
    yield from dragged(handle, (60, 60), seen, "opened")
    yield from live_rests()
    yield Shot("opened")
    with inside():
        bpy.ops.poise.live_toggle("INVOKE_DEFAULT")
    yield from until(lambda: not character().live, "live mode is left")
    seen["left: sessions"] = len(module("live.watching").sessions())


def captured_walk(seen: dict[str, Any]) -> Steps:
    """How long updates take while a plant, and a hand far out of reach, are dragged."""
    if not CAPTURED.is_file():
        return
    bpy.ops.wm.read_homefile(use_splash=False)
    yield 1.0
    yield from imported_walk(CAPTURED)
    with inside():
        bpy.ops.poise.detect_footplants()
        bpy.ops.poise.found_accept_all()
        bpy.ops.poise.constraint_add_pin(bone="LeftHand", frame=180)
        bpy.ops.ed.undo_push(message="Prepared")
    yield from look_at_all()
    with inside():
        bpy.ops.poise.live_toggle("INVOKE_DEFAULT")
    yield from until(lambda: character().live, "live mode begins")
    yield from live_rests()
    hand = pin().points[0].object
    for name, handle in (("plant", character().constraints[3].points[0].object), ("far", hand)):
        if name == "far":
            handle.location.z += 20.0
            yield from live_rests()
        yield from grabbed(handle)
        live_session().answers.clear()
        live_session().results.clear()
        begin = time.process_time()
        yield from dragged(handle, (100, 30), seen, name)
        yield from live_rests()
        seen[f"{name}: answers"], seen[f"{name}: results"] = list(live_session().answers), list(live_session().results)
        seen[f"{name}: processor"] = time.process_time() - begin
    yield Shot("far")
