# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks, the masses and the limits of the character."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ...solver import AVERAGE_MASS
from ..properties import LIMB_MARKS, TRUNK_MARKS, character_of, current_name, resolve_bone
from ..properties.shown_names import shortened, shown_bone, shown_text
from .base import OfArmature, armature_of, draw_own_value, draw_sentence, fitting_letters

MARK_WIDTH = 0.25
"""Share of a line of landmarks that their names take."""


class POISE_PT_character(OfArmature, Panel):  # noqa: N801
    """Landmarks, mass and limits of the character"""

    bl_idname = "POISE_PT_character"
    bl_label = "Character"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        character: Any = character_of(armature)
        if character.missing:
            draw_sentence(layout, context, character.missing, "ERROR")
        elif not len(character.recognised):
            draw_sentence(layout, context, "Its body is recognised with the first Find, Clean Up or Solve.", "INFO")
        else:
            draw_sentence(layout, context, "All landmarks are known.", "CHECKMARK")
        layout.operator("poise.character_recognise", icon="VIEWZOOM")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        draw_own_value(column, character, "mass", "Mass", f"{AVERAGE_MASS:g} kg (body table)")
        layout.prop(character, "use_anatomical_limits")
        if character.limit_notes:
            draw_sentence(layout, context, shown_text(armature, character.limit_notes), "INFO")
        for index, load in enumerate(character.loads):
            row = layout.row(align=True)
            name = current_name(armature, load)
            row.alert = not resolve_bone(armature, load.bone, load.bone_id)
            row.prop(load, "mass", text=shown_bone(armature, name), translate=False)
            remove: Any = row.operator("poise.load_remove", text="", icon="X")
            remove.load = index
            layout.row().prop(load, "offset", text="")
        layout.operator("poise.load_add", icon="ADD")


class POISE_PT_landmarks(OfArmature, Panel):  # noqa: N801
    """Which bones are the landmarks of the body"""

    bl_idname = "POISE_PT_landmarks"
    bl_label = "Landmarks"
    bl_parent_id = "POISE_PT_character"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        trunk = layout.column(align=True)
        for mark in TRUNK_MARKS:
            row = trunk.split(factor=MARK_WIDTH, align=True)
            row.label(text=_words(mark))
            _draw_mark(row, context, armature, mark)
        sides = layout.column(align=True)
        head = sides.split(factor=MARK_WIDTH, align=True)
        head.label(text="")
        for side in ("Left", "Right"):
            head.label(text=side)
        for mark in LIMB_MARKS:
            row = sides.split(factor=MARK_WIDTH, align=True)
            row.label(text=_words(mark))
            pair = row.row(align=True)
            for side in ("left", "right"):
                _draw_mark(pair, context, armature, f"{side}_{mark}", columns=2)


def _draw_mark(
    layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object, mark: str, columns: int = 1
) -> None:
    """A button that shows the bone and sets another one; what was set by hand can be cleared."""
    character: Any = character_of(armature)
    by_hand = [current_name(armature, each) for each in character.landmarks if each.mark == mark]
    known = by_hand or [current_name(armature, each) for each in character.recognised if each.mark == mark]
    row = layout.row(align=True)
    row.alert = not known
    letters = int((1.0 - MARK_WIDTH) * fitting_letters(context) / columns)
    shown = shortened(", ".join(shown_bone(armature, name) for name in known), letters)
    button: Any = row.operator("poise.bone_choose", text=shown or "None", translate=False)
    button.field, button.mark = "landmark", mark
    if by_hand:
        button = row.operator("poise.landmark_clear", text="", icon="X")
        button.mark = mark


def _words(mark: str) -> str:
    return mark.replace("_", " ").title()


classes = (POISE_PT_character, POISE_PT_landmarks)
