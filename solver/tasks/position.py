# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of the body is at a given position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

from ..body.degrees_of_freedom import Dofs
from ..body.joints import BodyPoint
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core.arrays import Array, ArrayLike, BoolArray
from .base import Task, axis_indices, check_offset, target_array


@dataclass(frozen=True, eq=False)
class PositionTask(Task):
    """A joint, or a point on it, is at `target` along the chosen world axes: error = target - position."""

    joint: str | int
    target: ArrayLike
    """(3,) or (frames, 3) world position."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where on the joint, in its local frame."""
    axes: str = "xyz"
    """Which world axes count."""

    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_offset(self.label, self.offset)
        object.__setattr__(self, "target", target_array(self.label, self.target, 3, "target"))
        axis_indices(self.label, self.axes)

    @property
    def label(self) -> str:
        return self.name or f"Position of {self.joint}"

    @property
    def effector(self) -> str | int:
        return self.joint

    @cached_property
    def _rows(self) -> list[int]:
        return axis_indices(self.label, self.axes)

    def _point(self, skeleton: Skeleton) -> BodyPoint:
        return skeleton.resolve(self._body_point)

    @cached_property
    def _body_point(self) -> BodyPoint:
        return BodyPoint(self.joint, self.offset)

    def error(self, state: WorldState) -> Array:
        error = cast(Array, self.target) - state.point(self._point(state.skeleton))
        return error if self._rows == [0, 1, 2] else error[:, self._rows]

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        jacobian = state.point_jacobian(self._point(state.skeleton), dofs)
        return jacobian if self._rows == [0, 1, 2] else jacobian[:, self._rows]

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return skeleton.tree.carriers(skeleton.index(self.joint))
