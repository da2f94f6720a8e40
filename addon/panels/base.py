# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all panels: their place, their armature, sentences of several lines, and automatic values."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

from ..properties import armature_in

LETTER = 6.1
"""Mean width of a letter of the interface font in pixels, at a scale of 1."""
MARGIN = 50
"""Width of a sidebar that text cannot use, in pixels at a scale of 1."""
UNIT = 20
"""Height of a button, and width of one with an icon alone, in pixels at a scale of 1."""
USUAL_WIDTH = 350
"""Width of a region in pixels where it is not known."""


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


def draw_sentence(
    layout: bpy.types.UILayout, context: bpy.types.Context, sentence: str, icon: str = "NONE", beside: float = 0.0
) -> None:
    """Draw a sentence in as many lines as it needs; `beside` is the width of buttons beside it, in units."""
    column: Any = layout.column(align=True)
    column.scale_y = 0.8
    width = fitting_letters(context, beside + (1.0 if icon != "NONE" else 0.0))
    for number, line in enumerate(textwrap.wrap(sentence, width)):
        mark = icon if number == 0 else "BLANK1" if icon != "NONE" else "NONE"
        column.label(text=line, icon=mark, translate=False)


def fitting_letters(context: bpy.types.Context, beside: float = 0.0) -> int:
    """The number of letters in a line of the region, beside buttons of so many units."""
    region, preferences = getattr(context, "region", None), context.preferences
    width = float(USUAL_WIDTH)
    if region is not None and preferences is not None and region.width > 1:
        width = region.width / preferences.system.ui_scale
    return max(8, int((width - MARGIN - beside * UNIT) / LETTER))


def draw_own_value(layout: bpy.types.UILayout, owner: Any, field: str, title: str, automatic: str) -> None:
    """Draw a value with a switch; while it is off, the value that is used instead as a text."""
    row: Any = layout.row(align=True, heading=title)
    row.prop(owner, f"use_{field}", text="")
    value = row.row(align=True)
    if getattr(owner, f"use_{field}"):
        value.prop(owner, field, text="")
    else:
        value.active = False
        value.label(text=automatic, translate=False)
