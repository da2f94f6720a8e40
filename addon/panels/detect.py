# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding constraints in the motion, and accepting or rejecting them."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel, UILayout, UIList

from ..properties import character_of
from .active import draw_constraint
from .base import OfArmature, armature_of, draw_sentence
from .constraints import draw_item
from .ground import draw_range


class POISE_UL_found(UIList):  # noqa: N801
    """Proposals with icon, bone, frames and confidence"""

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
        draw_item(layout, data.id_data, item, is_proposal=True)


class POISE_PT_detect(OfArmature, Panel):  # noqa: N801
    """Find constraints that the motion already satisfies"""

    bl_idname = "POISE_PT_detect"
    bl_label = "Detect"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        character: Any = character_of(armature)
        draw_range(layout, context, armature)
        column = layout.column(align=True)
        column.operator("poise.detect_footplants", icon="TRIA_DOWN_BAR")
        column.prop(character, "least_confidence", slider=True)
        column = layout.column(align=True)
        column.prop(character, "template_kind", text="")
        column.operator("poise.detect_template", icon="PREVIEW_RANGE")
        if context.scene is not None and not context.scene.use_preview_range:
            draw_sentence(layout, context, "The preview range (P in the timeline) is the example.", "INFO")
        if not len(character.found):
            return
        layout.template_list("POISE_UL_found", "", character, "found", character, "active_found", rows=4)
        row = layout.row(align=True)
        row.operator("poise.found_accept", icon="CHECKMARK")
        row.operator("poise.found_reject", icon="X")
        row = layout.row(align=True)
        row.operator("poise.found_accept_all", icon="CHECKMARK")
        row.operator("poise.found_reject_all", icon="X")


class POISE_PT_found(OfArmature, Panel):  # noqa: N801
    """The settings of the active proposal"""

    bl_idname = "POISE_PT_found"
    bl_label = "Edit Proposal"
    bl_parent_id = "POISE_PT_detect"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there are proposals."""
        return super().poll(context) and bool(len(character_of(armature_of(context)).found))

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        character: Any = character_of(armature)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        index = min(character.active_found, len(character.found) - 1)
        draw_constraint(layout, armature, character.found[index])


classes = (POISE_UL_found, POISE_PT_detect, POISE_PT_found)
