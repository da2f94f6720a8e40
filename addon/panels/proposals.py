# SPDX-License-Identifier: GPL-3.0-or-later
"""What finding proposes: the list, and accepting or rejecting it. It is there only while there are proposals."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel, UILayout, UIList

from ..properties import character_of
from .active import draw_constraint, draw_details
from .base import OfArmature, armature_of
from .constraints import draw_item


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
        draw_item(layout, context, data.id_data, item, index or 0, is_proposal=True)


class OfProposals(OfArmature):
    """Mixed into panels that need proposals."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there are proposals."""
        return super().poll(context) and bool(len(character_of(armature_of(context)).found))


class POISE_PT_proposals(OfProposals, Panel):  # noqa: N801
    """What was found in the motion: accept what you want as constraints"""

    bl_idname = "POISE_PT_proposals"
    bl_label = "Found: Accept?"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        row = layout.row(align=True)
        row.operator("poise.found_accept_all", icon="CHECKMARK")
        row.operator("poise.found_reject_all", icon="X")
        layout.template_list("POISE_UL_found", "", character, "found", character, "active_found", rows=4)
        row = layout.row(align=True)
        row.operator("poise.found_accept", icon="CHECKMARK")
        row.operator("poise.found_reject", icon="X")


class POISE_PT_found(OfProposals, Panel):  # noqa: N801
    """The settings of the active proposal"""

    bl_idname = "POISE_PT_found"
    bl_label = "Edit Proposal"
    bl_parent_id = "POISE_PT_proposals"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        character: Any = character_of(armature)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        item = character.found[min(character.active_found, len(character.found) - 1)]
        draw_constraint(layout, context, armature, item)
        draw_details(layout, context, armature, item)


classes = (POISE_UL_found, POISE_PT_proposals, POISE_PT_found)
