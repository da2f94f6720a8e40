# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparing the result with its source."""

from __future__ import annotations

import bpy
from bpy.types import Operator

from .. import bridge
from .sources import OnResult


class POISE_OT_compare_toggle(OnResult, Operator):  # noqa: N801
    """Show the source instead of the result, or the result again"""

    bl_idname = "poise.compare_toggle"
    bl_label = "Compare Source and Result"
    bl_description = (
        "Show the motion as it was instead of the result, and the result again, to see what has changed; both are kept"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        if bridge.is_result_hidden(armature):
            bridge.show_result(armature)
            return f"{armature.name!r} shows the result."
        bridge.hide_result(armature)
        return f"{armature.name!r} shows its source; the result is kept."


classes = (POISE_OT_compare_toggle,)
