# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of displacements along the axes of the world, in which they can be compared from frame to frame.

The coordinates of `Columns` are those of each joint's parent. In a capture, a straight limb may turn about itself from
one frame to the next, and the limb below it back: no point of the body moves, but what is constant in the parent's frame
jumps in the world. So displacements are compared and interpolated along the axes of the world.
"""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..core import rotations
from ..core.arrays import Array, IntArray
from .columns import Columns


class WorldAxes:
    """The rotations from the coordinates of `Columns` to the axes of the world, in every frame of a source."""

    def __init__(self, clip: Clip, columns: Columns) -> None:
        self._clip = clip
        self._columns = columns
        dofs = columns.dofs
        self._joints = np.concatenate([dofs.translating, dofs.rotating])
        self._turning = 3 * len(self._joints)

    def _matrices(self, frames: IntArray) -> Array:
        """(frames, joints with three columns, 3, 3) the rotations of their parents in the source."""
        return rotations.to_matrix(self._clip.world.at(frames).parent_rotations(self._joints))

    def from_parents(self, values: Array, frames: IntArray) -> Array:
        """(frames, columns) displacements in the coordinates of `Columns`, along the axes of the world."""
        return self._turned(values[:, None], self._matrices(frames).swapaxes(2, 3))[:, 0]

    def in_parents(self, values: Array, frames: IntArray) -> Array:
        """(frames, columns) displacements along the axes of the world in the coordinates of `Columns`."""
        return self._turned(values[:, None], self._matrices(frames))[:, 0]

    def rows_from_parents(self, rows: Array, frames: IntArray) -> Array:
        """(frames, rows, columns) a Jacobian over the coordinates of `Columns`, over those along the world's axes."""
        return self._turned(rows, self._matrices(frames).swapaxes(2, 3))

    def metric_from_parents(self, metric: Array, frames: IntArray) -> Array:
        """(frames, columns, columns) a metric of the coordinates of `Columns`, of those along the world's axes."""
        half = self.rows_from_parents(metric, frames)
        return self.rows_from_parents(half.swapaxes(1, 2), frames)

    def metric_in_parents(self, metric: Array, frames: IntArray) -> Array:
        """(frames, columns, columns) a metric along the world's axes, of the coordinates of `Columns`."""
        matrices = self._matrices(frames)
        return self._turned(self._turned(metric, matrices).swapaxes(1, 2), matrices)

    def _turned(self, rows: Array, matrices: Array) -> Array:
        """(frames, rows, columns) rows whose columns of each joint are multiplied by a matrix from the right."""
        own = rows[:, :, : self._turning].reshape(*rows.shape[:2], len(self._joints), 3).swapaxes(1, 2)
        turned = rows.copy()
        turned[:, :, : self._turning] = (own @ matrices).swapaxes(1, 2).reshape(*rows.shape[:2], self._turning)
        return turned
