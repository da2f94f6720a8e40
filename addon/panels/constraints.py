# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of constraints, highest priority first."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Menu, Panel, UILayout, UIList

from ..properties import character_of, current_name, handles
from ..properties.constraint_list import listed_order
from ..properties.shown_names import shortened, shown_bone, shown_text
from ..workflows import selected
from .base import OfArmature, armature_of, draw_sentence, fitting_letters

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

PRIORITY_WIDTH, CONFIDENCE_WIDTH = 0.9, 1.9
"""Widths of columns in the list, in units of a button's height: room for "12" and "100%"."""
DIGIT_WIDTH = 0.35
"""Width of a digit in the same units."""
FEWEST_LINES, MOST_LINES = 2, 5
"""Lines of the list that are shown, as many as there are constraints."""
ICONS_WIDTH = 5.2
"""Width of the icons of a line in the list and of the scroll bar, in the same units."""


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
        draw_item(layout, context, data.id_data, item, index or 0)

    def filter_items(self, context: bpy.types.Context, data: Any, property: str) -> Any:
        items = getattr(data, property)
        helpers = bpy.types.UI_UL_list
        shown = (
            helpers.filter_items_by_name(self.filter_name, self.bitflag_filter_item, items, "name")
            if self.filter_name
            else None
        )
        return shown or [], listed_order(items)


def draw_item(
    layout: UILayout,
    context: bpy.types.Context,
    armature: bpy.types.Object,
    item: Any,
    index: int,
    is_proposal: bool = False,
) -> None:
    """Draw a constraint in one line: whether it is selected, icon, bone, frames, priority or confidence, its switch."""
    row = layout.row(align=True)
    if not is_proposal:
        dot: Any = "RADIOBUT_ON" if item.selected else "RADIOBUT_OFF"
        select: Any = row.operator("poise.constraint_select", text="", icon=dot, emboss=False)
        select.index = index
    row.label(text="", icon_value=UILayout.enum_item_icon(item, "kind", item.kind))
    name = row.row(align=True)
    name.active = item.enabled
    confidence, priority = (CONFIDENCE_WIDTH, f"{item.confidence:.0%}"), (PRIORITY_WIDTH, str(item.priority))
    columns = ((frames_width(context), frames_of(item)), confidence if is_proposal else priority)
    letters = fitting_letters(context, ICONS_WIDTH + sum(width for width, _ in columns))
    name.label(text=shortened(shown_name(armature, item), letters), translate=False)
    for width, text in columns:
        column = row.row(align=True)
        column.active = item.enabled
        column.ui_units_x = width
        column.alignment = "RIGHT"
        column.label(text=text, translate=False)
    row.separator(factor=0.3)
    row.prop(item, "enabled", text="")


def shown_name(armature: bpy.types.Object, item: Any) -> str:
    """What stands for a constraint in a list, beside the icon of its kind: its foot, its bone, else its name."""
    if item.kind == "FOOTPLANT":
        return "Left" if item.foot == "LEFT" else "Right"
    return shown_bone(armature, current_name(armature, item)) if item.bone else shown_text(armature, item.name)


def frames_width(context: bpy.types.Context) -> float:
    """The width of the column of frames in units: room for two frames of the scene and a dash."""
    last = context.scene.frame_end if context.scene is not None else 0
    return DIGIT_WIDTH * (2 * len(str(last)) + 1)


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
    bl_label = "More"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        for operator, icon in CHANGING:
            layout.operator(operator, icon=icon)
        layout.separator()
        for direction, icon in DIRECTIONS:
            move: Any = layout.operator("poise.constraint_move", text=WORDS[direction], icon=icon)
            move.direction = direction
        layout.separator()
        layout.operator_menu_enum("poise.constraints_select", "by", icon="RADIOBUT_ON")
        layout.operator("poise.selected_edit", icon="PREFERENCES")
        for enabled, title in ((True, "Switch Selected On"), (False, "Switch Selected Off")):
            switch: Any = layout.operator("poise.selected_enable", text=title)
            switch.enabled = enabled
        layout.operator("poise.selected_remove", icon="TRASH")
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
                layout, context, f"Its handles are those of {original.name!r}, of which it is a copy.", "INFO"
            )
            layout.operator("poise.handles_make_own", icon="EMPTY_AXIS")
        layout.template_list(
            "POISE_UL_constraints",
            "",
            character,
            "constraints",
            character,
            "active_constraint",
            rows=max(FEWEST_LINES, min(MOST_LINES, len(character.constraints))),
        )
        if not len(character.constraints):
            return
        row = layout.row(align=True)
        row.operator_menu_enum("poise.constraints_select", "by", text="", icon="RADIOBUT_ON")
        row.separator()
        for direction, icon in DIRECTIONS:
            move: Any = row.operator("poise.constraint_move", text="", icon=icon)
            move.direction = direction
        row.separator()
        for operator, icon in CHANGING:
            row.operator(operator, text="", icon=icon)
        row.separator()
        row.menu("POISE_MT_constraint_more", text="", icon="DOWNARROW_HLT")
        draw_selected(layout, armature_of(context))


def draw_selected(layout: UILayout, armature: bpy.types.Object) -> None:
    """Draw what can be done with all selected constraints; nothing where none is selected."""
    count = len(selected.of(armature))
    if not count:
        return
    row: Any = layout.box().row(align=True)
    row.label(text=f"{count} selected", translate=False)
    row.operator("poise.selected_edit", text="Change…")
    for enabled, icon in ((True, "CHECKBOX_HLT"), (False, "CHECKBOX_DEHLT")):
        switch = row.operator("poise.selected_enable", text="", icon=icon)
        switch.enabled = enabled
    row.operator("poise.selected_remove", text="", icon="TRASH")


classes = (POISE_UL_constraints, POISE_MT_constraint_add, POISE_MT_constraint_more, POISE_PT_constraints)
