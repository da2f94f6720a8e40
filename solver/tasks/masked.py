# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that hold in some frames of a batch, or in part: so frames in which different things hold share a batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import TaskError
from ..core.row_space import combined, times
from .base import GoalStep, Task


@dataclass(frozen=True, eq=False)
class MaskedTask(Task):
    """Another task where `active`, and nothing elsewhere.

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
            raise TaskError(f"{self.task.label}: it must be said for each frame whether it is active.")
        for field, value in (
            ("active", active),
            ("priority", self.task.priority),
            ("weight", self.task.weight),
            ("recruit", self.task.recruit),
            ("name", self.task.name),
            ("is_angular", self.task.is_angular),
        ):
            object.__setattr__(self, field, value)

    def _seen(self, rows: Array) -> Array:
        """What counts of arrays (frames, rows, …)."""
        return rows * self.active.reshape(-1, *[1] * (rows.ndim - 1))

    @property
    def label(self) -> str:
        return self.task.label

    @property
    def effector(self) -> str | int | None:
        return self.task.effector

    def error(self, state: WorldState) -> Array:
        return self._seen(self.task.error_once(state))

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        return self._seen(self.task.goal(state, step))

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        return self._seen(self.task.jacobian(state, dofs))

    def curvature(self, state: WorldState, dofs: Dofs, pull: Array) -> Array | None:
        return self.task.curvature(state, dofs, self._seen(pull))

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


@dataclass(frozen=True, eq=False)
class AcrossTask(MaskedTask):
    """Another task of three rows without what it asks along an axis, where one is given.

    Two points of a rigid body are as far apart as they are: what the second one asks along the line between them is
    either already so or impossible, and would make their rows depend on each other.
    """

    seen: Array
    """(frames, 3, 3) how the task's rows are seen: see `across`."""

    @cached_property
    def _seen_where_active(self) -> Array:
        """(frames, 3, 3)"""
        return self.seen * self.active[:, None, None]

    def _seen(self, rows: Array) -> Array:
        seen = self._seen_where_active
        return seen @ rows if rows.ndim == 3 else times(seen, rows)

    def curvature(self, state: WorldState, dofs: Dofs, pull: Array) -> Array | None:
        back = combined(pull * self.active[:, None], self.seen)
        return self.task.curvature(state, dofs, back)

    def at(self, frames: IntArray) -> Self:
        return self._copy(
            task=self.task.at(frames),
            active=self.active[frames],
            seen=self.seen[frames],
            _seen_where_active=self._seen_where_active[frames],
        )


def across(axis: Array) -> Array:
    """(frames, 3, 3): rows square to unit vectors (frames, 3), and a zero row; the identity where they are zero."""
    least = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    first = rotations.cross(axis, least)
    lengths = rotations.lengths(first)
    is_given = lengths > 0.0
    first /= np.where(is_given, lengths, 1.0)[:, None]
    basis = np.zeros((len(axis), 3, 3))
    basis[:, 0], basis[:, 1] = first, rotations.cross(axis, first)
    basis[~is_given] = np.eye(3)
    return basis
