# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning feet and hands, with measurements before and after."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ..properties import character_of
from ..properties.shown_names import shown_bone
from ..workflows.messages import format_amount
from .base import OfArmature, armature_of, draw_sentence


class POISE_PT_clean(OfArmature, Panel):  # noqa: N801
    """Keep planted feet and hands still"""

    bl_idname = "POISE_PT_clean"
    bl_label = "Clean Up"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        character: Any = character_of(armature)
        layout.prop(character, "clean_method", text="")
        layout.prop(character, "clean_repair")
        row = layout.row(align=True)
        feet: Any = row.operator("poise.clean", text="Feet", icon="TRIA_DOWN_BAR")
        feet.feet, feet.hands = True, False
        hands: Any = row.operator("poise.clean", text="Hands", icon="VIEW_PAN")
        hands.feet, hands.hands = False, True
        both: Any = row.operator("poise.clean", text="Both")
        both.feet, both.hands = True, True
        layout.operator("poise.detect_handplants", icon="VIEWZOOM")
        if character.last_clean:
            draw_sentence(layout, context, character.last_clean, "INFO")
        if character.last_faults:
            draw_sentence(layout, context, character.last_faults, "ERROR")
        if character.has_metrics:
            _draw_metrics(layout, armature)


class POISE_PT_clean_settings(OfArmature, Panel):  # noqa: N801
    """Settings of Clean Up that seldom need a change"""

    bl_idname = "POISE_PT_clean_settings"
    bl_label = "Clean Up Settings"
    bl_parent_id = "POISE_PT_clean"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        cleaning = character.cleaning
        layout.use_property_decorate = False
        column = layout.column(align=True)
        for name in ("averaging", "blending", "turning", "lifting", "carrying", "smoothing"):
            column.prop(cleaning, name)
        stretch = layout.column(align=True)
        stretch.active = character.clean_method == "STRETCH"
        stretch.prop(cleaning, "stretch")
        largest = stretch.column(align=True)
        largest.active = cleaning.stretch
        largest.prop(cleaning, "most_stretch")
        column = layout.column(align=True)
        column.prop(cleaning, "swivel")
        column.prop(cleaning, "use_damping")
        angle = column.column(align=True)
        angle.active = cleaning.use_damping
        angle.prop(cleaning, "damping")


def _draw_metrics(layout: bpy.types.UILayout, armature: bpy.types.Object) -> None:
    """Draw the foot metrics before and after, side by side."""
    character: Any = character_of(armature)
    before, after = character.metrics_before, character.metrics_after
    box = layout.box().column(align=True)
    _draw_row(box, "", "Before", "After")
    for name in ("slide", "largest_slide", "height", "penetration"):
        title = before.bl_rna.properties[name].name
        _draw_row(box, title, *(format_amount(getattr(each, name), is_angular=False) for each in (before, after)))
    _draw_row(box, "Speed", *(f"{format_amount(each.speed, is_angular=False)}/s" for each in (before, after)))
    for name in ("skating_ratio", "stretch"):
        title = before.bl_rna.properties[name].name
        cells = (f"{getattr(each, name):.1%}" for each in (before, after))
        _draw_row(box, title, *cells, warns=name in after.worse)
    _draw_row(box, "Knees", *(f"{each.knee_ratio:.2f} ×" for each in (before, after)))
    _draw_row(box, "Knee Pops", *(f"{each.knee_pops}" for each in (before, after)), warns="knee_pops" in after.worse)
    jumps = "jump" in after.worse
    _draw_row(box, "Largest Jump", *(f"{each.jump:.2f} ×" for each in (before, after)), warns=jumps)
    if jumps:
        _draw_row(box, "", f"{shown_bone(armature, after.jump_joint)}, frame {after.jump_frame:g}", warns=True)


def _draw_row(layout: bpy.types.UILayout, title: str, *cells: str, warns: bool = False) -> None:
    """Draw a title with its figures; the last one is red, with a sign beside it, if it warns."""
    row = layout.split(factor=0.4, align=True)
    row.label(text=title)
    for number, cell in enumerate(cells, 1):
        part = row.row(align=True)
        part.alert = warns and number == len(cells)
        part.label(text=cell, translate=False, icon="ERROR" if part.alert else "NONE")


classes = (POISE_PT_clean, POISE_PT_clean_settings)
