# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass tensors of the bodies that move with joints, and weighted points that stand for them.

The mass tensor of a body (Popović 1999, section 3.3.3) is ∫ x xᵀ dm, (4, 4), with x = (x, y, z, 1) in its joint's
frame: it holds mass, first and second moments. Written as a sum of few v vᵀ, integrals over all matter of a body become
sums over these vectors. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, IntArray
from .inertia import second_moments_of
from .skeleton import Skeleton

THINNEST = 1e-9
"""Share of a body's second moments below which those along one axis are rounding: a thin rod has none across it."""


def mass_tensors(skeleton: Skeleton) -> Array:
    """(joints, 4, 4) mass tensor of each joint's own mass, loads included, in the joint's frame."""
    masses, centers = skeleton.masses, skeleton.mass_centers
    homogeneous = np.concatenate([centers, np.ones((len(skeleton), 1))], axis=1)
    tensors = masses[:, None, None] * homogeneous[:, :, None] * homogeneous[:, None]
    tensors[:, :3, :3] += second_moments_of(skeleton.inertias)
    return np.asarray(tensors)


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Weighted points and directions of bodies, such that each body's mass tensor is the sum of v vᵀ over the four-
    vectors v = (weight · offset, weight) of its points and v = (direction, 0) of its directions."""

    point_joints: IntArray
    """(points,) the joints that have mass, ascending."""
    offsets: Array
    """(points, 3) the centres of their mass, in the joints' frames."""
    weights: Array
    """(points,) the roots of their masses."""
    direction_joints: IntArray
    """(directions,) up to three for each joint that has inertia, ascending."""
    directions: Array
    """(directions, 3) the principal axes of each body in its joint's frame, as long as the root of the second moment
    along them."""

    @staticmethod
    def of(skeleton: Skeleton, without: tuple[int, ...] = ()) -> MassPoints:
        """Those of all joints, except some."""
        chosen = np.ones(len(skeleton), dtype=bool)
        chosen[list(without)] = False
        point_joints = np.flatnonzero(chosen & (skeleton.masses > 0.0))
        squares, axes = np.linalg.eigh(second_moments_of(skeleton.inertias))
        kept = chosen[:, None] & (squares > THINNEST * np.abs(squares).sum(axis=1, keepdims=True))
        joints, numbers = np.nonzero(kept)
        return MassPoints(
            point_joints,
            skeleton.mass_centers[point_joints],
            np.sqrt(skeleton.masses[point_joints]),
            joints,
            np.sqrt(squares[joints, numbers])[:, None] * axes[joints, :, numbers],
        )
