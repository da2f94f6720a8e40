# SPDX-License-Identifier: GPL-3.0-or-later
"""The pivot of a body over many frames: the point of it that stays in place, and the axis that it rotates about.

Le Callennec 2006 averages the lines of single displacements. Where a body rotates little from one frame to the next,
noise displaces these lines far, so here the whole interval is fitted at once: the point p of the body and its position
c in the world minimise the sum over the frames of |R p + t − c|². With both means subtracted, p solves a system of
three equations; its least determined direction is the axis of the body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray
from ..core.robust import outlier_distance

UNDETERMINED = 1e-2
"""Share of the largest rotation of a direction of the body, below which a direction does not determine the pivot: about
a line every point of the line is a pivot, and the one nearest to the body's origin is taken."""


@dataclass(frozen=True, eq=False)
class Pivot:
    """The point of a body that stays nearest to one position, and its axis that stays nearest to one direction."""

    offset: Array
    """(3,) in the body's frame."""
    axis: Array
    """(3,) the unit direction of the axis in the body's frame."""
    position: Array
    """(3,) the position at which the point stays, in the frame in which the body's positions are given: the world, or
    that of the reference of a detection."""
    direction: Array
    """(3,) the unit direction of the axis in that frame."""
    distances: Array
    """(frames,) the distance of the point from its position, in every frame that was given."""
    axes: Array
    """(frames, 3) the direction of the axis, in every frame that was given."""

    @property
    def residual(self) -> float:
        """The root mean square distance of the point from its position."""
        return float(np.sqrt((self.distances**2).mean()))

    @property
    def tilts(self) -> Array:
        """(frames,) radians between the axis and its mean direction."""
        sine = rotations.lengths(rotations.cross(self.axes, self.direction))
        return np.asarray(np.arctan2(sine, self.axes @ self.direction))

    def over(self, matrices: Array, positions: Array) -> Pivot:
        """The same pivot measured in other frames: matrices (frames, 3, 3) and positions (frames, 3)."""
        distances, axes = _measured(self.offset, self.axis, self.position, matrices, positions)
        return replace(self, distances=distances, axes=axes)


def pivot(matrices: Array, positions: Array, *, about_line: bool) -> Pivot:
    """The pivot of a body with rotation matrices (frames, 3, 3) and positions (frames, 3), fitted without outliers.

    About a line the point is the one of the line that is nearest to the body's origin.
    """
    found = _fitted(matrices, positions, None, about_line)
    near = found.distances <= outlier_distance(found.distances)
    inliers = np.count_nonzero(near)
    if inliers == len(near) or inliers <= len(near) // 2:
        return found
    return _fitted(matrices, positions, near, about_line)


def _fitted(matrices: Array, positions: Array, used: BoolArray | None, about_line: bool) -> Pivot:
    # Sums over frames are products of flat matrices: with a few dozen frames the number of calls is what costs.
    used_matrices, used_positions = (matrices, positions) if used is None else (matrices[used], positions[used])
    count = len(used_positions)
    mean_matrix, mean_position = np.add.reduce(used_matrices) / count, np.add.reduce(used_positions) / count
    centred_matrices, centred_positions = (used_matrices - mean_matrix).reshape(-1, 3), used_positions - mean_position
    spread, axes = np.linalg.eigh(centred_matrices.T @ centred_matrices)
    right_side = axes.T @ (centred_matrices.T @ centred_positions.ravel())
    determined = spread > max(UNDETERMINED**2 * float(spread[-1]), 0.0)
    if about_line:
        determined[0] = False
    offset = -axes @ np.where(determined, right_side / np.where(determined, spread, 1.0), 0.0)
    position = mean_matrix @ offset + mean_position
    directions = (used_matrices.reshape(-1, 3) @ axes[:, 0]).reshape(-1, 3)
    direction = np.add.reduce(directions)
    direction = direction / max(math.sqrt(float(direction @ direction)), TINY)
    return Pivot(offset, axes[:, 0], position, direction, *_measured(offset, axes[:, 0], position, matrices, positions))


def _measured(offset: Array, axis: Array, position: Array, matrices: Array, positions: Array) -> tuple[Array, Array]:
    """(frames,) the distance of a body's point from a position, and (frames, 3) the direction of a body's axis."""
    flat = matrices.reshape(-1, 3)
    distances = rotations.lengths((flat @ offset).reshape(-1, 3) + (positions - position))
    return distances, (flat @ axis).reshape(-1, 3)
