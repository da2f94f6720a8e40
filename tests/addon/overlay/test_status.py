# SPDX-License-Identifier: GPL-3.0-or-later
"""A text says whether the source or the result is shown."""

from __future__ import annotations

from typing import Any

import bpy

from poise.addon.overlay.palette import palette_of
from poise.addon.overlay.status import status_of


def test_it_says_which_motion_is_shown(armature: Any) -> None:
    palette = palette_of(bpy.context.preferences)
    assert status_of(armature, palette) is None
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    bpy.ops.poise.solve()
    shown = status_of(armature, palette)
    assert shown is not None and shown[0] == "Result"
    bpy.ops.poise.compare_toggle()
    hidden = status_of(armature, palette)
    assert hidden is not None and hidden[0].startswith("Source") and hidden[1] != shown[1]
    bpy.ops.poise.compare_toggle()
    assert status_of(armature, palette) == shown
