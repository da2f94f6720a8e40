# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass is at a given position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core.arrays import Array, ArrayLike, BoolArray
from .base import Task, axis_indices, target_array


@dataclass(frozen=True, eq=False)
class CenterOfMassTask(Task):
    """The centre of mass is at `target` along the chosen world axes: error = target - centre of mass."""

    target: ArrayLike
    """(3,) or (frames, 3) world position; components along axes that do not count are ignored."""
    axes: str | None = None
    """Which world axes count; None is the two horizontal ones."""

    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", target_array(self.label, self.target, 3, "target"))
        if self.axes is not None:
            axis_indices(self.label, self.axes)

    @property
    def label(self) -> str:
        return self.name or "Centre of mass"

    def _rows(self, skeleton: Skeleton) -> list[int]:
        return axis_indices(self.label, self.axes or skeleton.horizontal_axes)

    def error(self, state: WorldState) -> Array:
        return (cast(Array, self.target) - state.center_of_mass())[:, self._rows(state.skeleton)]

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        return state.center_of_mass_jacobian(dofs)[:, self._rows(state.skeleton)]

    def observed_joints(self, skeleton: Skeleton) -> BoolArray:
        return np.zeros(len(skeleton), dtype=bool)

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return np.ones(len(skeleton), dtype=bool)
