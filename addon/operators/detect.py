# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding footplants, and accepting or rejecting what was found."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty
from bpy.types import Operator

from .. import translation
from ..properties import character_of
from ..properties.constraint_list import remove
from ..workflows import detect, progress, ranges
from .in_steps import InSteps, Steps
from .on_armature import OnArmature, SelectsHandle
from .settings import NOT_REMEMBERED, counted


class POISE_OT_detect_footplants(InSteps, Operator):  # noqa: N801
    """Find the footplants of the whole motion"""

    bl_idname = "poise.detect_footplants"
    bl_label = "Find Footplants"
    bl_description = "Find where heels and balls of the feet stand in the whole motion, and propose footplants"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    least_confidence: FloatProperty(
        name="Confidence",
        description="Propose only footplants with at least this confidence",
        min=0.0,
        max=1.0,
        options=NOT_REMEMBERED,
    )

    title = "Finding footplants"
    stages = progress.FIND

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        if not self.properties.is_property_set("least_confidence"):
            self.least_confidence = character_of(armature).least_confidence
        return detect.find_footplants_in_steps(armature, self.least_confidence)

    def finish(self, armature: bpy.types.Object, found: detect.FoundFootplants) -> str:
        if note := ranges.range_warning(armature):
            self.report({"WARNING"}, note)
        plants = f"{counted(found.count, 'footplant')} found: accept the ones that you want."
        return f"{plants} {found.ground}".rstrip()


class OnProposals(OnArmature):
    """Mixed into operators that need proposals."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        if len(character_of(armature).found):
            return ""
        return "Nothing is proposed: find footplants, or more like an example, first"


class OnProposal(OnProposals):
    """Mixed into operators for one proposal: the given one, or the active one."""

    properties: Any

    index: IntProperty(
        name="Proposal", description="Its index in the list; the active one if not set", options=NOT_REMEMBERED
    )

    def chosen(self, armature: bpy.types.Object) -> int:
        """Its index in the list."""
        character = character_of(armature)
        if not self.properties.is_property_set("index"):
            self.index = min(character.active_found, len(character.found) - 1)
        if not 0 <= self.index < len(character.found):
            raise translation.TranslationError(
                f"There is no proposal {self.index}: there are {len(character.found)}, counted from 0."
            )
        return int(self.index)


class POISE_OT_found_accept(OnProposal, SelectsHandle, Operator):  # noqa: N801
    """Make a constraint of a proposal"""

    bl_idname = "poise.found_accept"
    bl_label = "Accept"
    bl_description = "Make a constraint of this proposal"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        accepted = detect.accept(armature, self.chosen(armature))
        return f"{accepted.name!r} is a constraint now."


class POISE_OT_found_reject(OnProposal, Operator):  # noqa: N801
    """Drop a proposal"""

    bl_idname = "poise.found_reject"
    bl_label = "Reject"
    bl_description = "Drop this proposal: no constraint is made of it"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        index = self.chosen(armature)
        name = character_of(armature).found[index].name
        remove(armature, index, "found")
        return f"{name!r} was dropped."


class POISE_OT_found_accept_all(OnProposals, Operator):  # noqa: N801
    """Make constraints of all proposals that are switched on"""

    bl_idname = "poise.found_accept_all"
    bl_label = "Accept All"
    bl_description = "Make constraints of all proposals that are switched on; the others stay proposals"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    only_enabled: BoolProperty(
        name="Only Checked",
        description="Leave out proposals that are switched off",
        default=True,
        options=NOT_REMEMBERED,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        count = detect.accept_all(armature, self.only_enabled)
        return f"{count} proposal{' is a constraint' if count == 1 else 's are constraints'} now."


class POISE_OT_found_reject_all(OnProposals, Operator):  # noqa: N801
    """Drop all proposals"""

    bl_idname = "poise.found_reject_all"
    bl_label = "Reject All"
    bl_description = "Drop all proposals: no constraints are made of them"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        count = len(character_of(armature).found)
        for index in reversed(range(count)):
            remove(armature, index, "found")
        return f"{count} proposal{' was' if count == 1 else 's were'} dropped."


classes = (
    POISE_OT_detect_footplants,
    POISE_OT_found_accept,
    POISE_OT_found_reject,
    POISE_OT_found_accept_all,
    POISE_OT_found_reject_all,
)
