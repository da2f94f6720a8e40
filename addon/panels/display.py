# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the 3D viewport."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from .base import OfArmature, armature_of, draw_sentence

PARTS = ("footprints", "points", "trajectories", "misses", "proposals", "balance", "ghosts", "texts", "gizmos")


class POISE_PT_display(OfArmature, Panel):  # noqa: N801
    """Choose what is drawn of the character in the viewport"""

    bl_idname = "POISE_PT_display"
    bl_label = "Display"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw_header(self, context: bpy.types.Context) -> None:
        """The switch for all of it."""
        self.layout.prop(character_of(armature_of(context)).display, "show", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        display: Any = character_of(armature_of(context)).display
        layout.operator("poise.compare_toggle", icon="ARROW_LEFTRIGHT")
        if display.problem:
            draw_sentence(layout, context, display.problem, "ERROR")
        column = layout.column()
        column.active = display.show
        grid = column.grid_flow(columns=2, even_columns=True, align=True)
        for part in PARTS:
            grid.prop(display, part)
        settings = column.column()
        settings.use_property_split = True
        settings.use_property_decorate = False
        if display.trajectories:
            settings.prop(display, "trajectories_of")
        if display.ghosts:
            settings.prop(display, "ghosts_of")
            settings.prop(display, "ghosts_at")
            if display.ghosts_at == "AROUND":
                settings.prop(display, "ghost_count")
                settings.prop(display, "ghost_step")
            else:
                settings.prop(display, "ghost_frames")


classes = (POISE_PT_display,)
