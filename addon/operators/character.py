# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognising landmarks, setting them by hand, and the loads that bones carry."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty
from bpy.types import Operator

from .. import bridge
from ..properties import MARKS, POINT_MARKS
from ..workflows import create, landmarks, loads
from .on_armature import OnArmature
from .selection import FromSelection
from .settings import NOT_REMEMBERED, counted

MARK_ITEMS = [(mark, mark.replace("_", " ").title(), f"The {mark.replace('_', ' ')}") for mark in MARKS]


class POISE_OT_character_recognise(OnArmature, Operator):  # noqa: N801
    """Recognise"""

    bl_idname = "poise.character_recognise"
    bl_label = "Recognise"
    bl_description = (
        "Recognise by names and shape which bones are hips, knees, ankles and so on. It happens by itself with "
        "the first Find, Clean Up or Solve; press it after the rig has changed"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return landmarks.recognise(armature) or "All landmarks are found."


class POISE_OT_landmark_set(FromSelection, Operator):  # noqa: N801
    """Put a landmark on the selected bone"""

    bl_idname = "poise.landmark_set"
    bl_label = "Set Landmark"
    bl_description = (
        "Put a landmark on the selected bone, and its counterpart on the other side: where a part of the body was"
        " not found, or is on the wrong bone"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    mark: EnumProperty(name="Landmark", description="Which landmark", items=MARK_ITEMS)
    offset: FloatVectorProperty(
        name="Offset", description="Where on the bone, from its head and along its own axes", options=NOT_REMEMBERED
    )
    use_tail: BoolProperty(name="Tail", description="At the tail of the bone", options=NOT_REMEMBERED)
    mirror: BoolProperty(name="Mirror", description="Set the other side too, where its bone is there", default=True)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bones = self.chosen(context, armature)
        placed = landmarks.set_landmark(armature, self.mark, bones, self._offset(armature, bones), self.mirror)
        texts = [f"the {mark.replace('_', ' ')} is at {', '.join(names)}" for mark, names in placed.items()]
        return f"T{', '.join(texts)[1:]}."

    def _offset(self, armature: bpy.types.Object, bones: list[str]) -> tuple[float, float, float]:
        if self.use_tail and self.mark in POINT_MARKS and bones:
            bridge.check_bones(armature, bones)
            return create.tail_offset(armature, bones[0])
        x, y, z = self.offset
        return x, y, z


class POISE_OT_landmark_clear(OnArmature, Operator):  # noqa: N801
    """Clear a landmark"""

    bl_idname = "poise.landmark_clear"
    bl_label = "Clear Landmark"
    bl_description = "Remove what was set by hand, so that the recognised landmark is used again"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    mark: EnumProperty(
        name="Landmark", description="Which landmark", items=[("ALL", "All", "All that were set"), *MARK_ITEMS]
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        count = landmarks.clear_landmark(armature, "" if self.mark == "ALL" else self.mark)
        return f"{counted(count, 'landmark')} cleared."


class POISE_OT_load_add(FromSelection, Operator):  # noqa: N801
    """Let the selected bones carry a load"""

    bl_idname = "poise.load_add"
    bl_label = "Add Load"
    bl_description = (
        "Let each selected bone carry a mass, which counts in the balance: for a character that carries something heavy"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    mass: FloatProperty(name="Mass", description="In kilograms", default=5.0, min=0.0)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bones = self.chosen(context, armature)
        count = loads.add(armature, bones, self.mass)
        return (
            f"{counted(count, 'bone')} carries {self.mass:g} kg."
            if count == 1
            else (f"{counted(count, 'bone')} carry {self.mass:g} kg each.")
        )


class POISE_OT_load_remove(OnArmature, Operator):  # noqa: N801
    """Remove a load"""

    bl_idname = "poise.load_remove"
    bl_label = "Remove Load"
    bl_description = "Remove a mass that a bone carries"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    load: IntProperty(name="Load", description="Which load, counted from 0", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        loads.remove(armature, self.load)
        return "The load was removed."


classes = (
    POISE_OT_character_recognise,
    POISE_OT_landmark_set,
    POISE_OT_landmark_clear,
    POISE_OT_load_add,
    POISE_OT_load_remove,
)
