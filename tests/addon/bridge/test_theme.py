# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours come from the animator's theme, in every version of Blender."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.bridge import theme


def test_sides_are_told_apart_and_errors_are_a_bright_red() -> None:
    sides = [theme.bone_colours(number) for number in (theme.LEFT_SET, theme.RIGHT_SET, theme.MIDDLE_SET)]
    assert len({colour for pair in sides for colour in pair}) == 6
    red, green, blue, alpha = theme.error_colour()
    assert red == alpha == 1.0 and green < 0.5 and blue < 0.5
    back, text = theme.dope_sheet_colours()
    assert sum(text[:3]) > sum(back[:3])


def test_another_theme_gives_other_colours() -> None:
    colours = bpy.context.preferences.themes[0].bone_color_sets[theme.LEFT_SET]
    before = tuple(colours.active)
    try:
        colours.active = (0.2, 0.4, 0.6)
        assert theme.bone_colours(theme.LEFT_SET)[1] == pytest.approx((0.2, 0.4, 0.6, 1.0), abs=0.003)
    finally:
        colours.active = before


def test_the_interface_has_a_scale() -> None:
    assert theme.interface_scale() >= 0.5
