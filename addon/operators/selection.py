# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by operators on constraints: the bones, frames and the constraint that they work on."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.props import IntProperty, StringProperty

from .. import bridge
from ..properties import PoiseConstraint, character_of
from ..translation import TranslationError
from ..workflows import create
from .on_armature import OnArmature
from .settings import NOT_REMEMBERED


def span_from_preview(scene: bpy.types.Scene) -> tuple[float, float]:
    """The preview range where it is used, else the scene's range."""
    first, last = bridge.frame_range(scene)
    return float(first), float(last)


def selected_bones(armature: bpy.types.Object) -> list[str]:
    """The selected bones that are visible, the active one first."""
    assert armature.pose is not None
    names = [bone.name for bone in armature.pose.bones if bridge.is_selected(bone) and not bridge.is_hidden(bone)]
    data: Any = armature.data
    active = data.bones.active.name if data.bones.active is not None else ""
    return sorted(names, key=lambda name: name != active)


def select_bones(armature: bpy.types.Object, names: Sequence[str], extend: bool = False) -> list[str]:
    """Select the named bones that exist, in addition with `extend`, and return them; the first becomes active."""
    assert armature.pose is not None
    data: Any = armature.data
    found = [name for name in dict.fromkeys(names) if name in data.bones]
    if found:
        for bone in armature.pose.bones:
            bridge.select(bone, bone.name in found or (extend and bridge.is_selected(bone)))
        data.bones.active = data.bones[found[0]]
    return found


class FromSelection(OnArmature):
    """Mixed into operators on bones: the selected ones, or those given by name."""

    bone: StringProperty(
        name="Bone",
        description="The bone, or several with commas between; the selected ones if not set",
        options=NOT_REMEMBERED,
    )

    def is_set(self, name: str) -> bool:
        """Whether a property was given by the caller."""
        operator: Any = self
        return bool(operator.properties.is_property_set(name))

    def chosen(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
        """The names of the given bones, or of the selected ones."""
        bridge.check_armature(armature)
        assert armature.pose is not None
        if not self.bone:
            return selected_bones(armature)
        if self.bone in armature.pose.bones:
            return [self.bone]
        return [name.strip() for name in self.bone.split(",") if name.strip()]

    def chosen_frame(self, context: bpy.types.Context) -> float:
        """The given frame, or the current one."""
        operator: Any = self
        assert context.scene is not None
        return float(operator.frame) if self.is_set("frame") else float(context.scene.frame_current_final)

    def span(self, context: bpy.types.Context) -> tuple[float, float]:
        """The given first and last frame, or those of the preview range or of the scene."""
        assert context.scene is not None
        return self._given(*span_from_preview(context.scene))

    def hold_span(self, context: bpy.types.Context) -> tuple[float, float]:
        """The given first and last frame, or those of the preview range, or some from the current frame on."""
        scene = context.scene
        assert scene is not None
        if scene.use_preview_range:
            return self.span(context)
        operator: Any = self
        begin = float(operator.begin) if self.is_set("begin") else float(scene.frame_current_final)
        return self._given(begin, begin + create.hold_frames(scene))

    def _given(self, begin: float, end: float) -> tuple[float, float]:
        operator: Any = self
        first = float(operator.begin) if self.is_set("begin") else begin
        last = float(operator.end) if self.is_set("end") else end
        if last < first:
            raise TranslationError(
                f"There is no frame from {first:g} to {last:g}: it must end where it begins or later."
            )
        return first, last


class OnConstraints(OnArmature):
    """Mixed into operators that need constraints."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if len(character_of(armature).constraints) else "There is no constraint yet: add one first"


class OnConstraint(OnConstraints):
    """Mixed into operators that work on one constraint: the active one, or the one whose `index` is given."""

    index: IntProperty(name="Index", description="Which constraint; the active one if not set", options=NOT_REMEMBERED)

    def chosen_index(self, armature: bpy.types.Object) -> int:
        """Its index in the list; raises where there is none, or where the armature cannot be changed."""
        bridge.check_armature(armature)
        operator: Any = self
        character = character_of(armature)
        index = int(operator.index) if operator.properties.is_property_set("index") else character.active_constraint
        if not 0 <= index < len(character.constraints):
            raise TranslationError(
                f"There is no constraint number {index}: the list has {len(character.constraints)}, counted from 0."
            )
        return int(index)

    def constraint(self, armature: bpy.types.Object) -> PoiseConstraint:
        """The constraint."""
        found: PoiseConstraint = character_of(armature).constraints[self.chosen_index(armature)]
        return found
