# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of a constraint as it is saved; its empty is its transform."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, PointerProperty
from bpy.types import Context, Object, PropertyGroup, Scene

from .handle_names import rename_handles

EASE = 0.25
"""Default seconds over which a constraint is eased in and out."""


def ease_frames(scene: Scene) -> int:
    """`EASE` in whole frames of a scene, at least 1."""
    return max(1, round(EASE * scene.render.fps / scene.render.fps_base))


def default_ease(owner: Any) -> float:
    """`EASE` in whole frames of the present scene, for a constraint or anything else."""
    return float(ease_frames(bpy.context.scene or bpy.data.scenes[0]))


def backwards_sentence(number: int, point: Any) -> str:
    """What to do about a point, counted from 1, that begins after its end."""
    return f"point {number} begins at frame {point.begin:g}, after its end at {point.end:g}: end it later."


def _follow_frames(point: Any, context: Context) -> None:
    """Extend the constraint, with an ease, where its point is moved beyond its frames; rename the handle."""
    constraint = point.id_data.path_resolve(point.path_from_id().rpartition(".points[")[0])
    ease = ease_frames(context.scene or bpy.data.scenes[0])
    if point.begin < constraint.begin:
        constraint.begin = point.begin - ease
    if max(point.begin, point.end) > constraint.end:
        constraint.end = max(point.begin, point.end) + ease
    rename_handles(constraint)


class PoisePoint(PropertyGroup):
    """A point of a path and the frames for which the bone is held there. Frames are those of the scene."""

    object: PointerProperty(
        type=Object, name="Empty", description="The empty that gives the location and rotation of the point"
    )
    begin: FloatProperty(
        name="Begin", description="The frame at which the point is reached", step=100, update=_follow_frames
    )
    end: FloatProperty(
        name="End",
        description="The frame at which the point is left: later than Begin to stay there, the same to pass through it",
        step=100,
        update=_follow_frames,
    )
    tension: FloatProperty(
        name="Tension",
        description="1 slows down at the point, as before a grasp; -1 speeds up",
        soft_min=-1.0,
        soft_max=1.0,
    )
    continuity: FloatProperty(
        name="Continuity",
        description="Other than 0 makes a corner at the point, as in a punch that is stopped",
        soft_min=-1.0,
        soft_max=1.0,
    )
    bias: FloatProperty(
        name="Bias",
        description="Bends the path toward where it comes from (above 0) or goes to (below 0)",
        soft_min=-1.0,
        soft_max=1.0,
    )
    home: FloatVectorProperty(
        name="Home", description="The location of the point before its empty was moved", subtype="TRANSLATION"
    )
    home_rotation: FloatVectorProperty(
        name="Home Rotation",
        description="The rotation of the point before its empty was rotated",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )
