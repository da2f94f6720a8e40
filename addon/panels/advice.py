# SPDX-License-Identifier: GPL-3.0-or-later
"""The problems of the last solve, each with buttons: go to its frame, apply a change that helps, ignore it."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.shown_names import shown_text
from ..workflows import advice
from .base import draw_sentence

ICONS = {"MISSED": "ERROR", "RIG": "ERROR", "RANK": "SORTBYEXT", "STRETCHED": "CON_STRETCHTO", "NOTE": "INFO"}
FRAME_WIDTH = 2.2
"""Width of the button with a frame, in units: room for "1234"."""
BUTTONS_WIDTH = 4.0
"""Width of the buttons beside a problem, in units."""


def draw_problems(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw the worst problems of the last solve, and how many more there are; nothing where there are none."""
    shown, more, ignored = advice.shown(armature)
    for index, entry in shown:
        _draw_problem(layout, context, armature, index, entry)
    if more:
        layout.label(text=f"and {more} more", icon="BLANK1", translate=False)
    if ignored:
        layout.operator("poise.advice_show_ignored", text=f"Show {ignored} Ignored", icon="HIDE_OFF", translate=False)


def _draw_problem(
    layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object, index: int, entry: Any
) -> None:
    box = layout.box().column(align=True)
    row = box.row(align=True)
    draw_sentence(row, context, shown_text(armature, entry.sentence), ICONS[entry.kind], beside=BUTTONS_WIDTH)
    buttons: Any = row.row(align=True)
    buttons.alignment = "RIGHT"
    if entry.has_frame:
        frame = buttons.row(align=True)
        frame.ui_units_x = FRAME_WIDTH
        go = frame.operator("poise.advice_go", text=f"{entry.frame:g}", translate=False)
        go.index = index
    ignore = buttons.operator("poise.advice_ignore", text="", icon="X")
    ignore.index = index
    if entry.kind == "RIG":
        box.operator("poise.bakeable_copy", icon="DUPLICATE")
    if len(entry.fixes):
        row = box.row(align=True)
        for number, fix in enumerate(entry.fixes):
            apply: Any = row.operator("poise.advice_apply", text=fix_title(fix), translate=False)
            apply.index, apply.number = index, number


def fix_title(fix: Any) -> str:
    """The text on the button of a change."""
    if fix.kind == "BONES":
        count = fix.levels or len(fix.bones)
        return f"{count} More Bone{'' if count == 1 else 's'}"
    return str(fix.bl_rna.properties["kind"].enum_items[fix.kind].name)
