# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes next: finding, cleaning up and solving in one click each, the result and its problems."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from .. import bridge
from ..properties import armature_in, character_of
from ..properties.shown_names import shown_text
from ..workflows import latest, leftovers, progress
from .advice import draw_problems
from .base import InTab, OfArmature, armature_of, draw_sentence
from .ground import draw_gaps, draw_range
from .residual import draw_residuals, summary

COMPARE_WIDTH = 2.5
"""Width of the button that compares, in units."""
STALE_AGE = 0.5
"""Seconds for which it is not checked again whether the result is older than an edit: panels are drawn often."""

NO_ARMATURE = "Select an armature, or a point of one of its constraints."


class POISE_PT_work(InTab, Panel):  # noqa: N801
    """Find, clean up and solve, and see what came of it"""

    bl_idname = "POISE_PT_work"
    bl_label = ""

    def draw_header(self, context: bpy.types.Context) -> None:
        armature = armature_in(context)
        self.layout.label(
            text=armature.name if armature is not None else "No Armature", icon="ARMATURE_DATA", translate=False
        )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_in(context)
        if armature is None:
            draw_sentence(layout, context, NO_ARMATURE, "INFO")
            layout.operator("poise.example_character_add", text="Add Example", icon="ARMATURE_DATA")
            draw_leftovers(layout, context)
            return
        if bridge.has_movers(armature):
            layout.operator("poise.bakeable_copy", icon="DUPLICATE")
        draw_missing(layout, context, armature)
        draw_range(layout, context, armature)
        draw_steps(layout, armature)
        draw_result(layout, context, armature)
        draw_leftovers(layout, context)


def draw_missing(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw which parts of the body were not found, with a button to look again; nothing where all are known."""
    character: Any = character_of(armature)
    if character.missing:
        draw_sentence(layout, context, character.missing, "ERROR")
        layout.operator("poise.character_recognise", icon="VIEWZOOM")


def draw_steps(layout: Any, armature: bpy.types.Object) -> None:
    """Draw a button for each step of the work, or the progress of the one that runs."""
    running = progress.of(armature.name)
    if running is not None:
        layout.progress(factor=running.share, text=f"{running.label} (Esc stops it)")
        return
    row = layout.row(align=True)
    row.operator("poise.detect_footplants", text="Find Plants", icon="VIEWZOOM")
    clean: Any = row.operator("poise.clean", text="Clean Up Feet", icon="BRUSH_DATA")
    clean.feet, clean.hands = True, False
    row = layout.row(align=True)
    row.scale_y = 1.4
    row.operator("poise.solve", icon="PLAY")
    row.operator("poise.live_toggle", icon="REC", depress=character_of(armature).live)
    if bridge.has_result(armature):
        hidden = bridge.is_result_hidden(armature)
        compare = row.row(align=True)
        compare.ui_units_x = COMPARE_WIDTH
        compare.operator("poise.compare_toggle", text="A/B", depress=hidden)


def draw_result(layout: Any, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw the report of the last solve, its problems, and buttons to drop or to keep the result."""
    character: Any = character_of(armature)
    draw_gaps(layout, context, armature)
    if character.live_state.problem:
        draw_sentence(layout, context, character.live_state.problem, "ERROR")
    if not character.live and latest.is_stale(armature, longest_age=STALE_AGE):
        draw_sentence(layout, context, "The result is older than your edits: solve again.", "FILE_REFRESH")
    elif character.last_solve:
        sentence, misses = summary(armature)
        draw_sentence(layout, context, sentence, "ERROR" if misses else "CHECKMARK")
    draw_problems(layout, context, armature)
    if not bridge.has_result(armature):
        return
    row = layout.row(align=True)
    row.operator("poise.source_restore", icon="LOOP_BACK")
    row.operator("poise.result_apply", icon="CHECKMARK")


def draw_leftovers(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw what deleted characters have left, with a button that removes it; nothing where there is none."""
    left = leftovers.glance()
    if left:
        draw_sentence(layout, context, f"Deleted characters have left {left}.", "INFO")
        layout.operator("poise.leftovers_remove", icon="TRASH")


class POISE_PT_report(OfArmature, Panel):  # noqa: N801
    """By how much each constraint is missed"""

    bl_idname = "POISE_PT_report"
    bl_label = "Report"
    bl_parent_id = "POISE_PT_work"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a report."""
        return super().poll(context) and bool(len(character_of(armature_of(context)).residuals))

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        character: Any = character_of(armature)
        draw_sentence(self.layout, context, shown_text(armature, character.last_solve), "INFO")
        draw_residuals(self.layout, context, armature)


classes = (POISE_PT_work, POISE_PT_report)
