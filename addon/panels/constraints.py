# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of constraints, highest priority first."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Menu, Panel, UILayout, UIList

from ..properties import character_of, current_name, handles
from .base import OfArmature, armature_of, draw_sentence

ADDING = (
    ("poise.constraint_add_pin", "PINNED"),
    ("poise.constraint_add_trajectory", "CURVE_PATH"),
    ("poise.constraint_add_footplant", "TRIA_DOWN_BAR"),
    ("poise.constraint_add_handplant", "VIEW_PAN"),
    ("poise.constraint_add_orientation", "ORIENTATION_GIMBAL"),
    ("poise.constraint_add_look_at", "HIDE_OFF"),
    ("poise.constraint_add_balance", "EMPTY_SINGLE_ARROW"),
    ("poise.constraint_add_pose", "ARMATURE_DATA"),
)

CHANGING = (
    ("poise.constraint_duplicate", "DUPLICATE"),
    ("poise.constraint_mirror", "MOD_MIRROR"),
    ("poise.constraint_remove", "REMOVE"),
    ("poise.constraint_select_bones", "RESTRICT_SELECT_OFF"),
    ("poise.constraint_pick", "EYEDROPPER"),
)
DIRECTIONS = (("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN"))
WORDS = {"UP": "Raise Priority", "DOWN": "Lower Priority"}

FRAMES_WIDTH, PRIORITY_WIDTH, CONFIDENCE_WIDTH = 3.0, 1.0, 1.9
"""Widths of columns in the list, in units of a button's height: room for "100–1200", "12" and "100%"."""


class POISE_UL_constraints(UIList):  # noqa: N801
    """Constraints with icon, bone, frames, priority and a switch; highest priority first"""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int | None,
        active_data: Any,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        draw_item(layout, data.id_data, item)

    def filter_items(self, context: bpy.types.Context, data: Any, property: str) -> Any:
        items = getattr(data, property)
        helpers = bpy.types.UI_UL_list
        shown = (
            helpers.filter_items_by_name(self.filter_name, self.bitflag_filter_item, items, "name")
            if self.filter_name
            else None
        )
        ranked = sorted(range(len(items)), key=lambda number: (-items[number].priority, items[number].begin))
        order = [0] * len(items)
        for position, number in enumerate(ranked):
            order[number] = position
        return shown or [], order


def draw_item(layout: UILayout, armature: bpy.types.Object, item: Any, is_proposal: bool = False) -> None:
    """Draw a constraint in one line: icon, bone, frames, priority or confidence, and its switch."""
    row = layout.row(align=True)
    row.label(text="", icon_value=UILayout.enum_item_icon(item, "kind", item.kind))
    name = row.row(align=True)
    name.active = item.enabled
    name.label(text=current_name(armature, item) if item.bone else item.name, translate=False)
    confidence, priority = (CONFIDENCE_WIDTH, f"{item.confidence:.0%}"), (PRIORITY_WIDTH, str(item.priority))
    for width, text in ((FRAMES_WIDTH, frames_of(item)), confidence if is_proposal else priority):
        column = row.row(align=True)
        column.active = item.enabled
        column.ui_units_x = width
        column.alignment = "RIGHT"
        column.label(text=text, translate=False)
    row.prop(item, "enabled", text="")


def frames_of(item: Any) -> str:
    """The frames of a constraint in few letters."""
    if item.kind == "BALANCE" and item.is_whole:
        return "all"
    return f"{item.begin:g}–{item.end:g}"


class POISE_MT_constraint_add(Menu):  # noqa: N801
    """Add a constraint from the selected bones"""

    bl_idname = "POISE_MT_constraint_add"
    bl_label = "Add Constraint"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        for operator, icon in ADDING:
            layout.operator(operator, icon=icon)


class POISE_MT_constraint_more(Menu):  # noqa: N801
    """More operators on constraints"""

    bl_idname = "POISE_MT_constraint_more"
    bl_label = "Constraint Specials"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        for operator, icon in CHANGING:
            layout.operator(operator, icon=icon)
        layout.separator()
        for direction, icon in DIRECTIONS:
            move: Any = layout.operator("poise.constraint_move", text=WORDS[direction], icon=icon)
            move.direction = direction
        layout.separator()
        layout.operator("poise.point_add", icon="EMPTY_AXIS")
        layout.operator("poise.point_remove", icon="REMOVE")
        layout.operator("poise.pose_capture", icon="POSE_HLT")
        layout.operator("poise.recruited_select", icon="GROUP_BONE")
        layout.separator()
        layout.operator("poise.constraints_load", icon="IMPORT")
        layout.operator("poise.constraints_save", icon="EXPORT")


class POISE_PT_constraints(OfArmature, Panel):  # noqa: N801
    """The constraints of the motion"""

    bl_idname = "POISE_PT_constraints"
    bl_label = "Constraints"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        layout.menu("POISE_MT_constraint_add", icon="ADD")
        original = handles.original_of(armature_of(context))
        if original is not None:
            draw_sentence(
                layout, context, f"Its empties are those of {original.name!r}, of which it is a copy.", "INFO"
            )
            layout.operator("poise.handles_make_own", icon="EMPTY_AXIS")
        layout.template_list(
            "POISE_UL_constraints", "", character, "constraints", character, "active_constraint", rows=5
        )
        row = layout.row(align=True)
        for direction, icon in DIRECTIONS:
            move: Any = row.operator("poise.constraint_move", text="", icon=icon)
            move.direction = direction
        row.separator()
        for operator, icon in CHANGING:
            row.operator(operator, text="", icon=icon)
        row.separator()
        row.menu("POISE_MT_constraint_more", text="", icon="DOWNARROW_HLT")


classes = (POISE_UL_constraints, POISE_MT_constraint_add, POISE_MT_constraint_more, POISE_PT_constraints)
