# SPDX-License-Identifier: GPL-3.0-or-later
"""Handplants: adding one for the selected hand, and finding those of the motion."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty
from bpy.types import Operator

from .. import bridge
from ..translation import TranslationError
from ..workflows import create, hands, progress, ranges
from .in_steps import InSteps, Steps
from .on_armature import SelectsHandle
from .selection import FromSelection
from .settings import NOT_REMEMBERED, counted


class POISE_OT_constraint_add_handplant(FromSelection, SelectsHandle, Operator):  # noqa: N801
    """Handplant"""

    bl_idname = "poise.constraint_add_handplant"
    bl_label = "Handplant"
    bl_description = (
        "Keep the hand of the selected bone where it is over the preview range, or for half a second from the current "
        "frame: a hand that leans on a wall, or holds on to an object that moves"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    hand: EnumProperty(
        name="Hand",
        description="Which hand stands",
        items=(
            ("AUTO", "Selected", "The hand of the selected bones"),
            ("LEFT", "Left", "The left hand"),
            ("RIGHT", "Right", "The right hand"),
        ),
        options=NOT_REMEMBERED,
    )
    begin: FloatProperty(name="Begin", description="The frame at which it touches", options=NOT_REMEMBERED)
    end: FloatProperty(name="End", description="The frame at which it leaves", options=NOT_REMEMBERED)
    on: StringProperty(
        name="Stands On", description="The object that it moves along with; none for the world", options=NOT_REMEMBERED
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        begin, end = self.hold_span(context)
        carrier: Any = bpy.data.objects.get(self.on) if self.on else None
        if self.on and carrier is None:
            raise TranslationError(f"There is no object {self.on!r} to stand on.")
        side = self.hand.lower()
        if side == "auto":
            side = create.hand_of(armature, self.chosen(context, armature))
        return f"{create.add_handplant(armature, side, begin, end, carrier).name} added."


class POISE_OT_detect_handplants(InSteps, Operator):  # noqa: N801
    """Find the handplants of the whole motion"""

    bl_idname = "poise.detect_handplants"
    bl_label = "Find Hands"
    bl_description = (
        "Find where hands support the body in the whole motion, as in a cartwheel or on all fours, and propose "
        "handplants"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Finding hands"
    stages = progress.FIND

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        return hands.find_handplants_in_steps(armature)

    def finish(self, armature: bpy.types.Object, found: int) -> str:
        if note := ranges.range_warning(armature):
            self.report({"WARNING"}, note)
        return f"{counted(found, 'handplant')} found: accept the ones that you want."


classes = (POISE_OT_constraint_add_handplant, POISE_OT_detect_handplants)
