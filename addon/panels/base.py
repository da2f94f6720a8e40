# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all panels: their place, their armature, and sentences of several lines."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

from ..properties import armature_in

LETTER = 6.7
"""Mean width of a letter of the interface font in pixels, at a scale of 1."""
MARGIN = 50
"""Width of a sidebar that text cannot use, in pixels at a scale of 1."""
USUAL_WIDTH = 45
"""Letters in a line where the width of the region is not known."""


class InTab:
    """Mixed into panels: the tab "Poise" of the 3D viewport's sidebar."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category: Any = "Poise"

    layout: Any


class OfArmature(InTab):
    """Mixed into panels that need an armature."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the context has an armature."""
        return armature_in(context) is not None


def armature_of(context: bpy.types.Context) -> bpy.types.Object:
    """The armature of the context."""
    armature = armature_in(context)
    assert armature is not None
    return armature


def draw_sentence(layout: bpy.types.UILayout, context: bpy.types.Context, sentence: str, icon: str = "NONE") -> None:
    """Draw a sentence in as many lines as it needs."""
    column: Any = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(sentence, _letters(context))):
        mark = icon if number == 0 else "BLANK1" if icon != "NONE" else "NONE"
        column.label(text=line, icon=mark, translate=False)


def _letters(context: bpy.types.Context) -> int:
    """The number of letters in a line of the region."""
    region, preferences = getattr(context, "region", None), context.preferences
    if region is None or preferences is None or region.width <= 1:
        return USUAL_WIDTH
    scale = preferences.system.ui_scale
    return max(20, int((region.width / scale - MARGIN) / LETTER))
