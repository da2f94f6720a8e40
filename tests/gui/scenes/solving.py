# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab, a solve with its progress, Esc, undo and redo, search, and an error."""

from __future__ import annotations

from typing import Any

import bpy
from driver import (
    MOMENT,
    Shot,
    Steps,
    area,
    character,
    inside,
    planted_walk,
    press,
    region,
    running,
    sidebar_tab,
    state,
    type_in,
)

ASIDE = 0.04
"""Metres by which plants are moved, so that there is something to solve."""


def play(seen: dict[str, Any]) -> Steps:
    yield from planted_walk()
    for number, plant in enumerate(character().constraints):
        plant.points[0].object.location.x += ASIDE if number % 2 else -ASIDE
    with inside():
        bpy.ops.ed.undo_push(message="Moved")
    yield from sidebar_tab()
    seen["category"] = region(area(), "UI").active_panel_category
    yield Shot("tab")
    yield from escape_cancels(seen)
    yield from solving_shows_its_progress(seen)
    yield Shot("solved")
    yield from undo_and_redo(seen)
    yield from a_bone_is_searched_for(seen)
    yield from an_operator_is_searched_for(seen)
    yield from errors_change_nothing(seen)


def escape_cancels(seen: dict[str, Any]) -> Steps:
    before = state()
    with inside():
        seen["escape: begun"] = sorted(bpy.ops.poise.solve("INVOKE_DEFAULT"))
    seen["escape: runs"] = running() is not None
    yield from press("ESC")
    yield 4 * MOMENT
    seen["escape: runs after"] = running() is not None
    seen["escape: before"], seen["escape: after"] = before, state()


def solving_shows_its_progress(seen: dict[str, Any]) -> Steps:
    seen["solve: before"] = state()
    with inside():
        bpy.ops.poise.solve("INVOKE_DEFAULT")
        seen["solve: twice"] = bool(bpy.ops.poise.solve.poll())
    shares = []
    for _ in range(1000):
        solve = running()
        if solve is None:
            break
        shares.append(solve.share)
        yield 0.01
    seen["solve: shares"] = shares
    seen["solve: after"] = state()
    seen["solve: missed"] = [residual.misses for residual in character().residuals]
    yield 4 * MOMENT


def undo_and_redo(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.ed.undo()
    yield 4 * MOMENT
    seen["undone"] = state()
    with inside():
        bpy.ops.ed.redo()
    yield 4 * MOMENT
    seen["redone"] = state()


def an_operator_is_searched_for(seen: dict[str, Any]) -> Steps:
    yield from press("F3")
    yield 6 * MOMENT
    yield from type_in("find footplants")
    seen["found by F3"] = len(character().found)


def a_bone_is_searched_for(seen: dict[str, Any]) -> Steps:
    with inside():
        bpy.ops.poise.bone_choose("INVOKE_DEFAULT", field="landmark", mark="left_ankle")
    yield 6 * MOMENT
    yield from type_in("subtalar")
    seen["searched"] = {landmark.mark: landmark.bone for landmark in character().landmarks}


def errors_change_nothing(seen: dict[str, Any]) -> Steps:
    character().use_range, character().begin, character().end = True, 30, 20
    before = state()
    with inside():
        try:
            bpy.ops.poise.solve("INVOKE_DEFAULT")
        except RuntimeError as error:
            seen["error"] = str(error)
    yield 4 * MOMENT
    seen["error: runs"] = running() is not None
    seen["error: before"], seen["error: after"] = before, state()
