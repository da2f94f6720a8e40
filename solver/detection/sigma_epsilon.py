# SPDX-License-Identifier: GPL-3.0-or-later
"""The sigma-epsilon space: how nearly each displacement leaves all points, or the points of a line, in place.

A displacement R, t leaves a point p in place where A p = −t with A = R − 1 (Le Callennec 2006, section 6.4.2;
Le Callennec and Boulic 2006, section 5). For a rotation by the angle θ about the unit axis u, A has the singular values
2 sin(θ/2), twice, and 0, whose singular vector is u on both sides. So no decomposition is needed: with all three taken
for zero, the residual is t itself; with only the last one, it is the part of t along u, and the points that stay are
the line through ½ (t⊥ + cot(θ/2) u × t⊥) along u. The two publications number the singular values in opposite orders;
here they have names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array
from .displacements import Displacements

LEAST_TURN = 1e-9
"""Radians: a rotation below this is rounding, and has no axis."""


@dataclass(frozen=True, eq=False)
class SigmaEpsilon:
    """A point of the sigma-epsilon space for each displacement, and the line that it leaves in place."""

    sigma: Array
    """(n,) the two equal singular values, which grow with the rotation. The third is 0 in every rigid displacement."""
    space_residual: Array
    """(n,) epsilon with all singular values taken for zero: how far the origin moves."""
    line_residual: Array
    """(n,) epsilon with only the third taken for zero: the translation along the axis, or the whole translation where
    there is no rotation and so no axis."""
    axis: Array
    """(n, 3) unit directions of the lines, in the frame of the displacements; zero where there is no rotation."""
    nearest_point: Array
    """(n, 3) the point of each line that is nearest to the origin of that frame."""
    stride: int = 1

    def __len__(self) -> int:
        return len(self.sigma)

    def lines(self, body: MovingObject) -> tuple[Array, Array]:
        """The lines of local displacements, in the frame in which the body's positions are given (the world, or that of
        the reference of a detection): points (n, 3) and directions (n, 3)."""
        quaternions, positions = body.rotations[: len(self)], body.positions[: len(self)]
        return positions + rotations.rotate(quaternions, self.nearest_point), rotations.rotate(quaternions, self.axis)


def sigma_epsilon(displacements: Displacements) -> SigmaEpsilon:
    """The points of the sigma-epsilon space of displacements."""
    half_cosine, half_turn = displacements.rotations[:, 0], displacements.rotations[:, 1:]
    translations = displacements.translations
    half_sine = np.linalg.norm(half_turn, axis=1)
    rotates = 2.0 * half_sine > LEAST_TURN
    divisor = np.where(rotates, half_sine, 1.0)[:, None]
    axis = np.where(rotates[:, None], half_turn / divisor, 0.0)
    along = np.einsum("ni,ni->n", axis, translations)
    across = translations - along[:, None] * axis
    cotangent = np.where(rotates, half_cosine / divisor[:, 0], 0.0)[:, None]
    nearest_point = np.where(rotates[:, None], 0.5 * (across + cotangent * np.cross(axis, across)), 0.0)
    length = np.linalg.norm(translations, axis=1)
    return SigmaEpsilon(
        sigma=2.0 * half_sine,
        space_residual=length,
        line_residual=np.where(rotates, np.abs(along), length),
        axis=axis,
        nearest_point=nearest_point,
        stride=displacements.stride,
    )
