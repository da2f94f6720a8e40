# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars in the Timeline and the Dope Sheet are dragged and clicked, and the pie menu and keys are used."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import bpy
from driver import (
    HOVER,
    MODULE,
    MOMENT,
    WALK,
    Shot,
    Steps,
    area,
    armature,
    character,
    click,
    drag,
    event,
    hover,
    inside,
    middle,
    module,
    planted_walk,
    press,
    region,
    sidebar_tab,
)

EDITOR = "DOPESHEET_EDITOR"
BY = 8
"""Frames by which events are dragged."""
BALL = 0.75
"""The height in a bar at which the ball of a plant is taken."""
HAND = "l_wrist"
STEPS = 8


def short_walk() -> Path:
    """A walk of few steps, so that frames are some pixels wide."""
    solver = importlib.import_module(f"{MODULE}.solver")
    synthetic = importlib.import_module(f"{MODULE}.solver.synthetic")
    path = WALK.with_name("Short.bvh")
    solver.write_bvh(synthetic.walk(steps=STEPS, fps=60.0).clip, path)
    return path


def place(uid: str, frame: float, height: float = 0.25) -> tuple[int, int]:
    """Where a frame of a constraint's bar is in the largest editor of time, at a share of its height, in pixels of the
    window."""
    found = area(EDITOR)
    drawn = region(found)
    bars, lanes, view = module("workflows.bars"), module("gizmos.lanes"), module("gizmos.bar_view")
    share = 1.0 if found.spaces.active.mode == "TIMELINE" else lanes.LARGEST_SHARE
    scale = module("bridge.theme").interface_scale()
    shown = lanes.fitting(bars.bars_of(armature()), drawn.height, scale)
    layout = lanes.layout(shown, drawn.height, scale, share)
    index = next(number for number, bar in enumerate(shown) if bar.uid == uid)
    lane = layout.lanes[layout.lane_of[index]]
    across, up = view.view_of(drawn).x(frame), lane.low + height * (lane.high - lane.low)
    return drawn.x + round(across), drawn.y + math.floor(up)


def plant(number: int = 2) -> Any:
    return character().constraints[number]


def times(item: Any) -> list[float]:
    return [item.heel_strike, item.heel_off, item.toe_strike, item.toe_off, item.begin, item.end]


def play(seen: dict[str, Any]) -> Steps:
    yield from planted_walk(short_walk())
    bpy.context.scene.frame_set(20)
    with inside():
        bpy.ops.poise.constraint_add_pin(bone=HAND, hold=30)
        bpy.ops.ed.undo_push(message="Prepared")
    with inside(EDITOR):
        bpy.ops.action.view_all()
    yield 10 * MOMENT
    yield Shot("low timeline")
    yield from an_event_is_dragged(seen)
    yield from escape_restores(seen)
    yield from a_bar_is_clicked(seen)
    yield from a_bar_slides(seen)
    yield from keys_are_pressed(seen)
    yield from the_pie_is_used(seen)
    yield from the_dope_sheet_is_high(seen)


def an_event_is_dragged(seen: dict[str, Any]) -> Steps:
    """The heel off of a plant, later; undo and redo."""
    item = plant()
    seen["drag: before"], frame = times(item), item.heel_off
    begin, end = place(item.uid, frame), place(item.uid, frame + BY)
    during: list[float] = []
    yield from hover(begin)
    yield Shot("event under the mouse")
    event("LEFTMOUSE", "PRESS", begin)
    yield HOVER
    for share in (0.25, 0.5, 0.75, 1.0):
        event("MOUSEMOVE", "NOTHING", (round(begin[0] + share * (end[0] - begin[0])), begin[1]))
        yield 2 * MOMENT
        during.append(plant().heel_off)
    yield Shot("event dragged")
    event("LEFTMOUSE", "RELEASE", end)
    yield 6 * MOMENT
    seen["drag: during"], seen["drag: after"] = during, times(plant())
    seen["drag: active"] = character().active_constraint
    with inside():
        bpy.ops.ed.undo()
    yield 4 * MOMENT
    seen["drag: undone"] = times(plant())
    with inside():
        bpy.ops.ed.redo()
    yield 4 * MOMENT
    seen["drag: redone"] = times(plant())


def escape_restores(seen: dict[str, Any]) -> Steps:
    item = plant()
    seen["escape: before"] = times(item)
    begin, end = place(item.uid, item.toe_off, BALL), place(item.uid, item.toe_off + BY, BALL)
    yield from hover(begin)
    event("LEFTMOUSE", "PRESS", begin)
    yield HOVER
    for at in ((begin[0] + 10, begin[1]), end):
        event("MOUSEMOVE", "NOTHING", at)
        yield 2 * MOMENT
    seen["escape: during"] = times(plant())
    yield from press("ESC", end)
    event("LEFTMOUSE", "RELEASE", end)
    yield 4 * MOMENT
    seen["escape: after"] = times(plant())


def a_bar_is_clicked(seen: dict[str, Any]) -> Steps:
    """Once to make it active, twice to go to its frame; beside bars the Timeline scrubs as ever."""
    bpy.context.scene.frame_set(1)
    item = plant(0)
    at = place(item.uid, 0.5 * (item.begin + item.end))
    yield from click(at)
    seen["click: active"], seen["click: frame"] = character().active_constraint, bpy.context.scene.frame_current
    yield 12 * MOMENT
    far = plant(3)
    at = place(far.uid, 0.5 * (far.begin + far.end))
    yield from hover(at)
    for _ in range(2):
        for value in ("PRESS", "RELEASE"):
            event("LEFTMOUSE", value, at)
    yield 8 * MOMENT
    seen["double click: active"], seen["double click: frame"] = (
        character().active_constraint,
        bpy.context.scene.frame_current,
    )
    seen["double click: begin"], seen["double click: end"] = far.begin, far.end
    drawn = region(area(EDITOR))
    bar_view = module("gizmos.bar_view")
    shown, view = bar_view.bar_view(drawn), bar_view.view_of(drawn)
    lanes = shown.layout.lanes
    is_above = lanes[0].high < drawn.height - 12  # in the lowest Timelines numbers are below the bars
    height = drawn.y + round(drawn.height - 6 if is_above else 0.5 * lanes[-1].low + 3)
    before = [times(item) for item in character().constraints]
    yield from drag((drawn.x + round(view.x(100)), height), (drawn.x + round(view.x(120)), height))
    seen["scrub: frame"] = bpy.context.scene.frame_current
    seen["scrub: kept"] = before == [times(item) for item in character().constraints]


def a_bar_slides(seen: dict[str, Any]) -> Steps:
    """A pin with all its frames."""
    yield 12 * MOMENT  # a press soon after the last one would be a double click
    pin = character().constraints[-1]
    seen["slide: before"] = [pin.begin, pin.end, pin.points[0].begin, pin.points[0].end]
    middle_of_hold = 0.5 * (pin.points[0].begin + pin.points[0].end)
    yield from drag(place(pin.uid, middle_of_hold, 0.5), place(pin.uid, middle_of_hold + BY, 0.5))
    pin = character().constraints[-1]
    seen["slide: after"] = [pin.begin, pin.end, pin.points[0].begin, pin.points[0].end]
    seen["slide: active"] = character().active_constraint == len(character().constraints) - 1


def keys_are_pressed(seen: dict[str, Any]) -> Steps:
    """In pose mode: pin, recruit, priority, unpin."""
    bpy.context.view_layer.objects.active = armature()
    bpy.context.scene.frame_set(100)
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="DESELECT")
    select = module("bridge").select
    select(armature().pose.bones["r_wrist"], True)
    armature().data.bones.active = armature().data.bones["r_wrist"]
    yield 4 * MOMENT
    count = len(character().constraints)
    yield from press("Y", shift=True)
    yield 4 * MOMENT
    pin = character().constraints[-1]
    seen["keys: pinned"] = [len(character().constraints) - count, pin.bone, pin.kind]
    level, priority = pin.recruit_level, pin.priority
    yield from press("PAGE_UP")
    yield 4 * MOMENT
    seen["keys: recruited"] = character().constraints[-1].recruit_level - level
    yield from press("PAGE_DOWN")
    yield from press("PAGE_UP", shift=True)
    yield 4 * MOMENT
    pin = character().constraints[-1]
    seen["keys: recruited again"], seen["keys: priority"] = pin.recruit_level - level, pin.priority - priority
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
    yield from press("Y", alt=True)
    yield 4 * MOMENT
    seen["keys: unpinned"] = len(character().constraints) - count


def the_pie_is_used(seen: dict[str, Any]) -> Steps:
    """Open it, and choose what lies to the left: pin."""
    count = len(character().constraints)
    at = middle()
    yield from hover(at)
    for value in ("PRESS", "RELEASE"):  # at once: the menu closes with a key that was held for a fifth of a second
        event("Y", value, at)
    yield 30 * MOMENT  # it opens slowly
    yield Shot("pie")
    left = (at[0] - 150, at[1])
    yield from hover(left)
    yield from click(left)
    yield 6 * MOMENT
    seen["pie: pinned"] = len(character().constraints) - count


def the_dope_sheet_is_high(seen: dict[str, Any]) -> Steps:
    """With names, proposals and a constraint that cannot be met; a box still selects keys beside the bars."""
    view = area()
    far = character().constraints[-1]
    far.points[0].object.location.z += 30.0
    with inside():
        bpy.ops.poise.detect_footplants()
        bpy.ops.poise.solve()
    yield from sidebar_tab()
    view.ui_type = "DOPESHEET"
    yield 20 * MOMENT
    with inside(EDITOR):
        bpy.ops.action.view_all()
        bpy.ops.action.select_all(action="DESELECT")
    yield 20 * MOMENT
    yield Shot("dope sheet")
    missed = module("workflows.bars").missed_spans(armature())
    seen["high: missed"] = len(missed.get(character().constraints[-1].uid, ()))
    item = plant(1)
    frame = item.heel_off
    yield from drag(place(item.uid, frame), place(item.uid, frame - BY))
    seen["high: dragged"] = plant(1).heel_off - frame
    drawn = region(area(EDITOR))
    top = drawn.y + drawn.height - 30
    yield from drag((drawn.x + drawn.width // 2, top), (drawn.x + drawn.width // 2 + 200, top - 60))
    yield 6 * MOMENT
    curves = list(module("bridge.versions").all_curves_of(armature().animation_data.action))
    seen["high: selected keys"] = any(key.select_control_point for curve in curves for key in curve.keyframe_points)
    character().timeline.show_bars = False
    yield 6 * MOMENT
    yield Shot("dope sheet without bars")
    view.ui_type = "VIEW_3D"
    yield 10 * MOMENT
