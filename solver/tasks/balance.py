# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass relative to points of the body (Le Callennec 2006, equation 4.5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.joints import BodyPoint
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core.arrays import Array, ArrayLike, BoolArray
from ..core.errors import TaskError
from .base import Task, axis_indices, target_array


@dataclass(frozen=True, eq=False)
class BalanceTask(Task):
    """Centre of mass minus the barycentre of `points` is `target` along the chosen world axes.

    Both ends of that vector move with the body, so the task holds wherever the feet go, without an estimate of
    where they will be.
    """

    points: Iterable[str | int | BodyPoint]
    target: ArrayLike
    """(3,) or (frames, 3) from the barycentre to the centre of mass; axes that do not count are ignored."""
    axes: str | None = None
    """Which world axes count; None is the two horizontal ones."""

    frame_field: ClassVar[str] = "target"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", tuple(self.points))
        if not self.points:
            raise TaskError(f"{self.label}: balance needs at least one point to stand on.")
        object.__setattr__(self, "target", target_array(self.label, self.target, 3, "target"))
        if self.axes is not None:
            axis_indices(self.label, self.axes)

    @property
    def label(self) -> str:
        return self.name or "Balance"

    def _rows(self, skeleton: Skeleton) -> list[int]:
        return axis_indices(self.label, self.axes or skeleton.horizontal_axes)

    def _resolved(self, skeleton: Skeleton) -> list[BodyPoint]:
        return [skeleton.resolve(point) for point in self.points]

    def error(self, state: WorldState) -> Array:
        reached = balance_vector(state, self._resolved(state.skeleton))
        return (cast(Array, self.target) - reached)[:, self._rows(state.skeleton)]

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        return state.balance_jacobian(self._resolved(state.skeleton), dofs)[:, self._rows(state.skeleton)]

    def observed_joints(self, skeleton: Skeleton) -> BoolArray:
        return skeleton.mask([int(point.joint) for point in self._resolved(skeleton)])

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        for point in self.points:
            skeleton.resolve(point)
        return np.ones(len(skeleton), dtype=bool)


def balance_vector(state: WorldState, points: Iterable[BodyPoint]) -> Array:
    """(frames, 3) from the barycentre of points, whose joints are indices, to the centre of mass."""
    places = [state.point(point) for point in points]
    return np.asarray(state.center_of_mass() - sum(places) / len(places))
