# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the last solve and the last cleanup, for the panels."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

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


class PoiseAdvice(PropertyGroup):
    """A sentence about what would help."""

    sentence: StringProperty(name="Sentence", description="What would help")
    uid: StringProperty(name="Constraint", description="The uid of the constraint that it would help; else empty")


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
