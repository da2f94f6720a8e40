# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown in the timeline."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from .base import OfArmature, armature_of


class POISE_PT_timeline(OfArmature, Panel):  # noqa: N801
    """Constraints in the Timeline, the Dope Sheet and as markers"""

    bl_idname = "POISE_PT_timeline"
    bl_label = "Timeline"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        layout.prop(character.timeline, "show_bars")
        row = layout.row(align=True)
        row.operator("poise.markers_update", icon="MARKER_HLT")
        row.operator("poise.markers_remove", text="", icon="X")


classes = (POISE_PT_timeline,)
