# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a solve: where its result goes, and which frames are solved how."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from .base import OfArmature, armature_of, draw_own_value


class POISE_PT_solve(OfArmature, Panel):  # noqa: N801
    """Where the result goes, and how it is solved"""

    bl_idname = "POISE_PT_solve"
    bl_label = "Solve Settings"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(character, "target")
        layout.prop(character, "quality")
        draw_own_value(layout, character, "tolerance", "Thin Out Keys", "every frame keyed")
        layout.prop(character, "loop")
        span = layout.column(align=True)
        span.prop(character, "use_range")
        if character.use_range:
            span.prop(character, "begin")
            span.prop(character, "end")


classes = (POISE_PT_solve,)
