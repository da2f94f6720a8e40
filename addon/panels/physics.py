# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion changed by its physics: fit, edits, result."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel

from ... import solver
from ..properties import character_of
from ..properties.handles import is_in_scene
from ..properties.physics import RECIPES
from ..workflows import physics_memory, progress
from .base import OfArmature, armature_of, draw_sentence

STALE_AGE = 0.5
"""Seconds for which it is not checked again what is out of date: panels are drawn often."""

WHAT_FOR = {identifier: description for identifier, _, description in RECIPES}
"""What each recipe is for."""


class POISE_PT_physics(OfArmature, Panel):  # noqa: N801
    """Change a motion by its physics"""

    bl_idname = "POISE_PT_physics"
    bl_label = "Physics"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        if not solver.spacetime.is_available():
            draw_sentence(layout, context, solver.spacetime.MISSING, "INFO")
            return
        armature = armature_of(context)
        physics: Any = character_of(armature).physics
        column = layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.prop(physics, "recipe")
        draw_sentence(column, context, f"{WHAT_FOR[physics.recipe]}.")
        column.prop(physics, "quality")
        column.prop(physics, "use_range")
        if physics.use_range:
            span = column.column(align=True)
            span.prop(physics, "begin")
            span.prop(physics, "end")
        running = progress.of(armature.name)
        if running is not None:
            layout.progress(factor=running.share, text=f"{running.label} (Esc stops it)")
            return
        draw_steps(layout, context, armature)


def draw_steps(layout: Any, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw the buttons to fit and to solve, each with what came of it."""
    physics: Any = character_of(armature).physics
    state = physics_memory.state_of(armature, longest_age=STALE_AGE)
    layout.operator("poise.physics_fit", text="Fit", icon="MOD_PHYSICS")
    if physics.fitted and state.is_fit_stale:
        draw_sentence(layout, context, "The motion or its settings have changed since: Solve fits it again.", "INFO")
    elif physics.fit_sentence:
        draw_sentence(layout, context, physics.fit_sentence, "CHECKMARK")
    row = layout.row()
    row.scale_y = 1.4
    row.operator("poise.physics_solve", icon="PLAY")
    if physics.result_sentence and state.is_result_stale:
        draw_sentence(layout, context, "The result is older than your edits: solve again.", "FILE_REFRESH")
    elif physics.result_sentence:
        draw_sentence(layout, context, physics.result_sentence, "CHECKMARK")


class OfPhysics(OfArmature):
    """Mixed into the subpanels: they are there where the optimiser's package is."""

    bl_parent_id = "POISE_PT_physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an armature, and the optimiser's package."""
        return super().poll(context) and solver.spacetime.is_available()


class POISE_PT_physics_world(OfPhysics, Panel):  # noqa: N801
    """Gravity, time, the end of the motion, and the weights of its objectives"""

    bl_idname = "POISE_PT_physics_world"
    bl_label = "World and Time"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        physics: Any = character_of(armature_of(context)).physics
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column(align=True)
        column.prop(physics, "gravity")
        if physics.gravity == "CUSTOM":
            column.prop(physics, "gravity_factor")
        column = layout.column(align=True)
        column.prop(physics, "automatic_duration")
        if not physics.automatic_duration:
            column.prop(physics, "duration")
        column.prop(physics, "flight")
        column = layout.column(align=True)
        column.prop(physics, "turn")
        column.prop(physics, "free_end")
        column.prop(physics, "keep_heading")
        column = layout.column(align=True)
        for name in ("friction", "impact", "balance", "power"):
            column.prop(physics, name)
        layout.operator("poise.physics_reset", text="Reset Edits", icon="LOOP_BACK")


class POISE_PT_physics_footprints(OfPhysics, Panel):  # noqa: N801
    """Where and when the body stands"""

    bl_idname = "POISE_PT_physics_footprints"
    bl_label = "Footprints"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        physics: Any = character_of(armature_of(context)).physics
        if not len(physics.stances):
            draw_sentence(layout, context, "Fit the motion first: it finds where the body stands.", "INFO")
            return
        layout.operator("poise.physics_footprints_add", icon="EMPTY_ARROWS")
        row = layout.row(align=True)
        row.operator("poise.physics_spread", text="Wide Steps", icon="ARROW_LEFTRIGHT")
        crossed: Any = row.operator("poise.physics_spread", text="Crossed Steps")
        crossed.crossed = True
        layout.prop(physics, "spread")
        column = layout.column(align=True)
        heads = column.row(align=True)
        for text in ("Frames", "Earlier", "Longer"):
            heads.label(text=text)
        for stance in physics.stances:
            row = column.row(align=True)
            has_handle = is_in_scene(stance.object)
            row.label(
                text=f"{_side(stance.contact)}{stance.begin:.0f}\N{EN DASH}{stance.end:.0f}",
                icon="EMPTY_ARROWS" if has_handle else "BLANK1",
                translate=False,
            )
            row.prop(stance, "earlier_strike", text="")
            row.prop(stance, "later_release", text="")


def _side(contact: str) -> str:
    """The letter of a side, with a space; empty for both feet."""
    return "L " if "left" in contact else "R " if "right" in contact else ""


class POISE_PT_physics_body(OfPhysics, Panel):  # noqa: N801
    """Limbs of another length or mass, stiff joints, and obstacles"""

    bl_idname = "POISE_PT_physics_body"
    bl_label = "Body and Obstacles"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        physics: Any = character_of(armature_of(context)).physics
        layout.operator("poise.physics_limb_add", icon="ADD")
        for index, limb in enumerate(physics.limbs):
            column = layout.column(align=True)
            _entry(column, "LIMB", index).prop(limb, "joint", text="")
            row = column.row(align=True)
            row.prop(limb, "length")
            row.prop(limb, "mass")
        layout.operator("poise.physics_lock_add", icon="ADD")
        for index, lock in enumerate(physics.locks):
            _entry(layout, "LOCK", index).prop(lock, "joint", text="")
        layout.operator("poise.physics_obstacle_add", icon="ADD")
        for index, obstacle in enumerate(physics.obstacles):
            column = layout.column(align=True)
            row = _entry(column, "OBSTACLE", index)
            if is_in_scene(obstacle.object):
                row.label(text=obstacle.object.name, icon="EMPTY_SINGLE_ARROW", translate=False)
                row = column.row(align=True)
                row.prop(obstacle, "height", text="High")
                row.prop(obstacle, "radius", text="Wide")
            else:
                row.label(text="Its handle was deleted", icon="ERROR")


def _entry(layout: Any, kind: str, index: int) -> Any:
    """A row of a list, with a button at its end that removes it; returns what goes before that."""
    row = layout.row(align=True)
    fields = row.row(align=True)
    remove: Any = row.operator("poise.physics_remove", text="", icon="X")
    remove.kind, remove.index = kind, index
    return fields


class POISE_PT_physics_display(OfPhysics, Panel):  # noqa: N801
    """What is drawn of the physics in the viewport"""

    bl_idname = "POISE_PT_physics_display"
    bl_label = "Show in Viewport"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        display: Any = character_of(armature_of(context)).display
        column = self.layout.column(align=True)
        column.active = display.show
        for name in ("physics_body", "physics_forces", "physics_path"):
            column.prop(display, name)


classes = (
    POISE_PT_physics,
    POISE_PT_physics_world,
    POISE_PT_physics_footprints,
    POISE_PT_physics_body,
    POISE_PT_physics_display,
)
