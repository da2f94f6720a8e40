# SPDX-License-Identifier: GPL-3.0-or-later
"""The pie menu, and the list of keys."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Menu, Panel

from ..bridge.own_keys import own_keys
from ..properties import armature_in, character_of
from .base import OfArmature


class POISE_MT_pie(Menu):  # noqa: N801
    """What one does all the time, around the mouse"""

    bl_idname = "POISE_MT_pie"
    bl_label = "Poise"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        pie = layout.menu_pie()
        pie.operator("poise.constraint_add_pin", icon="PINNED")  # left
        pie.operator("poise.constraint_add_footplant", icon="TRIA_DOWN_BAR")  # right
        pie.operator("poise.compare_toggle", icon="ARROW_LEFTRIGHT")  # below
        armature = armature_in(context)
        is_live = armature is not None and character_of(armature).live
        pie.operator("poise.live_toggle", icon="REC", depress=is_live)  # above
        pie.operator("poise.unpin", icon="UNPINNED")  # above left
        more: Any = pie.operator("poise.recruit_step", text="More Bones Help", icon="ADD")  # above right
        more.direction = "MORE"
        priority = pie.row(align=True)  # below left
        for direction, text, icon in (("UP", "Priority Up", "TRIA_UP"), ("DOWN", "Down", "TRIA_DOWN")):
            step: Any = priority.operator("poise.priority_step", text=text, icon=icon)
            step.direction = direction
        less: Any = pie.operator("poise.recruit_step", text="Fewer Bones Help", icon="REMOVE")  # below right
        less.direction = "LESS"


class POISE_PT_keys(OfArmature, Panel):  # noqa: N801
    """The keys of Poise; they are changed in Blender's keymap preferences"""

    bl_idname = "POISE_PT_keys"
    bl_label = "Keys"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        for label, key in own_keys():
            row = column.split(factor=0.6)
            row.label(text=label)
            row.label(text=key, translate=False)
        column.separator()
        column.operator("screen.userpref_show", text="Change in Preferences", icon="PREFERENCES").section = "KEYMAP"


classes = (POISE_MT_pie, POISE_PT_keys)
