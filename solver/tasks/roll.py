# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint has a given roll about one of its own axes: a foot that stands does not bank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray
from ..core.errors import TaskError
from .base import Task, target_array

STEEPEST = 0.01
"""cos² of the steepest slope at which a roll is determined: an axis that is within six degrees of upright has none, and
its Jacobian does not grow any more."""


@dataclass(frozen=True, eq=False)
class RollTask(Task):
    """A joint has the roll `target` about its local `axis`, see `rolls`: error = target - current, from -π to π.

    Where the axis points stays free.
    """

    joint: str | int
    axis: ArrayLike
    """(3,) in the joint's local frame, of any length but zero."""
    target: ArrayLike
    """(1,) or (frames, 1) radians."""

    is_angular: ClassVar[bool] = True
    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        super().__post_init__()
        axis = target_array(self.label, self.axis, 3, "axis")
        if axis.ndim != 1 or not axis.any():
            raise TaskError(f"{self.label}: the axis is fixed to the joint: three numbers that are not all zero.")
        object.__setattr__(self, "axis", axis / np.linalg.norm(axis))
        object.__setattr__(self, "target", target_array(self.label, self.target, 1, "roll"))

    @property
    def label(self) -> str:
        return self.name or f"Roll of {self.joint}"

    @property
    def effector(self) -> str | int:
        return self.joint

    def error(self, state: WorldState) -> Array:
        rotation = state.rotations[:, state.skeleton.index(self.joint)]
        return wrapped(cast(Array, self.target) - _angles(rotation, state.skeleton.up_axis, self._across))

    @cached_property
    def _across(self) -> Array:
        return _across(cast(Array, self.axis))

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        # A turn w is the sum of turns about the vertical, about the horizontal across the axis, and about the axis
        # itself. Only the last one has a part along the horizontal under the axis.
        joint = state.skeleton.index(self.joint)
        level = rotations.rotate(state.rotations[:, joint], cast(Array, self.axis))
        level[:, state.skeleton.up_axis] = 0.0
        level /= np.maximum(rotations.dot(level, level), STEEPEST)[:, None]
        return level[:, None] @ state.rotation_jacobian(joint, dofs)

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return skeleton.tree.carriers(skeleton.index(self.joint))


def rolls(state: WorldState, joint: int, axis: Array) -> Array:
    """(frames, 1) the rolls of a joint about its local `axis` (3,), a unit vector: angles about the axis, in the world,
    from the vertical plane through it to a direction that is fixed to the joint."""
    return _angles(state.rotations[:, joint], state.skeleton.up_axis, _across(axis))


def _angles(q: Array, up: int, across: Array) -> Array:
    """(frames, 1) as `rolls`, of rotations (frames, 4), given the directions `across` (3, 2) the axis."""
    vertical = _row(q, up) @ across
    return np.arctan2(vertical[:, :1], vertical[:, 1:])


def _across(axis: Array) -> Array:
    """(3, 2) two directions at right angles to an axis (3,) and to each other, of the same length."""
    fixed = rotations.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    return np.stack([rotations.cross(fixed, axis), fixed], axis=1)


def _row(q: Array, axis: int) -> Array:
    """(frames, 3) a row of the matrices of rotations (frames, 4): a world axis in the rotated frames."""
    second, third = (axis + 1) % 3, (axis + 2) % 3
    w, x, y, z = q[:, 0], q[:, 1 + axis], q[:, 1 + second], q[:, 1 + third]
    row = np.empty((len(q), 3))
    row[:, axis] = 1.0 - 2.0 * (y * y + z * z)
    row[:, second] = 2.0 * (x * y - w * z)
    row[:, third] = 2.0 * (x * z + w * y)
    return row


def wrapped(angles: Array) -> Array:
    """Angles between -π and π that differ from given ones by full turns."""
    return angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi))
