# SPDX-License-Identifier: GPL-3.0-or-later
"""By how much constraints were missed in the last solve."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import character_of
from ..properties.shown_names import shortened, shown_text
from ..workflows.messages import format_amount
from .base import draw_sentence, fitting_letters

LISTED = 20
"""How many constraints are listed with what they miss; the others are counted."""
AMOUNT_WIDTH = 4.0
"""Width of an amount in units: room for "12.34 mm"."""


def draw_residual(
    layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any
) -> None:
    """Draw by how much a constraint was missed in the last solve."""
    character: Any = character_of(armature)
    for residual in character.residuals:
        if residual.uid == item.uid:
            draw_sentence(layout, context, residual_sentence(residual), "ERROR" if residual.misses else "CHECKMARK")


def draw_residuals(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw by how much each constraint is missed, those that are missed first."""
    character: Any = character_of(armature)
    names = {item.uid: item.name for item in character.constraints}
    known = sorted((each for each in character.residuals if each.uid in names), key=lambda each: not each.misses)
    column = layout.column(align=True)
    letters = fitting_letters(context, beside=AMOUNT_WIDTH + 1.0)
    for residual in known[:LISTED]:
        row: Any = column.row(align=True)
        name = shortened(shown_text(armature, names[residual.uid]), letters)
        row.label(text=name, icon="ERROR" if residual.misses else "CHECKMARK", translate=False)
        amount = row.row(align=True)
        amount.ui_units_x = AMOUNT_WIDTH
        amount.alignment = "RIGHT"
        worst = format_amount(residual.worst, residual.unit == "ANGLE")
        amount.label(text=worst if residual.misses else "holds", translate=False)
    if len(known) > LISTED:
        column.label(text=f"and {len(known) - LISTED} more", icon="BLANK1", translate=False)


def summary(armature: bpy.types.Object) -> tuple[str, bool]:
    """How many constraints the last solve has missed, in few words, and whether there are any."""
    character: Any = character_of(armature)
    count, missed = len(character.residuals), sum(residual.misses for residual in character.residuals)
    if not count:
        return character.last_solve, False
    if missed:
        return f"{missed} of {count} constraints missed", True
    return "Every constraint holds" if count == 1 else f"All {count} constraints hold", False


def residual_sentence(residual: Any) -> str:
    """By how much a constraint was missed, in one sentence."""
    if not residual.misses:
        return "Satisfied in the last solve."
    worst = format_amount(residual.worst, residual.unit == "ANGLE")
    return f"Missed by up to {worst} in the last solve, at frame {residual.worst_frame:g}."
