# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint has a given roll about one of its own axes: a foot that stands does not bank."""

from __future__ import annotations

from dataclasses import dataclass
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
        return wrapped(
            cast(Array, self.target) - rolls(state, state.skeleton.index(self.joint), cast(Array, self.axis))
        )

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
    rotation, up = state.rotations[:, joint], np.eye(3)[state.skeleton.up_axis]
    fixed = rotations.unit(rotations.cross(axis, np.eye(3)[np.argmin(np.abs(axis))]))
    vertical = rotations.rotate(rotations.conjugate(rotation), up)
    return np.arctan2(vertical @ rotations.cross(fixed, axis), vertical @ fixed)[:, None]


def wrapped(angles: Array) -> Array:
    """Angles between -π and π that differ from given ones by full turns."""
    return angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi))
