# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority levels: the stacked rows of all tasks of one priority, and the pose attraction below them.

Rows and columns are scaled to pure numbers (see `problem`), so errors are in sizes of the character or radians.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray


class SecondOrder(Protocol):
    """The second derivatives of a level, evaluated on demand."""

    def at(self, frames: IntArray) -> SecondOrder:
        """Those of some of the frames."""

    def curvature(self, frames: IntArray, pull: Array) -> Array:
        """(some, columns, columns) -Σᵢ pullᵢ ∂²valueᵢ/∂q² over the rows i at some frames (some,) of the batch; the pull
        (some, rows) is the weighted residual."""


@dataclass(frozen=True, eq=False)
class PriorityLevel:
    """All tasks of one priority, stacked."""

    jacobian: Array
    """(frames, rows, columns)"""
    goal_error: Array
    """(frames, rows) error to the next intermediate goal."""
    target_error: Array
    """(frames, rows) error to the target; equals `goal_error` where the goal is the target."""
    task_of_row: IntArray
    """(rows,) the index of each row's task."""
    recruited: BoolArray | None = None
    """(rows, columns) which columns may move for each row; None where every column that moves a row may."""
    second_order: SecondOrder | None = None
    """Second derivatives, needed where the level is unreachable; None where they are unknown."""
    null_rows: Array | None = None
    """(frames, rows) for each task, the unit combination of its rows that no column moves (a left null vector of its
    Jacobian), or zero; None where no task has one."""


@dataclass(frozen=True, eq=False)
class PriorityLevels:
    """All levels, the most important first, with their rows stacked in that order. Fields as in `PriorityLevel`."""

    jacobian: Array
    """(frames, rows, columns)"""
    goal_error: Array
    """(frames, rows)"""
    target_error: Array
    """(frames, rows)"""
    level_of_row: IntArray
    """(rows,) ascending; a level may have no rows."""
    task_of_row: IntArray
    """(rows,)"""
    recruited: BoolArray | None
    """(rows, columns)"""
    second_order: tuple[SecondOrder | None, ...]
    """For each level."""
    null_rows: Array | None
    """(frames, rows)"""

    def __len__(self) -> int:
        return len(self.second_order)

    def __iter__(self) -> Iterator[PriorityLevel]:
        for depth, second_order in enumerate(self.second_order):
            rows = slice(*np.searchsorted(self.level_of_row, [depth, depth + 1]))
            recruited = None if self.recruited is None else self.recruited[rows]
            yield PriorityLevel(
                self.jacobian[:, rows],
                self.goal_error[:, rows],
                self.target_error[:, rows],
                self.task_of_row[rows],
                None if recruited is None or recruited.all() else recruited,
                second_order,
                None if self.null_rows is None else self.null_rows[:, rows],
            )

    def at(self, frames: IntArray) -> PriorityLevels:
        """The levels in some of the frames."""
        return replace(
            self,
            jacobian=self.jacobian[frames],
            goal_error=self.goal_error[frames],
            target_error=self.target_error[frames],
            second_order=tuple(each and each.at(frames) for each in self.second_order),
            null_rows=None if self.null_rows is None else self.null_rows[frames],
        )

    @staticmethod
    def of(levels: Sequence[PriorityLevel]) -> PriorityLevels:
        """Stack some levels, at least one."""
        recruited = null_rows = None
        if any(level.recruited is not None for level in levels):
            recruited = np.concatenate(
                [
                    np.ones(level.jacobian.shape[1:], dtype=bool) if level.recruited is None else level.recruited
                    for level in levels
                ]
            )
        if any(level.null_rows is not None for level in levels):
            null_rows = np.concatenate(
                [np.zeros_like(level.goal_error) if level.null_rows is None else level.null_rows for level in levels],
                axis=1,
            )
        return PriorityLevels(
            np.concatenate([level.jacobian for level in levels], axis=1),
            np.concatenate([level.goal_error for level in levels], axis=1),
            np.concatenate([level.target_error for level in levels], axis=1),
            np.repeat(np.arange(len(levels)), [level.goal_error.shape[1] for level in levels]),
            np.concatenate([level.task_of_row for level in levels]),
            recruited,
            tuple(level.second_order for level in levels),
            null_rows,
        )


@dataclass(frozen=True, eq=False)
class Attraction:
    """The velocity toward a reference pose, followed in the null space of all levels."""

    velocity: Array
    """(frames, columns)"""
    columns: BoolArray
    """(columns,) which columns are attracted."""

    def at(self, frames: IntArray) -> Attraction:
        """The attraction in some of the frames."""
        return Attraction(self.velocity[frames], self.columns)
