# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding and removing points of the active constraint."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import bpy
from bpy.props import FloatProperty, IntProperty
from bpy.types import Operator

from ..properties import follow_renames, handles
from ..translation import TranslationError
from ..workflows import create
from .on_armature import OnArmature, SelectsHandle
from .selection import OnConstraint
from .settings import NOT_REMEMBERED, counted


class POISE_OT_point_add(OnConstraint, SelectsHandle, Operator):  # noqa: N801
    """Add a point"""

    bl_idname = "poise.point_add"
    bl_label = "Add Point"
    bl_description = (
        "Add a point to the active constraint where its bone is shown now, at the current frame: to shape its "
        "path, or to hold it there. A point of a balance is at the centre of mass, and shifts it by as much as "
        "its handle is moved"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    frame: FloatProperty(name="Frame", description="The frame; the current one if not set", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        assert context.scene is not None
        item = self.constraint(armature)
        follow_renames(armature)
        is_set = self.properties.is_property_set("frame")
        create.add_point(armature, item, self.frame if is_set else context.scene.frame_current_final)
        return f"{item.name} has {counted(len(item.points), 'point')} now."


class POISE_OT_point_remove(OnConstraint, Operator):  # noqa: N801
    """Remove a point"""

    bl_idname = "poise.point_remove"
    bl_label = "Remove Point"
    bl_description = "Remove the active point of the active constraint, and its handle"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    point: IntProperty(name="Point", description="Which point; the active one if not set", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        item = self.constraint(armature)
        index = self.point if self.properties.is_property_set("point") else item.active_point
        if not 0 <= index < len(item.points):
            raise TranslationError(f"{item.name}: there is no such point to remove.")
        create.remove_point(armature, item, index)
        return f"{item.name} has {counted(len(item.points), 'point')} now."


class POISE_OT_handles_make_own(OnArmature, Operator):  # noqa: N801
    """Give a copy of a character its own empties"""

    bl_idname = "poise.handles_make_own"
    bl_label = "Give It Its Own Handles"
    bl_description = (
        "Copy the handles that this character shares with the one that it was duplicated from, so that each has its own"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if handles.original_of(armature) is not None else "The character has its own empties"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        handles.make_own(armature)
        return f"{armature.name!r} has its own empties now."


classes = (POISE_OT_point_add, POISE_OT_point_remove, POISE_OT_handles_make_own)
