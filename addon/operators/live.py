# SPDX-License-Identifier: GPL-3.0-or-later
"""Switching live mode on and off."""

from __future__ import annotations

import bpy
from bpy.types import Operator

from .. import live
from ..workflows import progress
from .in_steps import InSteps, Steps


class POISE_OT_live_toggle(InSteps, Operator):  # noqa: N801
    """Solve every edit at once, or only when Solve is pressed"""

    bl_idname = "poise.live_toggle"
    bl_label = "Live"
    bl_description = (
        "Solve every edit of a constraint at once, and show the result while a handle is dragged: for posing by hand. "
        "Again to edit without solving"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Beginning live mode"
    stages = progress.SOLVE

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        return live.toggle_in_steps(armature)

    def finish(self, armature: bpy.types.Object, result: str) -> str:
        return result


classes = (POISE_OT_live_toggle,)
