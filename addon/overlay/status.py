# SPDX-License-Identifier: GPL-3.0-or-later
"""Which motion an armature shows: its source or its result."""

from __future__ import annotations

import bpy

from .. import bridge
from .palette import Palette
from .shapes import Color, shade
from .staleness import is_stale


def status_of(armature: bpy.types.Object, palette: Palette) -> tuple[str, Color] | None:
    """A text that says which motion is shown, with its colour; None where the armature has no result."""
    if not bridge.has_result(armature):
        return None
    if bridge.is_result_hidden(armature):
        return "Source (the result is hidden)", palette.active
    if is_stale(armature):
        return "Result (stale: solve again)", shade(palette.missed)
    return "Result", shade(palette.text, 0.7)
