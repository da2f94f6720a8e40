# SPDX-License-Identifier: GPL-3.0-or-later
"""Choosing a bone from a list of names, and selecting the bones that the active constraint may move."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Operator

from .. import bridge, translation
from ..properties import active_constraint, armature_in, name_bone
from ..workflows import create
from ..workflows.recruiting import movable_bones
from .on_armature import OnArmature
from .selection import OnConstraint
from .settings import NOT_REMEMBERED, counted

FIELDS = (
    ("bone", "Bone", "The constrained bone"),
    ("reference_bone", "Reference Bone", "The bone that its points move along with"),
    ("landmark", "Landmark", "The bone that a landmark is on"),
)

_choices: list[tuple[str, str, str]] = []
"""The items of the search. Blender requires that Python keeps references to the strings of a dynamic enum."""


def _bones_of(operator: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    armature = armature_in(context) if context is not None else None
    names = [bone.name for bone in armature.pose.bones] if armature is not None and armature.pose is not None else []
    _choices[:] = [(name, name, "") for name in names]
    return _choices


class POISE_OT_bone_choose(OnArmature, Operator):  # noqa: N801
    """Choose a bone from a list"""

    bl_idname = "poise.bone_choose"
    bl_label = "Choose Bone"
    bl_description = "Choose the bone from a list"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012
    bl_property = "choice"

    field: EnumProperty(name="Field", description="What the bone is for", items=FIELDS, options=NOT_REMEMBERED)
    mark: StringProperty(name="Landmark", description="Which landmark, if it is for one", options=NOT_REMEMBERED)
    bone: StringProperty(name="Bone", description="The name of the bone", options=NOT_REMEMBERED)
    choice: EnumProperty(name="Bone", description="The bone", items=_bones_of, options={"SKIP_SAVE", "HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Open the search."""
        if context.window is None or context.window_manager is None:
            return self.execute(context)
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        name = self.bone or self.choice
        bridge.check_armature(armature)
        bridge.check_bones(armature, [name])
        if self.field == "landmark":
            bpy.ops.poise.landmark_set(mark=self.mark, bone=name)  # type: ignore[attr-defined]
            return f"{name!r} was chosen."
        constraint = active_constraint(armature)
        if constraint is None:
            raise translation.TranslationError("There is no constraint to choose a bone for: add one first.")
        create.check_role(armature, constraint, "BONE" if self.field == "bone" else "REFERENCE", [name])
        name_bone(armature, constraint, name, self.field)
        return f"{constraint.name!r}: {name!r} was chosen."


class POISE_OT_recruited_select(OnConstraint, Operator):  # noqa: N801
    """Select the bones that may move for the active constraint"""

    bl_idname = "poise.recruited_select"
    bl_label = "Select Bones That May Move"
    bl_description = (
        "Select the bones that may move for the active constraint, to see in pose mode whether too much or too "
        "little of the body moves"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        assert armature.pose is not None
        names = movable_bones(armature, self.constraint(armature))
        for bone in armature.pose.bones:
            bridge.select(bone, bone.name in names)
        return f"{counted(len(names), 'bone')} may move for it."


classes = (POISE_OT_bone_choose, POISE_OT_recruited_select)
