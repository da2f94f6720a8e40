# SPDX-License-Identifier: GPL-3.0-or-later
"""Checking plants against the ground, deciding about those off it, and taking the range of the action."""

from __future__ import annotations

import bpy
from bpy.types import Operator

from .. import translation
from ..properties import character_of
from ..workflows import ground_gaps, ranges, solve
from .on_armature import OnArmature


class POISE_OT_ground_check(OnArmature, Operator):  # noqa: N801
    """List the plants that stand off the ground"""

    bl_idname = "poise.ground_check"
    bl_label = "Check Plants"
    bl_description = (
        "List the plants that stand more than 2 % of the leg's length off the ground, to decide about them; "
        "nothing moves"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if character_of(armature).use_ground else "There is no ground: switch it on first"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        reading = solve.read(armature)
        clip = translation.clip_with_settings(reading.armature, reading)
        found = translation.translate(reading.armature, reading)
        return ground_gaps.check_plants(reading.armature, clip, found.constraints, found.uids)


class OnListedPlants(OnArmature):
    """Mixed into operators for the plants that are listed as off the ground."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return (
            ""
            if ground_gaps.undecided_plants(armature)
            else "No plant is listed as off the ground: check the plants first"
        )


class POISE_OT_ground_keep_heights(OnListedPlants, Operator):  # noqa: N801
    """Keep the listed plants at their own heights"""

    bl_idname = "poise.ground_keep_heights"
    bl_label = "Keep Their Heights"
    bl_description = "Keep the listed plants at their own heights on any ground: where they stand on something else"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        count = ground_gaps.decide_plants(armature, "OWN")
        return f"{count} plant{' keeps its height' if count == 1 else 's keep their heights'}."


class POISE_OT_ground_put_on(OnListedPlants, Operator):  # noqa: N801
    """Put the listed plants on the ground"""

    bl_idname = "poise.ground_put_on"
    bl_label = "Put On Ground"
    bl_description = (
        "Put the listed plants on the ground in the next solve, at any distance: where the capture floats or sinks"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        count = ground_gaps.decide_plants(armature, "GROUND")
        return f"{count} plant{' is' if count == 1 else 's are'} put on the ground by the next solve."


class POISE_OT_range_from_action(OnArmature, Operator):  # noqa: N801
    """Set the scene's range to that of the action"""

    bl_idname = "poise.range_from_action"
    bl_label = "Use Action's Range"
    bl_description = "Set the scene's first and last frame to those of the source action, so that all of it is solved"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        first, last = ranges.use_action_range(armature)
        return f"The scene's range is {first} to {last} now."


classes = (POISE_OT_ground_check, POISE_OT_ground_keep_heights, POISE_OT_ground_put_on, POISE_OT_range_from_action)
