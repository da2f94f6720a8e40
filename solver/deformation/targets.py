# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets of a constraint's points in world space, to be shown beside the points that miss them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import Constraint
from ..constraints.effectors import AttachedEffector, PointEffector
from ..core import rotations
from ..core.arrays import Array, IntArray
from .deform import Deformation


@dataclass(frozen=True, eq=False)
class PointTargets:
    """The targets of one point of the body."""

    point: BodyPoint
    """With the joint as an index."""
    frames: IntArray
    """(n,) the frames in which it has a target: those of the hold intervals or, where the path is constrained, all
    frames of the constraint's activity."""
    positions: Array
    """(n, 3) the targets, in world space."""


def point_targets(deformation: Deformation, constraint: Constraint, clip: Clip) -> list[PointTargets]:
    """The targets of every point that a constraint of a deformation holds; none for orientations and balance.

    `clip` is the result, or another clip of the same character and frames: targets on a joint move with it.
    """
    looped, solution = deformation._looped, deformation._solution
    source = solution.work.source if looped is None else looped.source
    found = []
    for track in constraint.compiled(source):
        effector = track.effector
        if not isinstance(effector, (PointEffector, AttachedEffector)):
            continue
        frames = track.frames if constraint.constrains_path else track.hold_frames
        displacement = track.displacement[frames - track.begin]
        targets = np.asarray(effector.displaced(source.values(effector)[frames], displacement))
        if isinstance(effector, AttachedEffector):
            world, on = clip.world, effector.reference
            targets = world.positions[frames, on] + rotations.rotate(world.rotations[frames, on], targets)
        found.append(PointTargets(effector.point, frames, targets))
    return found
