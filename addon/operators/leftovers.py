# SPDX-License-Identifier: GPL-3.0-or-later
"""Removing what deleted characters have left behind. It needs no armature."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Operator

from ...solver import PoiseError
from ..workflows import leftovers
from .on_armature import CANCELLED, FINISHED


class POISE_OT_leftovers_remove(Operator):  # noqa: N801
    """Remove leftovers of deleted characters"""

    bl_idname = "poise.leftovers_remove"
    bl_label = "Clean Up Leftovers"
    bl_description = (
        "Remove the handles, collections and results of characters that were deleted; what was renamed or is used"
        " elsewhere stays"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is anything to remove."""
        found = bool(leftovers.glance())
        if not found:
            operator: Any = cls
            operator.poll_message_set("No deleted character has left anything behind")
        return found

    def execute(self, context: bpy.types.Context) -> Any:
        """Remove the leftovers, and report how many there were."""
        try:
            sentence = leftovers.remove()
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        leftovers.forget_glance()
        self.report({"INFO"}, f"Removed {sentence} of deleted characters.")
        return FINISHED


classes = (POISE_OT_leftovers_remove,)
