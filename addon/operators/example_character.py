# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding a character to try everything on. It needs no armature."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Operator

from ...solver import PoiseError
from ..workflows import example_character
from .on_armature import CANCELLED, FINISHED


class POISE_OT_example_character_add(Operator):  # noqa: N801
    """Add a walking character with sliding feet"""

    bl_idname = "poise.example_character_add"
    bl_label = "Add Example Character"
    bl_description = (
        "Add a character whose feet slide while it walks, to try Poise on; the scene gets the frames of the walk."
        " Then Find Plants or Clean Up Feet"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether Blender is in a mode in which objects are added."""
        possible = context.mode in ("OBJECT", "POSE")
        if not possible:
            operator: Any = cls
            operator.poll_message_set("Objects are added in object mode")
        return possible

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Add it where the user sees it: the 3D view shows the whole walk."""
        done = self.execute(context)
        if done == FINISHED and context.active_object is not None:
            example_character.show(context, context.active_object)
        return done

    def execute(self, context: bpy.types.Context) -> Any:
        """Add it, and report what to do next."""
        try:
            armature = example_character.add()
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        self.report({"INFO"}, f"{armature.name} walks with sliding feet: play it, then Clean Up Feet or Find Plants.")
        return FINISHED


classes = (POISE_OT_example_character_add,)
