# SPDX-License-Identifier: GPL-3.0-or-later
"""A point stays on one side of a plane: the tip of a toe above the floor, a hand in front of a wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..core.arrays import Array, ArrayLike
from ..core.errors import TaskError
from .base import target_array
from .point import PointTask


@dataclass(frozen=True, eq=False)
class HalfSpaceTask(PointTask):
    """A joint, or a point on it, lies where the plane's `normal` points: error = how deep it is behind the plane.

    It acts only where it is violated, or where a step would violate it.
    """

    point: ArrayLike
    """(3,) or (frames, 3) any point of the plane, in the world."""
    normal: ArrayLike
    """(3,) into the allowed half, of any length but zero."""

    is_inequality: ClassVar[bool] = True
    frame_field: ClassVar[str] = "point"

    def __post_init__(self) -> None:
        super().__post_init__()
        normal = target_array(self.label, self.normal, 3, "normal")
        if normal.ndim != 1 or not np.linalg.norm(normal) > 0.0:
            raise TaskError(f"{self.label}: the normal must be three numbers that are not all zero.")
        object.__setattr__(self, "normal", normal / np.linalg.norm(normal))

    @property
    def label(self) -> str:
        return self.name or f"Half-space for {self.joint}"

    def depth(self, state: WorldState) -> Array:
        """(frames, 1) how far behind the plane the point is; negative in front of it."""
        behind = cast(Array, self.point) - state.point(self._point(state.skeleton))
        return np.asarray(behind @ cast(Array, self.normal))[:, None]

    def error(self, state: WorldState) -> Array:
        return np.maximum(self.depth(state), 0.0)

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        return np.einsum(
            "r,frc->fc", cast(Array, self.normal), state.point_jacobian(self._point(state.skeleton), dofs)
        )[:, None]
