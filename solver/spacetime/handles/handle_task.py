# SPDX-License-Identifier: GPL-3.0-or-later
"""A handle has a given value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ...body.degrees_of_freedom import Dofs
from ...body.kinematics import WorldState
from ...body.skeleton import Skeleton
from ...core import rotations
from ...core.arrays import Array, ArrayLike, BoolArray
from ...core.errors import TaskError
from ...tasks.base import GoalStep, Task, shortened, target_array
from .full_body import FullBody, FullBodyDerivatives
from .handle import AxisHandle, CenterOfMassHandle, Handle, PointHandle
from .named_points import named_joint, named_point


@dataclass(frozen=True, eq=False)
class HandleTask(Task):
    """A handle has the value `target`: error = target - current, in the clip's units where it is a length."""

    handle: Handle
    target: ArrayLike
    """(width,) or (frames, width); of a direction, of any length but zero."""

    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise TaskError(f"A handle task needs a handle, not {self.handle!r}.")
        super().__post_init__()
        target = target_array(self.label, self.target, self.handle.width, "target")
        if self.handle.is_direction:
            lengths = np.linalg.norm(target, axis=-1, keepdims=True)
            if not lengths.all():
                raise TaskError(f"{self.label}: the target has no length, so it is no direction.")
            target = target / lengths
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "is_angular", not self.handle.is_length)

    @property
    def label(self) -> str:
        return self.name or self.handle.label[:1].upper() + self.handle.label[1:]

    @property
    def is_special(self) -> bool:
        return self.handle.is_direction

    def value(self, state: WorldState) -> Array:
        """(frames, width) the values of the handle."""
        return self.handle.value(FullBody(state))

    def error(self, state: WorldState) -> Array:
        return cast(Array, self.target) - self.value(state)

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        if not self.handle.is_direction:
            return super().goal(state, step)
        # Along the great circle rather than along the chord, as `DirectionTask` does.
        pointing = self.value(state)
        arc = rotations.log(rotations.between(pointing, np.broadcast_to(cast(Array, self.target), pointing.shape)))
        return rotations.cross(shortened(arc, step.angle), pointing)

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        return self.handle.value(FullBodyDerivatives(state, dofs)).jacobian

    def null_rows(self, state: WorldState) -> Array | None:
        return self.value(state) if self.handle.is_direction else None  # the length of a direction does not change

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return _joints(self.handle, skeleton, below=True)

    def observed_joints(self, skeleton: Skeleton) -> BoolArray:
        return _joints(self.handle, skeleton, below=False)


def _joints(handle: Handle, skeleton: Skeleton, below: bool) -> BoolArray:
    """(joints,) those on which a handle depends; `below` with those that move only a part of a centre of mass."""
    tree, joints = skeleton.tree, np.zeros(len(skeleton), dtype=bool)
    if isinstance(handle, PointHandle):
        joints |= tree.carriers(int(named_point(skeleton, handle.point).joint))
    elif isinstance(handle, AxisHandle):
        joints |= tree.carriers(named_joint(skeleton, handle.joint))
    elif isinstance(handle, CenterOfMassHandle) and handle.joint is not None:
        joint = named_joint(skeleton, handle.joint)
        joints |= tree.carriers(joint)
        joints |= tree.ancestry[:, joint] & below
    elif isinstance(handle, CenterOfMassHandle):
        joints |= below
    for part in handle.parts:
        joints |= _joints(part, skeleton, below)
    return joints
