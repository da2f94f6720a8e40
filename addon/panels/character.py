# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks, the masses and the limits of the character."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from .. import bridge
from ..properties import LIMB_MARKS, TRUNK_MARKS, armature_in, character_of, current_name, resolve_bone
from ..workflows import leftovers
from .base import InTab, OfArmature, armature_of, draw_sentence

NO_ARMATURE = "Select an armature, or a point of one of its constraints."


class POISE_PT_character(InTab, Panel):  # noqa: N801
    """Landmarks, mass and limits of the character"""

    bl_idname = "POISE_PT_character"
    bl_label = "Character"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_in(context)
        left = leftovers.find()
        if left:
            draw_sentence(layout, context, f"Deleted characters have left {left.sentence}.", "INFO")
            layout.operator("poise.leftovers_remove", icon="TRASH")
        if armature is None:
            draw_sentence(layout, context, NO_ARMATURE, "INFO")
            return
        character: Any = character_of(armature)
        layout.label(text=armature.name, icon="ARMATURE_DATA", translate=False)
        if bridge.has_movers(armature):
            layout.operator("poise.bakeable_copy", icon="DUPLICATE")
        layout.operator("poise.character_recognise", icon="VIEWZOOM")
        if character.missing:
            draw_sentence(layout, context, character.missing, "ERROR")
        elif not len(character.recognised):
            draw_sentence(layout, context, "Not recognised yet: press Recognise to find the landmarks.", "INFO")
        else:
            draw_sentence(layout, context, "All landmarks are known.", "CHECKMARK")
        layout.prop(character, "mass")
        layout.prop(character, "use_anatomical_limits")
        if character.limit_notes:
            draw_sentence(layout, context, character.limit_notes, "INFO")
        for index, load in enumerate(character.loads):
            row = layout.row(align=True)
            name = current_name(armature, load)
            row.alert = not resolve_bone(armature, load.bone, load.bone_id)
            row.prop(load, "mass", text=name, translate=False)
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
            row = trunk.split(factor=0.25, align=True)
            row.label(text=_words(mark))
            _draw_mark(row, armature, mark)
        sides = layout.column(align=True)
        head = sides.split(factor=0.25, align=True)
        head.label(text="")
        for side in ("Left", "Right"):
            head.label(text=side)
        for mark in LIMB_MARKS:
            row = sides.split(factor=0.25, align=True)
            row.label(text=_words(mark))
            pair = row.row(align=True)
            for side in ("left", "right"):
                _draw_mark(pair, armature, f"{side}_{mark}")


def _draw_mark(layout: bpy.types.UILayout, armature: bpy.types.Object, mark: str) -> None:
    """A button that shows the bone and sets another one; what was set by hand can be cleared."""
    character: Any = character_of(armature)
    by_hand = [current_name(armature, each) for each in character.landmarks if each.mark == mark]
    known = by_hand or [current_name(armature, each) for each in character.recognised if each.mark == mark]
    row = layout.row(align=True)
    row.alert = not known
    button: Any = row.operator("poise.bone_choose", text=", ".join(known) or "None", translate=False)
    button.field, button.mark = "landmark", mark
    if by_hand:
        button = row.operator("poise.landmark_clear", text="", icon="X")
        button.mark = mark


def _words(mark: str) -> str:
    return mark.replace("_", " ").title()


classes = (POISE_PT_character, POISE_PT_landmarks)
