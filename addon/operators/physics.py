# SPDX-License-Identifier: GPL-3.0-or-later
"""The physical method: fitting a motion, its footprints and obstacles, and solving an edit of it."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty
from bpy.types import Operator

from ... import solver
from .. import bridge, live
from ..properties import character_of
from ..properties.character import TARGETS
from ..properties.physics import JOINTS, QUALITIES, RECIPES
from ..workflows import physics, physics_handles, progress
from ..workflows.physics_memory import Fitted
from .in_steps import InSteps, Steps
from .on_armature import OnArmature
from .settings import NOT_REMEMBERED, counted

ALL_JOINTS = tuple({item[0]: item for items in JOINTS.values() for item in items}.values())
"""The joints of all recipes."""

NO_FOOTPRINTS = "No footprints are known yet: fit the motion first"

LISTS = (
    ("LIMB", "Limb", "A part of the body with another length or mass"),
    ("LOCK", "Stiff Joint", "A joint that cannot move"),
    ("OBSTACLE", "Obstacle", "A hump, with its handle"),
)


class NeedsOptimiser(InSteps):
    """Mixed into operators that need the optimiser's package."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return super().unavailable_reason(armature) if solver.spacetime.is_available() else solver.spacetime.MISSING


class TakesMotion:
    """Mixed into operators that fit: what to fit, each as in the panel unless it is given."""

    properties: Any

    recipe: EnumProperty(
        name="Motion", description="Which simple body stands for the character", items=RECIPES, options=NOT_REMEMBERED
    )
    quality: EnumProperty(
        name="Quality",
        description="At how many instants the laws of motion hold",
        items=QUALITIES,
        default="FINAL",
        options=NOT_REMEMBERED,
    )
    begin: IntProperty(name="Begin", description="The first frame", options=NOT_REMEMBERED)
    end: IntProperty(name="End", description="The last frame", options=NOT_REMEMBERED)

    def given(self, *names: str) -> dict[str, Any]:
        """The properties among these, and among those of this class, that were given."""
        known = ("recipe", "quality", "begin", "end", *names)
        return {name: getattr(self, name) for name in known if self.properties.is_property_set(name)}


class POISE_OT_physics_fit(TakesMotion, NeedsOptimiser, Operator):  # noqa: N801
    """Find the forces behind a motion"""

    bl_idname = "poise.physics_fit"
    bl_label = "Fit Physics"
    bl_description = (
        "Find a motion of a simple body that obeys the laws of physics and is near this one, with its footprints:"
        " edits start from there. The animation does not change"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Fitting"
    stages = progress.FIT

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        return physics.fit_in_steps(armature, self.given())

    def finish(self, armature: bpy.types.Object, result: Fitted) -> str:
        return f"{counted(len(result.fit.stances), 'footprint')} found. {result.fit.quality}"


class POISE_OT_physics_solve(TakesMotion, NeedsOptimiser, Operator):  # noqa: N801
    """Change the motion by its physics"""

    bl_idname = "poise.physics_solve"
    bl_label = "Solve Physics"
    bl_description = (
        "Change the motion as the edits say and as the laws of physics demand: other gravity, footprints, times or"
        " limbs. It is fitted first where that is not done. The source is kept: restore it at any time"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    gravity: FloatProperty(
        name="Gravity", description="Factor of the earth's gravity", default=1.0, min=0.0, options=NOT_REMEMBERED
    )
    automatic_duration: BoolProperty(
        name="Find Duration", description="The physics decides how long the motion takes", options=NOT_REMEMBERED
    )
    duration: FloatProperty(
        name="Duration", description="Factor of the time of the motion", default=1.0, min=0.05, options=NOT_REMEMBERED
    )
    flight: FloatProperty(
        name="Flights", description="Factor of the times in the air", default=1.0, min=0.05, options=NOT_REMEMBERED
    )
    turn: FloatProperty(
        name="Turn at End",
        description="By how much further the body has turned at the end",
        subtype="ANGLE",
        options=NOT_REMEMBERED,
    )
    free_end: BoolProperty(
        name="Free End", description="The last pose need not be that of the source", options=NOT_REMEMBERED
    )
    keep_heading: BoolProperty(
        name="Keep Heading", description="The body faces as in the source", options=NOT_REMEMBERED
    )
    friction: FloatProperty(
        name="Slippery Floor",
        description="How much forces along the ground are avoided",
        min=0.0,
        options=NOT_REMEMBERED,
    )
    impact: FloatProperty(
        name="Softer Landing",
        description="How much hard pushes of the ground are avoided",
        min=0.0,
        options=NOT_REMEMBERED,
    )
    balance: FloatProperty(
        name="Balance",
        description="How much the centre of mass stays over the feet",
        min=0.0,
        options=NOT_REMEMBERED,
    )
    power: FloatProperty(
        name="Less Effort", description="How much strong muscles are avoided", min=0.0, options=NOT_REMEMBERED
    )
    target: EnumProperty(
        name="Result", description="Where the result is baked to", items=TARGETS, options=NOT_REMEMBERED
    )
    tolerance: FloatProperty(
        name="Thinning",
        description="Leave out keys where curves stay this near the motion; 0 keys every frame",
        min=0.0,
        precision=4,
        options=NOT_REMEMBERED,
    )

    title = "The physics"
    stages = progress.PHYSICS

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        character = character_of(armature)
        for name in ("target", "tolerance"):
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(character, name))
        given = self.given(
            "duration", "flight", "turn", "free_end", "keep_heading", "friction", "impact", "balance", "power"
        )
        if "duration" in given:
            given["automatic_duration"] = False
        if self.properties.is_property_set("automatic_duration"):
            given["automatic_duration"] = self.automatic_duration
        if self.properties.is_property_set("gravity"):
            given |= {"gravity": "CUSTOM", "gravity_factor": self.gravity}
        options = physics.PhysicsOptions(given, self.target.lower(), self.tolerance)
        return physics.solve_in_steps(armature, options)

    def finish(self, armature: bpy.types.Object, result: physics.PhysicsResult) -> str:
        live.drop(armature)  # else it would replace the result by a solve
        self.level = "WARNING" if result.baked.rig_conflict else "INFO"
        for sentence in result.notes:
            self.report({"INFO"}, sentence)
        return result.sentence


class POISE_OT_physics_footprints_add(OnArmature, Operator):  # noqa: N801
    """Make a handle for each footprint"""

    bl_idname = "poise.physics_footprints_add"
    bl_label = "Add Footprints"
    bl_description = (
        "Make an empty for each footprint that the fit has found: move, turn or raise it to change where the foot"
        " stands"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return (
            "" if len(character_of(armature).physics.stances) else "No footprints are known yet: fit the motion first"
        )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return f"{counted(physics_handles.add_footprints(armature), 'handle')} made: move them, and solve."


class POISE_OT_physics_spread(OnArmature, Operator):  # noqa: N801
    """Move left and right footprints apart"""

    bl_idname = "poise.physics_spread"
    bl_label = "Wide Steps"
    bl_description = "Move left footprints to the left and right ones to the right; a negative distance crosses them"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    amount: FloatProperty(
        name="Distance",
        description="How far each moves to its side; as in the panel if not set",
        unit="LENGTH",
        options=NOT_REMEMBERED,
    )
    crossed: BoolProperty(name="Crossed", description="Move them the other way", options=NOT_REMEMBERED)

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """What the button does."""
        if properties.crossed:
            return "Move left footprints to the right and right ones to the left, until steps cross"
        return "Move left footprints to the left and right ones to the right"

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return (
            "" if len(character_of(armature).physics.stances) else "No footprints are known yet: fit the motion first"
        )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        if not self.properties.is_property_set("amount"):
            self.amount = character_of(armature).physics.spread
        moved = physics_handles.spread_steps(armature, -self.amount if self.crossed else self.amount)
        return f"{counted(moved, 'footprint')} moved by {bridge.format_length(abs(self.amount))}."


class POISE_OT_physics_reset(OnArmature, Operator):  # noqa: N801
    """Undo all edits of the physics"""

    bl_idname = "poise.physics_reset"
    bl_label = "Reset Physics"
    bl_description = "All edits of the physics are as at first: values, footprints, limbs, stiff joints and obstacles"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        physics_handles.reset(armature)
        return "The edits of the physics are reset."


class POISE_OT_physics_obstacle_add(OnArmature, Operator):  # noqa: N801
    """Put a hump on the ground"""

    bl_idname = "poise.physics_obstacle_add"
    bl_label = "Add Obstacle"
    bl_description = "Put a hump that the feet must clear at the 3D cursor; move and scale its empty"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    location: FloatVectorProperty(
        name="Location",
        description="The middle of its foot; the 3D cursor if not set",
        subtype="TRANSLATION",
        options=NOT_REMEMBERED,
    )
    height: FloatProperty(
        name="Height",
        description="How high it is; as a shin if not set",
        min=0.0,
        unit="LENGTH",
        options=NOT_REMEMBERED,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        if not self.properties.is_property_set("location"):
            self.location = bridge.current_scene().cursor.location
        item: Any = physics_handles.add_obstacle(armature, self.location)
        if self.properties.is_property_set("height"):
            item.height = self.height
        return "An obstacle was added: move its handle, and solve."


class POISE_OT_physics_limb_add(OnArmature, Operator):  # noqa: N801
    """Let a part of the body be longer, shorter, heavier or lighter"""

    bl_idname = "poise.physics_limb_add"
    bl_label = "Add Limb"
    bl_description = "Give a part of the body another length or mass"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    joint: EnumProperty(
        name="Limb", description="The part of the body below this joint", items=ALL_JOINTS, options=NOT_REMEMBERED
    )
    length: FloatProperty(
        name="Length", description="Factor of its length", default=1.0, min=0.1, options=NOT_REMEMBERED
    )
    mass: FloatProperty(name="Mass", description="Factor of its mass", default=1.0, min=0.01, options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        joint = _known_joint(armature, self.joint)
        item = character_of(armature).physics.limbs.add()
        item.joint, item.length, item.mass = joint, self.length, self.mass
        return "A limb was added: set its length and mass."


class POISE_OT_physics_lock_add(OnArmature, Operator):  # noqa: N801
    """Let a joint be stiff"""

    bl_idname = "poise.physics_lock_add"
    bl_label = "Add Stiff Joint"
    bl_description = "Let a joint be stiff, as in a cast: the rest of the body makes up for it"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    joint: EnumProperty(name="Joint", description="The joint that is stiff", items=ALL_JOINTS, options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        joint = _known_joint(armature, self.joint)
        character_of(armature).physics.locks.add().joint = joint
        return "A stiff joint was added."


def _known_joint(armature: bpy.types.Object, joint: str) -> str:
    """The joint, where the recipe of the character has it; raises where not."""
    recipe = character_of(armature).physics.recipe
    known = [item[0] for item in JOINTS[recipe]]
    if joint not in known:
        raise bridge.BridgeError(
            f"A body for {recipe.lower()} motions has no {joint.replace('_', ' ')}: choose one of "
            f"{', '.join(name.replace('_', ' ') for name in known)}."
        )
    return joint


class POISE_OT_physics_remove(OnArmature, Operator):  # noqa: N801
    """Remove a limb, a stiff joint or an obstacle from the edits"""

    bl_idname = "poise.physics_remove"
    bl_label = "Remove"
    bl_description = "Remove this entry from the edits of the physics"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    kind: EnumProperty(name="List", description="Which list", items=LISTS, options=NOT_REMEMBERED)
    index: IntProperty(name="Index", description="Which entry", min=0, options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        found: Any = character_of(armature).physics
        listed = {"LIMB": found.limbs, "LOCK": found.locks, "OBSTACLE": found.obstacles}[self.kind]
        if self.index >= len(listed):
            raise bridge.BridgeError(f"There is no entry number {self.index}: the list has {len(listed)}.")
        if self.kind == "OBSTACLE":
            physics_handles.remove_obstacle(armature, self.index)
        else:
            listed.remove(self.index)
        return "1 entry removed."


classes = (
    POISE_OT_physics_fit,
    POISE_OT_physics_solve,
    POISE_OT_physics_footprints_add,
    POISE_OT_physics_spread,
    POISE_OT_physics_reset,
    POISE_OT_physics_obstacle_add,
    POISE_OT_physics_limb_add,
    POISE_OT_physics_lock_add,
    POISE_OT_physics_remove,
)
