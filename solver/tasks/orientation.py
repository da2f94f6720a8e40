# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint has a given world rotation."""

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


@dataclass(frozen=True, eq=False)
class OrientationTask(Task):
    """A joint has the world rotation `target`: error = log(target * current⁻¹), a rotation vector in the world."""

    joint: str | int
    target: ArrayLike
    """(4,) or (frames, 4) world rotation; need not be of unit length, but not zero."""

    is_angular: ClassVar[bool] = True
    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        super().__post_init__()
        target = target_array(self.label, self.target, 4, "target rotation")
        if not np.linalg.norm(target, axis=-1).all():
            raise TaskError(f"{self.label}: the target rotation is a zero quaternion.")
        object.__setattr__(self, "target", rotations.normalize(target))

    @property
    def label(self) -> str:
        return self.name or f"Orientation of {self.joint}"

    @property
    def effector(self) -> str | int:
        return self.joint

    def error(self, state: WorldState) -> Array:
        current = state.rotations[:, state.skeleton.index(self.joint)]
        return rotations.log(rotations.quotient(cast(Array, self.target), current))

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        # With e = log(T q⁻¹), a turn w of q gives log(exp(e) exp(-w)): its derivative is the inverse right Jacobian
        # at e, which is the inverse left one at -e.
        seen = rotations.exp_jacobian_inverse(-self.cached_error(state))
        return state.rotation_jacobian(state.skeleton.index(self.joint), dofs, seen)

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return skeleton.tree.carriers(skeleton.index(self.joint))
