# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground, the thickness of the soles, and the plants that are off the ground."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from ..properties.shown_names import shown_text
from ..workflows.ground_gaps import undecided_plants
from ..workflows.messages import format_amount
from ..workflows.ranges import range_warning
from .base import OfArmature, armature_of, draw_own_value, draw_sentence

LISTED = 3
"""How many plants off the ground are listed; the others are counted."""


class POISE_PT_ground(OfArmature, Panel):  # noqa: N801
    """What the feet stand on"""

    bl_idname = "POISE_PT_ground"
    bl_label = "Ground"
    bl_parent_id = "POISE_PT_character"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(character_of(armature_of(context)), "use_ground", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        character: Any = character_of(armature)
        if not character.use_ground:
            draw_sentence(layout, context, "Off: each plant stands at its own height.", "INFO")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        if character.use_ground:
            column.prop(character, "ground_kind")
            if character.ground_kind == "PLANE":
                column.prop(character, "ground_plane")
                height = column.row()
                height.active = character.ground_plane is None
                height.prop(character, "ground_height")
            elif character.ground_kind == "MESH":
                column.prop(character, "ground_mesh")
                column.prop(character, "ground_collection")
            layout.operator("poise.ground_check", icon="VIEWZOOM")
        for name, title in (("heel", "Heel Sole"), ("ball", "Ball Sole")):
            found = getattr(character, f"found_sole_{name}")
            height = f"{format_amount(found, is_angular=False)} (rest pose)" if found >= 0.0 else "from the rest pose"
            draw_own_value(column, character, f"sole_{name}", title, height)
        draw_gaps(layout, context, armature)


def draw_gaps(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw the plants that are off the ground with buttons to decide about them; nothing where there are none."""
    off = undecided_plants(armature)
    if not off:
        return
    box = layout.box().column(align=True)
    draw_sentence(box, context, "These plants stand off the ground and keep their heights:", "ERROR")
    for item, gap in off[:LISTED]:
        row = box.split(factor=0.6, align=True)
        row.label(text=shown_text(armature, item.name), translate=False)
        row.label(
            text=f"{format_amount(abs(gap), is_angular=False)} {'above' if gap > 0.0 else 'below'}", translate=False
        )
    if len(off) > LISTED:
        box.label(text=f"and {len(off) - LISTED} more", translate=False)
    box.operator("poise.ground_keep_heights", icon="LOCKED")
    box.operator("poise.ground_put_on", icon="TRIA_DOWN_BAR")


def draw_range(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw a warning where the scene's range leaves out a part of the action, with a button that takes all of it."""
    sentence = range_warning(armature)
    if sentence:
        draw_sentence(layout, context, sentence, "ERROR")
        layout.operator("poise.range_from_action", icon="ARROW_LEFTRIGHT")


classes = (POISE_PT_ground,)
