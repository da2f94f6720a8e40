# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of the body is at a given position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..core.arrays import Array, ArrayLike
from .base import axis_indices
from .point import PointTask


@dataclass(frozen=True, eq=False)
class PositionTask(PointTask):
    """A joint, or a point on it, is at `target` along the chosen world axes: error = target - position."""

    target: ArrayLike
    """(3,) or (frames, 3) world position."""
    axes: str = "xyz"
    """Which world axes count."""

    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        super().__post_init__()
        axis_indices(self.label, self.axes)

    @property
    def label(self) -> str:
        return self.name or f"Position of {self.joint}"

    @cached_property
    def _rows(self) -> list[int]:
        return axis_indices(self.label, self.axes)

    def error(self, state: WorldState) -> Array:
        error = cast(Array, self.target) - state.point(self._point(state.skeleton))
        return error if self._rows == [0, 1, 2] else error[:, self._rows]

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        jacobian = state.point_jacobian(self._point(state.skeleton), dofs)
        return jacobian if self._rows == [0, 1, 2] else jacobian[:, self._rows]
