# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab through the work: a fresh character, proposals, problems of a solve, an advice applied, several constraints
at once, and long names of bones."""

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
    imported_walk,
    inside,
    press,
    region,
    sidebar_tab,
    until,
)

FAR = 1.5
"""Metres by which a hand is pulled out of reach."""
STEP = 8
"""Pixels between the places at which buttons are looked for: less than half of one."""
PREFIX = "mixamorig:"


def commands(seen: list[tuple[tuple[int, int], str]], across: float = 0.5) -> Steps:
    """Find the buttons down the sidebar, at a share of its width, each with the call of its operator."""
    sidebar = region(area(), "UI")
    manager = bpy.context.window_manager
    for down in range(STEP, sidebar.height, STEP):
        at = (sidebar.x + int(across * sidebar.width), sidebar.y + sidebar.height - down)
        event("MOUSEMOVE", "NOTHING", at)
        yield HOVER
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area(), region=sidebar):
            if bpy.ops.ui.copy_python_command_button.poll():
                manager.clipboard = ""
                bpy.ops.ui.copy_python_command_button()
                if manager.clipboard:
                    seen.append((at, manager.clipboard))


def settled() -> Steps:
    """Let panels that have grown push the others down: Blender animates that."""
    for _ in range(4):
        area().tag_redraw()
        yield 6 * MOMENT


def play(seen: dict[str, Any]) -> Steps:
    yield from imported_walk()
    bpy.context.scene.frame_set(40)
    yield from sidebar_tab()
    yield from settled()
    yield Shot("fresh")
    with inside():
        bpy.ops.poise.detect_footplants()
    yield from settled()
    yield Shot("found")
    with inside():
        bpy.ops.poise.found_accept_all()
    yield from settled()
    yield Shot("accepted")
    yield from an_advice_is_applied(seen)
    yield from several_are_changed(seen)
    yield from long_names(seen)


def an_advice_is_applied(seen: dict[str, Any]) -> Steps:
    with inside():
        for bone, frame in (("l_wrist", 40), ("r_wrist", 90)):
            bpy.ops.poise.constraint_add_pin(bone=bone, frame=frame)
            character().constraints[-1].points[0].object.location.z += FAR
        bpy.ops.poise.solve()
        bpy.ops.ed.undo_push(message="Solved")
    seen["problems"] = [(entry.kind, entry.sentence, len(entry.fixes)) for entry in character().advice]
    yield from settled()
    yield Shot("advice")
    found: list[tuple[tuple[int, int], str]] = []
    yield from commands(found, across=0.2)
    seen["buttons"] = [command for _, command in found]
    places = [at for at, command in found if "advice_apply(" in command]
    seen["apply buttons"] = len(places)
    seen["before"] = edited()
    yield from click(places[0])
    yield from until(lambda: edited() != seen["before"], "the advice is applied")
    seen["applied"] = edited()
    yield from settled()
    yield Shot("applied")
    yield from press("Z", ctrl=True)
    yield 6 * MOMENT
    seen["undone"] = edited()
    yield from press("Z", ctrl=True, shift=True)
    yield 6 * MOMENT
    seen["redone"] = edited()
    with inside():
        bpy.ops.poise.solve()
    seen["problems after"] = [(entry.kind, entry.sentence, len(entry.fixes)) for entry in character().advice]
    yield from settled()
    yield Shot("solved-again")


def edited() -> list[Any]:
    """What an advice may change, and how many problems are listed."""
    items = character().constraints
    places = [list(point.object.location) for item in items for point in item.points]
    return [places, [(item.priority, item.recruit, item.recruit_level) for item in items], len(character().advice)]


def several_are_changed(seen: dict[str, Any]) -> Steps:
    character().active_constraint = 0
    with inside():
        bpy.ops.poise.constraints_select(by="SIMILAR")
    seen["selected"] = [(item.kind, item.foot) for item in character().constraints if item.selected]
    yield from settled()
    yield Shot("selected")
    with inside():
        bpy.ops.poise.selected_edit("INVOKE_DEFAULT")
    yield 6 * MOMENT
    yield from settled()
    yield Shot("change-selected")
    yield from press("ESC")
    yield 6 * MOMENT


def long_names(seen: dict[str, Any]) -> Steps:
    for bone in armature().data.bones:
        bone.name = f"{PREFIX}{bone.name}"
    yield 10 * MOMENT
    character().active_constraint = len(character().constraints) - 1
    with inside():
        bpy.ops.poise.solve()
    yield from settled()
    yield Shot("mixamo")
