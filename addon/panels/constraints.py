# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of constraints, the most important first."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Menu, Panel, UILayout, UIList

from ..properties import character_of, current_name
from .base import OfArmature, armature_of

ADDING = (
    ("poise.constraint_add_pin", "PINNED"),
    ("poise.constraint_add_trajectory", "CURVE_PATH"),
    ("poise.constraint_add_footplant", "SNAP_FACE"),
    ("poise.constraint_add_orientation", "ORIENTATION_GIMBAL"),
    ("poise.constraint_add_look_at", "HIDE_OFF"),
    ("poise.constraint_add_balance", "EMPTY_SINGLE_ARROW"),
    ("poise.constraint_add_pose", "ARMATURE_DATA"),
)


class POISE_UL_constraints(UIList):  # noqa: N801
    """Constraints with icon, bone, frames, priority and a switch; the most important ones on top"""

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
        for place, number in enumerate(ranked):
            order[number] = place
        return shown or [], order


def draw_item(layout: UILayout, armature: bpy.types.Object, item: Any, is_proposal: bool = False) -> None:
    """One constraint in one line."""
    row = layout.row(align=True)
    row.active = item.enabled
    row.label(text="", icon_value=UILayout.enum_item_icon(item, "kind", item.kind))
    split = row.split(factor=0.6, align=True)
    split.prop(item, "name", text="", emboss=False)
    frames = split.row(align=True)
    frames.alignment = "RIGHT"
    frames.label(text=frames_of(item), translate=False)
    if is_proposal:
        frames.label(text=f"{item.confidence:.0%}", translate=False)
    else:
        priority = frames.row(align=True)
        priority.ui_units_x = 1.6
        priority.prop(item, "priority", text="", emboss=False)
    row.prop(item, "enabled", text="")


def frames_of(item: Any) -> str:
    """Its frames in few letters."""
    if item.kind == "BALANCE" and item.is_whole:
        return "all"
    return f"{item.begin:g}–{item.end:g}"


def bone_of(armature: bpy.types.Object, item: Any) -> str:
    """The bone that a constraint is about, as it is called today."""
    return current_name(armature, item) if item.bone else ""


class POISE_MT_constraint_add(Menu):  # noqa: N801
    """Add a constraint from the selected bones"""

    bl_idname = "POISE_MT_constraint_add"
    bl_label = "Add Constraint"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        for operator, icon in ADDING:
            layout.operator(operator, icon=icon)


class POISE_MT_constraint_more(Menu):  # noqa: N801
    """More that can be done with constraints"""

    bl_idname = "POISE_MT_constraint_more"
    bl_label = "Constraint Specials"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        layout.operator("poise.constraint_duplicate", icon="DUPLICATE")
        layout.operator("poise.constraint_mirror", icon="MOD_MIRROR")
        layout.operator("poise.constraint_pick", icon="EYEDROPPER")
        layout.operator("poise.constraint_select_bones", icon="RESTRICT_SELECT_OFF")
        layout.operator("poise.recruited_select", icon="GROUP_BONE")
        layout.separator()
        layout.operator("poise.constraints_load", icon="IMPORT")
        layout.operator("poise.constraints_save", icon="EXPORT")


class POISE_PT_constraints(OfArmature, Panel):  # noqa: N801
    """What the motion must satisfy"""

    bl_idname = "POISE_PT_constraints"
    bl_label = "Constraints"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        layout.menu("POISE_MT_constraint_add", icon="ADD")
        row = layout.row()
        row.template_list("POISE_UL_constraints", "", character, "constraints", character, "active_constraint", rows=5)
        side = row.column(align=True)
        side.operator("poise.constraint_remove", text="", icon="REMOVE")
        side.separator()
        up: Any = side.operator("poise.constraint_move", text="", icon="TRIA_UP")
        up.direction = "UP"
        down: Any = side.operator("poise.constraint_move", text="", icon="TRIA_DOWN")
        down.direction = "DOWN"
        side.separator()
        side.menu("POISE_MT_constraint_more", text="", icon="DOWNARROW_HLT")


classes = (POISE_UL_constraints, POISE_MT_constraint_add, POISE_MT_constraint_more, POISE_PT_constraints)
