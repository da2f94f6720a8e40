# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the last solve and the last cleanup, for the panels."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

from .bones import PoiseBone

UNITS = (("LENGTH", "Length", "A distance in the scene's units"), ("ANGLE", "Angle", "Radians"))


WARNINGS = (
    ("skating_ratio", "Skating", "Feet skate more than before"),
    ("knee_pops", "Knee Pops", "Knees pop more often than before"),
    ("jump", "Largest Jump", "A bone jumps that did not in the source"),
)
"""The foot metrics that `solver.FootMetrics.worse_than` compares."""


class PoiseResidual(PropertyGroup):
    """By how much one constraint is missed."""

    uid: StringProperty(name="Constraint", description="The uid of the constraint")
    worst: FloatProperty(name="Worst", description="The largest distance over all frames")
    mean: FloatProperty(name="Mean", description="The mean distance over its frames")
    worst_frame: FloatProperty(name="Worst Frame", description="The scene's frame at which it is the largest")
    misses: BoolProperty(name="Misses", description="Whether the constraint is not satisfied")
    unit: EnumProperty(name="Unit", description="What the distances are", items=UNITS)


PROBLEMS = (
    ("NOTE", "Note", "Something that the animator should know"),
    ("MISSED", "Missed", "A constraint is missed"),
    ("RIG", "Rig", "The rig keeps bones from the result"),
    ("RANK", "Priorities", "A less important constraint may move bones that a more important one may not"),
    ("STRETCHED", "Stretched", "A limb is straight where a constraint is missed"),
)
"""The first is the default, for advice of files that were saved before there were kinds."""

FIXES = (
    ("MOVE", "Move Target", "Move its target to where the body reaches"),
    ("RANK", "Put First", "Lower the priority of what stands in its way"),
    ("BONES", "More Bones", "Let more bones move for it"),
)


class PoiseFix(PropertyGroup):
    """A change of constraints that would solve a problem."""

    kind: EnumProperty(name="Kind", description="What it changes", items=FIXES)
    sentence: StringProperty(name="Sentence", description="What it changes, and what comes of it")
    move: FloatVectorProperty(
        name="Move", description="By how much the target moves in the world", subtype="TRANSLATION", unit="LENGTH"
    )
    frame: FloatProperty(name="Frame", description="The scene's frame at which the target moves so far")
    lowered: StringProperty(name="Lowered", description="The uids of the constraints to lower, with spaces between")
    levels: IntProperty(name="Levels", description="How many more bones up the chain may move")
    bones: CollectionProperty(type=PoiseBone, name="Bones", description="The bones that may move in addition")


class PoiseAdvice(PropertyGroup):
    """A problem of the last solve, and what would help."""

    kind: EnumProperty(name="Kind", description="What the problem is", items=PROBLEMS)
    sentence: StringProperty(name="Problem", description="The problem in one line")
    details: StringProperty(name="Details", description="Where, why, and what would help, in sentences")
    uid: StringProperty(name="Constraint", description="The uid of the constraint that it is about; else empty")
    has_frame: BoolProperty(name="Has Frame", description="Whether it is worst at a frame")
    frame: FloatProperty(name="Frame", description="The scene's frame at which it is worst")
    amount: FloatProperty(name="Amount", description="By how much the constraint is missed")
    unit: EnumProperty(name="Unit", description="What the amount is", items=UNITS)
    fixes: CollectionProperty(type=PoiseFix, name="Fixes", description="Changes that would help")
    is_ignored: BoolProperty(name="Ignored", description="Whether the animator does not want to see it")


class PoiseIgnored(PropertyGroup):
    """A problem that is not shown until its constraint changes."""

    key: StringProperty(name="Problem", description="Which problem of which constraint")
    signature: StringProperty(name="Signature", description="Of the constraint when the problem was ignored")


class PoiseGap(PropertyGroup):
    """A plant that stands off the ground."""

    uid: StringProperty(name="Constraint", description="The uid of the footplant")
    gap: FloatProperty(name="Gap", description="How high it stands above the ground; negative below", unit="LENGTH")


class PoiseMetrics(PropertyGroup):
    """How still feet stand in their plants; the fields are those of the solver's foot metrics."""

    slide: FloatProperty(name="Slide", description="How far a planted foot slides, on the average", unit="LENGTH")
    largest_slide: FloatProperty(name="Largest Slide", description="How far the worst one slides", unit="LENGTH")
    extent: FloatProperty(name="Extent", description="How large the area is that a planted foot covers", unit="LENGTH")
    speed: FloatProperty(name="Speed", description="The 95th percentile of the speed of planted feet, per second")
    height: FloatProperty(name="Height", description="How far planted feet are from the ground", unit="LENGTH")
    penetration: FloatProperty(name="Penetration", description="How deep feet go into the ground", unit="LENGTH")
    skating_ratio: FloatProperty(name="Skating", description="The share of its planted frames in which a foot skates")
    knee_acceleration: FloatProperty(name="Knees", description="The largest angular acceleration of a knee")
    knee_ratio: FloatProperty(name="Knee Ratio", description="The same, against that of the source")
    knee_pops: IntProperty(name="Knee Pops", description="How often a knee pops: a sudden jerk")
    stretch: FloatProperty(name="Stretch", description="The largest share by which a limb is longer or shorter")
    mean_stretch: FloatProperty(name="Mean Stretch", description="The same, on the average")
    jump: FloatProperty(
        name="Largest Jump", description="The largest acceleration of a bone over that of the same bone in the source"
    )
    jump_joint: StringProperty(name="Jumping Bone", description="The bone that jumps most")
    jump_frame: FloatProperty(name="Jump Frame", description="The scene's frame at which it jumps")
    worse: EnumProperty(
        name="Worse",
        description="Figures that warn of what the cleanup has made worse",
        items=WARNINGS,
        options={"ENUM_FLAG"},
    )
