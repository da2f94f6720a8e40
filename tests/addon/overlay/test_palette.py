# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours come from the theme, and left, right and what is missed are told apart."""

from __future__ import annotations

from itertools import combinations

import bpy
import numpy as np
import pytest

from poise.addon.overlay.palette import palette_of


def test_colours_that_must_be_told_apart_differ() -> None:
    palette = palette_of(bpy.context.preferences)
    for one, other in combinations((palette.left, palette.right, palette.other, palette.active, palette.missed), 2):
        assert np.abs(np.subtract(one, other)).max() > 0.25
    assert palette.side("left") == palette.left and palette.side("right") == palette.right
    assert palette.side("") == palette.other


def test_another_theme_gives_other_colours() -> None:
    theme = bpy.context.preferences.themes[0]
    before = tuple(theme.view_3d.object_active)
    try:
        theme.view_3d.object_active = (0.1, 0.2, 0.3)
        assert palette_of(bpy.context.preferences).active == pytest.approx((0.1, 0.2, 0.3, 1.0), abs=0.5 / 255.0 + 1e-6)
    finally:
        theme.view_3d.object_active = before
