# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of Clean Up. The defaults are those of the solver."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, FloatProperty
from bpy.types import PropertyGroup

from ...solver import CleanSettings

DEFAULTS = CleanSettings()


def _seconds(name: str, field: str, description: str) -> Any:
    """A time in seconds."""
    return FloatProperty(
        name=name,
        description=description,
        default=getattr(DEFAULTS, field),
        min=0.0,
        soft_max=1.0,
        unit="TIME_ABSOLUTE",
    )


class PoiseCleaning(PropertyGroup):
    """How feet and hands are cleaned."""

    averaging: _seconds(
        "Find Place",
        "averaging",
        "The first seconds of a plant say where it stands. Longer where feet settle slowly, shorter where they slide",
    )
    blending: _seconds(
        "Ease Plants",
        "blending",
        "Seconds before and after a plant over which the correction comes and goes. Longer looks softer, shorter keeps "
        "more of the source",
    )
    turning: _seconds(
        "Ease Turn",
        "turning",
        "Seconds over which the turn of a flat foot is let go where only its heel or ball still stands. Longer where "
        "feet twist as they lift",
    )
    carrying: _seconds(
        "Smooth Hips",
        "carrying",
        "Seconds to either side over which the hips are moved smoothly so that legs reach. Longer where the hips shake",
    )
    smoothing: _seconds(
        "Smooth Limbs",
        "smoothing",
        "Seconds to either side over which ankles and knees are smoothed. Longer where knees tremble, 0 for none",
    )
    lifting: _seconds(
        "Lift Feet",
        "lifting",
        "Seconds to either side over which a foot that would sink into the ground is lifted. Longer where it bounces",
    )
    stretch: BoolProperty(
        name="Stretch",
        description="Let legs and arms become a little longer where they do not reach; without, a plant may be missed. "
        "Only the method Stretch does",
        default=DEFAULTS.stretch,
    )
    most_stretch: FloatProperty(
        name="At Most",
        description="By how much of their length bones may change at most. Lower where stretched legs show",
        default=DEFAULTS.most_stretch,
        min=0.0,
        max=0.99,
        soft_max=0.3,
        subtype="FACTOR",
    )
    swivel: FloatProperty(
        name="Knees to Feet",
        description="Where a knee points: 0 as the hip turns least, 1 as the foot turns least. Higher if feet twist, "
        "lower where hips do",
        default=DEFAULTS.swivel,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    use_damping: BoolProperty(
        name="Soft Knees",
        description="Slow down knees and elbows that are almost straight, so that they do not snap",
        default=DEFAULTS.damping is not None,
    )
    damping: FloatProperty(
        name="From",
        description="The angle of a knee from which it is slowed down; 180° is straight",
        default=DEFAULTS.damping or 0.0,
        min=0.1,
        max=3.14,
        subtype="ANGLE",
    )


FIELDS = (
    "averaging",
    "turning",
    "carrying",
    "smoothing",
    "blending",
    "lifting",
    "swivel",
    "stretch",
    "most_stretch",
)
"""The fields that mean the same to the solver."""


def clean_settings(cleaning: PoiseCleaning) -> CleanSettings:
    """The settings for the solver."""
    return CleanSettings(
        **{name: getattr(cleaning, name) for name in FIELDS},
        damping=cleaning.damping if cleaning.use_damping else None,
    )
