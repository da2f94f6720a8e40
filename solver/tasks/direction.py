# SPDX-License-Identifier: GPL-3.0-or-later
"""An axis of a joint points in a given direction: a gaze, a level tray."""

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
from .base import GoalStep, Task, shortened, target_array


@dataclass(frozen=True, eq=False)
class DirectionTask(Task):
    """The local `axis` of a joint points along the world `direction`: error = direction - current, of unit vectors.

    The error is the chord between the two directions, so its length is the angle for small ones and 2 at the opposite.
    The spin about the axis stays free.
    """

    joint: str | int
    axis: ArrayLike
    """(3,) in the joint's local frame, of any length but zero."""
    direction: ArrayLike
    """(3,) or (frames, 3) in the world, of any length but zero."""

    is_angular: ClassVar[bool] = True
    frame_field: ClassVar[str] = "direction"

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("axis", "direction"):
            vector = target_array(self.label, getattr(self, field), 3, field)
            lengths = np.linalg.norm(vector, axis=-1, keepdims=True)
            if not lengths.all():
                raise TaskError(f"{self.label}: the {field} has no length.")
            object.__setattr__(self, field, vector / lengths)
        if cast(Array, self.axis).ndim != 1:
            raise TaskError(f"{self.label}: the axis is fixed to the joint, so it must be three numbers.")

    @property
    def label(self) -> str:
        return self.name or f"Direction of {self.joint}"

    @property
    def effector(self) -> str | int:
        return self.joint

    def _pointing(self, state: WorldState) -> Array:
        return rotations.rotate(state.rotations[:, state.skeleton.index(self.joint)], cast(Array, self.axis))

    def error(self, state: WorldState) -> Array:
        return cast(Array, self.direction) - self._pointing(state)

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        # Along the great circle rather than along the chord, which no rotation follows: that to the opposite direction
        # even passes through the joint.
        pointing = self._pointing(state)
        arc = rotations.log(rotations.between(pointing, np.broadcast_to(cast(Array, self.direction), pointing.shape)))
        return np.cross(shortened(arc, step.angle), pointing)

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        spin = state.rotation_jacobian(state.skeleton.index(self.joint), dofs)
        return -np.cross(self._pointing(state)[:, :, None], spin, axis=1)

    def null_rows(self, state: WorldState) -> Array:
        return self._pointing(state)  # the length of a direction does not change

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return skeleton.tree.carriers(skeleton.index(self.joint))
