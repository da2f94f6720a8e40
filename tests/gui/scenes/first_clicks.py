# SPDX-License-Identifier: GPL-3.0-or-later
"""The first clicks after installing: Add Example in the panel, then cleaning its feet and comparing."""

from __future__ import annotations

from collections.abc import Callable
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
    module,
    press,
    region,
    running,
    sidebar_tab,
    until,
)

ROW = 8
"""Pixels between places that are tried: less than half of a button."""
HIGHEST, LOWEST = 36, 260
"""Pixels below the top of the sidebar within which the buttons of the first panel are, under its header."""


def play(seen: dict[str, Any]) -> Steps:
    yield from sidebar_tab()
    yield Shot("empty")
    yield from clicked_in_the_panel(0.5, lambda: bool(armatures()), "Add Example")
    yield from until(lambda: armature().animation_data is not None, "the example walks")
    seen["armatures"] = len(armatures())
    seen["active"] = bpy.context.view_layer.objects.active == armature()
    is_skinned_to = module("bridge").is_skinned_to
    seen["skinned"] = [held.name for held in bpy.context.scene.objects if is_skinned_to(held, armature())]
    seen["frames"] = list(armature().animation_data.action.frame_range)
    yield Shot("added")
    yield from clicked_in_the_panel(0.75, lambda: running() is not None or has_result(), "Clean Up Feet")
    yield from until(lambda: running() is None, "the feet are cleaned")
    seen["cleaned"], seen["live"], seen["report"] = has_result(), character().live, character().last_solve
    yield Shot("cleaned")
    yield from press("Z", ctrl=True)
    yield from press("Z", ctrl=True)
    yield 4 * MOMENT
    seen["armatures after undo"] = len(armatures())


def armatures() -> list[Any]:
    return [held for held in bpy.context.scene.objects if held.type == "ARMATURE"]


def has_result() -> bool:
    return bool(module("bridge").has_result(armature()))


def clicked_in_the_panel(across: float, holds: Callable[[], bool], what: str) -> Steps:
    """Click down along the first panel, at a share of its width, until a button has done what it says."""
    for below in range(HIGHEST, LOWEST, ROW):
        sidebar = region(area(), "UI")
        yield from click((sidebar.x + int(across * (sidebar.width - 20)), sidebar.y + sidebar.height - below))
        if holds():
            return
    raise LookupError(f"There is no button {what!r} in the panel.")
