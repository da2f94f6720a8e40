# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of what is drawn, from the theme."""

from __future__ import annotations

from typing import Any, NamedTuple

from .shapes import Color, shade

LEFT, RIGHT, OTHER, PROPOSAL = 3, 2, 5, 8
"""Bone colour sets of the theme: in Blender's own theme blue, green, violet and yellow. Red is left for what is
missed."""


class Palette(NamedTuple):
    """Colours of the theme."""

    left: Color
    right: Color
    other: Color
    """Of what is neither left nor right."""
    active: Color
    """Of the constraint that is chosen in the list."""
    missed: Color
    proposal: Color
    source: Color
    """Of the motion as it was."""
    result: Color
    text: Color
    background: Color

    def side(self, side: str) -> Color:
        """The colour of the left side, of the right side, or of neither."""
        return self.left if side == "left" else self.right if side == "right" else self.other


def palette_of(preferences: Any) -> Palette:
    """The palette of the theme that is in use."""
    theme = preferences.themes[0]
    sets, view, interface = theme.bone_color_sets, theme.view_3d, theme.user_interface
    return Palette(
        left=shade(sets[LEFT].active),
        right=shade(sets[RIGHT].active),
        other=shade(sets[OTHER].active),
        active=shade(view.object_active),
        missed=shade(interface.axis_x),
        proposal=shade(sets[PROPOSAL].active),
        source=shade(view.bone_solid),
        result=shade(view.bone_pose),
        text=shade(view.space.text_hi),
        background=shade(view.space.gradients.high_gradient),
    )
