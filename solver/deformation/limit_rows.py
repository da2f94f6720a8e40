# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that keep joints within their limits, over the coordinates of `Columns`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..core.arrays import Array, BoolArray, IntArray
from ..posture.active_set import LimitBoundaries
from .columns import Columns


@dataclass(frozen=True, eq=False)
class LimitRows:
    """The rows of some boundaries, those that are active in each frame of a state."""

    jacobian: Array
    """(frames, rows, columns) the derivatives of the excess; zero rows where a frame has fewer active boundaries than
    others."""
    _boundaries: IntArray
    """(frames, rows) the boundary of each row."""
    _used: BoolArray
    """(frames, rows)"""

    def at(self, frames: IntArray) -> LimitRows:
        """The rows in some of the frames."""
        return LimitRows(self.jacobian[frames], self._boundaries[frames], self._used[frames])

    def errors(self, excess: Array) -> Array:
        """(frames, rows) the changes of the excess that lead to the boundaries, given the excess (frames, boundaries);
        zero inside."""
        own = np.take_along_axis(excess, self._boundaries, axis=1)
        return np.where(self._used, -np.maximum(own, 0.0), 0.0)


class Limits:
    """The limits of the joints that may move."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._boundaries = LimitBoundaries(columns.skeleton, columns.dofs)

    def excess(self, motion: Motion) -> Array:
        """(frames, boundaries) radians beyond each boundary; negative inside."""
        return self._boundaries.excess(motion)

    def rows(self, world: WorldState, active: BoolArray, movable: BoolArray) -> LimitRows:
        """The rows of the active boundaries (frames, boundaries) in a state, over the columns that are `movable`
        (frames, columns)."""
        measured = self._boundaries.measured(world, np.ones(self._columns.count)) if active.any() else None
        most = int(active.sum(axis=1).max(initial=0))
        order = np.argsort(~active, axis=1, kind="stable")[:, :most]
        used = np.take_along_axis(active, order, axis=1)
        jacobian = np.zeros((world.frames, most, self._columns.count))
        if measured is not None:
            jacobian = self._columns.in_parents(replace(measured, active=active).rows()[0], world) * movable[:, None]
        return LimitRows(jacobian, order, used)
