# SPDX-License-Identifier: GPL-3.0-or-later
"""Held poses as constraints of the solver: bones keep their rotations in the world, or relative to their parents.

A bone keeps its rotation relative to its parent if two of its points keep their places in the parent's frame, one along
the bone and one beside it. During the eases both points rotate about the bone's head as a rigid body, since otherwise
they could not both be reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...solver import (
    BodyPoint,
    Clip,
    Constraint,
    ConstraintPoint,
    OrientationConstraint,
    ShapeConstraint,
    rotations,
    smooth_step,
)
from ..bridge.arrays import Array

ARM = 0.25
"""The distance of the two points from the head of the bone, in sizes of the character: the length of a forearm, so that
a rotation counts as much as moving a hand."""


def pose_in_world(
    joint: str, rotation: Array, stay: tuple[float, float], activity: tuple[float, float], shared: dict[str, Any]
) -> list[Constraint]:
    """The constraint that holds a rotation (4,) of a joint in the world over a `stay`; times are frames of the clip."""
    points = [ConstraintPoint(rotation, *stay)]
    return [OrientationConstraint(joint, *activity, points=points, mode="condensed", **shared)]


def pose_on_parent(
    clip: Clip,
    joint: str,
    rotation: Array,
    stay: tuple[float, float],
    eases: tuple[float, float],
    shared: dict[str, Any],
) -> list[Constraint]:
    """The constraints that hold a rotation (4,) of a joint relative to its parent over a `stay`, with eases."""
    index = clip.skeleton.index(joint)
    first = max(int(np.ceil(stay[0] - eases[0])), 0)
    last = min(int(np.floor(stay[1] + eases[1])), clip.frames - 1)
    frames = np.arange(first, last + 1)
    ease_in = smooth_step((frames - stay[0] + eases[0]) / eases[0]) if eases[0] > 0.0 else 1.0 * (frames >= stay[0])
    ease_out = smooth_step((stay[1] + eases[1] - frames) / eases[1]) if eases[1] > 0.0 else 1.0 * (frames <= stay[1])
    eased = rotations.slerp(clip.motion.rotations[frames, index], rotations.normalize(rotation), ease_in * ease_out)
    heads = clip.motion.translations[frames, index]
    reach = ARM * clip.skeleton.size
    # Only the bone itself can change its rotation relative to its parent.
    shared = {**shared, "recruit": 0}
    parent = clip.skeleton.names[int(clip.skeleton.parents[index])]
    made: list[Constraint] = []
    for offset in ((0.0, reach, 0.0), (reach, 0.0, 0.0)):
        locations = heads + rotations.rotate(eased, np.array(offset))
        points = [ConstraintPoint(location, float(frame)) for location, frame in zip(locations, frames, strict=True)]
        made.append(
            ShapeConstraint(
                BodyPoint(joint, offset), float(first), float(last), points=points, reference=parent, **shared
            )
        )
    return made
