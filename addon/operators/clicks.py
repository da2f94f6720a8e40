# SPDX-License-Identifier: GPL-3.0-or-later
"""Clicking what is drawn of a constraint in the 3D view."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty
from bpy.types import Operator

from ...solver import PoiseError
from .. import overlay
from ..properties import armature_in, handles
from ..workflows import activate, obstacles
from ..workflows.dragging import View
from .activate import POISE_OT_constraint_activate
from .on_armature import CANCELLED, FINISHED, OnArmature
from .settings import NOT_REMEMBERED

PASSED_ON = {"PASS_THROUGH"}


class POISE_OT_constraint_click(OnArmature, Operator):  # noqa: N801
    """Click a constraint"""

    bl_idname = "poise.constraint_click"
    bl_label = "Click Constraint"
    bl_description = (
        "Make the constraint the active one whose footprint or point is under the mouse, unless a bone is there or "
        "something is in front of it"
    )
    bl_options = {"UNDO", "INTERNAL"}  # noqa: RUF012

    extend: BoolProperty(name="Extend", description="Keep the present selection", options=NOT_REMEMBERED)

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return POISE_OT_constraint_activate.unavailable_reason(armature)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Activate what is under the mouse; a click on anything else is passed on to Blender."""
        armature, region, view = armature_in(context), context.region, context.region_data
        if armature is None or region is None or view is None:
            return PASSED_ON
        pixel = float(event.mouse_region_x), float(event.mouse_region_y)
        hit = overlay.pick(context, *pixel)
        if hit is None or self._is_covered(context, armature, View.of(region, view), pixel, hit):
            return PASSED_ON
        try:
            item = activate.activate(context, armature, hit.uid, hit.point, extend=self.extend)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        if hit.is_proposal:
            activate.go_to_frame(context, item)
        return FINISHED

    @staticmethod
    def _is_covered(
        context: bpy.types.Context,
        armature: bpy.types.Object,
        view: View,
        pixel: tuple[float, float],
        hit: overlay.Hit,
    ) -> bool:
        """Whether a click means a bone, or in object mode another object, that is drawn over what was hit."""
        preferences: Any = context.preferences
        if obstacles.bone_under(armature, view, pixel, preferences.system.ui_scale or 1.0):
            return True
        place = activate.place_of_uid(armature, hit.uid, hit.point)
        if context.mode != "OBJECT" or place is None:
            return False
        return bool(obstacles.object_in_front(context, view, pixel, place, handles.longest_side(armature)))


classes = (POISE_OT_constraint_click,)
