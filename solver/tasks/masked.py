# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that are active in some frames only, so that frames with different tasks share a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import TaskError
from .base import GoalStep, Task


@dataclass(frozen=True, eq=False)
class MaskedTask(Task):
    """Another task in the frames in which it is `active`; zero rows in the others.

    Priority, weight, recruited joints and name are the other task's.
    """

    task: Task
    active: BoolArray
    """(frames,)"""

    def __post_init__(self) -> None:
        if self.task.is_inequality:
            raise TaskError(f"{self.task.label}: an inequality acts where it is violated; it cannot be switched off.")
        active = np.asarray(self.active, dtype=bool)
        if active.ndim != 1:
            raise TaskError(f"{self.task.label}: give one value for each frame, whether it is active.")
        for field, value in (
            ("active", active),
            ("priority", self.task.priority),
            ("weight", self.task.weight),
            ("recruit", self.task.recruit),
            ("name", self.task.name),
            ("is_angular", self.task.is_angular),
        ):
            object.__setattr__(self, field, value)

    def _active_part(self, rows: Array) -> Array:
        """The active part of arrays (frames, rows, …)."""
        return rows * self.active.reshape(-1, *[1] * (rows.ndim - 1))

    @property
    def label(self) -> str:
        return self.task.label

    @property
    def is_special(self) -> bool:
        return self.task.is_special

    @property
    def effector(self) -> str | int | None:
        return self.task.effector

    def error(self, state: WorldState) -> Array:
        return self._active_part(self.task.cached_error(state))

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        return self._active_part(self.task.goal(state, step))

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        return self._active_part(self.task.jacobian(state, dofs))

    def observed_joints(self, skeleton: Skeleton) -> BoolArray:
        return self.task.observed_joints(skeleton)

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return self.task.influencing_joints(skeleton)

    def recruited(self, skeleton: Skeleton) -> BoolArray:
        return self.task.recruited(skeleton)

    def at(self, frames: IntArray) -> Self:
        return self._copy(task=self.task.at(frames), active=self.active[frames])

    def check(self, skeleton: Skeleton, frames: int) -> None:
        self.task.check(skeleton, frames)
        if len(self.active) != frames:
            raise TaskError(f"{self.label}: it is switched for {len(self.active)} frames, but the motion has {frames}.")


def across(axis: Array) -> Array:
    """(frames, 3, 3) two unit rows perpendicular to each unit vector (frames, 3) and a zero row; the identity where the
    vector is zero.

    Two points of a rigid body have a fixed distance: the rows of the second one along the line between them are either
    satisfied or infeasible, and would depend on the rows of the first. These matrices leave them out.
    """
    least = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    first = rotations.cross(axis, least)
    lengths = rotations.lengths(first)
    is_given = lengths > 0.0
    first /= np.where(is_given, lengths, 1.0)[:, None]
    basis = np.zeros((len(axis), 3, 3))
    basis[:, 0], basis[:, 1] = first, rotations.cross(axis, first)
    basis[~is_given] = np.eye(3)
    return basis
