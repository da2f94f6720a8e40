# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of the animator's theme, as red, green, blue and alpha from 0 to 1."""

from __future__ import annotations

from typing import Any

import bpy

Colour = tuple[float, float, float, float]

LEFT_SET, RIGHT_SET, MIDDLE_SET = 3, 2, 5
"""The theme's colour sets of bones for the left side, the right side, and what is on neither: in Blender's own theme
blue, green and violet, as in the 3D viewport."""


def bone_colours(number: int) -> tuple[Colour, Colour]:
    """The colours of a colour set of bones: of selected bones, and of the active one."""
    found = _theme().bone_color_sets[number]
    return _opaque(found.select), _opaque(found.active)


def error_colour() -> Colour:
    """The colour of errors, as bright as its hue can be: the theme's own one is a background for white text."""
    theme = _theme()
    states = theme.user_interface.wcol_state
    red, green, blue = tuple(states.error if hasattr(states, "error") else theme.info.info_error)[:3]
    strongest = max(red, green, blue) or 1.0
    return red / strongest, green / strongest, blue / strongest, 1.0


def dope_sheet_colours() -> tuple[Colour, Colour]:
    """The background and the text of the Dope Sheet."""
    space = _theme().dopesheet_editor.space
    return _opaque(space.back), _opaque(space.text_hi)


def interface_scale() -> float:
    """By how much the interface is enlarged; 1 where Blender has no window and so tells none."""
    preferences = bpy.context.preferences
    return (float(preferences.system.ui_scale) if preferences is not None else 0.0) or 1.0


def _theme() -> Any:
    preferences = bpy.context.preferences
    assert preferences is not None
    return preferences.themes[0]


def _opaque(colour: Any) -> Colour:
    red, green, blue = tuple(colour)[:3]
    return float(red), float(green), float(blue), 1.0
