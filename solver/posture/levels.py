# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority levels: the stacked rows of all tasks, the most important first, and the pose attraction below them.

Rows and columns are scaled to pure numbers (see `problem`), so errors are in sizes of the character or radians.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from ..core.row_space import times

LIMITS = -1
"""The level of the rows of joint limits, above all others."""


@dataclass(frozen=True, eq=False)
class PriorityLevels:
    """The rows of all levels in a batch of frames, in the order of their levels."""

    count: int
    """The number of levels, without that of the limits; a level may have no rows."""
    jacobian: Array
    """(frames, rows, columns)"""
    goal_error: Array
    """(frames, rows) error to the next intermediate goal."""
    target_error: Array
    """(frames, rows) error to the target; equals `goal_error` where the goal is the target."""
    level_of_row: IntArray
    """(rows,) ascending; `LIMITS` for rows of joint limits."""
    task_of_row: IntArray
    """(rows,) the index of each row's task."""
    recruited: BoolArray | None = None
    """(rows, columns) which columns may move for each row; None where every column that moves a row may."""
    null_rows: Array | None = None
    """(frames, rows) for each task, the unit combination of its rows that no column moves (a left null vector of its
    Jacobian), or zero; None where no task has one."""

    def at(self, frames: IntArray) -> PriorityLevels:
        """The levels in some of the frames."""
        return replace(
            self,
            jacobian=self.jacobian[frames],
            goal_error=self.goal_error[frames],
            target_error=self.target_error[frames],
            null_rows=None if self.null_rows is None else self.null_rows[frames],
        )

    def masked(self, chosen: BoolArray) -> PriorityLevels:
        """These levels with rows of zeros where they are not chosen, (frames, rows)."""
        return replace(
            self,
            jacobian=self.jacobian * chosen[:, :, None],
            goal_error=self.goal_error * chosen,
            target_error=self.target_error * chosen,
            null_rows=None if self.null_rows is None else self.null_rows * chosen,
        )

    def rows_of(self, level: int) -> slice:
        """The rows of one level."""
        first, end = np.searchsorted(self.level_of_row, [level, level + 1])
        return slice(int(first), int(end))

    def below(self, jacobian: Array, residual: Array) -> PriorityLevels:
        """These levels below rows of joint limits: (frames, limits, columns) with residuals (frames, limits)."""
        limits = jacobian.shape[1]
        recruited, null_rows = self.recruited, self.null_rows
        if recruited is not None:
            recruited = np.concatenate([np.ones((limits, recruited.shape[1]), dtype=bool), recruited])
        if null_rows is not None:
            null_rows = np.concatenate([np.zeros((len(null_rows), limits)), null_rows], axis=1)
        return PriorityLevels(
            self.count,
            np.concatenate([jacobian, self.jacobian], axis=1),
            np.concatenate([residual, self.goal_error], axis=1),
            np.concatenate([residual, self.target_error], axis=1),
            np.concatenate([np.full(limits, LIMITS), self.level_of_row]),
            np.concatenate([np.full(limits, -1), self.task_of_row]),
            recruited,
            null_rows,
        )


@dataclass(frozen=True, eq=False)
class Attraction:
    """What is minimized in the null space of all levels, as a quadratic: the distance to a reference pose, or the error
    of an objective."""

    velocity: Array
    """(frames, columns) the direction of steepest descent, which for a pose is the velocity toward it."""
    columns: BoolArray
    """(columns,) which columns are attracted."""
    curvature: Array | None = None
    """(frames, columns, columns) None: that of a pose, 1 in each attracted column."""

    def at(self, frames: IntArray) -> Attraction:
        """The attraction in some of the frames."""
        curvature = None if self.curvature is None else self.curvature[frames]
        return Attraction(self.velocity[frames], self.columns, curvature)

    def within(self, columns: BoolArray) -> Attraction:
        """The attraction of the given columns, (frames, columns), alone."""
        curvature = None if self.curvature is None else self.curvature * columns[:, :, None] * columns[:, None]
        return Attraction(self.velocity * columns, self.columns, curvature)

    def after(self, step: Array) -> Array:
        """(frames, columns) the direction of steepest descent after a step (frames, columns)."""
        if self.curvature is None:
            return (self.velocity - step) * self.columns
        return self.velocity - times(self.curvature, step)
