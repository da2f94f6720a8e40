# SPDX-License-Identifier: GPL-3.0-or-later
"""How to find constraints in the motion."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from .base import OfArmature, armature_of, draw_sentence


class POISE_PT_detect(OfArmature, Panel):  # noqa: N801
    """Find constraints that the motion already satisfies"""

    bl_idname = "POISE_PT_detect"
    bl_label = "Find"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        column = layout.column(align=True)
        column.operator("poise.detect_footplants", icon="TRIA_DOWN_BAR")
        column.prop(character, "least_confidence", slider=True)
        column = layout.column(align=True)
        column.prop(character, "template_kind", text="")
        column.operator("poise.detect_template", icon="PREVIEW_RANGE")
        if context.scene is not None and not context.scene.use_preview_range:
            draw_sentence(layout, context, "The preview range (P in the timeline) is the example.", "INFO")


classes = (POISE_PT_detect,)
