# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving: at once in a script; in a window in steps, with progress and Esc to stop it."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import bpy
from bpy.props import EnumProperty
from bpy.types import Operator

from ..properties.character import QUALITIES
from ..workflows import progress, solve
from .in_steps import InSteps, Steps
from .settings import NOT_REMEMBERED, BakesResult, fill_from_panel


class POISE_OT_solve(BakesResult, InSteps, Operator):  # noqa: N801
    """Change the motion so that its constraints hold"""

    bl_idname = "poise.solve"
    bl_label = "Solve"
    bl_description = (
        "Change the motion so that its constraints hold, the most important first. The source is kept: restore it"
        " at any time"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    quality: EnumProperty(name="Quality", description="How exact to solve", items=QUALITIES, options=NOT_REMEMBERED)

    title = "Solving"
    stages = progress.SOLVE

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        fill_from_panel(self, armature)
        options = solve.SolveOptions(self.begin, self.end, self.target.lower(), self.tolerance, self.quality.lower())
        return solve.solve_in_steps(armature, options)

    def finish(self, armature: bpy.types.Object, result: solve.SolveResult) -> str:
        self.level = "WARNING" if result.is_kept_off_by_rig else "INFO"
        for sentence in result.notes:
            self.report({"WARNING"}, sentence)
        if result.misses and not result.is_kept_off_by_rig:
            self.report({"WARNING"}, "Not every constraint is satisfied: see the advice in the panel.")
        return result.sentence


classes = (POISE_OT_solve,)
