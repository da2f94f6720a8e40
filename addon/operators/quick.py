# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the constraints that are meant, by the pie menu and keys: of the selected bones, or the active one."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Operator

from .. import bridge
from ..properties import constraint_list
from ..translation import TranslationError
from ..workflows import chosen, recruiting
from .selection import FromSelection, OnConstraints
from .settings import NOT_REMEMBERED

MOST_NAMED = 3
"""Constraints that a report names; more are counted."""


class _OnMeant(OnConstraints, FromSelection):
    """Mixed into operators on the constraints that are meant."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return OnConstraints.unavailable_reason(armature)

    def bones(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
        """The given bones, or in pose mode the selected ones: elsewhere one does not see which are selected."""
        bridge.check_armature(armature)
        operator: Any = self
        return self.chosen(context, armature) if operator.bone or armature.mode == "POSE" else []

    def meant(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[int]:
        """The indices of the constraints; raises where there are none."""
        assert context.scene is not None
        found = chosen.meant(armature, self.bones(context, armature), float(context.scene.frame_current_final))
        if not found:
            raise TranslationError("No constraint is meant: select a bone that is held at this frame, or a constraint.")
        return found


class POISE_OT_unpin(_OnMeant, Operator):  # noqa: N801
    """Unpin"""

    bl_idname = "poise.unpin"
    bl_label = "Unpin"
    bl_description = (
        "Remove the pins, plants and orientations that hold the selected bones at the current frame, so that the bones "
        "move freely again; in object mode, that of the active handle"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        assert context.scene is not None
        bones = self.bones(context, armature)
        if bones:
            found = chosen.constraints_of(armature, bones, float(context.scene.frame_current_final))
        else:
            active: Any = getattr(context, "object", None)
            found = self.meant(context, armature) if active is not None and active.type == "EMPTY" else []
        if not found:
            raise TranslationError("Nothing holds the selected bones at this frame.")
        names = [item.name for item in chosen.items_at(armature, found)]
        for index in sorted(found, reverse=True):
            constraint_list.remove(armature, index)
        return f"{_named(names)} removed."


class POISE_OT_recruit_step(_OnMeant, Operator):  # noqa: N801
    """Recruit more or less"""

    bl_idname = "poise.recruit_step"
    bl_label = "Change Helping Bones"
    bl_description = (
        "Let one bone more, further up, help to meet the constraint of the selected bones, as when a hand does not "
        "reach its place; or one fewer, to keep the rest of the body still"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    direction: EnumProperty(
        name="Direction",
        description="More or fewer",
        items=(("MORE", "More", "One bone more"), ("LESS", "Fewer", "One bone fewer")),
        options=NOT_REMEMBERED,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        operator: Any = self
        items = chosen.items_at(armature, self.meant(context, armature))
        return " ".join(recruiting.step(armature, item, operator.direction == "MORE") for item in items)


class POISE_OT_priority_step(_OnMeant, Operator):  # noqa: N801
    """Raise or lower the priority"""

    bl_idname = "poise.priority_step"
    bl_label = "Change Priority of Selection"
    bl_description = (
        "Make the constraints of the selected bones more important than others, or less, as when two of them cannot "
        "both be met"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    direction: EnumProperty(
        name="Direction",
        description="Raise or lower",
        items=(("UP", "Up", "More important"), ("DOWN", "Down", "Less important")),
        options=NOT_REMEMBERED,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        operator: Any = self
        found = self.meant(context, armature)
        moved = [index for index in found if constraint_list.move(armature, index, operator.direction == "UP")]
        if not moved:
            most = "most" if operator.direction == "UP" else "least"
            names = _named([item.name for item in chosen.items_at(armature, found)])
            raise TranslationError(f"{names}: already the {most} important.")
        return ", ".join(f"{item.name}: priority {item.priority}" for item in chosen.items_at(armature, moved)) + "."


def _named(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} constraints"


classes = (POISE_OT_unpin, POISE_OT_recruit_step, POISE_OT_priority_step)
