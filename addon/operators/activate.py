# SPDX-License-Identifier: GPL-3.0-or-later
"""Making a constraint or a proposal the active one."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Operator

from ..properties import character_of
from ..workflows import activate
from .on_armature import OnArmature
from .settings import NOT_REMEMBERED


class POISE_OT_constraint_activate(OnArmature, Operator):  # noqa: N801
    """Make a constraint the active one"""

    bl_idname = "poise.constraint_activate"
    bl_label = "Activate Constraint"
    bl_description = (
        "Make a constraint the active one and select its handle, so that it can be moved. In pose mode its gizmo is "
        "shown"
    )
    bl_options = {"UNDO", "INTERNAL"}  # noqa: RUF012

    uid: StringProperty(
        name="Constraint",
        description="The uid of the constraint or proposal; the active constraint if not set",
        options=NOT_REMEMBERED,
    )
    point: IntProperty(
        name="Point",
        description="Which of its points, from 0; -1 for the one that was active last",
        default=-1,
        min=-1,
        options=NOT_REMEMBERED,
    )
    jump: BoolProperty(
        name="Go There", description="Go to its frame, and centre the view on it", options=NOT_REMEMBERED
    )
    extend: BoolProperty(name="Extend", description="Keep the present selection", options=NOT_REMEMBERED)

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        character = character_of(armature)
        if len(character.constraints) or len(character.found):
            return ""
        return "There is no constraint yet: add one first"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        activate.activate(context, armature, self.uid, self.point, self.jump, self.extend)
        return ""


classes = (POISE_OT_constraint_activate,)
