# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of the last solve: going to where they are, following advice, and ignoring them."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Operator

from .. import bridge
from ..properties import armature_in, character_of
from ..properties.shown_names import shown_text
from ..workflows import advice, ignoring
from .on_armature import OnArmature
from .settings import NOT_REMEMBERED, counted


class OnProblem(OnArmature):
    """Mixed into operators on one problem of the last solve."""

    index: IntProperty(name="Problem", description="Its index in the list, counted from 0", options=NOT_REMEMBERED)

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if len(character_of(armature).advice) else "The last solve has no problem"


class POISE_OT_advice_go(OnProblem, Operator):  # noqa: N801
    """Go to a problem"""

    bl_idname = "poise.advice_go"
    bl_label = "Go To Problem"
    bl_description = "Go to the frame at which the problem is worst, and make its constraint the active one"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """The whole report on the problem."""
        return _told(context, properties.index, lambda entry: entry.details) or cls.bl_description

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        entry = advice.problem(armature, self.index)
        found = advice.constraint_of(armature, entry)
        if found is not None:
            character_of(armature).active_constraint = found[0]
        if entry.has_frame:
            whole = math.floor(entry.frame)
            bridge.current_scene().frame_set(whole, subframe=entry.frame - whole)
        return shown_text(armature, entry.details or entry.sentence)


class POISE_OT_advice_apply(OnProblem, Operator):  # noqa: N801
    """Follow an advice"""

    bl_idname = "poise.advice_apply"
    bl_label = "Apply Advice"
    bl_description = "Make the change that would help; solve afterwards to see it"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    number: IntProperty(name="Change", description="Which of its changes, counted from 0", options=NOT_REMEMBERED)

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """What would be changed."""
        number = properties.number
        told = _told(
            context, properties.index, lambda entry: entry.fixes[number].sentence if number < len(entry.fixes) else ""
        )
        return told or cls.bl_description

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        return shown_text(armature, advice.apply(armature, self.index, self.number))


class POISE_OT_advice_ignore(OnProblem, Operator):  # noqa: N801
    """Ignore a problem"""

    bl_idname = "poise.advice_ignore"
    bl_label = "Ignore Problem"
    bl_description = "Do not show this problem again until its constraint changes: where it is good as it is"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        ignoring.ignore(character_of(armature), advice.problem(armature, self.index))
        return "The problem is ignored until its constraint changes."


class POISE_OT_advice_show_ignored(OnArmature, Operator):  # noqa: N801
    """Show ignored problems"""

    bl_idname = "poise.advice_show_ignored"
    bl_label = "Show Ignored Problems"
    bl_description = "Show the problems again that were ignored"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if len(character_of(armature).ignored) else "No problem is ignored"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        return f"{counted(ignoring.show_all(character_of(armature)), 'problem')} shown again."


def _told(context: bpy.types.Context, index: int, text: Any) -> str:
    """A text of a problem for a tooltip; empty where the problem is not listed any more."""
    armature = armature_in(context)
    if armature is None or not 0 <= index < len(character_of(armature).advice):
        return ""
    return shown_text(armature, text(character_of(armature).advice[index])).removesuffix(".")


classes = (POISE_OT_advice_go, POISE_OT_advice_apply, POISE_OT_advice_ignore, POISE_OT_advice_show_ignored)
