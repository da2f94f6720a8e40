# SPDX-License-Identifier: GPL-3.0-or-later
"""By how much a constraint was missed in the last solve."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import character_of
from ..workflows.messages import format_amount
from .base import draw_sentence


def draw_residual(
    layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any
) -> None:
    """Draw by how much a constraint was missed in the last solve, and the advice about it."""
    character: Any = character_of(armature)
    for residual in character.residuals:
        if residual.uid == item.uid:
            draw_sentence(layout, context, residual_sentence(residual), "ERROR" if residual.misses else "CHECKMARK")
    for advice in character.advice:
        if advice.uid == item.uid:
            draw_sentence(layout, context, advice.sentence, "LIGHT")


def residual_sentence(residual: Any) -> str:
    """By how much a constraint was missed, in one sentence."""
    if not residual.misses:
        return "Satisfied in the last solve."
    worst = format_amount(residual.worst, residual.unit == "ANGLE")
    return f"Missed by up to {worst} in the last solve, at frame {residual.worst_frame:g}."
