# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving, its progress and its report."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from ..workflows import latest, progress
from ..workflows.messages import format_amount
from .base import OfArmature, armature_of, draw_sentence
from .ground import draw_gaps, draw_range

STALE_CHECK = 0.25
"""Seconds between two checks whether the result is older than an edit, which takes some milliseconds."""


class POISE_PT_solve(OfArmature, Panel):  # noqa: N801
    """Change the motion so that its constraints hold"""

    bl_idname = "POISE_PT_solve"
    bl_label = "Solve"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        character: Any = character_of(armature)
        settings = layout.column()
        settings.use_property_split = True
        settings.use_property_decorate = False
        settings.prop(character, "target")
        settings.prop(character, "quality")
        settings.prop(character, "tolerance")
        settings.prop(character, "loop")
        span = settings.column(align=True)
        span.prop(character, "use_range")
        if character.use_range:
            span.prop(character, "begin")
            span.prop(character, "end")
        draw_range(layout, context, armature)
        draw_gaps(layout, context, armature)
        running = progress.of(armature.name)
        if running is not None:
            layout.progress(factor=running.share, text=f"{running.label} (Esc stops it)")
        else:
            row = layout.row()
            row.scale_y = 1.4
            row.operator("poise.solve", icon="PLAY")
            live: Any = row.row()
            live.operator("poise.live_toggle", icon="REC", depress=character.live)
        if character.live_state.problem:
            draw_sentence(layout, context, character.live_state.problem, "ERROR")
        if not character.live and latest.is_stale(armature, longest_age=STALE_CHECK):
            draw_sentence(layout, context, "The result is older than your last edit: solve again.", "ERROR")
        row = layout.row(align=True)
        row.operator("poise.source_restore", icon="LOOP_BACK")
        row.operator("poise.result_apply", icon="CHECKMARK")


class POISE_PT_report(OfArmature, Panel):  # noqa: N801
    """The report of the last solve"""

    bl_idname = "POISE_PT_report"
    bl_label = "Last Solve"
    bl_parent_id = "POISE_PT_solve"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a report."""
        return super().poll(context) and bool(character_of(armature_of(context)).last_solve)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        draw_sentence(layout, context, character.last_solve, "INFO")
        names = {item.uid: item.name for item in character.constraints}
        shown = [residual for residual in character.residuals if residual.uid in names]
        if shown:
            box = layout.box().column(align=True)
            for residual in sorted(shown, key=lambda each: not each.misses):
                row = box.split(factor=0.65, align=True)
                row.label(text=names[residual.uid], icon="ERROR" if residual.misses else "CHECKMARK", translate=False)
                row.label(text=format_amount(residual.worst, residual.unit == "ANGLE"), translate=False)
        for advice in character.advice:
            draw_sentence(layout, context, advice.sentence, "LIGHT")


classes = (POISE_PT_solve, POISE_PT_report)
