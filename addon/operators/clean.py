# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning planted feet and hands."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Operator

from .. import live
from ..properties import character_of
from ..properties.character import CLEAN_METHODS
from ..workflows import clean, progress
from .in_steps import InSteps, Steps
from .settings import NOT_REMEMBERED, BakesResult, fill_from_panel


class POISE_OT_clean(BakesResult, InSteps, Operator):  # noqa: N801
    """Keep planted feet and hands still"""

    bl_idname = "poise.clean"
    bl_label = "Clean Up"
    bl_description = (
        "Keep feet, and hands that support the body, still while they stand: the quick way to remove foot sliding"
        " from a capture. It uses your footplants, or else those that it finds"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    method: EnumProperty(name="Method", description="How to clean", items=CLEAN_METHODS, options=NOT_REMEMBERED)
    feet: BoolProperty(name="Feet", description="Clean the feet", default=True)
    hands: BoolProperty(name="Hands", description="Clean the hands that support the body", default=False)

    repair: BoolProperty(
        name="Repair Faults", description="Interpolate faults of the capture first", options=NOT_REMEMBERED
    )

    title = "Cleaning up"
    stages = progress.CLEAN

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        fill_from_panel(self, armature)
        if not self.properties.is_property_set("method"):
            self.method = character_of(armature).clean_method
        if not self.properties.is_property_set("repair"):
            self.repair = character_of(armature).clean_repair
        return clean.clean_in_steps(
            armature,
            clean.CleanOptions(
                method=self.method.lower(),
                feet=self.feet,
                hands=self.hands,
                begin=self.begin,
                end=self.end,
                target=self.target.lower(),
                tolerance=self.tolerance,
                repair=self.repair,
            ),
        )

    def finish(self, armature: bpy.types.Object, result: clean.CleanResult) -> str:
        live.drop(armature)  # else it would replace what is cleaned by a solve
        self.level = "WARNING" if result.baked.rig_conflict else "INFO"
        for sentence in (*result.notes, *result.unmet):
            self.report({"WARNING"}, sentence)
        return result.sentence


classes = (POISE_OT_clean,)
