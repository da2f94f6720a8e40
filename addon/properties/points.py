# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of constraints, as they are saved: where they are is where their empties are."""

# What looks like a type here is read by Blender.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, PointerProperty
from bpy.types import Context, Object, PropertyGroup, Scene

EASE = 0.25
"""Seconds that a constraint takes to come to a point and to go, where nobody says otherwise."""


def ease_frames(scene: Scene) -> int:
    """Whole frames of that."""
    return max(1, round(EASE * scene.render.fps / scene.render.fps_base))


def _extend_constraint(point: Any, context: Context) -> None:
    """A stay that is moved beyond its constraint's frames extends them, with time to come and to go."""
    constraint = point.id_data.path_resolve(point.path_from_id().rpartition(".points[")[0])
    ease = ease_frames(context.scene or bpy.data.scenes[0])
    if point.begin < constraint.begin:
        constraint.begin = point.begin - ease
    if max(point.begin, point.end) > constraint.end:
        constraint.end = max(point.begin, point.end) + ease


class PoisePoint(PropertyGroup):
    """A place on the way of a bone, and how long the bone stays there. Frames are the scene's."""

    object: PointerProperty(type=Object, name="Empty", description="The empty whose place and rotation this point has")
    begin: FloatProperty(
        name="Begin", description="The frame at which the point is reached", step=100, update=_extend_constraint
    )
    end: FloatProperty(
        name="End",
        description="The frame at which the point is left; the same for no stay",
        step=100,
        update=_extend_constraint,
    )
    tension: FloatProperty(
        name="Tension", description="1 comes to rest at the point, -1 rushes through it", soft_min=-1.0, soft_max=1.0
    )
    continuity: FloatProperty(
        name="Continuity", description="Other than 0 breaks the velocity at the point", soft_min=-1.0, soft_max=1.0
    )
    bias: FloatProperty(
        name="Bias",
        description="Leans the way toward where it came from (above 0) or goes to (below 0)",
        soft_min=-1.0,
        soft_max=1.0,
    )
    home: FloatVectorProperty(
        name="Home", description="Where the point was before anybody moved its empty", subtype="TRANSLATION"
    )
    home_rotation: FloatVectorProperty(
        name="Home Rotation",
        description="How the point was turned before anybody turned its empty",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )
