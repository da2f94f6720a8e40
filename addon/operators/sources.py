# SPDX-License-Identifier: GPL-3.0-or-later
"""Restoring the source, applying the result, and making a bakeable copy."""

from __future__ import annotations

import bpy
from bpy.types import Operator

from .. import bridge, live
from ..properties import character_of
from ..workflows import messages, physics
from ..workflows.copy_rig import make_bakeable_copy
from .on_armature import OnArmature


class OnResult(OnArmature):
    """Mixed into operators that need a result of Poise on the armature."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if bridge.has_result(armature) else "The armature shows no result: solve or clean first"


class POISE_OT_source_restore(OnResult, Operator):  # noqa: N801
    """Assign the source action again"""

    bl_idname = "poise.source_restore"
    bl_label = "Restore Source"
    bl_description = (
        "Assign the source action again, as it was before solving, and drop the result: to begin anew. To compare"
        " only, use A/B"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.restore_source(armature)
        live.drop(armature)
        physics.give_back_scene_end(armature)
        messages.clear_reports(character_of(armature))
        return f"{armature.name!r} shows its source again."


class POISE_OT_result_apply(OnResult, Operator):  # noqa: N801
    """Make the result the new source"""

    bl_idname = "poise.result_apply"
    bl_label = "Apply Result"
    bl_description = (
        "Make the result the new source, from which later solves begin: where it is good and you go on from there"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        live.settle(armature)  # else it would have samples, and no keys
        applied = bridge.apply_result(armature)
        physics.accept_result(armature)
        return f"Action {applied.name!r} is the source now."


class POISE_OT_bakeable_copy(OnArmature, Operator):  # noqa: N801
    """Make a copy of a rig that can be baked"""

    bl_idname = "poise.bakeable_copy"
    bl_label = "Make Bakeable Copy"
    bl_description = (
        "Copy the armature with the motion of its bones as plain keys, without constraints and drivers, and hide "
        "the rig, which stays as it is: where the rig's own constraints keep bones from the result"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        if bridge.has_movers(armature):
            return ""
        return "The bones are moved by their keys alone: the armature can be baked as it is"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        name = armature.name
        copy = make_bakeable_copy(armature)
        return (
            f"Work on {copy.name!r} now; {name!r} is hidden and stays as it is (to see a mesh move with the copy, "
            "choose the copy in the mesh's Armature modifier)."
        )


classes = (POISE_OT_source_restore, POISE_OT_result_apply, POISE_OT_bakeable_copy)
